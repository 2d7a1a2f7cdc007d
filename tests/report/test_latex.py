import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.pages import Table
from clirbench.report.facts import tau_tables
from clirbench.report.latex import analysis_table, escape, signed, table, tau_table, write
from clirbench.scoreboard import Column
from tests.conftest import Cli
from tests.report.boards import board, result
from tests.report.typeset import typeset


def without_unknown(text: str) -> str:
    """What pdflatex reads: `\\Umathchar` is of XeTeX and LuaTeX alone."""
    return re.sub(r"\{\\ifdefined\\Umathchar [^{}]*?\\else ((U\+[0-9A-F]{4,6} ?)+)\\fi\}", r"\1", text)


# Declared in the kernel's t1enc.dfu, ot1enc.dfu and ts1enc.dfu with a command that OT1 or TS1 has; typed from there.
OF_PDFLATEX = set(
    "¡¢£¥§©¬®°±µ¶·¿×÷ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽž"
    "–—‘’“”†‡•…€™"
)


@given(st.text())
def test_pdflatex_knows_every_character_that_it_reads(text: str) -> None:
    assert {c for c in without_unknown(escape(text)) if not c.isascii()} <= OF_PDFLATEX


def test_every_character_below_u_3000_is_known_or_named() -> None:
    read = {chr(c) for c in range(0x80, 0x3000) if chr(c).isprintable() and escape(chr(c)) == chr(c)}
    assert read == OF_PDFLATEX
    assert escape("1\u22152 größe") == r"1{\ifdefined\Umathchar ∕\else U+2215\fi}2 größe"
    assert escape("系_统") == r"{\ifdefined\Umathchar 系\else U+7CFB\fi}\_{\ifdefined\Umathchar 统\else U+7EDF\fi}"


def test_tables_of_systems_with_such_names(tmp_path: Path) -> None:
    made = board({"A": range(9)}, {"MAP": range(9)}, systems=["1\u22152", "системa", "系统", *"bcdefg"])
    write(tmp_path / "latex", result(made, [Table("power", "x", ("x",), (("ε",),), ("said ≥ 1",))]))
    text = "\n".join(path.read_text(encoding="utf-8") for path in (tmp_path / "latex").iterdir())
    assert "U+2215" in text
    read = [line for line in without_unknown(text).split("\n") if not line.startswith("%")]
    assert {c for c in "".join(read) if not c.isascii()} <= OF_PDFLATEX


@given(st.text())
def test_nothing_in_a_text_reaches_latex_as_a_command(text: str) -> None:
    left = without_unknown(escape(text))
    for known in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}", r"\textless{}", r"\textgreater{}"):
        left = left.replace(known, "")
    left = left.replace(r"\textbar{}", "").replace(r"{\ttfamily\char34}", "")
    left = re.sub(r"\\[{}&%$#_]", "", left)
    assert not re.search(r"[\\{}&%$#_~^<>|\n]", left)


def test_tau_table_marks_the_best_and_what_is_not_significant() -> None:
    rising = [float(i) for i in range(10)]
    made = board({"A_1": rising, "B": [5, 6, 1, 9, 2, 10, 3, 7, 4, 8], "C": [1.0] * 10}, {"MAP": rising})
    (taus,) = tau_tables(made, result(made).correlations, "kendall")
    lines = tau_table(result(made), taus, "tab:tau")
    row = next(line for line in lines if line.startswith("MAP"))
    # tau of B with 0..9, by hand: 18 inversions (4 + 4 + 5 + 4 + 1) of 45 pairs: (27 - 18) / 45 = .2.
    assert row == r"MAP & \textbf{1.000} & $.200$\,\texttimes & -- \\"
    assert r" & A\_1 & B & C \\" in lines
    caption = next(line for line in lines if line.startswith(r"\caption"))
    assert "$n=10$" in caption
    assert r"bm25\textbar{}\allowbreak{}topics:t" in caption


def test_systems_that_belong_together_are_said_and_not_tested() -> None:
    rising = [float(i) for i in range(10)]
    made = board({"A": rising}, {"MAP": rising}, {"family": ["a"] * 5 + ["b"] * 5})
    (taus,) = tau_tables(made, result(made).correlations, "kendall")
    lines = tau_table(result(made), taus, "tab:tau")
    assert r"MAP & \textbf{1.000}\,? \\" in lines
    caption = next(line for line in lines if line.startswith(r"\caption"))
    assert "$n=10$ systems in 2 groups (family)" in caption
    assert "?: not tested. Not tested: too few independent groups (2)" in caption


def test_shared_parts_of_signatures_alone_are_printed() -> None:
    import numpy as np

    one = Column("MAP", "measure", np.ones(1), signature="bm25|k1:1|MAP")
    two = Column("RBO", "measure", np.ones(1), signature="bm25|k1:1|RBO")
    assert signed([one, two]) == r" Signature: {\small\texttt{bm25\textbar{}\allowbreak{}k1:1}}."
    assert signed([]) == ""


def test_a_row_that_begins_with_a_bracket_or_star_is_no_argument() -> None:
    lines = table(["", "x"], [["[a]", "1"], ["*", "2"], ["b", "3"]], "c", "l")
    assert lines[6:9] == [r"{}[a] & 1 \\", r"{}* & 2 \\", r"b & 3 \\"]


def test_files_have_balanced_braces_and_as_many_cells_as_columns(tmp_path: Path) -> None:
    made = board({"A%": [1, 2, 3]}, {"MAP{": [3, 1, 2]}, systems=["a&b", "c_d", "\\e"])
    analysis = Table("power", "Power & more", ("x", "y"), (("a", float("nan")), ("b", float("inf"))), ("50 %.",))
    write(tmp_path / "latex", result(made, [analysis]))
    files = sorted((tmp_path / "latex").iterdir())
    assert [file.name for file in files] == ["power.tex", "systems.tex", "tau.tex"]
    for file in files:
        text = "\n".join(line for line in file.read_text(encoding="utf-8").split("\n") if not line.startswith("%"))
        plain = re.sub(r"\\[{}&]", "", text)
        assert plain.count("{") == plain.count("}")
        columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1])  # type: ignore[index]
        rows = [line for line in plain.split("\n") if line.endswith(r"\\")]
        assert {row.count("&") for row in rows} == {columns - 1}


def test_a_text_too_long_for_a_caption_stands_below_and_wide_columns_are_paragraphs(tmp_path: Path) -> None:
    rows = [("a", "word " * 40, 0.5)] * 3
    made = Table("power", "How many?", ("x", "why", "y"), tuple(rows), ("Said. " * 900,))
    lines = analysis_table(made)
    assert r"\caption{How many?}" in lines
    assert r"\footnotesize\setlength{\tabcolsep}{3pt}" not in lines
    assert r"\begin{tabular}{lp{3cm}r}" in lines
    assert lines[-2].startswith(r"\par\smallskip\footnotesize Said. Said.")
    assert typeset(["\n".join(lines)], tmp_path) >= 1


def test_names_that_latex_would_obey_are_typeset(tmp_path: Path) -> None:
    names = ["a&b_c", "\\e{f}", "~^%$#", "[x]", "*y", "<|>", '"z"', "größe ñ \u2215 系", "-- ``q''"]
    made = board({"A%": range(9), "-B_": [3, 1, 2, 5, 4, 6, 7, 9, 8]}, {"MAP{": range(9)}, systems=names)
    write(tmp_path / "latex", result(made, [Table("power", "x_&", ("x&", "y_"), (("$", 1.0),), ("50 %.",))]))
    files = sorted((tmp_path / "latex").iterdir())
    assert typeset([file.read_text(encoding="utf-8") for file in files], tmp_path) == len(files)


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
        done = cli(*options, f"hydra.run.dir={name}", timeout=1500)
        assert done.returncode == 0, done.stderr
    assert cli("pool", "cs", "de", "--out", "pooled").returncode == 0
    files = [file for name in (*runs, "pooled") for file in sorted((tmp_path / name / "latex").glob("*.tex"))]
    assert len(files) > 15
    assert typeset([file.read_text(encoding="utf-8") for file in files], tmp_path) >= len(files)
