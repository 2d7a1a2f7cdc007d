"""Engines of this machine: one item after the other, or forked worker processes."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from clirbench.checks import whole_number
from clirbench.engines.base import Done, Item, Result, Task, available_cores, costs, dispatch
from clirbench.engines.elsewhere import Joblib
from clirbench.engines.forked import forked_work, obstacle

LOG = logging.getLogger(__name__)

# Seconds that work is tried in this process before workers are forked, and how much more of it makes workers worth it.
FORK_PATIENCE = 0.05
FORK_WORTH_SECONDS = 0.2
# The same where they cannot be forked: each imports for some seconds what this process has loaded already.
PATIENCE = 1.0
WORTH_SECONDS = 4.0
# Steps that declare their cost do so in bytes of text; from this number on, workers are started without a try.
WORTH_BYTES = 200_000_000


@dataclass(frozen=True)
class Serial:
    """One item after the other, in this process."""

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        return map(step, items)


@dataclass(frozen=True)
class Processes:
    """Forked workers; where this process must not fork (`forked.obstacle`), `engine=joblib`'s new processes.

    The first item runs in this process, so that forked workers inherit what was loaded for it. What is left goes to the
    workers if it seems worth it. `workers`: how many; None = one for each core.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        whole_number("engine.workers", self.workers, or_null=True)

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        alone = getattr(step, "alone", False)
        workers = 1 if alone or len(items) < 2 else self.workers or available_cores()
        if workers == 1 and not alone:
            yield from map(step, items)
            return
        first: Iterator[Result] = iter(())
        if not alone and not obstacle():
            first = _first_results(step, items, FORK_PATIENCE, FORK_WORTH_SECONDS, 1)
        elif not alone and sum(costs(step, items)) <= WORTH_BYTES:
            first = _first_results(step, items, PATIENCE, WORTH_SECONDS)
        done = 0
        for result in first:
            yield result
            done += 1

        def work(tasks: Sequence[Task]) -> Iterator[Done]:
            if why := obstacle():  # the first items may have started Java
                if not alone:  # which waits in a thread of its own, and has one worker either way
                    report_unforked(why)
                return Joblib().work(tasks, workers)
            return forked_work(tasks, workers)

        if done < len(items):
            yield from dispatch(step, items[done:], work)


@cache
def report_unforked(why: str) -> None:
    """Say once why workers are not forked."""
    LOG.warning("workers are not forked (%s): same results, later; engine=joblib leaves this line out", why)


def _first_results(
    step: Callable[[Item], Result], items: Sequence[Item], patience: float, worth: float, least: int = 0
) -> Iterator[Result]:
    """Results of the first items, until what is left seems worth starting workers for.

    `patience`: seconds that are tried here at least, and the first `least` items; `worth`: seconds that what is left
    would take here, from which on workers are worth it.
    """
    start = time.monotonic()
    for done, item in enumerate(items):
        elapsed = time.monotonic() - start
        if done >= least and elapsed >= patience and (not done or elapsed / done * (len(items) - done) > worth):
            return
        yield step(item)
