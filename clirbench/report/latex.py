r"""Tables ready for a paper: booktabs, the best in bold, \texttimes\ for what is not significant; each its own file.

They need `\usepackage{booktabs,textcomp}` and nothing else.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np

from clirbench.errors import escape_unseen
from clirbench.pages import Cell, Table, TableColumn, is_hole, short, value_of
from clirbench.report import facts, tables
from clirbench.result import Result
from clirbench.scoreboard import NO_ROWS, Column, Scoreboard
from clirbench.statistics.correlation import KENDALL, Correlation

WORDS = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
SPECIAL = {c: rf"\text{word}{{}}" for c, word in zip("\\~^<>|", WORDS, strict=True)}
SPECIAL |= {c: f"\\{c}" for c in "{}&%$#_"} | dict.fromkeys("\n\t\r", " ") | {'"': r"{\ttfamily\char34}"}
ACCENTS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
PRINTED = "¡¿ßÆæØøŁłŒœı£¢¥€©®™°±×÷¬µ¶§·–—‘’“”…†‡•"
"""Beyond ASCII and ASCII letters with one of `ACCENTS`, what pdflatex prints without further packages."""
NAMES = {"kendall": r"Kendall's $\tau$", "spearman": r"Spearman's $\rho$", "pearson": "Pearson's $r$"}
MARKS = {"x": r"\,\texttimes", "?": r"\,?"}
MOST_ROWS = 60
LONG_CAPTION = 1000
WIDEST = 30
"""Characters of a column beside which a page has room for others; texts that are longer are broken into lines."""
SIZES = {"tiny": 130, "scriptsize": 100, "footnotesize": 75}
"""Size of letters -> the smallest number of characters in a row for which it is used."""


def write(folder: Path, result: Result) -> None:
    """Write `tau.tex` (`tau-2.tex`, ... where there are several titles), `systems.tex`, and one file per analysis."""
    folder.mkdir()
    found = facts.tau_tables(result.board, result.correlations, facts.first_coefficient(result))
    for place, taus in enumerate(found, start=1):
        name, label = ("tau.tex", "tab:tau") if place == 1 else (f"tau-{place}.tex", f"tab:tau{place}")
        write_table(folder / name, tau_table(result, taus, label))
    write_table(folder / "systems.tex", systems_table(result.board, result.baselines))
    for made in result.tables:
        if len(made.rows) <= MOST_ROWS:
            write_table(folder / f"{made.name}.tex", analysis_table(made))


def analysis_table(made: Table) -> list[str]:
    """One analysis as it is, with what it says as the caption, or below the table where that is long."""
    caption, said = escape(made.title + ("" if made.title.endswith("?") else ".")), escape(" ".join(made.text))
    if len(said) <= LONG_CAPTION:
        caption, said = f"{caption} {said}".strip(), ""
    return table([escape(name) for name in made.header], cells(made), caption, f"tab:{made.name}", said)


def cells(made: Table) -> list[list[str]]:
    r"""The rows of a table as LaTeX: the best in bold, a hole is a dash, \texttimes\ for what is not significant."""
    return [[_cell(*pair) for pair in zip(made.columns, row, strict=True)] for row in made.rows]


def _cell(column: TableColumn, cell: Any) -> str:
    value = value_of(cell)
    if is_hole(value):
        return "--"
    text = column.text(value)
    if isinstance(value, float | np.floating):
        text = f"${text.replace('∞', chr(92) + 'infty')}$"
    else:
        text = escape(text)
    if not isinstance(cell, Cell):
        return text
    return (rf"\textbf{{{text.strip('$')}}}" if cell.best else text) + MARKS.get(cell.mark, "")


def write_table(path: Path, lines: Iterable[str]) -> None:
    """A file of one table."""
    path.write_text(escape_unseen("\n".join(lines)) + "\n", encoding="utf-8", newline="\n")


def escape(text: str) -> str:
    r"""Text that LaTeX prints as itself; control characters are left out.

    pdflatex knows few characters, and ends at any other: it gets U+2215 in the place of that,
    XeLaTeX and LuaLaTeX, where `\Umathchar` is defined, the character.
    """
    text = "".join(c for c in text if c in SPECIAL or c.isprintable())
    runs = ((known, "".join(run)) for known, run in groupby(text, is_known))
    return "".join(
        "".join(SPECIAL.get(c, c) for c in run)
        if known
        else rf"{{\ifdefined\Umathchar {run}\else {' '.join(f'U+{ord(c):04X}' for c in run)}\fi}}"
        for known, run in runs
    )


def is_known(character: str) -> bool:
    """Whether pdflatex prints a character of a UTF-8 text, without packages for it."""
    if character.isascii() or character in PRINTED:
        return True
    base, *marks = tuple(normalize("NFD", character))
    return ord(character) < 0x180 and base.isascii() and len(marks) == 1 and marks[0] in ACCENTS


def _width(cell: str) -> int:
    """About how many characters a cell prints."""
    return len(re.sub(r"\{\\ifdefined\\Umathchar .*?\\else (.*?)\\fi\}", r"\1", cell).replace("\\", ""))


def tau_table(result: Result, found: Table, label: str) -> list[str]:
    """Measures as rows, metrics as columns; before it the signatures, as comments."""
    board, coefficient = result.board, facts.coefficient_of(found)
    measures = [board[row[0]] for row in found.rows]
    n = sorted({tau.n_systems for tau in found.records if isinstance(tau, Correlation)})
    systems = f"$n={n[0]}$" if len(n) == 1 else f"$n={n[0]}$ to ${n[-1]}$" if n else "no"
    grouped = escape(result.units.said.partition(" systems")[2])
    titled = f" ({escape(found.title)})" if found.title else ""
    together = ", for all metrics together" if coefficient == KENDALL else ""
    caption = (
        f"{NAMES.get(coefficient, escape(coefficient))} between MT metrics and IR measures over {systems} "
        f"systems{grouped}{titled}. Bold: the highest of a row; \\texttimes: not "
        f"significant ($p \\geq {short(result.experiment.alpha)}${together})."
    )
    if "?" in facts.marks(found):
        caption += " ?: not tested."
    caption += "".join(f" {escape(note[0].upper() + note[1:])}." for note in facts.table_notes(result, found.title))
    caption += signed(measures)
    comments = [f"% {c.name}: {c.signature}" for c in (*board.metrics, *measures) if c.signature]
    header = ["", *map(escape, found.header[1:])]
    return [*(" ".join(line.split("\n")) for line in comments), *table(header, cells(found), caption, label)]


def signed(columns: Sequence[Column]) -> str:
    """What all computed columns share of their signatures, as a sentence; nothing where they were read."""
    parts = [column.signature.split("|") for column in columns if column.signature]
    if not parts:
        return ""
    shared = [part for part in parts[0] if all(part in other for other in parts)]
    spelt = r"\textbar{}\allowbreak{}".join(escape(part) for part in shared)
    return f" Signature: {{\\small\\texttt{{{spelt}}}}}." if shared else ""


def systems_table(board: Scoreboard, baselines: Scoreboard = NO_ROWS) -> list[str]:
    """Every system, then every baseline, with metrics and measures but without metadata."""
    made = tables.systems_table(replace(board, metadata={}), replace(baselines, metadata={}))
    columns = {column.name: column for column in board.columns}
    caption = f"MT metrics and IR measures of $n={len(board.systems)}$ systems. Bold: the best of a column."
    lower = ["" if columns[name].higher_is_better else r" $\downarrow$" for name in made.header[1:]]
    header = ["system", *(escape(name) + mark for name, mark in zip(made.header[1:], lower, strict=True))]
    return table(header, cells(made), caption + signed(board.measures), "tab:systems")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, below: str = "") -> list[str]:
    r"""A booktabs table; columns of long texts are paragraphs, the first column is set left, all others right.

    Cells are LaTeX already. A row that begins with `[` or `*` is guarded: LaTeX would read it as an argument of the
    `\\` before it. `below`: what is too long for a caption, which LaTeX first sets in one line of 5 m at most.
    """
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]
    columns = ["p{3cm}" if width > WIDEST else "r" if at else "l" for at, width in enumerate(widths)]
    wide = sum(min(width, WIDEST) + 2 for width in widths)
    size = next((size for size, least in SIZES.items() if wide > least), "")
    return [
        r"\begin{table}",
        r"\centering",
        *([rf"\{size}\setlength{{\tabcolsep}}{{3pt}}"] if size else []),
        rf"\begin{{tabular}}{{{''.join(columns)}}}",
        r"\toprule",
        " & ".join(header) + r" \\",
        r"\midrule",
        *(("{}" if row[0][:1] in ("[", "*") else "") + " & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        *([rf"\par\smallskip\footnotesize {below}"] if below else []),
        r"\end{table}",
    ]
