"""Cells are trained in processes of their own: what kills one (memory, a signal) is told, and the others go on.

`Train` is the step that an engine runs. It gives the folder of a cell to `python -m clirbench.labs.training.worker`,
which loads the trainer's libraries once, makes a copy of itself that trains, and answers with a line: why that failed,
or nothing.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import clirbench
from clirbench.engines.base import CLOSERS
from clirbench.engines.local import WORTH_BYTES
from clirbench.errors import ClirbenchError, escape_unseen, shorten
from clirbench.labs.training.base import CELL, DONE, FAILED, LOG, read_cell
from clirbench.store.whole import write_whole

IDLE: list["subprocess.Popen[str]"] = []
"""Processes of this one that have loaded the trainer's libraries and wait for a cell."""
MEMORY = ("memoryerror", "outofmemory", "out of memory", "allocate memory", "bad_alloc")
FULL = ("no space left", "quota exceeded", "inline_container", "pytorchstreamwriter")
"""How a full disk is called by the system and by PyTorch."""
LITTLE = 1 << 20
"""Bytes: with less left, whatever went wrong did so because the disk is full."""
LOOK = 0.2
"""Seconds between two looks at who lives."""


@dataclass(frozen=True)
class Train:
    """Step: train the cell of a folder; gives why it failed, or nothing."""

    def __call__(self, folder: str) -> str:
        home = Path(folder)
        if (home / DONE).exists():
            return ""
        process = _waiting_worker(home)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{folder}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BaseException:  # Ctrl-C: whatever it trains ends with it
            _end(process)
            raise
        if answer:
            IDLE.append(process)
        else:
            process.wait()
        why = answer.strip() if answer else f"who trains was killed, or could not begin; see {home / LOG}"
        with suppress(OSError):  # the disk may be what is full
            if why:
                write_whole(home / FAILED, why.encode())
        return why

    def cost(self, folder: str) -> float:
        """Always worth workers; the longest first."""
        return float(WORTH_BYTES + read_cell(Path(folder))[0].steps)


def _waiting_worker(home: Path) -> "subprocess.Popen[str]":
    """A process that waits for a cell; a new one writes to this cell's log until it has one."""
    while IDLE:
        if (process := IDLE.pop()).poll() is None:
            return process
    own = str(Path(clirbench.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))}
    with (home / LOG).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            env=environment, text=True, start_new_session=True,
        )  # fmt: skip
    CLOSERS.append(lambda: _end(process))
    return process


def _end(process: "subprocess.Popen[str]") -> None:
    """End it with all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    if process in IDLE:
        IDLE.remove(process)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
    process.wait()


def main() -> int:
    """Train the cells that come in; ends with the process that started it, which then takes the cell in hand along."""
    parent = os.getppid()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        folder = Path(line.rstrip("\n"))
        for name in read_cell(folder)[1].libraries:
            import_module(name)
        child = os.fork()
        if not child:
            try:
                why = train_run(folder)
                answers.write(f"{why}\n")
                answers.flush()
                os._exit(0)
            finally:
                os._exit(1)
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if os.getppid() != parent:
                os.kill(child, signal.SIGTERM)
                return 1
            time.sleep(LOOK)
        if status := os.waitstatus_to_exitcode(ended[1]):
            how = f"killed by {signal.Signals(-status).name} (most often: memory ran out)" if status < 0 else "it ended"
            answers.write(f"{how}; a rerun goes on from the last checkpoint\n")
            answers.flush()
    return 0


def train_run(folder: Path) -> str:
    """Train the cell of a folder in this process, which is its own; why it failed, or nothing."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    with (folder / LOG).open("ab") as log:
        for number in (1, 2):
            os.dup2(log.fileno(), number)
    import fcntl

    with (folder / CELL).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one that is left over from a killed worker ends soon
        if (folder / DONE).exists():
            return ""
        try:
            (folder / FAILED).unlink(missing_ok=True)
            cell, trainer = read_cell(folder)
            trainer.train(cell, folder)
            write_whole(folder / DONE, b"")
        except Exception as error:  # noqa: BLE001 - a cell that fails is a named hole, the others go on
            with suppress(OSError):
                traceback.print_exc()
            return reason(error, folder)
    return ""


def reason(error: BaseException, folder: Path) -> str:
    """What went wrong with a cell, in a line."""
    text = " ".join(str(error).split())
    low = f"{type(error).__name__} {text}".lower()
    if isinstance(error, MemoryError) or any(mark in low for mark in MEMORY):
        return "the memory is not enough; try a smaller batch or fewer workers"
    if any(mark in low for mark in FULL) or shutil.disk_usage(folder).free < LITTLE:
        return "the disk is full"
    if isinstance(error, ClirbenchError):
        return text
    return shorten(escape_unseen(f"{type(error).__name__}: {text}"), 200)


if __name__ == "__main__":
    sys.exit(main())
