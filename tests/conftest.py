"""Shared fixtures: where the real data lie, and a folder of MT outputs small enough to read."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it are skipped, loudly, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(
            "REAL DATA ABSENT: ../shared/data does not lie beside the project, agreement is not tested"
        )
    return SHARED
