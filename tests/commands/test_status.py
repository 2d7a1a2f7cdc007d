"""What is said of a run: done, missing, failed and why."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clirbench.commands import status, store as command
from clirbench.engines.local import Serial
from clirbench.errors import InputError, StoreError
from clirbench.files.run_files import MARKER
from clirbench.store.cached import PLAN, Cached, Call, Pass, Plan, Planned, Shared
from clirbench.store.store import Store
from clirbench.types import Failure
from tests.lines import Lengths, made_texts


@pytest.fixture
def cached(tmp_path: Path) -> Cached:
    store = Store(tmp_path / "store")
    return Cached(Serial(), store, Plan.begin(tmp_path / PLAN, store.path))


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [" ".join(line.split()) for line in capsys.readouterr().out.split("\n")[:-1]]


def test_every_step_of_every_system(cached: Cached, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, texts = made_texts(tmp_path, 4)
    texts[1].path.write_text("FAIL\n", encoding="utf-8")
    texts[3].path.unlink()
    step = Lengths(tmp_path / "calls")
    results = cached.pmap(step, texts, ["a", "b", "c", "d e"])
    next(results)
    next(results)
    # Killed here: the third was never begun, the fourth cannot be.
    assert status.main([str(tmp_path)]) == 1
    assert lines(capsys) == [
        "a Lengths done",
        f"b Lengths failed: {texts[1].path}: line 1: FAIL cannot be counted",
        "c Lengths missing",
        f"d e Lengths failed: {texts[3].path}: no such file",
        "4 results: 1 done, 1 missing, 2 failed",
    ]


def test_parts_are_counted_and_named(cached: Cached, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, (text,) = made_texts(tmp_path, 1)
    lengths = [Shared(Lengths(tmp_path / "calls", unit)) for unit in (1.0, 2.0, 3.0)]
    jobs = [Pass({n: Call(lengths[n], (text,), str(n)) for n in range(end)}, Shared(text), "a") for end in (1, 3)]
    list(cached.run(jobs[:1]))
    cached.looked_up(jobs[1])
    assert status.main([str(tmp_path)]) == 1
    assert lines(capsys)[0] == "a Lengths 1 of 3 done; missing 1, 2"


def test_failures_passed_on_are_listed_with_their_reason(
    cached: Cached, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    list(cached.pmap(Lengths(tmp_path / "calls"), [Failure("a\treason\nof two lines")], ["a"]))
    assert status.main([str(tmp_path)]) == 1
    assert lines(capsys)[0] == "a Lengths failed: a reason of two lines"


def test_the_folder_of_a_sweep_lists_its_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, sweep = Store(tmp_path / "store"), tmp_path / "sweep"
    for name, text in (("10", Failure("x")), ("9", made_texts(tmp_path, 1)[1][0])):
        (sweep / name).mkdir(parents=True)
        cached = Cached(Serial(), store, Plan.begin(sweep / name / PLAN, store.path))
        list(cached.pmap(Lengths(tmp_path / "calls"), [text], ["a"]))
    assert status.main([str(sweep)]) == 1
    assert lines(capsys) == [
        f"{sweep}: the folder of 2 runs (a sweep's jobs); 'clirbench status {sweep / '9'}' shows one of them",
        "9: 1 results: 1 done, 0 missing, 0 failed",
        "10: 1 results: 0 done, 0 missing, 1 failed",
    ]


def test_where_there_is_no_plan_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status.main([str(tmp_path)]) == 2
    assert "plan.tsv: no such file; name the folder of a run" in capsys.readouterr().err


def test_a_file_of_somebody_else_is_neither_read_nor_overwritten(tmp_path: Path) -> None:
    (tmp_path / PLAN).write_text("my plans\n")
    with pytest.raises(InputError, match="is not a plan written by clirbench"):
        status.read_plan(tmp_path / PLAN)
    with pytest.raises(StoreError, match="nothing is overwritten"):
        Plan.begin(tmp_path / PLAN, tmp_path)
    assert (tmp_path / PLAN).read_text() == "my plans\n"


def test_a_line_that_is_no_result_is_named_by_its_number(cached: Cached, tmp_path: Path) -> None:
    list(cached.pmap(Lengths(tmp_path / "calls"), made_texts(tmp_path, 2)[1], ["a", "b"]))
    with (tmp_path / PLAN).open("a") as plan:
        plan.write("c\tLengths\n")
    with pytest.raises(InputError, match="line 5: 2 columns, expected 5"):
        status.read_plan(tmp_path / PLAN)


@pytest.mark.parametrize("torn", ["", "# st", "# store\t/somewhere\nsystem\tst", "\0" * 40], ids=repr)
def test_a_torn_plan_in_a_folder_of_ours_is_written_anew(tmp_path: Path, torn: str) -> None:
    (tmp_path / PLAN).write_text(torn)
    (tmp_path / MARKER).touch()
    Plan.begin(tmp_path / PLAN, tmp_path).add([Planned("a", "Retrieve", "", "0" * 64)])
    assert [row.system for row in status.read_plan(tmp_path / PLAN)[1]] == ["a"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [MARKER, PLAN]


def test_a_full_disk_leaves_the_earlier_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan.begin(tmp_path / PLAN, tmp_path)
    plan.add([Planned("a", "Retrieve", "", "0" * 64)])

    def full(path: Path, content: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match="No space left on device"):
        Plan.begin(tmp_path / PLAN, tmp_path)
    assert [row.system for row in status.read_plan(tmp_path / PLAN)[1]] == ["a"]


def test_a_line_cut_short_by_a_kill_is_left_out(tmp_path: Path) -> None:
    plan = Plan.begin(tmp_path / PLAN, tmp_path)
    plan.add([Planned("a", "Retrieve", "", "0" * 64), Planned("b", "Retrieve", "", "1" * 64)])
    content = (tmp_path / PLAN).read_text()
    (tmp_path / PLAN).write_text(content[:-20])
    assert [row.system for row in status.read_plan(tmp_path / PLAN)[1]] == ["a"]


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
