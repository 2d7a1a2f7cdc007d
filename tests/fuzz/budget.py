"""How much is tried, from which seed, and what every outcome must satisfy."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clirbench.commands.base import FAULT, in_words
from clirbench.errors import LONGEST, MOST, UNSEEN, MissingData, Problems

INPUTS = int(os.environ.get("CLIRBENCH_FUZZ", "2000"))
"""Inputs in all; `make fuzz` tries 50,000."""
SEED = int(os.environ.get("CLIRBENCH_FUZZ_SEED", "0"))
CALLS = 3_000_000
"""Functions of Python that one input may call: some hundred times what the largest of them needs."""


def refused(what: str, work: Callable[[], object]) -> bool:
    """Do the work; whether it ended in an error. Fails for one that is not ours, and a long or unclean message.

    what: names the input in the message of a failure, so that it can be made again.
    """
    error: Exception | None = None
    try:
        work()
    except Exception as raised:  # noqa: BLE001 - every one is judged
        error = raised
    if error is None:
        return False
    text, status = in_words(error)
    assert status != FAULT, f"{what}: {text}"
    assert not UNSEEN.search(text), f"{what}: {text!r}"
    longest = LONGEST * (MOST if isinstance(error, Problems) else 6 if isinstance(error, MissingData) else 1)
    assert len(text) <= longest + 100, f"{what}: {len(text)} characters: {text[:300]}"
    return True


@contextmanager
def few_calls() -> Iterator[None]:
    """Fails where the block calls more than `CALLS` functions; pytest ends what hangs without a call."""
    calls, before = 0, sys.gettrace()

    def call(*_: object) -> None:
        nonlocal calls
        calls += 1
        assert calls < CALLS, f"more than {CALLS:,} calls"

    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
