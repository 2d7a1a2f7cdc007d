"""Jobs of a sweep that are finished are known again, and only those that nothing has changed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clirbench.files.run_files import broken

TABLE = "system\tBLEU\tchrF2\tMAP\n" + "".join(f"s{i}\t{20 + i}\t{40 + i * i}\t.{30 + i}\n" for i in range(8))
SWEEP = ("-m", "scores.tables=[s.tsv]", "scores.measures=[MAP]", "seed=0,1")


@pytest.fixture
def swept(cli: Callable[..., Any], tmp_path: Path) -> Callable[..., int]:
    """Does the sweep in a folder, and gives the number of jobs that were done before."""
    (tmp_path / "s.tsv").write_text(TABLE)

    def again(folder: str = "sweeps/one") -> int:
        done = cli(*SWEEP, f"hydra.sweep.dir={folder}")
        assert done.returncode == 0, done.stderr
        return int((done.stdout + done.stderr).count("done before"))

    assert again() == 0
    return again


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".hydra" not in path.parts
    }


def test_jobs_are_known_again_until_something_changes(swept: Callable[..., int], tmp_path: Path) -> None:
    job = tmp_path / "sweeps" / "one" / "0"
    before = content(job)
    assert swept() == 2
    assert content(job) == before
    assert swept("sweeps/two") == 2
    copied = content(tmp_path / "sweeps" / "two" / "0")
    assert copied.keys() == before.keys()
    assert {name for name in before if copied[name] != before[name]} <= {"manifest.json"}  # it has Hydra's files too
    assert not any(broken(tmp_path / "sweeps" / "two" / "0"))
    shutil.rmtree(tmp_path / "sweeps" / "two")
    shutil.rmtree(tmp_path / "sweeps" / "one" / "1")  # not finished
    assert swept() == 1
    (job / "systems.tsv").write_text("system\n")
    assert swept() == 1  # the other one
    (tmp_path / "s.tsv").write_text(TABLE.replace("40", "41"))
    assert swept() == 0
    (tmp_path / "new.txt").write_text("a file that the runs might have read\n")
    assert swept() == 0
