"""The step that an engine runs: one cell, in a process that outlives it and trains the next one too."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import clirbench
from clirbench.engines.base import CLOSERS
from clirbench.engines.local import WORTH_BYTES
from clirbench.training.base import DONE, FAILED, LOG, read_cell
from clirbench.training.worker import BUSY

IDLE: list["subprocess.Popen[str]"] = []
"""Processes of this one that have loaded the trainer's libraries and wait for a cell."""


@dataclass(frozen=True)
class Train:
    """Step: train the cell of a folder; gives why it failed, or nothing."""

    def __call__(self, folder: str) -> str:
        home = Path(folder)
        if (home / DONE).exists():
            return ""
        (home / FAILED).unlink(missing_ok=True)
        process = IDLE.pop() if IDLE else _started(home)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{folder}\n")
            process.stdin.flush()
            answer = process.stdout.readline().strip()
        except BaseException:  # Ctrl-C, or the process died: whatever it trains ends with it
            _end(process)
            raise
        if answer:
            IDLE.append(process)
        else:
            process.wait()
        if answer == str(BUSY):
            return "another process is training it"
        if answer == "0" and (home / DONE).exists():
            return ""
        why = (home / FAILED).read_text(encoding="utf-8") if (home / FAILED).is_file() else _killed(answer)
        (home / FAILED).write_text(why, encoding="utf-8")
        return why

    def cost(self, folder: str) -> float:
        """Always worth workers; the longest first."""
        return float(WORTH_BYTES + read_cell(Path(folder))[0].steps)


def _killed(answer: str) -> str:
    if answer.startswith("-"):
        name = signal.Signals(-int(answer)).name
        return f"killed by {name} (most often: memory ran out); a rerun goes on from the last checkpoint"
    return f"ended without a word; see {LOG}"


def _started(home: Path) -> "subprocess.Popen[str]":
    own = str(Path(clirbench.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))}
    with (home / LOG).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "clirbench.training.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=log, env=environment, text=True, start_new_session=True,
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
