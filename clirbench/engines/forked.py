"""Worker processes forked from this one: they inherit all that it has loaded, and take one task after the other.

A fork copies one thread alone, and what another thread holds locked stays locked in the copy. So a process forks only
while it has a single thread; `obstacle` says what prevents it.
"""

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from clirbench.engines.base import Chunk, Lost, Task
from clirbench.errors import ClirbenchError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

GRACE = 2.0
"""Seconds between asking a worker to end and ending it."""
PR_SET_PDEATHSIG = 1
"""The request of Linux's prctl that names the signal which a process gets when its parent ends."""


def obstacle() -> str:
    """Why this process must not fork workers; empty where it may."""
    if sys.platform != "linux":
        return f"forked workers are tried on Linux alone, not on {sys.platform}"
    try:
        threads = len(list(Path("/proc/self/task").iterdir()))
    except OSError as error:
        return f"the number of threads of this process is unknown ({error})"
    return f"this process has {threads} threads" if threads > 1 else ""


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


def forked_work(tasks: Sequence[Task], workers: int) -> Iterator[Chunk]:
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
                answer: tuple[Chunk | None, Exception | None] = task(), None
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
