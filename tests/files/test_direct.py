"""A run of which nothing has changed is answered at once; no kind of change is answered with the old result."""

import gzip
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DEMO, PACKAGE, put, write_lines

START = """
import os, sys
from clirbench.files import direct
direct.answer()
if os.path.exists(os.path.join(os.path.dirname(__file__), "stop")):
    sys.exit(99)  # nothing was answered: it would compute
from clirbench.__main__ import main
main()
"""
RUN = (
    "data", "metric=[BLEU]", "measures=[MAP]", "scores.tables=[scores.tsv]", "scores.measures=[]", "topics.n=8",
    "relevance.k=3", "hydra.run.dir=out", "paths.cache=cache",
)  # fmt: skip
SAID = "nothing has changed since"
COMPUTED = 99


class World:
    """A copy of the program, a library and inputs, of which a run was finished."""

    def __init__(self, place: Path) -> None:
        self.place, self.work = place, place / "work"
        for name in ("clirbench", "conf", "data_manifests"):
            shutil.copytree(PACKAGE / name, place / "program" / name)
        shutil.copy(PACKAGE / "requirements.lock", place / "program")
        sweep = place / "program" / "conf" / "experiment" / "both.yaml"
        sweep.write_text("sweep: {experiments: [folder], over: {topics.n: ['8', '9']}}\n", encoding="utf-8")
        put(place / "bin" / "start.py", START)
        put(place / "library" / "sitecustomize.py", "")
        systems = self.work / "data" / "systems"
        lines = (DEMO / "reference.txt").read_text(encoding="utf-8").splitlines()[:60]
        write_lines(self.work / "data" / "reference.txt", lines)
        texts = {
            n: "".join(" ".join(w for i, w in enumerate(x.split()) if i % n) + "\n" for x in lines) for n in range(2, 7)
        }
        for n in (2, 3):
            put(systems / f"every{n}.txt", texts[n])
        with gzip.open(systems / "every4.txt.gz", "wt", encoding="utf-8") as file:
            file.write(texts[4])
        for n in (5, 6):
            (self.work / f"target{n}.txt").write_text(texts[n], encoding="utf-8")
        (systems / "linked.txt").symlink_to(self.work / "target5.txt")
        (self.work / "data" / "systems.tsv").write_text("system\tkind\nevery2\ta\nevery3\tb\n", encoding="utf-8")
        (self.work / "scores.tsv").write_text("system\tX\nevery2\t1\nevery3\t2\n", encoding="utf-8")
        shutil.copytree(self.work / "data", self.work / "other", symlinks=True)
        time.sleep(2.5)  # what is younger is not known again by its times
        os.utime(systems)  # but by its names, as an argument is in a folder just made

    def start(
        self, arguments: Sequence[str] = RUN, options: Sequence[str] = (), cwd: str = "work", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(str(self.place / name) for name in ("program", "library"))
        names = ("HOME", "PATH", "TMPDIR", "LD_LIBRARY_PATH")
        environment = {name: os.environ[name] for name in names if name in os.environ}
        environment |= {"PYTHONPATH": path, "LANG": "C.UTF-8", "ANY": "1", **variables}
        return subprocess.run(
            [sys.executable, *options, str(self.place / "bin" / "start.py"), *arguments], cwd=self.place / cwd,
            env={k: v for k, v in environment.items() if v}, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    first = made.start()  # which writes byte code too
    assert first.returncode == 0, first.stderr
    again = made.start()
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert SAID in again.stderr
    assert not (made.work / "out" / "previous-1").exists()
    (made.place / "bin" / "stop").touch()
    return made


def with_(*changed: str) -> list[str]:
    """The arguments, some of them changed or added."""
    keys = [one.partition("=")[0] for one in changed]
    return [*(one for one in RUN if one.partition("=")[0] not in keys), *changed]


STARTS: Mapping[str, Mapping[str, Any]] = {
    "another locale": {"LC_ALL": "C"}, "another language": {"LANG": "de_DE.UTF-8"},
    "another time zone": {"TZ": "UTC+3"},
    "another variable": {"NUMBA_DISABLE_JIT": "1"}, "a variable taken away": {"ANY": ""}, "another value": {"ANY": "2"},
    "threads of linear algebra": {"OPENBLAS_NUM_THREADS": "2"}, "seed of hashes": {"PYTHONHASHSEED": "1"},
    "another encoding": {"PYTHONIOENCODING": "latin-1"}, "another home": {"HOME": "/nowhere"},
    "more on the path": {"PYTHONPATH": str(PACKAGE)}, "python -O": {"options": ["-O"]},
    "python -W error": {"options": ["-W", "error"]}, "python -X utf8=0": {"options": ["-X", "utf8=0"]},
    "another folder": {"cwd": "bin"}, "another engine": {"arguments": with_("engine=serial")},
    "workers": {"arguments": with_("engine.workers=2")}, "another metric": {"arguments": with_("metric=[chrF2]")},
    "another seed": {"arguments": with_("seed=1")}, "another order": {"arguments": RUN[::-1]},
    "another store": {"arguments": with_("paths.cache=cache2")},
    "another run": {"arguments": with_("hydra.run.dir=out2")},
    "no folder": {"arguments": [one for one in RUN if "run.dir" not in one]}, "help": {"arguments": [*RUN, "--help"]},
    "forced": {"arguments": with_("fresh=true")}, "checked": {"arguments": with_("check=true")},
    "as JSON": {"arguments": [*RUN, "--json"]}, "a sweep": {"arguments": [*RUN, "-m"]},
    "a folder of configurations": {"arguments": [*RUN, "--config-dir=mine"]},
    "the same by its key": {"arguments": with_("hydra.searchpath=[file://mine]")},
    "a command": {"arguments": ["status", "out"]},
    "what the clock says": {"arguments": with_("name=${now:%H}")},
}  # fmt: skip


@pytest.mark.parametrize("name", STARTS)
def test_another_start_is_not_answered(world: World, name: str) -> None:
    assert world.start(**STARTS[name]).returncode == COMPUTED
    assert SAID in world.start().stderr


def edit(path: Path) -> None:
    """One byte of it is another."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def set_back(path: Path) -> None:
    """One byte is another, at the same time as before."""
    status = path.stat()
    edit(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace(path: Path) -> None:
    """Another file of the same size and time has its place."""
    shutil.copy2(path, path.with_name("new"))
    set_back(path.with_name("new"))
    path.with_name("new").replace(path)


def make(path: Path) -> None:
    put(path, "x\n")


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def turn(path: Path) -> None:
    """A link leads elsewhere."""
    path.unlink()
    path.symlink_to(path.parents[2] / "target6.txt")


def link(path: Path) -> None:
    """A link to a file with the same content."""
    path.symlink_to(path.rename(path.parents[2] / "kept"))


def repack(path: Path) -> None:
    with gzip.open(path, "ab") as file:
        file.write(b"one more\n")


DATA, CODE, OUT = "work/data", "program/clirbench", "work/out"
CHANGES: Sequence[tuple[Callable[[Path], None], str]] = (
    (edit, f"{DATA}/systems/every2.txt"), (set_back, f"{DATA}/systems/every3.txt"),
    (replace, f"{DATA}/systems/every3.txt"),
    (edit, f"{DATA}/reference.txt"), (grow, f"{DATA}/reference.txt"), (cut, f"{DATA}/systems/every2.txt"),
    (turn, f"{DATA}/systems/linked.txt"), (edit, "work/target5.txt"), (remove, "work/target5.txt"),
    (repack, f"{DATA}/systems/every4.txt.gz"), (remove, f"{DATA}/systems/every2.txt"),
    (make, f"{DATA}/systems/new.txt"),
    (edit, f"{DATA}/systems.tsv"), (remove, f"{DATA}/systems.tsv"), (make, f"{DATA}/docs.tsv"),
    (make, f"{DATA}/official-metrics.tsv"), (make, f"{DATA}/source.txt"), (make, f"{DATA}/reference-B.txt"),
    (set_back, "work/scores.tsv"), (remove, "work/scores.tsv"), (remove, f"{DATA}/systems"), (remove, DATA),
    (edit, f"{CODE}/steps.py"), (set_back, f"{CODE}/steps.py"), (edit, f"{CODE}/labs/papers/taus.py"),
    (remove, f"{CODE}/labs/papers/taus.py"), (make, f"{CODE}/metrics/new.py"),
    (edit, f"{CODE}/data/columns.json"), (edit, "program/conf/config.yaml"), (make, "program/conf/experiment/new.yaml"),
    (make, f"{CODE}/labs/models/conf/metric/new.yaml"), (edit, "program/requirements.lock"),
    (make, "program/data_manifests/new.json"), (make, "library/yaml.py"), (make, "library/more/__init__.py"),
    (make, "library/more-1.0.dist-info/entry_points.txt"), (make, "library/more.pth"), (make, "bin/more.py"),
    (remove, f"{OUT}/systems.tsv"), (set_back, f"{OUT}/systems.tsv"), (edit, f"{OUT}/report.html"),
    (set_back, f"{OUT}/trec/ideal.run"), (remove, f"{OUT}/manifest.json"), (set_back, f"{OUT}/manifest.json"),
    (remove, f"{OUT}/.clirbench"), (remove, f"{OUT}/plan.tsv"), (remove, f"{OUT}/events.jsonl"),
    (make, f"{OUT}/new.txt"),
    (make, f"{OUT}/latex/new.tex"), (link, f"{OUT}/systems.tsv"), (remove, OUT), (remove, "work/cache/direct"),
)  # fmt: skip


@pytest.mark.parametrize(("change", "name"), CHANGES, ids=lambda value: getattr(value, "__name__", value))
def test_a_change_is_not_answered_and_once_it_is_undone_the_run_is(
    world: World, tmp_path: Path, change: Callable[[Path], None], name: str
) -> None:
    place, kept = world.place / name, tmp_path / "kept"
    new = next((path for path in (*place.parents[::-1], place) if not path.exists()), place)  # of what is made
    if new.exists():
        copy(place, kept)
    change(place)
    assert world.start().returncode == COMPUTED
    remove(new)
    if kept.exists():
        copy(kept, place)
    assert SAID in world.start().stderr


def test_a_sweep_is_answered_unless_a_file_of_it_or_of_a_job_has_changed(world: World) -> None:
    own = [one for one in RUN[1:] if not one.startswith(("topics", "hydra"))]
    sweep, stop = ["+experiment=both", "folder=data", *own, "hydra.sweep.dir=swept"], world.place / "bin" / "stop"
    stop.unlink()
    time.sleep(2.5)  # the tests before this one changed inputs and put them back
    first = world.start(sweep)
    stop.touch()
    again = world.start(sweep)
    assert (first.returncode, again.returncode, again.stdout) == (0, 0, first.stdout), first.stderr
    assert "topics.n=9" in first.stdout
    for name in ("swept/sweep.tsv", "swept/1/systems.tsv", "data/reference.txt"):
        content = (world.work / name).read_bytes()
        edit(world.work / name)
        assert world.start(sweep).returncode == COMPUTED
        (world.work / name).write_bytes(content)
        assert SAID in world.start(sweep).stderr


def copy(path: Path, to: Path) -> None:
    copied = shutil.copytree if path.is_dir() else shutil.copy2
    copied(path, to, **({"symlinks": True} if path.is_dir() else {"follow_symlinks": False}))


def test_an_edited_library_is_not_answered(world: World) -> None:
    """The last one: nothing but its state is kept of a library, which no undoing brings back."""
    (world.place / "library" / "sitecustomize.py").write_text("# edited\n", encoding="utf-8")
    assert world.start().returncode == COMPUTED
