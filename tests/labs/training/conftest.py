"""Real English lines, and what a test of a trainer needs."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from clirbench.engines.base import leave_clusters
from tests.conftest import DEMO


@pytest.fixture(scope="session")
def lines() -> list[str]:
    """60 English lines that ship with the package."""
    return (DEMO / "reference.txt").read_text(encoding="utf-8").split("\n")[:60]


@pytest.fixture
def workers() -> Iterator[None]:
    """Ends the processes that train."""
    yield
    leave_clusters()


@pytest.fixture(scope="session")
def torch() -> None:
    """Skipped, loudly, without what trains."""
    names = ("torch", "transformers", "accelerate", "ctranslate2", "sentencepiece")
    if missing := [name for name in names if find_spec(name) is None]:
        pytest.skip(f"EXTRA ABSENT: pip install '.[train]' ({', '.join(missing)}); training is not tested")
