"""Engines of this machine: one item after the other, or forked worker processes.

Workers inherit by the fork all that this process has loaded, and take one task after the other. A fork copies one
thread alone, and what another thread holds locked stays locked in the copy: so a process forks only while it has a
single thread; `obstacle` says what prevents it.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.checks import whole_number
from clirbench.engines.base import Done, Lost, Task, answer, available_cores, dispatch, killed, nested
from clirbench.engines.elsewhere import Joblib

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# Seconds that work is tried in this process before workers are forked, and how much more of it makes workers worth it.
FORK_PATIENCE = 0.05
FORK_WORTH_SECONDS = 0.2
# The same where they cannot be forked: each imports for some seconds what this process has loaded already.
PATIENCE = 1.0
WORTH_SECONDS = 4.0
GRACE = 2.0
"""Seconds that a worker has to end."""
PR_SET_PDEATHSIG = 1
"""The request of Linux's prctl that names the signal which a process gets when its parent ends."""


@dataclass(frozen=True)
class Serial:
    """One item after the other, in this process."""

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        return map(step, items)


@dataclass(frozen=True)
class Processes:
    """Forked workers; where this process must not fork (`obstacle`), `engine=joblib`'s new processes.

    The first item runs in this process, so that forked workers inherit what was loaded for it. What is left goes to the
    workers if it seems worth it. `workers`: how many; None = one for each core, none in a worker of multiprocessing.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        whole_number("engine.workers", self.workers, or_null=True)

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        alone = getattr(step, "alone", False)
        workers = 1 if alone or len(items) < 2 else self.workers or (1 if nested() else available_cores())
        if workers == 1 and not alone:
            yield from map(step, items)
            return
        done = 0
        for result in () if alone else _first_results(step, items, not obstacle()):
            yield result
            done += 1

        def work(tasks: Sequence[Task]) -> Iterator[Done]:
            # The first items may have started Java.
            return Joblib(workers=workers).work(tasks) if obstacle() else forked_work(tasks, workers)

        if done < len(items):
            yield from dispatch(step, items[done:], work)


def _first_results(step: Callable[[Any], Any], items: Sequence[Any], forks: bool) -> Iterator[Any]:
    """Results of the first items (one at least, to be inherited), until what is left seems worth starting workers."""
    patience, worth = (FORK_PATIENCE, FORK_WORTH_SECONDS) if forks else (PATIENCE, WORTH_SECONDS)
    start = time.monotonic()
    for done, item in enumerate(items):
        elapsed = time.monotonic() - start
        if done >= forks and elapsed >= patience and (not done or elapsed / done * (len(items) - done) > worth):
            return
        yield step(item)


def obstacle() -> str:
    """Why this process must not fork workers; empty where it may."""
    if sys.platform != "linux":
        return f"forks are safe on Linux alone, not on {sys.platform}"
    try:
        threads = len(list(Path("/proc/self/task").iterdir()))  # those that Python does not know too
    except OSError as error:
        return f"the number of threads of this process is unknown ({error})"
    return "this process has several threads" if threads > 1 else ""


def _fork(tasks: Sequence[Task], crew: dict[Any, "BaseProcess"]) -> Any:
    """Add a new worker for these tasks to the crew; the line on which it gets numbers of tasks and sends answers."""
    from multiprocessing import Pipe, get_context

    ours, theirs = Pipe()
    process = get_context("fork").Process(target=serve, args=(theirs, [ours, *crew], tasks, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    crew[ours] = process
    return ours


def _end(line: "Connection[Any, Any]", process: "BaseProcess") -> int:
    """Wait for the end of a worker, which closing its line asks for; its exit status, negative for a signal that
    killed it."""
    line.close()
    process.join(GRACE)
    process.kill()
    process.join()
    return process.exitcode or 0


def serve(line: "Connection[Any, Any]", inherited: Sequence[Any], tasks: Sequence[Task], parent: int) -> None:
    """In a worker: do the tasks whose numbers come, until no more can come, it is asked to end (SIGTERM), or the
    process that started it has gone; Ctrl-C is the parent's matter."""
    try:
        with suppress(EOFError, OSError, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # what the step has started, it ends
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            for ours in inherited:
                ours.close()
            while os.getppid() == parent:
                line.send(answer(tasks[line.recv()]))
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(0)
    finally:
        os._exit(1)


def forked_work(tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    """Call every task in one of `workers` forked processes; yields what they return as it comes.

    A worker that dies is replaced while there are tasks left; at the end its death is raised as `Lost`, so that what
    it had in hand is done again. An error of a task, and the end of the iteration, end all workers.
    """
    from multiprocessing.connection import wait

    left = list(reversed(range(len(tasks))))
    crew: dict[Any, BaseProcess] = {}
    deaths: list[int] = []
    try:
        while True:
            while left and len(crew) < workers and not obstacle():
                _give(_fork(tasks, crew), left)
            if not crew:
                break
            ready: list[Any] = wait(list(crew))
            for line in ready:
                try:
                    result, error = line.recv()
                except (EOFError, OSError):
                    deaths.append(_end(line, crew.pop(line)))
                    continue
                if error is not None:
                    raise error
                if left:
                    _give(line, left)
                else:
                    _end(line, crew.pop(line))
                yield result
    finally:
        for line, process in crew.items():
            process.terminate()
            _end(line, process)
    if deaths or left:
        how = {signal.Signals(-code).name if code < 0 else f"exit status {code}" for code in deaths}
        raise Lost(killed(", ".join(sorted(how))))


def _give(line: "Connection[Any, Any]", left: list[int]) -> None:
    """Hand out the next task; where the worker has died meanwhile, its line says so when it is read."""
    with suppress(OSError):
        line.send(left.pop())
