"""What the store holds is listed; what no run names or nobody used goes, unless a run is using the store."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clirbench.commands import store as command
from clirbench.engines.local import Serial
from clirbench.store.cached import PLAN, Cached, Plan
from clirbench.store.store import Store
from tests.lines import Lengths, made_texts


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Three results: two are named by a run, one by none."""
    _, texts = made_texts(tmp_path, 3)
    store = Store(tmp_path / "cache" / "store")
    (tmp_path / "runs" / "first").mkdir(parents=True)
    plan = Plan.begin(tmp_path / "runs" / "first" / PLAN, store.path)
    list(Cached(Serial(), store, plan).pmap(Lengths(tmp_path / "calls"), texts[:2], ["a", "b"]))
    list(Cached(Serial(), store).pmap(Lengths(tmp_path / "calls"), texts[2:]))
    return tmp_path


def said(place: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    status = command.main([str(place / "cache"), "--runs", str(place / "runs"), *options])
    found = capsys.readouterr()
    assert status == bool(found.err)
    return [" ".join(line.split()) for line in (found.out + found.err).splitlines()]


def entries(place: Path) -> list[Path]:
    return sorted((place / "cache").rglob("*.part"))


def test_it_lists_by_run_and_step(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [re.sub(r"^[\d.]+ MB ", "", line) for line in said(place, capsys)] == [
        "2 first",
        "1 (named by no run)",
        "3 in all",
    ]
    assert len(entries(place)) == 3


def test_what_no_run_names_goes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = said(place, capsys, "--prune")
    assert re.fullmatch(r"removed 1 parts, [\d.]+ MB; 2 are left", line)
    assert len(entries(place)) == 2
    assert said(place, capsys)[-1].endswith(" 2 in all")


def test_nothing_goes_while_a_run_uses_the_store(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(place / "cache" / "store")
    with store.used():
        (line,) = said(place, capsys, "--prune")
        assert f"in use by {os.uname().nodename}~{os.getpid()}; nothing was removed" in line
        assert len(entries(place)) == 3
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    # A run that was killed uses nothing.
    (store.path / "running" / f"{os.uname().nodename}~{ended.pid}~0").touch()
    assert store.users() == []
    said(place, capsys, "--prune")
    assert len(entries(place)) == 2


def test_where_nothing_is_it_is_said(tmp_path: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(tmp_path / "nowhere")]) == 1
    assert "no store there" in capsys.readouterr().err
    assert command.main([str(place / "cache"), "--runs", str(tmp_path / "nowhere"), "--prune"]) == 1
    assert "--runs DIR" in capsys.readouterr().err
    assert len(entries(place)) == 3
