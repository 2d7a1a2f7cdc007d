"""The whole program, killed, interrupted and crowded: what a rerun writes is what an undisturbed run writes."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from clirbench.store.store import UNFINISHED
from tests.conftest import write_lines
from tests.lines import made_lines
from tests.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")]

ROOT = Path(__file__).resolve().parents[1]
ENGINES = {
    "serial": (["engine=serial"], 2),
    "processes": (["engine=processes"], 5),
    "joblib": (["engine=joblib"], 2),
    "dask": (["engine=dask"], 3),
    "ray": (["engine=ray"], 3),
}
"""How each engine is asked for, and its share of 12 kills; a release has 12 of each."""
MANNERS = ([], ["engine=joblib"], ["engine=joblib", "engine.backend=threading"], ["engine.workers=1"])
"""Forked workers, loky's, threads, none."""
RELEASE = pytest.mark.release

# Everything goes to workers at once, so that there is always one to kill.
PROGRAM = (
    "import clirbench.engines.local as e; e.PATIENCE = e.FORK_PATIENCE = e.FORK_WORTH_SECONDS = 0.0; "
    "from clirbench.__main__ import main; main()"
)


@dataclass(frozen=True)
class Place:
    """A folder of MT outputs, and where runs over it go."""

    path: Path

    @property
    def store(self) -> Path:
        return self.path / "cache" / "store"

    def begin(self, run: Path, *overrides: str) -> "subprocess.Popen[str]":
        """Start the program in a session of its own, so that everything it starts can be found."""
        arguments = [
            f"folder={self.path / 'folder'}",
            f"paths.cache={self.path / 'cache'}",
            f"hydra.run.dir={run}",
            "metric=[BLEU,MacroF1]",
            "measures=[RBO]",
            "topics.n=10",
            "relevance.k=5",
            *([] if "engine=serial" in overrides else ["engine.workers=2"]),
            *overrides,
        ]
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def complete(self, run: Path, *overrides: str, status: int = 0) -> dict[str, bytes]:
        with self.begin(run, *overrides) as process:
            _, said = process.communicate(timeout=120)
        assert process.returncode == status, said
        return tables(run)

    def entries(self) -> int:
        return sum(1 for _ in self.store.rglob("*.part")) if self.store.exists() else 0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, dict[str, bytes]]:
    """Eight systems, and the tables of an undisturbed run in one process with a store of its own."""
    place = Place(tmp_path_factory.mktemp("reliability"))
    folder = place.path / "folder"
    reference = made_lines(60, seed=5)
    chosen = random.Random(6)
    for number in range(8):
        lines = [" ".join(w if chosen.random() > 0.06 * number else "x" for w in line.split()) for line in reference]
        write_lines(folder / "systems" / f"s{number}.txt", lines)
    write_lines(folder / "reference.txt", reference)
    expected = place.complete(place.path / "undisturbed", "engine.workers=1", f"paths.cache={place.path / 'apart'}")
    return place, expected


def tables(run: Path) -> dict[str, bytes]:
    """Every table and TREC file of a run."""
    files = [*run.glob("*.tsv"), *run.glob("trec/*")]
    return {path.name: path.read_bytes() for path in files if path.name != "plan.tsv"}


def session(leader: int) -> list[int]:
    """The processes that live in the session of `leader`, itself apart."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z" and stat.parent.name != str(leader):
            found.append(int(stat.parent.name))
    return found


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "engine", [name if name in ("serial", "processes") else pytest.param(name, marks=RELEASE) for name in ENGINES]
)
@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.release)], ids=["few", "many"])
def test_killed_at_any_moment_under_any_engine(
    made: tuple[Place, dict[str, bytes]], tmp_path: Path, engine: str, many: bool
) -> None:
    """The program dies and all of its session, as when a machine is switched off, or it alone, or a worker alone, whose
    death ends nothing; jobs sent away may end."""
    of_all, expected = made
    overrides, few = ENGINES[engine]
    ours = engine in ("serial", "processes", "joblib")  # workers of the others live on
    chance = random.Random(f"{engine} {many}")
    left, run, completed = 12 if many else few, tmp_path / "run", 0
    (tmp_path / "folder").symlink_to(of_all.path / "folder")
    place = Place(tmp_path)
    while left or not completed:
        enough = place.entries() + chance.randrange(1, 30) if left else 10_000
        with place.begin(run, *overrides) as process:
            while process.poll() is None and place.entries() < enough:
                time.sleep(0.005)
            time.sleep(chance.random() * 0.1)
            if left and process.poll() is None:
                left -= 1
                workers = session(process.pid)
                victims = [[process.pid, *workers], [process.pid], workers[:1]]
                for pid in victims[left % 3 if ours else 0]:
                    signal_if_there(pid)
            _, said = process.communicate(timeout=240)
        wait_until(lambda: not ours or not session(process.pid))
        assert process.returncode in (0, -signal.SIGKILL), said
        if process.returncode == 0:
            completed += 1
            assert tables(run) == expected
            assert not ours or list((place.store / UNFINISHED).iterdir()) == []
            shutil.rmtree(place.store, ignore_errors=True)
            shutil.rmtree(run)
        else:
            # The folder of a run that was killed has no tables yet, or all of them.
            assert tables(run) in ({}, expected)
    print(f"{engine}: killed {12 if many else few} times, completed {completed} times with the same bytes")


def signal_if_there(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("manner", [MANNERS[0], *(pytest.param(m, marks=RELEASE) for m in MANNERS[1:])], ids="".join)
def test_interrupted_it_says_so_and_leaves_nothing(made: tuple[Place, dict[str, bytes]], manner: list[str]) -> None:
    place, expected = made
    shutil.rmtree(place.path / "cache", ignore_errors=True)
    with place.begin(place.path / "interrupted", *manner) as process:
        # loky's workers while they start: two trackers and a worker
        wait_until(lambda: len(session(process.pid)) > 2 if manner == MANNERS[1] else place.entries() > 3)
        time.sleep(0.1 if manner == MANNERS[1] else 0)
        # As a terminal does: to every process of the group.
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert said == "stopped; a rerun does what is missing\n"
    wait_until(lambda: not session(process.pid))
    assert list((place.store / UNFINISHED).iterdir()) == []
    assert tables(place.path / "interrupted") == {}
    assert place.complete(place.path / "after") == expected


PHASES = ("start", "steps", "report", "end")


def wait_for(phase: str, place: Place, run: Path, process: "subprocess.Popen[str]", chance: random.Random) -> None:
    """Wait for a random moment of a phase: imports and configuration, steps, the run's files, or what comes after."""
    enough = place.entries() + chance.randrange(1, 30)
    reached = {
        "start": lambda: True,
        "steps": lambda: place.entries() >= enough,
        "report": lambda: any(run.glob(".writing-*")),
        "end": (run / "provenance.json").exists,
    }[phase]
    while process.poll() is None and not reached():
        time.sleep(0.002)
    time.sleep(chance.random() * {"start": 2.0, "steps": 0.2, "report": 0.1, "end": 0.05}[phase])


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.release)], ids=["few", "many"])
def test_stopped_at_any_moment_it_ends_in_order_and_a_rerun_is_the_same(
    made: tuple[Place, dict[str, bytes]], tmp_path: Path, number: signal.Signals, many: bool
) -> None:
    """130, or what a shell reports of a program that the signal ended before Python had begun: 130 or 143."""
    of_all, expected = made
    (tmp_path / "folder").symlink_to(of_all.path / "folder")
    place, chance, ends = Place(tmp_path), random.Random(f"{number} {many}"), dict.fromkeys((130, 143, 0), 0)
    for stop in range(30 if many else 3):
        run, manner = tmp_path / f"run-{stop}", MANNERS[(stop + stop // len(PHASES)) % len(MANNERS)]
        with place.begin(run, *manner) as process:
            wait_for(PHASES[stop % len(PHASES)], place, run, process, chance)
            if process.poll() is None:  # a terminal tells every process of the group, `kill` one
                (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
            _, said = process.communicate(timeout=240)
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        assert status in ends, said
        ends[status] += 1
        assert "fault of clirbench" not in said
        assert not (run / "fault.txt").exists()
        assert tables(run) in ([expected] if status == 0 else [{}, expected])
        wait_until(lambda: not session(process.pid))
        if stop % 3 == 2:
            assert place.complete(run, *manner) == expected
            shutil.rmtree(place.path / "cache", ignore_errors=True)
    assert ends[130] + ends[143] > 0
    print(f"{number.name}: exit statuses {ends}")


THREADS = """
import sys
from threading import Thread
import clirbench as cb

folder, cache, *runs = sys.argv[1:]

def work(run):
    keys = {"metric": ["BLEU", "MacroF1"], "measures": ["RBO"], "topics__n": 10, "relevance__k": 5}
    cb.run(folder=folder, paths__cache=cache, **keys).save(run)

threads = [Thread(target=work, args=(run,)) for run in runs]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_eight_threads_and_four_processes_share_a_store(made: tuple[Place, dict[str, bytes]], tmp_path: Path) -> None:
    """Four programs at once, one of which runs in eight threads; all find the same."""
    of_all, expected = made
    (tmp_path / "folder").symlink_to(of_all.path / "folder")
    place = Place(tmp_path)
    runs = [tmp_path / f"run-{number}" for number in range(11)]
    given = [str(tmp_path / "folder"), str(tmp_path / "cache")]
    threads = [sys.executable, "-c", THREADS, *given, *map(str, runs[:8])]
    threaded = subprocess.Popen(threads, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    processes = [threaded, *(place.begin(run) for run in runs[8:])]
    for process in processes:
        _, said = process.communicate(timeout=400)
        assert process.returncode == 0, said
        assert "Traceback" not in said
    for run in runs:
        assert tables(run) == expected, run
    assert list((place.store / UNFINISHED).iterdir()) == []
