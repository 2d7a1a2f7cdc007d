"""Tables as LaTeX: what is marked, and that no name is a command or a character that pdflatex does not know."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st

import clirbench as cb
from clirbench.pages import Table
from clirbench.report.facts import data_name
from clirbench.report.html.report import run_page
from clirbench.report.latex import escape, table, write
from clirbench.result import Result
from tests.conftest import Cli
from tests.report.boards import board, result
from tests.report.digits import differences
from tests.report.typeset import typeset

RISING = [float(i) for i in range(10)]


def written(folder: Path, made: Result) -> dict[str, str]:
    """The files of a run, by their names."""
    write(folder / "latex", run_page(made, {}))
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "latex").iterdir())}


@given(st.text())
def test_nothing_in_a_text_is_a_command(text: str) -> None:
    left = escape(text)
    for known in ("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"):
        left = left.replace(rf"\{known}{{}}", "")
    left = re.sub(r"\\[{}&%$#_]", "", left.replace(r"{\ttfamily\char34}", ""))
    assert not re.search(r"[\\{}&%$#_~^<>|\n]", left)


def test_the_tau_table_marks_the_best_and_what_is_not_significant(tmp_path: Path) -> None:
    metrics = {"A_1": RISING, "B": [5, 6, 1, 9, 2, 10, 3, 7, 4, 8], "C": [1.0] * 10}
    text = written(tmp_path, result(board(metrics, {"MAP": RISING})))["tau.tex"]
    # tau of B with 0..9, by hand: 18 inversions (4 + 4 + 5 + 4 + 1) of 45 pairs: (27 - 18) / 45 = .2.
    assert "\n" + r"MAP & \textbf{1.000} & $.200$\,\texttimes & -- \\" + "\n" in text
    assert "\n" + r" & A\_1 & B & C \\" + "\n" in text
    assert r"\caption{Kendall's tau over 10 systems (x: not significantly above 0, corrected for all metrics)}" in text
    assert text.startswith("% A_1: A_1; more is better\n")
    assert "\n% MAP: bm25|topics:t|rel:qrels:1|MAP; more is better\n" in text


def test_systems_that_belong_together_are_said_and_not_tested(tmp_path: Path) -> None:
    made = result(board({"A": RISING}, {"MAP": RISING}, {"family": ["a"] * 5 + ["b"] * 5}))
    text = written(tmp_path, made)["tau.tex"]
    assert "\n" + r"MAP & \textbf{1.000}\,? \\" + "\n" in text
    assert "over 10 systems in 2 groups (family) (?: not tested)" in text
    assert "not tested: too few independent groups (2)" in text


def test_a_row_that_begins_with_a_bracket_or_star_is_no_argument() -> None:
    lines = list(table(Table("t", "T", ("", "x"), (("[a]", 1), ("*", 2), ("b", 3)))))
    assert lines[7:10] == [r"{}[a] & 1 \\", r"{}* & 2 \\", r"b & 3 \\"]


def test_long_texts_stand_below_or_are_paragraphs(tmp_path: Path) -> None:
    rows = [("a", "word " * 40 + "a/path_of/more.than/three_centimetres.tsv", 0.5)] * 3
    lines = list(table(Table("power", "How many?", ("x", "why", "y"), tuple(rows), ("Said. " * 900,))))
    assert r"\caption{How many?}" in lines
    assert r"\footnotesize\setlength{\tabcolsep}{3pt}" not in lines
    assert r"\begin{tabular}{lp{3cm}r}" in lines
    assert lines[-2].startswith(r"\par\smallskip\footnotesize Said. Said.")
    assert typeset(["\n".join(lines)], tmp_path) >= 1


def test_names_that_latex_would_obey_are_typeset(tmp_path: Path) -> None:
    names = ["a&b_c", "\\e{f}", "~^%$#", "[x]", "*y", "<|>", '"z"', "größe ñ", "-- ``q''"]
    made = board({"A%": range(9), "-B_": [3, 1, 2, 5, 4, 6, 7, 9, 8]}, {"MAP{": range(9)}, systems=names)
    analysis = Table("power", "x_&", ("x&", "y_"), (("$", 1.0), ("b", float("inf"))), ("50 %.",))
    files = written(tmp_path, result(made, [analysis]))
    assert {"power.tex", "systems.tex", "tau.tex"} <= files.keys()
    for text in files.values():
        code = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
        plain = re.sub(r"\\[{}&]", "", code)
        assert plain.count("{") == plain.count("}")
    assert typeset([*files.values()], tmp_path) == len(files)


ANALYSES = "differences,choice,power,multiverse,imbalance,types,type_weights,favoritism"


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_every_table_that_a_run_and_pooled_runs_write_is_typeset(cli: Cli, tmp_path: Path) -> None:
    demo = [f"analysis=[{ANALYSES}]", "pair=[grammar-1,mixed-2]"]
    runs = {
        "demo": ["+experiment=demo", *demo],
        "cs": ["+experiment=europarl_csen_published"],
        "de": ["+experiment=europarl_deen_published"],
        "table4": ["+experiment=gowda2021_table4"],
    }
    for name, options in runs.items():
        cli.succeed(*options, f"hydra.run.dir={name}", timeout=1500)
    assert cli("pool", "cs", "de", "--out", "pooled").returncode == 0
    files = [file for name in (*runs, "pooled") for file in sorted((tmp_path / name / "latex").glob("*.tex"))]
    assert len(files) > 15
    assert typeset([file.read_text(encoding="utf-8") for file in files], tmp_path) >= len(files)


def test_a_run_without_metrics_has_no_table(small_texts: Path, tmp_path: Path) -> None:
    keys = {"metric": [], "measures": ["MAP"], "topics__n": 8, "relevance__k": 2, "engine": "serial"}
    run = cb.run("folder", folder=small_texts, paths__cache=str(tmp_path / "cache"), **keys).save(tmp_path / "run")
    text = (run / "paper.md").read_text(encoding="utf-8")
    assert "|" not in text.partition("## Counts")[0]
    assert differences(run) == []


@pytest.mark.parametrize(
    ("configuration", "shown"),
    [
        ({"folder": "talks"}, "talks"),
        ({"folder": "my/data/talks"}, "data/talks"),
        ({"folder": "/home/anna/wmt22/de-en"}, "wmt22/de-en"),
        ({"folder": "/talks"}, "talks"),
        ({"folder": "."}, "study/talks"),
        ({"folder": "../wmt22/de-en"}, "wmt22/de-en"),
        ({"folder": "../films"}, "study/films"),
        ({"corpus": {"part": "wmt22/de-en/A-B"}, "folder": None}, "wmt22/de-en/A-B"),
        ({"scores": {"tables": ["/home/anna/mine.tsv"]}}, "mine.tsv"),
        ({}, "scores"),
    ],
)
def test_a_reader_knows_the_data_by_the_last_names_of_their_path(configuration: dict[str, Any], shown: str) -> None:
    result = SimpleNamespace(experiment=SimpleNamespace(name="scores"))
    provenance = {"configuration": configuration, "directory": "/home/anna/study/talks"}
    assert data_name(cast(Result, result), provenance) == shown
