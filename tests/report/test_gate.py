"""Hostile names through every writer: nothing leaves that a terminal obeys or a page takes for markup."""

import json
import re
from pathlib import Path

import pytest

from clirbench.commands.compare import main as compare
from clirbench.errors import UNSEEN
from clirbench.files.tables import read_table
from clirbench.pages import Table
from clirbench.report import terminal
from clirbench.report.folder import RunFolder
from clirbench.report.provenance import provenance
from clirbench.result import Result
from tests.report.boards import EVIL, board, result
from tests.report.readers import by_csv, differing

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
    RunFolder.claim(tmp_path / "run").write(evil, provenance(configuration, ["python", *HOSTILE], evil))
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
