"""A trainer of the user's own: one command line for fairseq, Marian, Sockeye or any other program."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.checks import name_list
from clirbench.engines.programs import Program
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.training.base import LOG, TrainingRun
from clirbench.labs.training.texts import read_pairs
from clirbench.labs.training.vocabulary import SOURCE, TARGET, processor
from clirbench.store.whole import whole_folder
from clirbench.systems.patterns import PathPattern


@dataclass(frozen=True)
class CommandTrainer:
    """A command that trains one cell; it is run again, with the same words, where it did not come to its end.

    `command` is a list of arguments, or a string that is split as a shell would; with `shell: true` the string goes to
    /bin/sh. In it stand `{train}` and `{valid}` (text without its ending: {train}.fr and {train}.en), `{pieces}` (a
    folder with the same four files in pieces of the vocabulary), `{vocab}` (a folder with source.spm and target.spm),
    `{out}` (an empty folder to write to), `{seed}`, `{steps}`, `{save_every}`, `{source}` and `{target}` (the endings),
    and the numbers of the architecture by their names. `models`: patterns of the checkpoints in {out}, with `%step%`.

    `translator`: a command that reads lines on stdin, or {source}, and writes their translations; `{model}` is a folder
    that holds the checkpoint, called `model` with its ending (model.npz), and the vocabulary. `version`: any text;
    another one trains again.
    """

    command: str | Sequence[str] = ""
    models: str | Sequence[str] = ()
    translator: str = ""
    shell: bool = False
    timeout: float | None = None
    version: str = ""

    libraries = ()

    def __post_init__(self) -> None:
        if not self.command:
            raise ConfigError("grid.trainer.command: is empty; name the program that trains")
        if not self.program.asks_for("{out}") or not self.program.asks_for("{seed}"):
            raise ConfigError(
                "grid.trainer.command: must have {out} and {seed}: where it writes, and what differs between runs"
            )
        names = name_list("grid.trainer.models", self.models)
        if not names or any("%step%" not in name for name in names):
            raise ConfigError("grid.trainer.models: how checkpoints are called in {out}, such as model.iter%step%.npz")

    @property
    def program(self) -> Program:
        return Program("grid.trainer.command", self.command, self.shell, self.timeout, {"LC_ALL": "C.UTF-8"})

    @property
    def versions(self) -> str:
        return self.version

    @property
    def translate(self) -> Sequence[str]:
        if not self.translator:
            return ()
        line = self.translator.replace("\\", "\\\\").replace('"', '\\"')
        shell = str(self.shell).lower()
        return "systems/translator=command", f'systems.translator.command="{line}"', f"systems.translator.shell={shell}"

    def check(self) -> None:
        self.program.check_installed({})

    def checkpoints(self, folder: Path) -> Mapping[int, Path]:
        found = {}
        for name in name_list("grid.trainer.models", self.models):
            pattern = PathPattern(str(folder / "out" / name), "grid.trainer.models")
            for match in pattern.matches(folders=True, none=True):
                if match.values["step"].isdigit():
                    found[int(match.values["step"])] = match.path
        return dict(sorted(found.items()))

    def train(self, cell: TrainingRun, folder: Path) -> None:
        text, vocabulary, out = cell.text(folder).absolute(), cell.vocabulary_in(folder).absolute(), folder / "out"
        if self.program.asks_for("{pieces}") and not (folder / "pieces").is_dir():
            _write_pieces(cell, folder)
        out.mkdir(exist_ok=True)
        values = {
            "train": text / "train", "valid": text / "valid", "pieces": (folder / "pieces").absolute(),
            "vocab": vocabulary, "out": out.absolute(), "seed": cell.seed, "steps": cell.steps,
            "save_every": cell.save_every, "source": cell.source, "target": cell.target, **cell.numbers,
        }  # fmt: skip
        with (folder / LOG).open("a+b") as log:
            places = {f"{{{name}}}": Path(str(value)) for name, value in values.items()}
            self.program.run(places, None, "the command", log)
        if not (found := self.checkpoints(folder)):
            raise ResourceError(f"the command ended well, but {out} has no {self.models}")
        for step, path in found.items():
            if not (place := folder / "models" / f"step{step}").is_dir():
                with whole_folder(place) as unfinished:
                    if path.is_dir():
                        shutil.copytree(path, unfinished / "model")
                    else:
                        shutil.copyfile(path, unfinished / f"model{path.suffix if path.suffix[1:].isalpha() else ''}")
                    for name in (SOURCE, TARGET):
                        shutil.copyfile(vocabulary / name, unfinished / name)


def _write_pieces(cell: TrainingRun, folder: Path) -> None:
    with whole_folder(folder / "pieces") as unfinished:
        for part in ("train", "valid"):
            sides = read_pairs(cell.text(folder), part, (cell.source, cell.target))
            for name, end, lines in zip((SOURCE, TARGET), (cell.source, cell.target), sides, strict=True):
                pieces = processor(cell.vocabulary_in(folder) / name)
                text = "".join(f"{' '.join(pieces.encode(line, out_type=str))}\n" for line in lines)
                (unfinished / f"{part}.{end}").write_text(text, encoding="utf-8")
