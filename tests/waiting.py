"""Another process, and waiting for it, however slow the machine is: pytest's timeout ends what never happens."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import PACKAGE


def begun(folder: Path, *words: str, **variables: str) -> "subprocess.Popen[str]":
    """The program in a process of its own, that a test may end; what it prints is in one pipe."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), **variables}
    command = [sys.executable, "-m", "clirbench", *words]
    return subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def wait_until(happened: Callable[[], object], unless: Callable[[], object] = lambda: False) -> None:
    """Return once it has happened; fails where `unless` comes first (a process that has ended, for instance)."""
    while not happened():
        assert not unless(), "what was waited for can no longer happen"
        time.sleep(0.005)
