"""Forked workers give the same bytes, survive deaths, and leave nothing behind.

A process forks only while it has a single thread, which no test process has: each test starts a program of its own.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engines.test_engines import alive
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")

BEGIN = """
import os, sys, warnings
from dataclasses import replace
from pathlib import Path
warnings.simplefilter("error")
from clirbench.engines import local
from clirbench.engines.elsewhere import Joblib
from clirbench.engines.local import obstacle
from clirbench.engines.local import Processes, Serial
from tests.engines import test_engines
local.FORK_PATIENCE = local.FORK_WORTH_SECONDS = local.PATIENCE = 0.0
"""

BYTES = """
import hashlib
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.steps import score, statistics
from clirbench.store.cached import Cached, Call, Pass, Shared
from clirbench.store.store import Store
from tests.lines import made_texts
place = Path(sys.argv[1])
place.mkdir(exist_ok=True)
test, texts = made_texts(place, 12, n_lines=60)
known = Shared(test)
jobs = []
for text in map(Shared, texts):
    counts = [Call(statistics, (m, known, text), bulky=True) for m in (BLEU(), ChrF(), MacroF(), ChrF(word_order=2))]
    jobs.append(Pass(dict(enumerate([*counts, *(Call(score, (one.inputs[0], one)) for one in counts)])), text))
engines = [Serial(), Processes(2), Processes(5), Joblib("loky", 2), Joblib("threading", 2)]
for number, engine in enumerate(engines):
    stored = Cached(engine, Store(place / str(number)))
    forked = isinstance(engine, Processes) and not obstacle()
    list(stored.run(jobs))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((place / str(number)).rglob("*.part"))))
    files = sorted(path.name for path in (place / str(number)).rglob("*") if path.is_file())
    print(forked, digest.hexdigest(), len(files), hashlib.sha256(repr(files).encode()).hexdigest())
    if number == 2:
        try:
            print(os.waitpid(-1, os.WNOHANG))
        except ChildProcessError:
            print("no child is left")
"""


def program(text: str, *arguments: object) -> "subprocess.Popen[str]":
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("COVERAGE_PROCESS_START", None)
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + text, *map(str, arguments)], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def output_of(text: str, *arguments: object) -> tuple[str, str]:
    with program(text, *arguments) as run:
        out, errors = run.communicate(timeout=300)
    assert run.returncode == 0, errors
    return out, errors


def test_every_number_and_kind_of_workers_gives_the_same_bytes(tmp_path: Path) -> None:
    out, errors = output_of(BYTES, tmp_path / "made")
    *lines, loky, threads = out.splitlines()
    serial, two, five, children = (line.split(" ", 1) for line in lines)
    assert (serial[0], two[0], five[0]) == ("False", "True", "True")
    assert serial[1] == two[1] == five[1] == loky.split(" ", 1)[1] == threads.split(" ", 1)[1]
    assert children == ["no", "child is left"]
    assert errors == ""


def test_an_error_comes_through_and_what_is_written_is_written_once() -> None:
    out, errors = output_of("""
from clirbench.errors import InputError
print("before")
found = set(Processes(3).pmap(test_engines.Pid(), [""] * 40))
print(len(found), os.getpid() in found)
try:
    list(Processes(2).pmap(test_engines.Pid(), ["", "fail", *[""] * 9]))
except InputError as error:
    print(error)
try:
    list(Processes(2).pmap(len, [[], 7, []]))
except TypeError as error:
    print("in len" if "line" in error.__notes__[0] else error)
""")
    first, workers, *rest = out.splitlines()
    assert (first, rest) == ("before", ["file x: line 1: so it is", "in len"])
    assert workers in ("2 True", "3 True", "4 True")  # a fast worker may take the tasks of others
    assert errors == ""


THREAD = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
for engine in (Joblib(workers=2), Processes(2), Processes(2), Processes(1)):
    assert "threads" in obstacle()
    print(len(list(engine.pmap(len, ["", "a", "b", "c"]))))
"""


def test_a_process_with_threads_starts_new_processes() -> None:
    assert output_of(THREAD) == ("4\n" * 4, "")


def test_iteration_that_stops_early_leaves_no_worker() -> None:
    out, _ = output_of("""
results = Processes(2).pmap(test_engines.Pid(), [""] * 400)
next(results), next(results)
results.close()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none")
""")
    assert out == "none\n"


def test_a_task_that_always_kills_is_a_clear_error() -> None:
    out, errors = output_of("""
from clirbench.errors import ResourceError
try:
    list(Processes(2).pmap(test_engines.Pid(), ["", "die", ""]))
except ResourceError as error:
    print(error)
print(len(list(Processes(2).pmap(test_engines.Pid(), [""] * 3))))
""")
    error, after = out.splitlines()
    assert error.startswith("a worker process was killed (most often: memory ran out). Try fewer workers")
    assert error.endswith("(SIGKILL)")
    assert after == "3"
    assert "what a worker had in hand is done again" in errors


SLOW = """
from clirbench.store.cached import Cached
from clirbench.store.store import Store
store = Store(Path(sys.argv[1]) / "store")
with store.used():
    found = Cached(Processes(2), store).pmap(test_engines.Slow(sys.argv[1]), list(range(150)))
    print([value.tolist() for value in found] == [[number] for number in range(150)])
    store.sweep()
"""


def children(pid: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()))
    except OSError:
        return []


def deaths(folder: Path, seed: int, kills: int) -> None:
    """One run in which workers are killed at random moments; its results are those of a run without."""
    chance = random.Random(seed)
    with program(SLOW, folder) as run:
        for _ in range(kills):
            crew: list[int] = []
            time.sleep(chance.random() / 10)
            while len(crew) < 2:
                assert run.poll() is None, "the run has ended before its workers could be killed"
                crew = [pid for pid in children(run.pid) if alive(pid)]
            os.kill(chance.choice(crew), signal.SIGKILL)
        (folder / "killed").touch()
        out, errors = run.communicate(timeout=300)
    assert (run.returncode, out) == (0, "True\n"), errors
    told = errors.splitlines()
    assert 1 <= len(told) <= kills
    assert all(line.startswith("what a worker had in hand is done again: a worker process was") for line in told)
    assert [path for path in (folder / "store").rglob("*") if "tmp" in path.name] == []


def test_workers_killed_at_random_moments_are_replaced(tmp_path: Path) -> None:
    deaths(tmp_path, 1, 3)


@pytest.mark.release
@pytest.mark.parametrize("seed", range(2, 22))
def test_sixty_workers_killed_at_random_moments_are_replaced(tmp_path: Path, seed: int) -> None:
    deaths(tmp_path, seed, 3)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_forked_workers_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    endless = "next(Processes(2).pmap(test_engines.Endless(Path(sys.argv[1])), range(5)))"
    with program("local._first_results = lambda *_: iter(())\n" + endless, tmp_path) as parent:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2, unless=lambda: parent.poll() is not None)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        assert set(workers) == set(children(parent.pid))
        parent.send_signal(number)
    wait_until(lambda: not any(map(alive, workers)))
