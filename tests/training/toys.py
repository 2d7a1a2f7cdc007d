"""A trainer of a few lines: its model is a number n, and it translates by turning a line round less each n-th word."""

import errno
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from clirbench.training.base import Cell, saved
from clirbench.training.command import CommandTrainer
from clirbench.training.grid import Grid
from clirbench.training.texts import ParallelText
from tests.conftest import write_lines

TRAINS = """
import pathlib, sys
train, out, seed, steps, every = sys.argv[1:6]
size = len(pathlib.Path(train + ".en").read_text().split("\\n")) - 1
for step in range(every := int(every), int(steps) + 1, every):
    if seed == "13" and step > every:
        sys.exit("no luck")
    print("trained to", step)
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
        return saved(folder)

    def train(self, cell: Cell, folder: Path) -> None:
        (folder / "begun").write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(self.seconds)
        if cell.seed == 1 and self.how == "memory":
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes")
        if cell.seed == 1 and self.how == "disk":
            raise OSError(errno.ENOSPC, "No space left on device")
        if cell.seed == 1 and self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.seed == 1 and self.how == "fault":
            raise ValueError("a\nfault")
