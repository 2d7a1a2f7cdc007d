"""How much is tried, from which seed, and what every outcome must satisfy."""

import os
import time
from collections.abc import Callable

from clirbench.commands.faults import FAULT, in_words
from clirbench.errors import LONGEST, MOST, UNSEEN, MissingData, Problems

INPUTS = int(os.environ.get("CLIRBENCH_FUZZ", "2000"))
"""Inputs in all; `make fuzz` tries 50,000."""
SEED = int(os.environ.get("CLIRBENCH_FUZZ_SEED", "0"))
SECONDS = 10


def refused(what: str, work: Callable[[], object]) -> bool:
    """Do the work; whether it ended in an error. Fails for one that is not ours, a long or unclean message, a hang.

    what: names the input in the message of a failure, so that it can be made again.
    """
    start = time.process_time()  # of the processor, so that a busy machine fails nothing; pytest stops what waits
    error: Exception | None = None
    try:
        work()
    except Exception as raised:  # noqa: BLE001 - every one is judged
        error = raised
    took = time.process_time() - start
    assert took < SECONDS, f"{what}: took {took:.0f} s"
    if error is None:
        return False
    text, status = in_words(error)
    assert status != FAULT, f"{what}: {text}"
    assert not UNSEEN.search(text), f"{what}: {text!r}"
    longest = LONGEST * (MOST if isinstance(error, Problems) else 6 if isinstance(error, MissingData) else 1)
    assert len(text) <= longest + 100, f"{what}: {len(text)} characters: {text[:300]}"
    return True
