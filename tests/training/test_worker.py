"""However a cell ends, its reason is told, and the process that trains goes on with the next one."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from clirbench.engines.base import leave_clusters
from clirbench.engines.local import Serial
from clirbench.training.grid import plan, train
from clirbench.training.worker import IDLE, Train
from tests.training.test_grid import bar
from tests.training.toys import Ends, grid, text

pytestmark = pytest.mark.usefixtures("workers")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("memory", "the memory is not enough; try a smaller batch"),
        ("disk", "the disk is full"),
        ("killed", "killed by SIGKILL (most often: memory ran out); a rerun goes on"),
        ("fault", "ValueError: a fault"),
    ],
)
def test_one_cell_ends_badly_and_the_others_are_trained(tmp_path: Path, lines: list[str], how: str, said: str) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), trainer=Ends(how), vocabularies=["char"], sizes=[20])
    failed = train(plan(made, Serial()), Serial(), bar)
    assert list(failed) == ["20-char-toy-1"]
    assert failed["20-char-toy-1"].startswith(said)
    assert len(IDLE) == 1  # both were trained by the copies of one process


def test_a_cell_is_trained_by_one_process_at_a_time(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), trainer=Ends(), vocabularies=["char"], sizes=[20], seeds=[1])
    (folder,), outcomes = plan(made, Serial()), list[str]()
    with (folder / "cell.json").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        plan(made, Serial())  # lays the grid out anew beside the one that trains
        asked = Thread(target=lambda: outcomes.append(Train()(str(folder))))
        asked.start()
        time.sleep(1)
        assert not (folder / "begun").exists()
        assert not (folder / "failed.txt").exists()  # whoever looks sees how the other one is doing
    asked.join()
    assert outcomes == [""]
    assert (folder / "begun").exists()


def test_who_trains_ends_with_who_asked(tmp_path: Path, lines: list[str]) -> None:
    made = grid(tmp_path, text(tmp_path / "data", lines), trainer=Ends("", 60.0), vocabularies=["char"], sizes=[20])
    folder = next(iter(plan(made, Serial())))
    code = f"from clirbench.training.worker import Train; Train()({str(folder)!r})"
    asked = subprocess.Popen([sys.executable, "-c", code])
    try:
        number = int(_waited_for(folder / "begun"))
        asked.kill()
        asked.wait()
        assert _gone(number)
    finally:
        asked.kill()
    assert not (folder / "done").exists()
    leave_clusters()


def _waited_for(path: Path) -> str:
    for _ in range(600):
        if path.exists() and (content := path.read_text(encoding="utf-8")):
            return content
        time.sleep(0.1)
    raise AssertionError(f"{path} was not written")


def _gone(number: int) -> bool:
    for _ in range(300):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
