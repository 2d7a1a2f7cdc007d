"""The run's folder: killed while files are moved, the next run ends the work; nothing stays half here, half there."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clirbench.commands.compare import main as compare
from clirbench.errors import UNSEEN, InputError
from clirbench.files.run_files import EVENTS, MANIFEST, MARKER, Journal, broken
from clirbench.files.tables import read_table
from clirbench.pages import Table
from clirbench.report import terminal
from clirbench.report.folder import RunFolder
from clirbench.report.provenance import provenance as made_provenance
from clirbench.result import Result
from tests.conftest import PACKAGE
from tests.report.boards import EVIL, board, result
from tests.report.test_readers import by_csv, differing

NAMES = ("a.tsv", "figures", "provenance.json", "trec")
ALL = ("a.tsv", "figures", MANIFEST, "provenance.json", "trec")

MOMENTS = range(1, 31)
"""Operations on the folder before which the process is killed; it has fewer."""

# Each run writes its number into every file; the third one is killed before its n-th operation.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from clirbench.report import folder

def write(place, run, provenance, live):
    for name in ("a.tsv", "provenance.json"):
        (place / name).write_text(str(run))
    for name in ("figures", "trec"):
        (place / name).mkdir()
        (place / name / "x").write_text(str(run))

def counted(operation):
    def wrapped(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return operation(*arguments, **named)
    return wrapped

folder._write_all = write
for home in map(Path, sys.argv[1:]):
    if (child := os.fork()) == 0:
        for run in (1, 2):
            folder.RunFolder.claim(home).write(run, {})
        left = int(home.name)
        for name in ("rename", "replace", "mkdir", "rmdir", "write_text"):
            setattr(Path, name, counted(getattr(Path, name)))
        folder.shutil.move = counted(folder.shutil.move)
        folder.RunFolder.claim(home).write(3, {})
        os._exit(0)
    print(home.name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def versions(folder: Path) -> set[str]:
    """What stands in the files of a run."""
    return {(folder / name / "x" if (folder / name).is_dir() else folder / name).read_text() for name in NAMES}


def test_killed_while_files_are_moved(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *(str(tmp_path / str(n)) for n in MOMENTS)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        check=True,
    )
    ends = dict(line.split() for line in done.stdout.splitlines())
    assert set(ends.values()) == {str(-signal.SIGKILL), "0"}, done.stderr
    for name, end in ends.items():
        home = tmp_path / name
        before = sorted(path.name for path in home.iterdir())
        RunFolder.claim(home)
        kept = sorted(path for path in home.iterdir() if path.name.startswith("previous-"))
        now = versions(home)
        assert now == {"3"} if end == "0" else now in ({"2"}, {"3"}), before
        assert [versions(path) for path in kept] == [{"1"}, {"2"}][: int(now.pop()) - 1], before
        assert sorted(path.name for path in home.iterdir() if path not in kept) == [MARKER, *ALL], before
        assert sorted((home / MARKER).read_text().split()) == list(ALL), before
        assert not [line for place in (home, *kept) for line in broken(place)], before


def test_what_others_are_writing_stays(tmp_path: Path) -> None:
    (tmp_path / ".writing-other~1~0").mkdir()
    (tmp_path / f".ready-{os.uname().nodename}~{os.getpid()}~0").mkdir()
    RunFolder.claim(tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(("new", "event", "stays"), [(1, "said", False), (1, "begun", True), (0, "said", True)])
def test_a_new_folder_goes_again_where_no_step_had_begun(new: int, event: str, stays: bool, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "run"
    if not new:
        run.mkdir(parents=True)

    def stopped() -> None:
        with RunFolder.starting(run):
            Journal(run / EVENTS).add(event)
            raise InputError("wrong")

    with pytest.raises(InputError, match="wrong"):
        stopped()
    assert (run.parent.exists(), (run / MARKER).exists()) == (stays, stays)


def outside(tmp_path: Path) -> Path:
    """A file of the user's beside the run's folder."""
    (tmp_path / "run").mkdir()
    (tmp_path / "mine").write_text("mine")
    return tmp_path / "mine"


@pytest.mark.parametrize("absolute", [True, False])
def test_a_marker_that_was_sent_moves_nothing_from_elsewhere(absolute: bool, tmp_path: Path) -> None:
    mine = outside(tmp_path)
    (tmp_path / "run" / MARKER).write_text(f"{mine if absolute else '../mine'}\n")
    with pytest.raises(InputError, match="is not the name of a file in this folder"):
        RunFolder.claim(tmp_path / "run").put(lambda place: (place / "a.tsv").touch())
    assert mine.read_text() == "mine"
    assert [path.name for path in (tmp_path / "run").iterdir()] == [MARKER]


@pytest.mark.parametrize("left", [".ready-", ".placing-"])
def test_a_link_that_looks_like_unfinished_work_is_not_completed(left: str, tmp_path: Path) -> None:
    mine = outside(tmp_path)
    (tmp_path / "theirs").mkdir()
    mine.rename(tmp_path / "theirs" / "mine")
    (tmp_path / "run" / MARKER).touch()
    # The number is above those that processes have, so that the writer counts as killed.
    (tmp_path / "run" / f"{left}{os.uname().nodename}~{2**22 + 1}~0").symlink_to(tmp_path / "theirs")
    with pytest.raises(InputError, match="is a link"):
        RunFolder.claim(tmp_path / "run")
    assert (tmp_path / "theirs" / "mine").read_text() == "mine"


@pytest.mark.parametrize("name", [MARKER, "plan.tsv", "figures", ".watching", "events.jsonl"])
def test_a_link_in_a_run_s_folder_is_refused_before_any_work(name: str, tmp_path: Path) -> None:
    mine = outside(tmp_path)
    (tmp_path / "run" / MARKER).touch()
    (tmp_path / "run" / name).unlink(missing_ok=True)
    (tmp_path / "run" / name).symlink_to(mine)
    before = mine.stat().st_mtime_ns
    with pytest.raises(InputError, match=f"{name}: is a link"):
        RunFolder.claim(tmp_path / "run")
    assert mine.stat().st_mtime_ns == before


HOSTILE = (
    EVIL,
    "<img src=x onerror=alert(1)>",
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[31m",
    "\x9b31m",
    "\u202egnp.exe",
    "tab\tand\r\nlines",
    "\ud800",
    'a "quoted" one',
    "</title><svg onload=a()>",
    "[x](javascript:a()) ![y](http://a.example/b)",
    "| a | b |",
    "\\input{/etc/passwd} % $x$",
    "[bold red]x[/]",
    "\u2028\u2029",
)
MARKUP = re.compile(r"<(img|script>alert|svg onload|/title><svg)", re.IGNORECASE)


@pytest.fixture
def evil() -> Result:
    n = len(HOSTILE)
    made = board(
        {name: [float((i * 7 + j) % n) for j in range(n)] for i, name in enumerate(HOSTILE[:4])},
        {f"MAP[{name}]": [float((i * 5 + j) % n) / n for j in range(n)] for i, name in enumerate(HOSTILE[4:7])},
        {f"column {name}": HOSTILE for name in HOSTILE[:3]},
        systems=HOSTILE,
    )
    text = " ".join(HOSTILE)
    table = Table("power", text, (*HOSTILE[:3], "n"), tuple((a, a, a, 1.5) for a in HOSTILE), (text,), said=20)
    return result(made, [table], HOSTILE)


@pytest.fixture
def folder(evil: Result, tmp_path: Path) -> Path:
    configuration = {"name": HOSTILE[2], "remarks": list(HOSTILE)}
    RunFolder.claim(tmp_path / "run").write(evil, made_provenance(configuration, ["python", *HOSTILE], evil))
    return tmp_path / "run"


def test_no_file_holds_a_control_character(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".tsv", ".md", ".html", ".tex", ".svg", ".json"}
    for path in files:
        found = UNSEEN.search(path.read_text(encoding="utf-8").replace("\r\n", "\r"))
        assert found is None, f"{path.name}: {found}"


def test_no_page_holds_markup_of_a_name(folder: Path) -> None:
    for name in ("report.html", "report.md"):
        text = (folder / name).read_text(encoding="utf-8").replace("\\<", "")
        assert not MARKUP.search(text), f"{name}: {MARKUP.search(text)}"
    for path in (folder / "figures").glob("*.svg"):
        assert not MARKUP.search(path.read_text(encoding="utf-8")), path.name
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "](javascript" not in report
    assert "![y]" not in report


def test_each_row_of_a_table_is_one_row_for_everybody(folder: Path) -> None:
    for path in folder.glob("*.tsv"):
        ours = read_table(path)
        assert by_csv(path) == [[*ours.header], *([*row] for row in ours.rows)], path.name
        assert differing(path) == [], path.name


@pytest.mark.parametrize("on_a_terminal", [False, True], ids=["piped", "terminal"])
def test_nothing_hostile_reaches_the_terminal(
    evil: Result, folder: Path, on_a_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: on_a_terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    terminal.show(evil)
    terminal.show_folder(Path(HOSTILE[2]))
    compare([str(folder), str(folder)])
    shown = capsys.readouterr().out
    assert "owned" in shown
    assert not UNSEEN.search(shown), UNSEEN.search(shown)


def test_provenance_says_exactly_what_was_given(folder: Path) -> None:
    found = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert found["configuration"]["remarks"] == [*HOSTILE]
