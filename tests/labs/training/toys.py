"""A trainer of a few lines: its model is a number n, and it translates by turning a line round less each n-th word."""

import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from clirbench.labs.training.base import TrainingRun, saved_checkpoints
from clirbench.labs.training.command import CommandTrainer
from clirbench.labs.training.grid import Grid
from clirbench.labs.training.texts import ParallelText
from tests.conftest import write_lines

TRAINS = """
import os, pathlib, sys, time
train, out, seed, steps, every, *kill = sys.argv[1:]
waits = pathlib.Path(out, "waits")
size = len(pathlib.Path(train + ".en").read_text().split("\\n")) - 1
for step in range(every := int(every), int(steps) + 1, every):
    if seed == "13" and step > every:
        sys.exit("no luck")
    print("trained to", step, flush=True)
    if kill and (seed, size) == ("1", 20) and not waits.exists():
        waits.write_text(str(os.getpid()))
        time.sleep(60)
    model = pathlib.Path(out, f"model-{step}.txt")
    if not model.exists():
        model.write_text(str(2 + step // every + size // 20 + int(seed)))
"""
TRANSLATES = """
import pathlib, sys
n = int(pathlib.Path(sys.argv[1], "model.txt").read_text())
for line in sys.stdin:
    words = line.rstrip("\\n")[::-1].split()
    print(" ".join(word for i, word in enumerate(words, start=1) if i % n))
"""


def text(folder: Path, lines: list[str]) -> ParallelText:
    """English lines, their source those lines turned round; the first 40 to train on, all of them held out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", lines[:40]), ("dev", lines)):
        write_lines(folder / f"{name}.en", part)
        write_lines(folder / f"{name}.xx", [line[::-1] for line in part])
    return ParallelText(str(folder), "xx", "en")


def trainer(folder: Path) -> CommandTrainer:
    (folder / "trains.py").write_text(TRAINS, encoding="utf-8")
    (folder / "translates.py").write_text(TRANSLATES, encoding="utf-8")
    return CommandTrainer(
        command=f"{sys.executable} {folder}/trains.py {{train}} {{out}} {{seed}} {{steps}} {{save_every}}",
        models="model-%step%.txt",
        translator=f"{sys.executable} {folder}/translates.py {{model}}",
    )


def grid(folder: Path, data: ParallelText, **settings: object) -> Grid:
    made = {
        "folder": str(folder / "grid"), "data": data, "trainer": trainer(folder), "sizes": [20, 40],
        "vocabularies": ["bpe60", "char"], "architectures": {"toy": {}}, "seeds": [1, 2], "steps": 20,
        "save_every": 10, **settings,
    }  # fmt: skip
    return Grid(**made)  # type: ignore[arg-type]


def waited_for(path: Path) -> str:
    """The content of a file that another process writes."""
    for _ in range(600):
        if path.exists() and (content := path.read_text(encoding="utf-8")):
            return content
        time.sleep(0.1)
    raise AssertionError(f"{path} was not written")


@dataclass(frozen=True)
class Ends:
    """Trains by ending in one way or another, or waits for `seconds`."""

    how: str = ""
    seconds: float = 0.0

    libraries: ClassVar[Sequence[str]] = ()
    versions: ClassVar[str] = ""
    translate: ClassVar[Sequence[str]] = ()

    def check(self) -> None:
        pass

    def checkpoints(self, folder: Path) -> dict[int, Path]:
        return saved_checkpoints(folder)

    def train(self, cell: TrainingRun, folder: Path) -> None:
        (folder / "begun").write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(self.seconds)
        if cell.seed == 1 and self.how == "memory":
            limit = 4096 * int(Path("/proc/self/statm").read_text().split()[0]) + (32 << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            bytearray(64 << 20)
        if cell.seed == 1 and self.how == "disk":
            (folder / "large").write_bytes(bytes(64 << 20))
        if cell.seed == 1 and self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.seed == 1 and self.how == "fault":
            raise ValueError("a\nfault")
