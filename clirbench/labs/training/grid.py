"""A grid: sizes x vocabularies x architectures x seeds, each of them one training run, and its folder."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from clirbench.checks import number, whole_number
from clirbench.engines.base import Engine
from clirbench.errors import ConfigError, InputError, ResourceError, StoreError
from clirbench.files.run_files import path_inside, read_object
from clirbench.labs.training.base import FAILED, LOG, Trainer, TrainingRun, write_cell
from clirbench.labs.training.texts import ParallelText, cut_texts, read_pairs
from clirbench.labs.training.vocabulary import Learn, imbalance, parse_vocabulary, vocabulary_key
from clirbench.labs.training.worker import Train
from clirbench.store.whole import sweep, write_whole

GRID, SYSTEMS, HELD_OUT = "grid.json", "systems.tsv", "heldout"
COLUMNS = ("run", "size", "vocabulary", "architecture", "seed", "classes", "F95", "D")
MODELS = "models/%run%/step%step%"
"""Where a run finds the checkpoints, under the grid's folder."""
NAME = re.compile(r"[\w-]+")
TRIES = 3
"""How often cells are handed out where their engine loses workers."""

Bar = Callable[[str, Any, int], Any]


@dataclass(frozen=True)
class Grid:
    """What is trained. `sizes`: pairs, the first ones of the text. `vocabularies`: bpe2000, unigram2000, char, ...

    `architectures`: names and their numbers, as transformers' Marian calls them. `steps`: updates of each training run;
    after each `save_every` a checkpoint is kept, the mean of the last `average` ones. `coverage`: the share of a text's
    characters that get classes, the most frequent ones first. Raises `ConfigError`.
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
    coverage: float = 0.9995

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
        number("grid.coverage", self.coverage, least=0.98, most=1)
        for name in self.vocabularies:
            parse_vocabulary(name)
        for name in self.architectures:
            if not NAME.fullmatch(str(name)):
                raise ConfigError(f"grid.architectures: {name!r}: a name of letters, digits, - and _ was expected")
        if self.steps % self.save_every:
            raise ConfigError(f"grid.steps={self.steps} must be a multiple of grid.save_every={self.save_every}")

    @property
    def home(self) -> Path:
        return Path(self.folder)


@contextmanager
def lock_grid(home: Path) -> Iterator[None]:
    """Hold a grid's folder; raises `StoreError` where another command does, or where it cannot be written."""
    import fcntl

    try:
        home.mkdir(parents=True, exist_ok=True)
        with (home / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError:
        raise StoreError(
            f"{home}: another clirbench train works here; wait for it, or choose grid.folder=DIR"
        ) from None
    except OSError as error:
        raise StoreError(
            f"{home}: the grid's folder cannot be written ({error.strerror}); choose grid.folder=DIR"
        ) from None


def plan(grid: Grid, engine: Engine) -> dict[Path, TrainingRun]:
    """Cut the texts, learn the vocabularies, and lay out the folder of every cell; the cells by their folders."""
    grid.trainer.check()
    home, data = grid.home, grid.data
    for name in ("texts", "vocabularies", "cells", "models"):
        (home / name).mkdir(parents=True, exist_ok=True)
        sweep(home / name)
    texts = {size: cut_texts(data, size, home / "texts") for size in grid.sizes}
    wanted = [(name, texts[size]) for size, name in product(grid.sizes, grid.vocabularies)]
    lacking = dict(
        zip(wanted, engine.pmap(Learn(str(home.absolute()), data.languages, grid.coverage), wanted), strict=True)
    )
    cells = {}
    for size, name, (architecture, numbers), seed in product(
        grid.sizes, grid.vocabularies, grid.architectures.items(), grid.seeds
    ):
        cell = TrainingRun(
            size, name, architecture, seed, numbers, grid.steps, grid.save_every, grid.average, *data.languages,
            texts[size], vocabulary_key(name, texts[size], grid.coverage),
        )  # fmt: skip
        folder = write_cell(home, cell, grid.trainer)
        cells[folder] = cell
        if why := lacking[name, texts[size]]:
            write_whole(folder / FAILED, why.encode())
    _lay_out(home, cells)
    pairs = zip(*read_pairs(home / "texts" / texts[grid.sizes[0]], "valid", data.languages), strict=True)
    (home / HELD_OUT).mkdir(exist_ok=True)
    if not (kept := [pair for pair in pairs if all(map(str.strip, pair))]):
        raise InputError(f"{data.files('valid')[0].where}: no held-out pair has text on both sides")
    for name, lines in zip(("source.txt", "reference.txt"), zip(*kept, strict=True), strict=True):
        write_whole(home / HELD_OUT / name, "".join(f"{line}\n" for line in lines).encode())
    return cells


def _lay_out(home: Path, cells: Mapping[Path, TrainingRun]) -> None:
    """What a run reads of the grid: the models by the names of their cells, and a table of their columns."""
    for old in filter(Path.is_symlink, (home / "models").iterdir()):
        old.unlink()
    rows: list[tuple[str, ...]] = [COLUMNS]
    for folder, cell in cells.items():
        if cell.vocabulary_in(folder).is_dir():
            (home / "models" / cell.name).symlink_to(os.path.relpath(folder / "models", home / "models"))
            values = (cell.name, str(cell.size), cell.vocabulary, cell.architecture, str(cell.seed))
            rows.append((*values, *imbalance(cell.vocabulary_in(folder))))
    write_whole(home / SYSTEMS, "".join("\t".join(row) + "\n" for row in rows).encode())
    known = {cell.name: str(folder.relative_to(home)) for folder, cell in cells.items()}
    write_whole(home / GRID, (json.dumps(known, indent=1) + "\n").encode())


def train(cells: Mapping[Path, TrainingRun], engine: Engine, bar: Bar) -> dict[str, str]:
    """Train what is not finished; why each cell that failed did, those without a vocabulary among them."""
    ready = [folder for folder, cell in cells.items() if cell.vocabulary_in(folder).is_dir()]
    outcomes = dict.fromkeys(cells, "")
    outcomes |= {folder: (folder / FAILED).read_text(encoding="utf-8") for folder in cells if folder not in ready}
    names = [cells[folder].name for folder in ready]
    for folder, why in zip(ready, bar("Training", _outcomes(engine, ready, names), len(ready)), strict=True):
        outcomes[folder] = why
        if why:  # half a training run is none: what it has by now takes no part
            (folder.parents[1] / "models" / cells[folder].name).unlink(missing_ok=True)
    return {cells[folder].name: why for folder, why in outcomes.items() if why}


def _outcomes(engine: Engine, folders: Sequence[Path], names: Sequence[str]) -> Iterator[str]:
    """Of each cell why it failed, or nothing; what was lost with a worker of the engine is handed out again."""
    done, tries = 0, TRIES
    while done < len(folders):
        try:
            for why in engine.pmap(Train(), [str(folder.absolute()) for folder in folders[done:]], names[done:]):
                done += 1
                yield why
        except ResourceError:
            tries -= 1
            if not tries or not any((folder / LOG).exists() for folder in folders[done:]):
                raise


def read_grid(home: Path) -> dict[str, Path]:
    """The folders of a grid's cells by their names; raises `InputError`."""
    try:
        known = read_object(home / GRID, {...: str})
        parts = {name: folder.split("/") for name, folder in known.items()}
        return {name: path_inside(path_inside(home, cells), key) for name, (cells, key) in parts.items()}
    except (ValueError, InputError) as error:
        raise InputError(f"{home / GRID}: describes no grid ({error})") from None
