"""A grid of training runs with a trainer of a few lines: what is trained, and what is laid out for a run."""

import json
from pathlib import Path

import pytest

from clirbench.engines.local import Processes, Serial
from clirbench.errors import ConfigError
from clirbench.files.tables import read_table
from clirbench.training.grid import plan, read_grid, train
from clirbench.training.progress import shown_progress
from tests.training.toys import grid, text


def bar(title: str, values: object, total: int) -> object:
    return values


pytestmark = pytest.mark.usefixtures("workers")


def test_a_finished_cell_is_not_trained_again(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines))
    planned = plan(made, Serial())
    assert len(planned) == 8
    assert train(planned, Serial(), bar) == {}
    states = {path: path.stat().st_mtime_ns for path in made.home.rglob("model-*") if path.is_file()}
    logs = {path: path.read_bytes() for path in made.home.rglob("log.txt")}
    assert len(states) == 16
    assert all(b"trained to 20" in log for log in logs.values())
    assert len(logs) == 8
    assert train(plan(made, Serial()), Serial(), bar) == {}
    assert {path: path.stat().st_mtime_ns for path in states} == states
    # Another seed beside it, and the same key for the rest; another text, another command are other cells.
    more = plan(grid(tmp_path, made.data, seeds=[1, 2, 3]), Serial())
    assert set(planned) < set(more)
    assert not set(planned) & set(plan(grid(tmp_path, made.data, steps=40), Serial()))
    assert not set(planned) & set(plan(grid(tmp_path, text(tmp_path / "data", lines[1:])), Serial()))


def test_what_fails_is_a_named_hole_and_the_others_go_on(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), seeds=[1, 13], vocabularies=["char", "bpe9000"])
    failed = train(plan(made, Processes(workers=2)), Serial(), bar)
    assert set(failed) == {
        f"{n}-{v}-toy-{s}" for n in (20, 40) for v, s in [("char", 13), ("bpe9000", 1), ("bpe9000", 13)]
    }
    assert "the command: exit status 1; stderr ends: trained to 10 / no luck" in failed["20-char-toy-13"]
    assert "9000 subwords cannot be learned from 20 lines" in failed["20-bpe9000-toy-1"]
    assert sorted(path.name for path in (made.home / "models").iterdir()) == ["20-char-toy-1", "40-char-toy-1"]
    told = list(shown_progress(made.home))
    assert told[0] == "20-char-toy-1      done, step 20 of 20"
    assert told[1].startswith("20-char-toy-13     failed, step 10 of 20: the command: exit status 1")
    assert told[-1] == "8 cells: 2 done, 0 begun, 0 missing, 6 failed"


def test_cells_are_trained_by_workers(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), vocabularies=["char"])
    planned = plan(made, Serial())
    assert train(planned, Processes(workers=2), bar) == {}
    assert all((folder / "done").exists() for folder in planned)


def test_what_a_run_reads_of_it(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", [*lines[:50], "", *lines[51:]]), vocabularies=["char"])
    planned = plan(made, Serial())
    table = read_table(made.home / "systems.tsv")
    assert table.header == ("run", "size", "vocabulary", "architecture", "seed", "classes", "F95", "D")
    assert table.column("run") == ("20-char-toy-1", "20-char-toy-2", "40-char-toy-1", "40-char-toy-2")
    held = (made.home / "heldout" / "reference.txt").read_text(encoding="utf-8").split("\n")
    assert held[:-1] == [*lines[:50], *lines[51:]]
    assert list(read_grid(made.home).values()) == list(planned)
    kept = json.loads((next(iter(planned)) / "cell.json").read_text(encoding="utf-8"))
    assert kept["cell"]["seed"] == 1
    assert kept["trainer"]["_target_"] == "clirbench.training.command.CommandTrainer"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"sizes": []}, "grid.sizes=.*at least one was expected"),
        ({"sizes": [10, 10]}, "each of them once"),
        ({"seeds": [-1]}, "grid.seeds=-1 must be a whole number of at least 0"),
        ({"steps": 25}, "grid.steps=25 must be a multiple of grid.save_every=10"),
        ({"vocabularies": ["bpe"]}, "bpe2000, unigram2000 or char"),
        ({"average": 0}, "grid.average=0"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(
    tmp_path: Path, lines: list[str], settings: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        grid(tmp_path, text(tmp_path / "data", lines), **settings)
