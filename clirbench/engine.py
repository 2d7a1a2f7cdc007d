"""Engines: ways to map a pure step over items. The line knows only `pmap(step, items)`, never where it runs.

    engine.pmap(step, items) -> one result for each item, in the order of the items

Results are the same bytes from every engine: a step is a pure function of its named inputs. Clusters (Dask, Ray,
Slurm) are in `clirbench.clusters`; `clirbench.cached` puts the store before any engine.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from clirbench.errors import ConfigError, ResourceError

Item = TypeVar("Item")
Result = TypeVar("Result")
Chunk = list[Any]

# Seconds that work is tried in this process before it is handed out, and how much more of it makes workers worth
# starting: each imports for some seconds what this process has at hand.
PATIENCE = 1.0
WORTH_SECONDS = 4.0
# Steps that say what they cost say it in bytes of text; so many are worth starting workers for without a try.
WORTH_BYTES = 200_000_000


@runtime_checkable
class Engine(Protocol):
    """A way to run steps; a frozen dataclass whose fields are its configuration."""

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        """Apply `step` to every item; yields in the order of the items.

        A step may have `cost(item)`, in bytes of text that it reads: the dearest are then begun first; and
        `releases_gil(item)`, whether threads may do it side by side. `names` say whose items they are, to an engine
        that keeps a record.
        """


@dataclass(frozen=True)
class Serial:
    """One item after the other, in this process."""

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        return map(step, items)


@dataclass(frozen=True)
class Processes:
    """Workers on this machine: processes (joblib's loky), kept alive between steps, so vocabularies stay warm.

    Where the items are not known to be dear, the first ones run in this process until `PATIENCE` seconds have passed;
    what is left then goes to the workers, if it seems worth it. Work that is done by compiled code, which lets go of
    the interpreter's lock, goes to as many threads of this process instead: they cost nothing to start and share what
    was analysed once. Beyond some number of them the lock, which they still need now and then, is in their way.

    `workers`: how many; None = one for each core. `threads`: up to how many workers may be threads; 0 = never.
    """

    workers: int | None = None
    threads: int = 4

    def __post_init__(self) -> None:
        check_workers(self.workers)
        if type(self.threads) is not int or self.threads < 0:
            raise ConfigError(f"engine.threads={self.threads}: must be a whole number of at least 0")

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        workers = self.workers or available_cores()
        if workers == 1:
            yield from map(step, items)
            return
        if workers <= self.threads and all(releases_gil(step, item) for item in items):
            # The first alone: it loads the compiled code and analyses what all others share.
            yield from map(step, items[:1])
            yield from spread(step, items[1:], workers, lambda tasks: thread_work(tasks, workers))
            return
        done = 0
        if not worth_workers(step, items):
            for result in _tried(step, items):
                yield result
                done += 1
        if done < len(items):
            yield from spread(step, items[done:], workers, self._work)

    def _work(self, tasks: Sequence["Task"]) -> Iterator[Chunk]:
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        workers = min(self.workers or available_cores(), len(tasks))
        try:
            yield from joblib_work(tasks, workers, backend="loky", initializer=_end_with, initargs=(os.getpid(),))
        except TerminatedWorkerError as error:
            raise ResourceError(
                "a worker process was killed (most often: memory ran out). Try fewer workers, engine.workers=1; "
                f"a rerun does only what is missing. ({str(error).partition(chr(10))[0]})"
            ) from None


def releases_gil(step: Callable[[Item], Result], item: Item) -> bool:
    """Whether threads may do this item of the step side by side, and gain by it; no, where the step does not say."""
    said: Callable[[Item], bool] | None = getattr(step, "releases_gil", None)
    return said is not None and said(item)


def thread_work(tasks: Sequence["Task"], workers: int) -> Iterator[Chunk]:
    """Call tasks in threads of this process. An error, or Ctrl-C, waits for the item that each has in hand."""
    stop = threading.Event()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for done in as_completed([pool.submit(task, stop.is_set) for task in tasks]):
                yield done.result()
        finally:
            stop.set()


def _tried(step: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Results of the first items, until what is left seems worth starting workers for."""
    start = time.monotonic()
    for done, item in enumerate(items):
        elapsed = time.monotonic() - start
        if elapsed >= PATIENCE and (done == 0 or elapsed / done * (len(items) - done) > WORTH_SECONDS):
            return
        yield step(item)


def spread(
    step: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    work: Callable[[Sequence["Task"]], Iterator[Chunk]],
) -> Iterator[Result]:
    """Hand items out in chunks, the dearest first, and yield their results in the items' own order.

    `work` calls each of the tasks it is given somewhere, and yields what they return in any order.
    """
    ready: dict[int, Result] = {}
    due = 0
    for chunk in work([Task(step, chunk) for chunk in chunked(dearest_first(step, items), workers)]):
        ready.update(chunk)
        while due in ready:
            yield ready.pop(due)
            due += 1


def never() -> bool:
    """Work goes on to its end."""
    return False


@dataclass(frozen=True, eq=False)
class Task:
    """A step and the numbered items that one worker does in one go, or as many of them as it does before `stopped`."""

    step: Callable[[Any], Any]
    chunk: Sequence[tuple[int, Any]]

    def __call__(self, stopped: Callable[[], bool] = never) -> Chunk:
        return [(number, self.step(item)) for number, item in self.chunk if not stopped()]


def dearest_first(step: Callable[[Item], Result], items: Sequence[Item]) -> list[tuple[int, Item]]:
    """Numbered items, those of the highest cost first; of equal ones, or where costs are not known, in their order."""
    costs = _costs(step, items)
    return [(i, items[i]) for i in sorted(range(len(items)), key=lambda i: -costs[i])]


def worth_workers(step: Callable[[Item], Result], items: Sequence[Item]) -> bool:
    """Whether the costs, as far as they are known, are high enough to start workers at once."""
    return len(items) > 1 and sum(_costs(step, items)) > WORTH_BYTES


def _costs(step: Callable[[Item], Result], items: Sequence[Item]) -> list[float]:
    cost: Callable[[Item], float | None] | None = getattr(step, "cost", None)
    return [0.0] * len(items) if cost is None else [cost(item) or 0.0 for item in items]


def chunked(items: Sequence[Item], workers: int) -> list[Sequence[Item]]:
    """Consecutive chunks, about four for each worker: few enough to ship a step seldom, enough to balance."""
    size = max(1, -(-len(items) // (4 * workers)))
    return [items[start : start + size] for start in range(0, len(items), size)]


def joblib_work(tasks: Sequence[Task], workers: int, **backend: Any) -> Iterator[Chunk]:
    """Call tasks through a backend of joblib; yields as they end where the backend can, else when all have ended."""
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend, parallel_config

    with parallel_config(n_jobs=workers, **backend):
        streams = get_active_backend()[0].supports_return_generator
        # Arrays are never shared through files: what is large is in the store.
        parallel = Parallel(return_as="generator_unordered" if streams else "list", batch_size=1, max_nbytes=None)
        results = parallel(delayed(task)() for task in tasks)
    yield from results


def check_workers(workers: int | None) -> None:
    """Raise `ConfigError` for less than one worker."""
    if workers is not None and (type(workers) is not int or workers < 1):
        raise ConfigError(f"engine.workers={workers}: must be a whole number of at least 1, or null")


def available_cores() -> int:
    """Cores this process may use (containers and affinity masks count)."""
    from joblib import cpu_count

    return int(cpu_count())


def _end_with(parent: int) -> None:
    """In a worker: end when the process that started it has gone, however it went. No worker is left behind."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def close_workers() -> None:
    """End the worker processes and clusters that this process started, if any."""
    if "joblib.externals.loky" in sys.modules:
        from joblib.externals.loky import reusable_executor

        executor = reusable_executor._executor
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)
    if "clirbench.clusters" in sys.modules:
        sys.modules["clirbench.clusters"].close()
