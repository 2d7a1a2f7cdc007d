"""A grid of training runs with a trainer of a few lines: what is trained, and what is laid out for a run."""

import errno
import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread

import pytest

from clirbench.engines.local import Processes, Serial, close_workers
from clirbench.errors import ConfigError, InputError, ResourceError, StoreError
from clirbench.files.tables import read_table
from clirbench.labs.training.grid import lock_grid, plan, read_grid, train
from clirbench.labs.training.progress import shown_progress
from tests.conftest import write_lines
from tests.labs.training.toys import Ends, grid, text, trainer, waited_for


def bar(title: str, values: object, total: int) -> object:
    return values


pytestmark = pytest.mark.usefixtures("workers")


def test_a_finished_cell_is_not_trained_again(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), seeds=[1])
    planned = plan(made, Serial())
    assert len(planned) == 4
    assert train(planned, Processes(workers=2), bar) == {}
    states = {path: path.stat().st_mtime_ns for path in made.home.rglob("model-*") if path.is_file()}
    logs = {path: path.read_bytes() for path in made.home.rglob("log.txt")}
    assert len(states) == 8
    assert all(b"trained to 20" in log for log in logs.values())
    assert len(logs) == 4
    assert train(plan(made, Serial()), Serial(), bar) == {}
    assert {path: path.stat().st_mtime_ns for path in states} == states
    # Another seed beside it, and the same key for the rest; another text, another command are other cells.
    more = plan(grid(tmp_path, made.data, seeds=[1, 2]), Serial())
    assert set(planned) < set(more)
    assert not set(planned) & set(plan(grid(tmp_path, made.data, steps=40), Serial()))
    changed = plan(grid(tmp_path, text(tmp_path / "data", lines[1:]), seeds=[1]), Serial())
    assert not set(planned) & set(changed)
    # A changed text under finished cells: they stay as they are, and what a run reads is of the new text alone.
    assert {path: path.stat().st_mtime_ns for path in states} == states
    assert [link.resolve().parent for link in sorted((made.home / "models").iterdir())] == [
        folder.resolve() for _, folder in sorted(read_grid(made.home).items())
    ]
    assert set(read_grid(made.home).values()) == set(changed)


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


@dataclass(frozen=True)
class Loses:
    """An engine that loses a worker with the second cell, as often as it is told to."""

    left: list[int]

    def pmap(self, step: Callable[[str], str], items: Sequence[str], names: Sequence[str] = ()) -> Iterator[str]:
        yield step(items[0])
        if len(items) > 1 and self.left[0]:
            self.left[0] -= 1
            (Path(items[1]) / "log.txt").touch()
            raise ResourceError("a worker process was killed")
        yield from map(step, items[1:])


def test_what_an_engine_loses_is_handed_out_again(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), trainer=Ends(), vocabularies=["char"], sizes=[20, 40])
    planned = plan(made, Serial())
    with pytest.raises(ResourceError, match="a worker process was killed"):
        train(planned, Loses([3]), bar)
    for done in made.home.rglob("done"):
        done.unlink()
    assert train(planned, Loses([2]), bar) == {}
    assert all((folder / "done").exists() for folder in planned)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the libraries
@pytest.mark.parametrize("name", ["processes", "dask", "ray", "slurm"])
def test_a_worker_of_a_cluster_is_killed_and_its_cell_goes_on(tmp_path: Path, lines: list[str], name: str) -> None:
    engine = Processes(2)
    if name != "processes":
        engine = pytest.importorskip("tests.labs.clusters.test_clusters").cluster(name, tmp_path)
    command = replace(trainer(tmp_path), command=f"{trainer(tmp_path).command} kill")
    made = grid(tmp_path, text(tmp_path / "data", lines), trainer=command, vocabularies=["char"])
    planned = plan(made, Serial())
    first = next(iter(planned))
    with killed_in_the_middle(first / "out" / "waits"):
        assert train(planned, engine, bar) == {}
    assert all((folder / "done").exists() for folder in planned)
    assert (first / "log.txt").read_text(encoding="utf-8").count("trained to 10\n") == 2
    close_workers()


@contextmanager
def killed_in_the_middle(waits: Path) -> Iterator[None]:
    """Kill the worker of the engine whose cell waits: its program is a child of who trains, of who loads, of that."""

    def kill() -> None:
        number = int(waited_for(waits))
        for _ in range(3):
            number = int(Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        os.kill(number, signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    yield
    killer.join()


def test_one_command_at_a_time_works_in_a_folder(tmp_path: Path) -> None:
    def begun() -> None:
        with lock_grid(tmp_path / "grid"):
            pass

    with lock_grid(tmp_path / "grid"), pytest.raises(StoreError, match="grid: another clirbench train works here"):
        begun()
    begun()
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(StoreError, match=r"grid's folder cannot be written \(No space"), lock_grid(tmp_path / "grid"):
        raise full


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
    assert kept["trainer"]["_target_"] == "clirbench.labs.training.command.CommandTrainer"


def test_held_out_pairs_without_text_are_told(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), vocabularies=["char"], sizes=[20])
    write_lines(tmp_path / "data" / "dev.xx", [""] * 60)
    with pytest.raises(InputError, match=r"dev.xx: no held-out pair has text on both sides"):
        plan(made, Serial())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"sizes": []}, "grid.sizes=.*at least one was expected"),
        ({"sizes": [10, 10]}, "each of them once"),
        ({"seeds": [-1]}, "grid.seeds=-1 must be a whole number of at least 0"),
        ({"steps": 25}, "grid.steps=25 must be a multiple of grid.save_every=10"),
        ({"vocabularies": ["bpe"]}, "bpe2000, unigram2000 or char"),
        ({"average": 0}, "grid.average=0"),
        ({"coverage": 1.1}, "grid.coverage=1.1 must be a number of at least 0.98 and at most 1"),
        ({"architectures": {"a/b": {}}}, "grid.architectures: 'a/b': a name of letters"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(
    tmp_path: Path, lines: list[str], settings: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        grid(tmp_path, text(tmp_path / "data", lines), **settings)
