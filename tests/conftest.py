"""Shared fixtures: where the real data lie, and how Hypothesis runs."""

from pathlib import Path

import pytest
from hypothesis import settings

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

# First calls compile or import; the clock is never asserted. The same examples each time: a red test stays red.
settings.register_profile("clirbench", deadline=None, derandomize=True)
settings.load_profile("clirbench")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it are skipped, loudly, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("REAL DATA ABSENT: ../shared/data does not lie beside the project, agreement is not tested")
    return SHARED
