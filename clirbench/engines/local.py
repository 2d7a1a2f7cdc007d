"""Engines of this machine: one item after the other, threads, or worker processes."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache

from clirbench.checks import whole_number
from clirbench.engines.base import (
    Chunk,
    Item,
    Lost,
    Result,
    Task,
    costs,
    dispatch,
    kind,
    leave_clusters,
    releases_gil,
)
from clirbench.engines.forked import forked_work, obstacle

LOG = logging.getLogger(__name__)
LOKY = threading.RLock()
"""Held while loky's workers are used or ended: a process has one set of them, and a run in another thread waits."""

# Seconds that work is tried in this process before it is handed out, and how much more of it makes workers worth
# starting: each imports for some seconds what this process has loaded already.
PATIENCE = 1.0
WORTH_SECONDS = 4.0
# The same for forked workers, which have everything loaded.
FORK_PATIENCE = 0.05
FORK_WORTH_SECONDS = 0.2
FORK_TASKS = 8  # of each worker: a task is sent as a number
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
    """Workers on this machine: forked processes where that is safe (`forked.obstacle`), else threads or joblib's loky.

    The first items run in this process: one of each kind before a fork, whose workers inherit what was loaded for it.
    What is left goes to the workers, if it seems worth it. Where this process must not fork, work that is done by
    compiled code, which releases the interpreter's lock, goes to threads of this process: they share what was analysed
    once, but many of them would wait for the lock. Other work goes to loky's processes, kept alive between steps.

    `workers`: how many; None = one for each core. `threads`: up to how many workers may be threads; 0 = never.
    `forks`: whether this process may fork at all.
    """

    workers: int | None = None
    threads: int = 4
    forks: bool = True

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
        compiled = all(releases_gil(step, item) for item in items)
        threaded = compiled and workers <= self.threads
        forked = not self.hindrance
        first: Iterator[Result] = iter(())
        if forked and (compiled or not worth_workers(step, items)):
            first = _first_results(step, items, FORK_PATIENCE, FORK_WORTH_SECONDS, _of_new_kind(step, items))
        elif threaded:
            first = map(step, items[:1])  # it loads the compiled code and analyses what all others share
        elif not worth_workers(step, items):
            first = _first_results(step, items, PATIENCE, WORTH_SECONDS)
        done = 0
        for result in first:
            yield result
            done += 1

        def work(tasks: Sequence[Task]) -> Iterator[Chunk]:
            if not self.hindrance:  # the first items may have started Java
                return forked_work(tasks, workers)
            if self.forks:
                report_unforked(self.hindrance)
            return thread_work(tasks, workers) if threaded else self._loky_work(tasks)

        if done < len(items):
            yield from dispatch(step, items[done:], workers, work, FORK_TASKS if forked else 4)

    @property
    def hindrance(self) -> str:
        """Why workers are not forked; empty where they are."""
        return obstacle() if self.forks else "engine.forks=false"

    def _loky_work(self, tasks: Sequence["Task"]) -> Iterator[Chunk]:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError
        from joblib.parallel import parallel_config

        # At least two, since joblib does the work of one here, where a death would be ours.
        workers = max(2, min(self.workers or available_cores(), len(tasks)))
        try:
            with LOKY:
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


@cache
def report_unforked(why: str) -> None:
    """Say once why workers are not forked."""
    LOG.warning("workers are not forked (%s): same results, later; engine.forks=false leaves this line out", why)


def _run_serially(tasks: Sequence["Task"]) -> Iterator[Chunk]:
    """Call tasks one after the other in one process, which then gives back all that it loaded."""
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with LOKY:
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


def _first_results(
    step: Callable[[Item], Result], items: Sequence[Item], patience: float, worth: float, least: int = 0
) -> Iterator[Result]:
    """Results of the first items, until what is left seems worth starting workers for.

    `patience`: seconds that are tried here at least, after the first `least` items, which may load code; `worth`:
    seconds that what is left would take here, from which on workers are worth it.
    """
    start = time.monotonic()
    for done, item in enumerate(items):
        if done == least:
            start = time.monotonic()
        elapsed, tried = time.monotonic() - start, done - least
        if tried >= 0 and elapsed >= patience and (tried == 0 or elapsed / tried * (len(items) - done) > worth):
            return
        yield step(item)


def _of_new_kind(step: Callable[[Item], Result], items: Sequence[Item]) -> int:
    """How many items come before the first one whose kind has been there."""
    kinds = [kind(step, item) for item in items]
    return next((number for number, one in enumerate(kinds) if one in kinds[:number]), len(items))


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

        with LOKY:
            executor = reusable_executor._executor
            if executor is not None:
                executor.shutdown(wait=True, kill_workers=True)
    leave_clusters()
