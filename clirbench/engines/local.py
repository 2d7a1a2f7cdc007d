"""Engines of this machine: one item after the other, or forked worker processes.

Worker processes forked from this one: they inherit all that it has loaded, and take one task after the other.

A fork copies one thread alone, and what another thread holds locked stays locked in the copy. So a process forks only
while it has a single thread; `obstacle` says what prevents it. numpy's OpenBLAS starts threads when it is loaded; it
ends them before each fork, and starts them again when it needs them: so they are ended first, then threads are counted.
"""

import ctypes
import logging
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from clirbench.checks import whole_number
from clirbench.engines.base import Done, Item, Lost, Result, Task, available_cores, costs, dispatch
from clirbench.engines.elsewhere import Joblib
from clirbench.errors import ClirbenchError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

GRACE = 2.0
"""Seconds between asking a worker to end and ending it."""
LINGER = 0.02
"""Seconds for which the system may still list a thread that has ended."""
PR_SET_PDEATHSIG = 1
"""The request of Linux's prctl that names the signal which a process gets when its parent ends."""


def obstacle() -> str:
    """Why this process must not fork workers; empty where it may. Idle threads of OpenBLAS are ended."""
    if sys.platform != "linux":
        return f"forks are safe on Linux alone, not on {sys.platform}"
    try:
        if n_threads() > 1 and threading.active_count() == 1 and has_blas_alone():
            end_blas_threads()
            until = time.monotonic() + LINGER
            while n_threads() > 1 and time.monotonic() < until:
                time.sleep(0.001)
        return "this process has several threads" if n_threads() > 1 else ""
    except OSError as error:
        return f"the number of threads of this process is unknown ({error})"


def n_threads() -> int:
    """Threads of this process, those that Python does not know too."""
    return len(list(Path("/proc/self/task").iterdir()))


def has_blas_alone() -> bool:
    """Whether OpenBLAS is loaded, and no Java."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    return "openblas" in maps and "libjvm" not in maps


def end_blas_threads() -> None:
    """Fork a process that does nothing: before each fork OpenBLAS ends its threads (`pthread_atfork`)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, where other threads are left
        pid = os.fork()
        if not pid:
            os._exit(0)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@dataclass(eq=False)
class Worker:
    """A forked process, and the line on which it gets numbers of tasks and answers with what they return."""

    pid: int
    line: "Connection[Any, Any]"

    def end(self) -> int:
        """Its exit status, negative for the signal that killed it; it is asked to end if it has not."""
        self.line.close()
        os.kill(self.pid, signal.SIGTERM)
        until = time.monotonic() + GRACE
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        while not pid:
            time.sleep(0.002)
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status)


def forked_work(tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    """Call every task in one of `workers` forked processes; yields what they return as it comes.

    A worker that dies is replaced while there are tasks left; at the end its death is raised as `Lost`, so that what
    it had in hand is done again. An error of a task, and the end of the iteration, end all workers.
    """
    from multiprocessing.connection import wait

    left = list(reversed(range(len(tasks))))
    crew: dict[Connection[Any, Any], Worker] = {}
    deaths: list[int] = []
    try:
        while True:
            while left and len(crew) < workers and not obstacle():
                worker = fork(tasks, list(crew.values()))
                crew[worker.line] = worker
                give(worker, left)
            if not crew:
                break
            for line in wait(list(crew)):
                worker = crew[line]  # type: ignore[index]
                try:
                    chunk, error = worker.line.recv()
                except (EOFError, OSError):
                    del crew[worker.line]
                    deaths.append(worker.end())
                    continue
                if error is not None:
                    raise error
                if left:
                    give(worker, left)
                else:
                    del crew[worker.line]
                    worker.end()
                yield chunk
    finally:
        for worker in crew.values():
            worker.end()
    if deaths or left:
        how = ", ".join(sorted({signal.Signals(-code).name if code < 0 else f"exit status {code}" for code in deaths}))
        raise Lost(
            "a worker process was killed (most often: memory ran out). Try fewer workers, engine.workers=1; "
            f"a rerun does only what is missing. ({how})"
        )


def give(worker: Worker, left: list[int]) -> None:
    """Hand out the next task; where the worker has died meanwhile, its line says so when it is read."""
    with suppress(OSError):
        worker.line.send(left.pop())


def fork(tasks: Sequence[Task], crew: Sequence[Worker]) -> Worker:
    """A new worker for these tasks, beside those there are."""
    from multiprocessing.connection import Pipe

    ours, theirs = Pipe()
    parent = os.getpid()
    for stream in (sys.stdout, sys.stderr):  # or the worker too would write what waits to be written
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    pid = os.fork()
    if not pid:
        try:
            end_with(parent)
            for line in (ours, *(worker.line for worker in crew)):
                line.close()
            serve(theirs, tasks)
        finally:
            os._exit(1)
    theirs.close()
    return Worker(pid, ours)


def serve(line: "Connection[Any, Any]", tasks: Sequence[Task]) -> NoReturn:
    """In a worker: do the tasks whose numbers come, until no more can come."""
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            task = tasks[line.recv()]
            try:
                answer: tuple[Done | None, Exception | None] = task(), None
            except Exception as error:  # noqa: BLE001  the parent raises it
                if not isinstance(error, ClirbenchError):
                    error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                answer = None, error
            line.send(answer)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(0)


def end_with(parent: int) -> None:
    """In a worker: end when asked to, or when the process that started it has gone; Ctrl-C is the parent's matter."""

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what the step has started, it ends
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


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
