"""Small steps and inputs for tests of the store and the engines: real metrics over texts that are made here."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from clirbench.errors import InputError
from clirbench.text import TextFile
from clirbench.types import Doubles, TestSet


def made_lines(n: int, seed: int, width: int = 12) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(f"w{chosen.randrange(200)}" for _ in range(width)) for _ in range(n)]


def made_texts(folder: Path, n_systems: int, n_lines: int = 40) -> tuple[TestSet, list[TextFile]]:
    """A reference, and systems that each replace more of its words than the one before."""
    reference = made_lines(n_lines, seed=0)
    chosen = random.Random(1)
    texts = []
    for number in range(n_systems):
        path = folder / f"s{number:03d}.txt"
        kept = [
            " ".join(word if chosen.random() > 0.04 * number else "x" for word in line.split(" ")) for line in reference
        ]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        texts.append(TextFile(path))
    return TestSet((tuple(reference),)), texts


@dataclass(frozen=True)
class Lengths:
    """Words of each line of a text; counts its calls in a file, so that calls in other processes count too."""

    calls: Path = field(compare=False)
    unit: float = 1.0

    def __call__(self, text: TextFile) -> Doubles:
        with self.calls.open("a", encoding="utf-8") as file:
            file.write(f"{text.path.name}\n")
        lines = text.lines()
        if "FAIL" in lines:
            raise InputError(f"{text.where}: line {lines.index('FAIL') + 1}: FAIL cannot be counted")
        return np.array([len(line.split(" ")) / self.unit for line in lines], dtype=np.float64)


def called(path: Path) -> list[str]:
    """The calls noted so far."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
