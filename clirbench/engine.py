"""Engines: ways to map a pure step over items. The line knows only `pmap(step, items)`, never where it runs.

    engine.pmap(step, items) -> one result for each item, in the order of the items

Results are the same bytes from every engine: a step is a pure function of its named inputs.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from clirbench.errors import ConfigError, ResourceError

Item = TypeVar("Item")
Result = TypeVar("Result")

# Starting worker processes costs about a second; work that is done sooner than that is not handed out.
PATIENCE = 1.0


class Pmap(Protocol):
    """Maps a step over items, lazily and in order."""

    def __call__(self, step: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]: ...


@runtime_checkable
class Engine(Protocol):
    """A way to run steps; a frozen dataclass whose fields are its configuration."""

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """Apply `step` to every item; yields in the order of the items."""


@dataclass(frozen=True)
class Serial:
    """One item after the other, in this process."""

    def pmap(self, step: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        return map(step, items)


@dataclass(frozen=True)
class Processes:
    """Worker processes on this machine (joblib's loky): kept alive between steps, so vocabularies stay warm.

    The first items run in this process until `PATIENCE` seconds have passed; what is left then goes to the workers,
    in chunks of consecutive items. `workers`: how many; None = one for each core.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"engine.workers={self.workers}: must be at least 1")

    def pmap(self, step: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        workers = self.workers or available_cores()
        if workers == 1:
            yield from map(step, items)
            return
        start = time.monotonic()
        done = 0
        while done < len(items) and time.monotonic() - start < PATIENCE:
            yield step(items[done])
            done += 1
        if done < len(items):
            yield from _in_workers(step, items[done:], workers)


def _in_workers(step: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    chunks = chunked(items, workers)
    parallel = Parallel(n_jobs=min(workers, len(chunks)), backend="loky", return_as="generator", batch_size=1)
    try:
        for results in parallel(delayed(_map_chunk)(step, chunk) for chunk in chunks):
            yield from results
    except TerminatedWorkerError as error:
        raise ResourceError(
            "a worker process was killed (most often: memory ran out). Try fewer workers, engine.workers=1; "
            f"a rerun does only what is missing. ({str(error).splitlines()[0]})"
        ) from None


def _map_chunk(step: Callable[[Item], Result], chunk: Sequence[Item]) -> list[Result]:
    return [step(item) for item in chunk]


def chunked(items: Sequence[Item], workers: int) -> list[Sequence[Item]]:
    """Consecutive chunks, about four for each worker: few enough to ship a step seldom, enough to balance."""
    size = max(1, -(-len(items) // (4 * workers)))
    return [items[start : start + size] for start in range(0, len(items), size)]


def available_cores() -> int:
    """Cores this process may use (containers and affinity masks count)."""
    from joblib import cpu_count

    return int(cpu_count())


def close_workers() -> None:
    """End the worker processes of this process, if any were started."""
    import sys

    if "joblib.externals.loky" in sys.modules:
        from joblib.externals.loky import reusable_executor

        executor = reusable_executor._executor
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)
