"""Engines give the same bytes in the same order, begin with the most expensive, and leave no process behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.engines.base import Engine, Lost, Task, dispatch
from clirbench.engines.elsewhere import Joblib
from clirbench.engines.local import Processes, Serial
from clirbench.errors import ConfigError, InputError, ResourceError
from clirbench.types import Doubles
from tests.waiting import wait_until


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything goes to workers at once, which are not forked (see `test_forked.py`)."""
    monkeypatch.setattr("clirbench.engines.local.obstacle", lambda: "a test")
    monkeypatch.setattr("clirbench.engines.local.PATIENCE", 0.0)


@dataclass(frozen=True)
class Weighed:
    """Gives its item back; costs what the item is."""

    def cost(self, item: int) -> float:
        return item

    def __call__(self, item: int) -> int:
        return item


@dataclass(frozen=True)
class Pid:
    """The process that it runs in; the item `die` ends that process, `fail` is an error of the user's.

    In a folder, an item waits until two processes have begun: which of them gets the items is else the machine's.
    """

    meet: Path | None = None

    def __call__(self, item: str) -> int:
        if folder := self.meet:
            (folder / str(os.getpid())).touch()
            wait_until(lambda: len(list(folder.iterdir())) >= 2)
        if item == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "fail":
            raise InputError("file x: line 1: so it is")
        return os.getpid()


@given(st.lists(st.integers(0, 9)), st.randoms())
def test_results_come_in_the_order_of_the_items_however_tasks_end(items: list[int], chance: Any) -> None:
    """The most expensive is begun first, those of equal cost in their order."""
    begun: list[int] = []

    def work(tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        begun.extend(task.number for task in tasks)
        done = [task() for task in tasks]
        chance.shuffle(done)
        yield from done

    assert list(dispatch(Weighed(), items, work)) == items
    assert begun == sorted(range(len(items)), key=lambda i: -items[i])


@pytest.mark.parametrize("engine", [Serial(), Processes(1), Processes(2)])
def test_an_engine_maps_in_order(engine: Engine) -> None:
    assert isinstance(engine, Engine)
    assert list(engine.pmap(Weighed(), list(range(20)))) == list(range(20))
    assert list(engine.pmap(Weighed(), [])) == []


def test_workers_are_kept_alive_between_steps(tmp_path: Path) -> None:
    engine = Processes(2)
    first = set(engine.pmap(Pid(tmp_path), [""] * 40))
    assert len(first) == 2
    assert set(engine.pmap(Pid(), [""] * 40)) <= first
    assert os.getpid() not in first


@dataclass(frozen=True)
class Fragile:
    """Gives its item back; the worker that has item 7 in hand is killed, the first `deaths` times."""

    folder: Path
    deaths: int

    def __call__(self, item: int) -> int:
        with (self.folder / str(item)).open("a") as file:
            file.write("x")
        if item == 7 and (self.folder / "7").stat().st_size <= self.deaths:
            os.kill(os.getpid(), signal.SIGKILL)
        return item


def done_again(engine: Engine, folder: Path) -> None:
    (folder / "done").mkdir()
    assert list(engine.pmap(Fragile(folder / "done", 1), list(range(20)))) == list(range(20))
    assert (folder / "done" / "7").read_text() == "xx"


def test_after_each_death_something_must_end() -> None:
    """Two deaths in a row without a result between them end the work; deaths with results between them do not."""

    def work(tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        for task in tasks[: ends.pop(0)]:
            yield task()
        raise Lost("killed")

    ends = [2, 0, 1, 0, 0]
    with pytest.raises(Lost, match="killed"):
        list(dispatch(Weighed(), list(range(8)), work))
    assert ends == []
    ends = [2, 0, 1, 0, 5]
    assert list(dispatch(Weighed(), list(range(8)), work)) == list(range(8))


def in_a_pool(engine: Engine) -> list[int]:
    return list(engine.pmap(Weighed(), [1, 2, 3, 4]))


def test_a_worker_of_another_programs_pool_ends_after_a_run() -> None:
    """It once waited five minutes for idle workers of its own, and a daemonic one ended in an AssertionError."""
    spawn = multiprocessing.get_context("spawn")
    begun = [spawn.Process(target=in_a_pool, args=(one,)) for one in (Processes(), Joblib(workers=2))]
    assert [one.start() or one.join(100) or one.exitcode for one in begun] == [0, 0]
    with spawn.Pool(1) as pool:
        assert pool.apply(in_a_pool, (Processes(),)) == [1, 2, 3, 4]
        with pytest.raises(ConfigError, match="may have no workers: engine=serial"):
            pool.apply(in_a_pool, (Joblib(workers=2),))


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_a_number_of_workers_that_is_none_is_refused(workers: Any) -> None:
    with pytest.raises(ConfigError, match=r"engine.workers=.*at least 1"):
        Processes(workers)


ENDLESS = """
import sys, time
from pathlib import Path
from clirbench.engines import local as engine
from tests.engines.test_engines import Endless
engine.Joblib(workers=2).pmap(Endless(Path(sys.argv[1])), range(4)).__next__()
"""


@dataclass(frozen=True)
class Endless:
    """Says which process it runs in, and never ends."""

    folder: Path

    def __call__(self, item: int) -> None:
        (self.folder / str(os.getpid())).touch()
        while True:
            time.sleep(0.05)


@dataclass(frozen=True)
class Slow:
    """Gives its item back after a moment in which its worker can be killed; from item 100 on, after the last kill."""

    folder: str

    def __call__(self, item: int) -> Doubles:
        time.sleep(0.005)
        while item >= 100 and not (Path(self.folder) / "killed").exists():
            time.sleep(0.005)
        return np.array([float(item)])


def alive(pid: int | str) -> bool:
    """Whether a process is there; one that has ended and waits to be fetched is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, *(pytest.param(number, marks=pytest.mark.release) for number in (signal.SIGTERM, signal.SIGINT))],
)
def test_workers_end_with_the_process_that_started_them(tmp_path: Path, number: signal.Signals) -> None:
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(tmp_path)], cwd=root, stderr=subprocess.DEVNULL, start_new_session=True
    ) as parent:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2, unless=lambda: parent.poll() is not None)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        parent.send_signal(number)
    wait_until(lambda: not any(map(alive, workers)))


def test_little_work_is_not_handed_out_and_much_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.engines.local.PATIENCE", 1e9)
    assert set(Processes(2).pmap(Pid(), [""] * 9)) == {os.getpid()}
    # Seen to take long.
    monkeypatch.setattr("clirbench.engines.local.PATIENCE", 1e-9)
    monkeypatch.setattr("clirbench.engines.local.WORTH_SECONDS", 0.0)
    assert list(Processes(2).pmap(Pid(), [""] * 9))[-1] != os.getpid()


@dataclass(frozen=True)
class Alone:
    """Takes a whole machine: it says which process it had, or dies."""

    alone: ClassVar[bool] = True

    def __call__(self, item: str) -> int:
        if item == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()


@pytest.mark.parametrize("workers", [1, 4])
def test_what_takes_a_whole_machine_is_never_done_in_the_process_of_the_run(workers: int) -> None:
    found = list(Processes(workers).pmap(Alone(), ["", "", ""]))
    assert len(found) == 3
    assert os.getpid() not in found
    with pytest.raises(ResourceError, match="a worker process was killed"):
        list(Processes(workers).pmap(Alone(), ["die"]))
    assert list(Serial().pmap(Alone(), [""])) == [os.getpid()]
