"""Engines of this machine: one item after the other, threads, or worker processes."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from clirbench.checks import whole_number
from clirbench.engines.base import (
    Chunk,
    Item,
    Lost,
    Result,
    Task,
    costs,
    dispatch,
    leave_clusters,
    releases_gil,
)

# Seconds that work is tried in this process before it is handed out, and how much more of it makes workers worth
# starting: each imports for some seconds what this process has loaded already.
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
    """Workers on this machine: processes (joblib's loky), kept alive between steps, so vocabularies stay warm.

    Where the items are not known to be expensive, the first ones run in this process for `PATIENCE` seconds; what is
    left then goes to the workers, if it seems worth it. Work that is done by compiled code, which releases the
    interpreter's lock, goes to as many threads of this process instead: they cost nothing to start and share what
    was analysed once. Many of them would wait for the lock, which they still need now and then.

    `workers`: how many; None = one for each core. `threads`: up to how many workers may be threads; 0 = never.
    """

    workers: int | None = None
    threads: int = 4

    def __post_init__(self) -> None:
        whole_number("engine.workers", self.workers, or_null=True)
        whole_number("engine.threads", self.threads, least=0)

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if getattr(step, "alone", False):
            yield from dispatch(step, items, 1, _run_serially)
            return
        workers = (self.workers or available_cores()) if len(items) > 1 else 1
        if workers == 1:
            yield from map(step, items)
            return
        if workers <= self.threads and all(releases_gil(step, item) for item in items):
            # The first alone: it loads the compiled code and analyses what all others share.
            yield from map(step, items[:1])
            yield from dispatch(step, items[1:], workers, lambda tasks: thread_work(tasks, workers))
            return
        done = 0
        if not worth_workers(step, items):
            for result in _first_results(step, items):
                yield result
                done += 1
        if done < len(items):
            yield from dispatch(step, items[done:], workers, self._work)

    def _work(self, tasks: Sequence["Task"]) -> Iterator[Chunk]:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError
        from joblib.parallel import parallel_config

        # At least two, since joblib does the work of one here, where a death would be ours.
        workers = max(2, min(self.workers or available_cores(), len(tasks)))
        try:
            with parallel_config("loky", n_jobs=workers, initializer=_end_with, initargs=(os.getpid(),)):
                # Arrays are never shared through files: what is large is in the store.
                parallel = Parallel(return_as="generator_unordered", batch_size=1, max_nbytes=None)
                results = parallel(delayed(task)() for task in tasks)
            yield from results
        except TerminatedWorkerError as error:
            raise Lost(
                "a worker process was killed (most often: memory ran out). Try fewer workers, engine.workers=1; "
                f"a rerun does only what is missing. ({str(error).partition(chr(10))[0]})"
            ) from None


def _run_serially(tasks: Sequence["Task"]) -> Iterator[Chunk]:
    """Call tasks one after the other in one process, which then gives back all that it loaded."""
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    executor = get_reusable_executor(1, initializer=_end_with, initargs=(os.getpid(),))
    try:
        for future in [executor.submit(task) for task in tasks]:
            yield future.result()
    except TerminatedWorkerError as error:
        raise Lost(f"a worker process was killed (most often: memory ran out): {error}") from error
    finally:
        executor.shutdown(wait=True, kill_workers=True)


def thread_work(tasks: Sequence["Task"], workers: int) -> Iterator[Chunk]:
    """Call tasks in threads of this process. An error, or Ctrl-C, waits for the item that each has in hand."""
    stop = threading.Event()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for done in as_completed([pool.submit(task, stop.is_set) for task in tasks]):
                yield done.result()
        finally:
            stop.set()


def _first_results(step: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Results of the first items, until what is left seems worth starting workers for."""
    start = time.monotonic()
    for done, item in enumerate(items):
        elapsed = time.monotonic() - start
        if elapsed >= PATIENCE and (done == 0 or elapsed / done * (len(items) - done) > WORTH_SECONDS):
            return
        yield step(item)


def worth_workers(step: Callable[[Item], Result], items: Sequence[Item]) -> bool:
    """Whether the costs, as far as they are known, are high enough to start workers at once."""
    return len(items) > 1 and sum(costs(step, items)) > WORTH_BYTES


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
    leave_clusters()
