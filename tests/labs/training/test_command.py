"""A trainer that is a command of the user's: what it is given, and what is taken of it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.training.base import read_cell, saved_checkpoints
from clirbench.labs.training.command import CommandTrainer
from clirbench.labs.training.grid import plan
from clirbench.labs.training.vocabulary import processor
from tests.labs.training.toys import grid, text, trainer


def folder_of(tmp_path: Path, lines: list[str]) -> Path:
    return next(iter(plan(grid(tmp_path, text(tmp_path / "data", lines)), Serial())))


def test_checkpoints_are_kept_with_their_vocabulary(tmp_path: Path, lines: list[str]) -> None:
    folder = folder_of(tmp_path, lines)
    cell, made = read_cell(folder)
    assert made == trainer(tmp_path)
    made.train(cell, folder)
    assert list(saved_checkpoints(folder)) == [10, 20]
    assert made.checkpoints(folder)[20] == folder / "out" / "model-20.txt"
    assert sorted(path.name for path in (folder / "models" / "step20").iterdir()) == [
        "model.txt",
        "source.spm",
        "target.spm",
    ]
    assert (folder / "models" / "step20" / "model.txt").read_text(encoding="utf-8") == str(2 + 2 + 1 + 1)


def test_every_place_stands_for_what_it_says(tmp_path: Path, lines: list[str]) -> None:
    folder = folder_of(tmp_path, lines)
    cell, _ = read_cell(folder)
    shows = """
import pathlib, sys
model = pathlib.Path(sys.argv[1], "m1")
model.mkdir()
(model / "said").write_text("|".join(sys.argv[1:]))
"""
    words = ["{out}", "{seed}", "{valid}.{target}", "{pieces}/train.{source}", "{vocab}/source.spm", "{d_model}"]
    made = CommandTrainer([sys.executable, "-c", shows, *words], "m%step%")
    made.train(replace(cell, numbers={"d_model": 64}), folder)
    said = (saved_checkpoints(folder)[1] / "model" / "said").read_text(encoding="utf-8").split("|")
    assert said[1] == str(cell.seed)
    assert said[5] == "64"
    assert Path(said[2]).read_text(encoding="utf-8").split("\n")[0] == lines[0]
    pieces = processor(Path(said[4]))
    assert Path(said[3]).read_text(encoding="utf-8").split("\n")[0].split() == pieces.encode(
        lines[0][::-1], out_type=str
    )


def test_a_command_that_writes_no_checkpoint_is_told(tmp_path: Path, lines: list[str]) -> None:
    folder = folder_of(tmp_path, lines)
    made = CommandTrainer([sys.executable, "-c", "", "{out}", "{seed}"], "m%step%")
    with pytest.raises(ResourceError, match="ended well, but .*out has no m%step%"):
        made.train(read_cell(folder)[0], folder)


def test_what_a_command_must_say() -> None:
    with pytest.raises(ConfigError, match="command: is empty"):
        CommandTrainer()
    with pytest.raises(ConfigError, match="must have {out} and {seed}"):
        CommandTrainer("train {out}", "m%step%")
    with pytest.raises(ConfigError, match="how checkpoints are called"):
        CommandTrainer("train {out} {seed}", "model")
    with pytest.raises(ResourceError, match="no-such-program: no such program"):
        CommandTrainer("no-such-program {out} {seed}", "m%step%").check()
    assert CommandTrainer("train {out} {seed}", "m%step%").translate == ()
