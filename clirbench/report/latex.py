r"""Tables ready for a paper: booktabs, the best in bold, \texttimes\ for what is not significant; each its own file.

They need `\usepackage{booktabs,textcomp}` and nothing else.
"""

from collections.abc import Iterable, Sequence
from math import isinf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.analyses.wording import number
from clirbench.errors import escape_unseen
from clirbench.report import facts
from clirbench.result import AnalysisTable, Result
from clirbench.scoreboard import NO_ROWS, Column, Scoreboard
from clirbench.statistics.correlation import Correlation

WORDS = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
SPECIAL = {c: rf"\text{word}{{}}" for c, word in zip("\\~^<>|", WORDS, strict=True)}
SPECIAL |= {c: f"\\{c}" for c in "{}&%$#_"} | dict.fromkeys("\n\t\r", " ") | {'"': r"{\ttfamily\char34}"}
NAMES = {"kendall": r"Kendall's $\tau$", "spearman": r"Spearman's $\rho$", "pearson": "Pearson's $r$"}
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


def analysis_table(made: AnalysisTable) -> list[str]:
    """One analysis as it is, with what it says as the caption, or below the table where that is long."""
    rows = [[_cell(value) for value in row] for row in made.rows]
    caption, said = escape(made.title + ("" if made.title.endswith("?") else ".")), escape(" ".join(made.text))
    header = [escape(name) for name in made.header]
    if len(said) <= LONG_CAPTION:
        caption, said = f"{caption} {said}".strip(), ""
    return table(header, rows, caption, f"tab:{made.name}", said)


def write_table(path: Path, lines: Iterable[str]) -> None:
    """A file of one table."""
    path.write_text(escape_unseen("\n".join(lines)) + "\n", encoding="utf-8", newline="\n")


def escape(text: str) -> str:
    """Text that LaTeX prints as itself; control characters are left out."""
    return "".join(SPECIAL.get(c, c) for c in text if c in SPECIAL or c.isprintable())


def tau_table(result: Result, found: facts.TauTable, label: str) -> list[str]:
    """Measures as rows, metrics as columns; before it the signatures, as comments."""
    board = result.board
    measures = [board[name] for name in found.measures]
    rows = [
        [escape(name), *(_tau(tau, bold=facts.is_highest(tau, row)) for tau in row)]
        for name, row in zip(found.measures, found.taus, strict=True)
    ]
    taus = [tau for row in found.taus for tau in row]
    n = sorted({tau.n_systems for tau in taus})
    systems = f"$n={n[0]}$" if len(n) == 1 else f"$n={n[0]}$ to ${n[-1]}$" if n else "no"
    grouped = escape(result.units.said.partition(" systems")[2])
    titled = f" ({escape(found.title)})" if found.title else ""
    caption = (
        f"{NAMES.get(found.coefficient, escape(found.coefficient))} between MT metrics and IR measures over {systems} "
        f"systems{grouped}{titled}. Bold: the highest of a row; \\texttimes: not "
        f"significant ($p \\geq {result.experiment.alpha:g}$)."
    )
    if "?" in facts.marks(found):
        caption += " ?: not tested."
    caption += "".join(f" {escape(note[0].upper() + note[1:])}." for note in facts.table_notes(result, found.title))
    caption += signed(measures)
    comments = [f"% {c.name}: {c.signature}" for c in (*board.metrics, *measures) if c.signature]
    header = ["", *map(escape, found.metrics)]
    return [*(" ".join(line.split("\n")) for line in comments), *table(header, rows, caption, label)]


def _tau(row: Correlation, *, bold: bool) -> str:
    if isnan(row.value):
        return "--"
    text = number(row.value)
    marked = {"x": r"\,\texttimes", "?": r"\,?"}.get(facts.mark(row), "")
    return (f"\\textbf{{{text}}}" if bold else f"${text}$") + marked


def signed(columns: Sequence[Column]) -> str:
    """What all computed columns share of their signatures, as a sentence; nothing where they were read."""
    parts = [column.signature.split("|") for column in columns if column.signature]
    if not parts:
        return ""
    shared = [part for part in parts[0] if all(part in other for other in parts)]
    spelt = r"\textbar{}\allowbreak{}".join(escape(part) for part in shared)
    return f" Signature: {{\\small\\texttt{{{spelt}}}}}." if shared else ""


def systems_table(board: Scoreboard, baselines: Scoreboard = NO_ROWS) -> list[str]:
    """Every system, then every baseline, with metrics and measures; the best system in bold, a hole is a dash."""
    best = [facts.best_value(column) for column in (*board.metrics, *board.measures)]
    printed = board.above(baselines)
    columns = (*printed.metrics, *printed.measures)
    rows = []
    for i, system in enumerate(printed.systems):
        cells = []
        for column, top in zip(columns, best, strict=True):
            value = float(column.values[i])
            text = "--" if isnan(value) else f"{value:.1f}" if column.role == "metric" else number(value)
            cells.append(f"\\textbf{{{text}}}" if column.oriented[i] == top else text)
        rows.append([escape(system), *cells])
    caption = f"MT metrics and IR measures of $n={len(board.systems)}$ systems. Bold: the best of a column."
    header = ["system", *(escape(c.name) + ("" if c.higher_is_better else r" $\downarrow$") for c in columns)]
    return table(header, rows, caption + signed(board.measures), "tab:systems")


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return "--" if isnan(value) else r"$\infty$" if isinf(value) else f"${value:.3f}$"
    return escape(str(value))


def table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, below: str = "") -> list[str]:
    r"""A booktabs table; columns of long texts are paragraphs, the first column is set left, all others right.

    Cells are LaTeX already. A row that begins with `[` or `*` is guarded: LaTeX would read it as an argument of the
    `\\` before it. `below`: what is too long for a caption, which LaTeX first sets in one line of 5 m at most.
    """
    widths = [max(len(cell.replace("\\", "")) for cell in column) for column in zip(header, *rows, strict=True)]
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
