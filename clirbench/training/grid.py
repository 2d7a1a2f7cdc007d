"""A grid: sizes x vocabularies x architectures x seeds, each of them one training run, and its folder."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from clirbench.checks import whole_number
from clirbench.engines.base import Engine
from clirbench.errors import ConfigError, InputError, StoreError
from clirbench.store.whole import sweep, write_whole
from clirbench.training.base import Cell, Trainer, write_cell
from clirbench.training.step import Train
from clirbench.training.texts import ParallelText, cut, read_pairs
from clirbench.training.vocabulary import Learn, Vocabulary, imbalance

GRID, SYSTEMS, HELD_OUT = "grid.json", "systems.tsv", "heldout"
COLUMNS = ("run", "size", "vocabulary", "architecture", "seed")
MODELS = "models/%run%/step%step%"
"""Where a run finds the checkpoints, under the grid's folder."""

Bar = Callable[[str, Any, int], Any]


@dataclass(frozen=True)
class Grid:
    """What is trained. `sizes`: pairs, the first ones of the text. `vocabularies`: bpe2000, unigram2000, char, ...

    `architectures`: names and their numbers, as transformers' Marian calls them. `steps`: updates of each training run;
    after each `save_every` a checkpoint is kept, the mean of the last `average` ones. Raises `ConfigError`.
    """

    folder: str
    data: ParallelText
    trainer: Trainer
    sizes: Sequence[int]
    vocabularies: Sequence[str]
    architectures: Mapping[str, Mapping[str, Any]]
    seeds: Sequence[int]
    steps: int
    save_every: int
    average: int = 1

    def __post_init__(self) -> None:
        for name in ("steps", "save_every", "average"):
            whole_number(f"grid.{name}", getattr(self, name))
        for axis in ("sizes", "vocabularies", "architectures", "seeds"):
            values = list(getattr(self, axis))
            if not values or len(set(map(str, values))) < len(values):
                raise ConfigError(f"grid.{axis}={values}: at least one was expected, each of them once")
        for axis, least in (("sizes", 1), ("seeds", 0)):
            for value in getattr(self, axis):
                whole_number(f"grid.{axis}", value, least)
        for name in self.vocabularies:
            Vocabulary(name)
        if self.steps % self.save_every:
            raise ConfigError(f"grid.steps={self.steps} must be a multiple of grid.save_every={self.save_every}")

    @property
    def home(self) -> Path:
        return Path(self.folder)


@dataclass(frozen=True)
class Planned:
    """The cells of a grid by their folders, and why others cannot be trained, by name."""

    cells: Mapping[Path, Cell]
    lacking: Mapping[str, str]


def plan(grid: Grid, engine: Engine) -> Planned:
    """Cut the texts, learn the vocabularies, and lay out the folder of every cell."""
    grid.trainer.check()
    home = grid.home
    try:
        for name in ("texts", "vocabularies", "cells", "models"):
            (home / name).mkdir(parents=True, exist_ok=True)
            sweep(home / name)
    except OSError as error:
        raise StoreError(
            f"{home}: the grid's folder cannot be made ({error.strerror}); choose grid.folder=DIR"
        ) from None
    keys = cut(grid.data, grid.sizes, home)
    wanted = [(name, keys[size]) for size, name in product(grid.sizes, grid.vocabularies)]
    failed = dict(zip(wanted, engine.pmap(Learn(str(home.absolute()), grid.data.languages), wanted), strict=True))
    cells, lacking = {}, {}
    for size, name, (architecture, numbers), seed in product(
        grid.sizes, grid.vocabularies, grid.architectures.items(), grid.seeds
    ):
        cell = Cell(
            size, name, architecture, seed, numbers, grid.steps, grid.save_every, grid.average, *grid.data.languages,
            keys[size], Vocabulary(name).key(keys[size]),
        )  # fmt: skip
        folder = home / "cells" / cell.key(grid.trainer)
        if why := failed[name, keys[size]]:
            lacking[cell.name] = why
        else:
            write_cell(folder, cell, grid.trainer)
            cells[folder] = cell
    _lay_out(grid, keys[grid.sizes[0]], Planned(cells, lacking))
    return Planned(cells, lacking)


def _lay_out(grid: Grid, texts: str, planned: Planned) -> None:
    """What a run reads of the grid: models by the names of cells, their columns, the held-out text as a collection."""
    home = grid.home
    for old in filter(Path.is_symlink, (home / "models").iterdir()):
        old.unlink()
    rows = ["\t".join((*COLUMNS, "classes", "F95", "D"))]
    for folder, cell in planned.cells.items():
        (home / "models" / cell.name).symlink_to(os.path.relpath(folder / "models", home / "models"))
        values = (cell.name, cell.size, cell.vocabulary, cell.architecture, cell.seed)
        rows.append("\t".join([*map(str, values), *imbalance(cell.vocabulary_in(folder)).values()]))
    write_whole(home / SYSTEMS, "".join(f"{row}\n" for row in rows).encode())
    known = {
        "cells": {cell.name: str(folder.relative_to(home)) for folder, cell in planned.cells.items()},
        "lacking": dict(planned.lacking),
    }
    write_whole(home / GRID, (json.dumps(known, indent=1) + "\n").encode())
    (home / HELD_OUT).mkdir(exist_ok=True)
    pairs = [
        pair
        for pair in zip(*read_pairs(home / "texts" / texts, "valid", grid.data.languages), strict=True)
        if all(map(str.strip, pair))
    ]
    for name, lines in zip(("source.txt", "reference.txt"), zip(*pairs, strict=True), strict=True):
        write_whole(home / HELD_OUT / name, "".join(f"{line}\n" for line in lines).encode())


def train(planned: Planned, engine: Engine, bar: Bar) -> dict[str, str]:
    """Train what is not finished; why each cell that failed did, those that could not begin among them."""
    folders = [str(folder.absolute()) for folder in planned.cells]
    outcomes = engine.pmap(Train(), folders, [cell.name for cell in planned.cells.values()])
    failed = {}
    for (folder, cell), why in zip(planned.cells.items(), bar("Training", outcomes, len(folders)), strict=True):
        if why:
            failed[cell.name] = why
            # Half a training run is none: what it has by now takes no part.
            (folder.parents[1] / "models" / cell.name).unlink(missing_ok=True)
    return {**planned.lacking, **failed}


def read_grid(home: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """The folders of a grid's cells by their names, and why others cannot be trained; raises `InputError`."""
    try:
        known = json.loads((home / GRID).read_text(encoding="utf-8"))
        return {name: home / folder for name, folder in known["cells"].items()}, dict(known["lacking"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{home / GRID}: describes no grid ({type(error).__name__}: {error})") from None
