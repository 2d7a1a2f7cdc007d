"""What an engine costs: processor seconds while it translates, kept beside what it wrote.

A shard's cost is in a file of its own, under the key of the shard. So a rerun from the store finds the same seconds.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import nan
from pathlib import Path

from clirbench.labs.models.translating.shards import read_shard, write_shard

MILLION = 1_000_000


@dataclass
class Meter:
    """Processor seconds of this process and of the programs that it ran to their end; NaN: not known."""

    seconds: float = 0.0


_RUNNING: ContextVar[tuple[Meter, ...]] = ContextVar("running", default=())


def processor_seconds() -> float:
    """User and system time of this process and of the children that it has waited for; NaN where no system tells."""
    try:
        import resource
    except ImportError:  # not on every system; what programs used is not known there
        return nan
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def metered() -> Iterator[Meter]:
    """A meter of what runs in the block; nothing else may run in this process meanwhile."""
    meter, begun = Meter(), processor_seconds()
    token = _RUNNING.set((*_RUNNING.get(), meter))
    try:
        yield meter
    finally:
        _RUNNING.reset(token)
        meter.seconds += processor_seconds() - begun


def recall(seconds: float) -> None:
    """Add to all running meters what was spent before on a result that is now read from where it was kept."""
    for meter in _RUNNING.get():
        meter.seconds += seconds


def write_cost(shard: Path, seconds: float, lines: Sequence[str]) -> None:
    """Keep beside a shard what it cost, and the number of words (between white space) of the source `lines`."""
    write_shard(_place(shard), [f"{seconds:.6f} {sum(len(line.split()) for line in lines)}"])


def read_cost(shard: Path) -> tuple[float, int]:
    """(processor seconds, words of the source); (NaN, 0) where nobody measured it."""
    kept = read_shard(_place(shard), 1)
    if kept is None:
        return nan, 0
    seconds, words = kept.split()
    return float(seconds), int(words)


def per_million_words(shards: Sequence[Path]) -> float:
    """Processor seconds for a million words of the source; NaN where a shard's cost is not known, or without words."""
    costs = [read_cost(shard) for shard in shards]
    words = sum(words for _, words in costs)
    return MILLION * sum(seconds for seconds, _ in costs) / words if words else nan


def _place(shard: Path) -> Path:
    return shard.with_suffix(".cost")
