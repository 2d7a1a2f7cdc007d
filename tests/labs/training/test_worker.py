"""However a cell ends, its reason is told, and the process that trains goes on with the next one."""

import errno
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from clirbench.engines.base import leave_clusters
from clirbench.engines.local import Serial
from clirbench.errors import ResourceError
from clirbench.labs.training.grid import plan, train
from clirbench.labs.training.worker import IDLE, Train, reason
from tests.labs.training.test_grid import bar
from tests.labs.training.toys import Ends, grid, text, waited_for

pytestmark = pytest.mark.usefixtures("workers")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("memory", "the memory is not enough; try a smaller batch"),
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


@pytest.fixture
def little(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB; skipped where none may be mounted."""
    folder = tmp_path / "little"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mounted, check=False, capture_output=True).returncode:
        pytest.skip("NO RIGHT TO MOUNT: a full disk is not tested")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_told_though_nothing_can_be_written(little: Path, lines: list[str]) -> None:
    made = grid(little, text(little / "data", lines), trainer=Ends("disk"), vocabularies=["char"], sizes=[20])
    first, second = planned = plan(made, Serial())
    assert train(planned, Serial(), bar) == {"20-char-toy-1": "the disk is full", "20-char-toy-2": "the disk is full"}
    (first / "large").unlink()
    assert Train()(str(second)) == ""


def test_what_is_called_memory_and_disk_by_others(tmp_path: Path) -> None:
    for error, said in (
        (
            ResourceError("the command: exit status 1; stderr ends: torch.OutOfMemoryError: CUDA out of memory."),
            "memory",
        ),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes"), "memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk"),
        (RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 742528 vs 742420"), "disk"),
    ):
        assert reason(error, tmp_path).startswith(f"the {said} is ")


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
    code = f"from clirbench.labs.training.worker import Train; Train()({str(folder)!r})"
    asked = subprocess.Popen([sys.executable, "-c", code])
    try:
        number = int(waited_for(folder / "begun"))
        asked.kill()
        asked.wait()
        assert _gone(number)
    finally:
        asked.kill()
    assert not (folder / "done").exists()
    leave_clusters()


def _gone(number: int) -> bool:
    for _ in range(300):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
