"""The tiny model is trained once for all tests that load one."""

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny model of transformers; skipped, loudly, without the library."""
    missing = [name for name in ("torch", "transformers", "sentencepiece") if find_spec(name) is None]
    if missing:
        pytest.skip(f"EXTRA ABSENT: pip install '.[transformers]' ({', '.join(missing)}); loading is not tested")
    from tests.labs.models.tiny_models import train

    return train(tmp_path_factory.mktemp("tiny"))
