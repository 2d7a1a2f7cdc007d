"""The atlas by its one command: what it writes, killed and run again, and with a folder that cannot be run."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until

PROJECT = Path(__file__).resolve().parents[3]
TABLES = ("sweep.tsv", "sweep_summary.tsv", "atlas.tsv", "atlas_collections.tsv", "findings.md")
OF_JOBS = ("systems.tsv", "correlations.tsv", "per_topic.tsv", "decision.tsv")
PARTS = "corpus.part=wmt21/bn-hi,wmt21/xh-zu,wmt21/hi-bn"


def start(mirror: Path, folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """The atlas in this checkout, where its plan is, with a store of its own."""
    places = (f"paths.mirror={mirror}", f"paths.cache={folder}/store", f"hydra.sweep.dir={folder}/sweep")
    return subprocess.Popen(
        [sys.executable, "-m", "clirbench", "+experiment=atlas", *places, *arguments],
        cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def content(sweep: Path, jobs: int) -> dict[str, bytes]:
    names = [*TABLES, *(f"{job}/{name}" for job in range(jobs) for name in OF_JOBS)]
    return {name: (sweep / name).read_bytes() for name in names}


@pytest.mark.slow
def test_three_collections_killed_and_run_again_are_the_same_bytes(shared_data: Path, tmp_path: Path) -> None:
    killed = start(shared_data, tmp_path / "killed", PARTS)
    wait_until((tmp_path / "killed" / "sweep" / "1" / "events.jsonl").exists, lambda: killed.poll() is not None)
    killed.send_signal(signal.SIGTERM)
    assert "stopped; a rerun does what is missing" in killed.communicate()[1]
    assert killed.returncode == 130
    assert not (tmp_path / "killed" / "sweep" / "findings.md").exists()
    again = start(shared_data, tmp_path / "killed", PARTS)
    out, errors = again.communicate()
    assert again.returncode == 0, errors
    assert "done before: " in out
    whole = start(shared_data, tmp_path / "whole", PARTS)
    assert "done before: " not in whole.communicate()[0]
    assert content(tmp_path / "killed" / "sweep", 3) == content(tmp_path / "whole" / "sweep", 3)
    assert "3 collections with 24 systems" in (tmp_path / "whole" / "sweep" / "findings.md").read_text()


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_the_whole_atlas_is_what_the_documentation_says(shared_data: Path, tmp_path: Path) -> None:
    """Some 420 s of a processor."""
    done = start(shared_data, tmp_path)
    assert done.communicate()[1] == ""
    assert done.returncode == 0
    docs = PROJECT / "docs"
    for name in ("atlas.tsv", "atlas_collections.tsv"):
        assert (tmp_path / "sweep" / name).read_bytes() == (docs / "data" / "findings" / name).read_bytes()
    assert (tmp_path / "sweep" / "findings.md").read_bytes() == (docs / "findings.md").read_bytes()
