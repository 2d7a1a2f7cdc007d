"""Waiting for another process, however slow the machine is: pytest's timeout ends what never happens."""

import time
from collections.abc import Callable


def wait_until(happened: Callable[[], object], unless: Callable[[], object] = lambda: False) -> None:
    """Return once it has happened; fails where `unless` comes first (a process that has ended, for instance)."""
    while not happened():
        assert not unless(), "what was waited for can no longer happen"
        time.sleep(0.005)
