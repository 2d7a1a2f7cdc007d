"""Cells are trained in processes of their own: what kills one (memory, a signal) is told, and the others go on.

`python -m clirbench.training.worker` loads the trainer's libraries once; for each line on stdin, a cell's folder, it
makes a copy of itself that trains there, and writes how that ended as a line on stdout.
"""

import errno
import fcntl
import importlib
import os
import signal
import sys
import time
from pathlib import Path

from clirbench.errors import ClirbenchError, shortened, shown
from clirbench.store.whole import write_whole
from clirbench.training.base import CELL, DONE, FAILED, LOG, read_cell

BUSY = 75
"""The exit status where another process trains the cell."""
MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory")
LOOK = 0.2
"""Seconds between two looks at who lives."""


def main() -> int:
    """Train the cells that come in; ends with the process that started it, which then takes the cell in hand along."""
    parent, loaded = os.getppid(), set[str]()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        folder = Path(line.rstrip("\n"))
        for name in set(read_cell(folder)[1].libraries) - loaded:
            importlib.import_module(name)
            loaded.add(name)
        child = os.fork()
        if not child:
            try:
                answers.close()
                os._exit(_trained(folder))
            finally:
                os._exit(1)
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if os.getppid() != parent:
                os.kill(child, signal.SIGTERM)
                return 1
            time.sleep(LOOK)
        answers.write(f"{os.waitstatus_to_exitcode(ended[1])}\n")
        answers.flush()
    return 0


def _trained(folder: Path) -> int:
    """Train one cell; its exit status, with the reason in a file where it is not 0."""
    signal.signal(signal.SIGTERM, _stop)
    with (folder / LOG).open("ab") as log:
        for number in (1, 2):
            os.dup2(log.fileno(), number)
    return attempt(folder)


def attempt(folder: Path) -> int:
    """Train the cell of a folder in this process: 0; `BUSY`; or 1 with the reason kept in the folder."""
    with (folder / CELL).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return BUSY
        if (folder / DONE).exists():
            return 0
        try:
            cell, trainer = read_cell(folder)
            trainer.train(cell, folder)
            write_whole(folder / DONE, b"")
        except Exception as error:  # noqa: BLE001 - a cell that fails is a named hole, the others go on
            import traceback

            traceback.print_exc()
            return told(folder, reason(error))
    return 0


def told(folder: Path, why: str) -> int:
    try:
        write_whole(folder / FAILED, why.encode("utf-8", "replace"))
    except OSError:  # the disk may be what is full
        print(why, file=sys.stderr)
    return 1


def reason(error: BaseException) -> str:
    """What went wrong, in a line."""
    text = " ".join(str(error).split())
    low = f"{type(error).__name__} {text}".lower()
    if isinstance(error, MemoryError) or any(mark in low for mark in MEMORY) or "outofmemory" in low:
        return "the memory is not enough; try a smaller batch (grid.trainer.batch_tokens) or fewer workers"
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "no space left" in low:
        return "the disk is full"
    if isinstance(error, ClirbenchError):
        return str(error)
    return shortened(shown(f"{type(error).__name__}: {text}"), 200)


def _stop(number: int, frame: object) -> None:
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())
