"""What is trained and what trains it: a cell of the grid, in plain values, and the trainer's interface.

GRID/texts/KEY/          train.SRC train.TGT valid.SRC valid.TGT: the first N pairs, the held-out pairs
GRID/vocabularies/KEY/   source.spm target.spm classes.tgt.txt
GRID/cells/KEY/          cell.json log.txt progress.jsonl cut.json, what the trainer keeps, failed.txt or done
GRID/models/RUN/stepN    what a translator loads, for each cell by its name
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from clirbench.errors import InputError
from clirbench.files.run_files import read_object
from clirbench.store.keys import fingerprint
from clirbench.store.whole import write_whole

CELL, DONE, FAILED, LOG, PROGRESS = "cell.json", "done", "failed.txt", "log.txt", "progress.jsonl"
CUT = "cut.json"
"""Of a cell whose trainer has a limit: how many pairs were longer, split at ends of sentences, cut."""
TARGET = "_target_"
OURS = ("clirbench.labs.training.command.CommandTrainer", "clirbench.labs.training.seq2seq.TransformersTrainer")
"""The trainers of clirbench."""


@dataclass(frozen=True)
class TrainingRun:
    """One training run; `texts` and `pieces` are the keys of its text and its vocabulary, by their content.

    `numbers`: those of the architecture. `steps`: updates; a checkpoint is kept after each `save_every` of them, and is
    the mean of the last `average` ones. `source`, `target`: the endings of the files of its text.
    """

    size: int
    vocabulary: str
    architecture: str
    seed: int
    numbers: Mapping[str, Any]
    steps: int
    save_every: int
    average: int
    source: str
    target: str
    texts: str
    pieces: str

    @property
    def name(self) -> str:
        """The training run's name: a unit of the comparison."""
        return f"{self.size}-{self.vocabulary}-{self.architecture}-{self.seed}"

    def text(self, folder: Path) -> Path:
        """The folder of its text, where `folder` is that of the cell."""
        return folder.parents[1] / "texts" / self.texts

    def vocabulary_in(self, folder: Path) -> Path:
        """The folder of its vocabulary, where `folder` is that of the cell."""
        return folder.parents[1] / "vocabularies" / self.pieces


@runtime_checkable
class Trainer(Protocol):
    """Trains cells; a frozen dataclass whose fields are plain values, and its configuration."""

    @property
    def libraries(self) -> Sequence[str]:
        """Modules that are loaded once, before cells are trained."""

    @property
    def versions(self) -> str:
        """What moves its numbers and is no setting."""

    @property
    def translate(self) -> Sequence[str]:
        """The keys of a run that let its checkpoints translate; none where it cannot be done here."""

    def check(self) -> None:
        """Raise `ResourceError` or `ConfigError` for what is missing, before any work; loads nothing."""

    def train(self, cell: TrainingRun, folder: Path) -> None:
        """Train to the end in the cell's folder, from its last checkpoint on where there is one.

        Checkpoints go to `folder/models/stepN`, each whole or not there. Raises for what went wrong.
        """

    def checkpoints(self, folder: Path) -> Mapping[int, Path]:
        """What a cell has written so far, by step, ascending."""


def write_cell(home: Path, cell: TrainingRun, trainer: Trainer) -> Path:
    """Keep what is to be trained, for whoever trains it, in a folder of the grid.

    Its key is content, configuration and versions; the source of this program is no part, or each edit would retrain.
    """
    settings = {field.name: getattr(trainer, field.name) for field in fields(cast(Any, trainer))}
    target = f"{type(trainer).__module__}.{type(trainer).__qualname__}"
    made = {"cell": asdict(cell), "trainer": {TARGET: target, **settings}, "versions": trainer.versions}
    folder = home / "cells" / fingerprint(made)[:16]
    (folder / "models").mkdir(parents=True, exist_ok=True)
    if not (folder / CELL).exists():  # its key says what it holds; who trains it has locked it
        write_whole(folder / CELL, (json.dumps(made, indent=1, default=list) + "\n").encode())
    return folder


def read_cell(folder: Path, ours: bool = False) -> tuple[TrainingRun, Trainer]:
    """The cell of a folder and its trainer; raises `InputError`.

    ours: somebody may have sent the folder, so that no other class than the trainers of clirbench is made.
    """
    try:
        made = read_object(folder / CELL, {"cell": {}, "trainer": {TARGET: str}})
        settings = dict(made["trainer"])
        target = settings.pop(TARGET)
        if ours and target not in OURS:
            raise ValueError(f"its trainer {target} is none of {', '.join(OURS)}")
        module, _, name = target.rpartition(".")
        return TrainingRun(**made["cell"]), cast(Trainer, getattr(import_module(module), name)(**settings))
    except (InputError, ValueError, TypeError, ImportError, AttributeError) as error:
        raise InputError(f"{folder / CELL}: describes no cell ({type(error).__name__}: {error})") from None


def saved_checkpoints(folder: Path) -> dict[int, Path]:
    """The checkpoints under `folder/models`, by step, ascending."""
    found = {int(path.name[4:]): path for path in (folder / "models").glob("step*") if path.name[4:].isdigit()}
    return dict(sorted(found.items()))
