"""The program begins, and reads score tables, where Python lacks what Linux and macOS alone have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PACKAGE

WITHOUT = """
import os, runpy, sys
sys.modules.update(dict.fromkeys(("fcntl", "resource")))  # None: as if it were not there
for name in ("fork", "killpg"):
    delattr(os, name)
import clirbench
runpy.run_module("clirbench", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--help"], "python -m clirbench"),
        pytest.param(["+experiment=europarl_csen_published", "hydra.run.dir=run"], "strong", marks=pytest.mark.slow),
    ],
)
def test_without_fcntl_resource_fork_and_killpg(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
