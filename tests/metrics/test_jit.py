"""A file of the folder where clirbench is started configures no numba."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PACKAGE

LOADS = "from clirbench.metrics.compiled import njit"
SHOWS = "from numba.core import config; config.reload_config(); print([config.CACHE_DIR, config.DISABLE_JIT])"


@pytest.mark.parametrize(
    ("program", "cache"),
    [
        (f"{LOADS}; {SHOWS}", ""),
        (f"import numba; {LOADS}; {SHOWS}", ""),  # where somebody has loaded it before
        (f"import os; os.environ['NUMBA_CACHE_DIR'] = 'mine'; {LOADS}; {SHOWS}", "mine"),
    ],
    ids=["first", "later", "environment"],
)
def test_a_file_of_the_current_folder_configures_no_numba(tmp_path: Path, program: str, cache: str) -> None:
    """By numba's documentation, `cache_dir` in .numba_config.yaml is where compiled code is pickled."""
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: theirs\ndisable_jit: 1\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, env={**environment, "PYTHONPATH": str(PACKAGE)},
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == str([cache, 0])
    assert not (tmp_path / "theirs").exists()
