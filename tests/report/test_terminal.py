"""What is printed, piped and on a terminal."""

import io
from dataclasses import replace
from math import nan
from pathlib import Path

import pytest
from rich.console import Console

from clirbench.pages import Table
from clirbench.report import terminal
from tests.report.boards import board, result

MADE = board(
    {"BLEU": [1, 2, 3, 4, 5, 6], "Bad": [2, 1, 4, 3, 6, 5], "Flat": [1] * 6}, {"MAP[qrels]": [1, 2, 3, 4, 5, 6]}
)


class Screen(io.StringIO):
    """A terminal, as far as the program can tell."""

    console: Console

    def isatty(self) -> bool:
        return True


def screen(monkeypatch: pytest.MonkeyPatch, width: int) -> Screen:
    """What is written to a terminal of this width from now on."""
    found = Screen()
    found.console = Console(file=found, width=width, color_system=None, force_terminal=True)
    monkeypatch.setattr("sys.stdout", found)
    monkeypatch.setattr("rich.console.Console", lambda **_: found.console)
    return found


def test_a_pipe_gets_the_answer_and_tabs_cell_for_cell(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show(result(MADE))
    answer, _, table = capsys.readouterr().out.partition("\nKendall's tau")
    assert answer.split("\n")[4].startswith("BLEU orders all 15 pairs as people's judgments do")
    lines = table.split("\n")
    assert lines[1] == "\tBLEU\tBad\tFlat"
    # Bad swaps 3 of 15 pairs: (12 - 3) / 15 = .6; with 6 systems that is not significant.
    assert lines[2] == "MAP[qrels]\t1.000\t.600 x\tundefined"


def test_a_run_that_asks_for_another_coefficient_first_shows_that_one(capsys: pytest.CaptureFixture[str]) -> None:
    made = result(MADE)
    kept = tuple(row for row in made.correlations if row.coefficient in ("kendall", "spearman"))
    experiment = replace(made.experiment, coefficients=("spearman",))
    terminal.show(replace(made, experiment=experiment, correlations=kept))
    shown = capsys.readouterr().out
    assert shown.index("\nSpearman's rho over 6 systems") > shown.index("\nBLEU orders all 15 pairs") > 0


@pytest.mark.parametrize("width", [40, 120])
def test_a_terminal_gets_the_answer_and_every_column_within_its_width(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    found = screen(monkeypatch, width)
    terminal.show(result(MADE))
    shown = found.getvalue()
    assert shown.partition("\n\n")[2].startswith("BLEU orders all 15 pairs")
    rows = [line for line in shown.split("\n") if line.startswith(("│", "┃"))]
    assert max(map(len, rows)) <= width
    assert sum("MAP[qrels]" in row for row in rows) == (1 if width > 100 else 2)
    for text in ("BLEU", "Bad", "Flat", "1.000", ".600 x", "undefined"):
        assert sum(text in row for row in rows) == 1


def test_a_heading_says_what_belongs_together_a_note_why_nothing_is_tested(capsys: pytest.CaptureFixture[str]) -> None:
    rising = [float(i) for i in range(10)]
    terminal.show(result(board({"A": rising}, {"MAP": rising}, {"family": ["a"] * 5 + ["b"] * 5})))
    shown = capsys.readouterr().out
    assert "\n\nKendall's tau over 10 systems in 2 groups (family) (?: not tested)\n\tA\nMAP\t1.000 ?\n" in shown
    assert "note: not tested: too few independent groups (2)\n" in shown
    terminal.show(result(board({"A": [*rising[:9], nan], "B": rising}, {"MAP": rising})))
    assert "\n\nKendall's tau over up to 10 systems (x: not significantly above 0" in capsys.readouterr().out


def test_a_run_without_metrics_shows_no_table_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found = screen(monkeypatch, 80)
    terminal.show(result(board({}, {"MAP": [0.1, 0.2]})))
    assert "\n\nclirbench cannot recommend a system: MAP has no per-topic values" in found.getvalue()
    assert "tau" not in found.getvalue()


def test_no_word_of_a_note_is_broken_at_the_edge_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    found = screen(monkeypatch, 20)
    text = "note: relevance comes from pseudo-relevance, of which much must be said"
    terminal.tell(text)
    assert max(map(len, found.getvalue().split("\n"))) <= 20
    assert found.getvalue().split() == text.split()


FOUND = Table("choice", "Which?", ("metric",), (("a",), ("b",)), ("One.", "Two.", "Three.", "Four."))


def test_what_a_chosen_analysis_found_is_shown_short(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show(replace(result(MADE), tables=(FOUND, replace(FOUND, name="health"))))
    shown = capsys.readouterr().out
    assert shown.count("\nWhich?\nOne.\nTwo.\nThree.\n2 rows: choice.tsv\n\n") == 1
    assert "Four" not in shown
    assert "health" not in shown


def test_quiet_is_the_answer_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    terminal.show(replace(result(MADE), tables=(FOUND,)), quiet=True)
    assert capsys.readouterr().out.startswith("BLEU orders all 15 pairs as people's judgments do")
    terminal.show(result(MADE), quiet=True)
    terminal.show_folder(tmp_path, quiet=True)
    shown = capsys.readouterr().out
    assert "\t" not in shown
    assert shown.endswith(f"\n{tmp_path}\n")
    terminal.show_folder(tmp_path)
    first, last = capsys.readouterr().out.splitlines()
    assert "report.html" in first
    assert last == str(tmp_path)
