"""Tables as the pages show them: cells with their text, their sort key and the text shown on hover."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.analyses.wording import number
from clirbench.files.tables import number as read_number
from clirbench.report.facts import TauTable, best_value, interval, is_highest, tau_cell
from clirbench.result import AnalysisTable
from clirbench.scoreboard import NO_ROWS, Column, Scoreboard
from clirbench.statistics.correlation import Correlation

MOST_ROWS = 300
MOST_SYSTEMS = 2000
"""Rows of systems that a page shows: with 10,000 it would take seconds to open."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
GLOSSARY: Mapping[str, str] = json.loads(Path(__file__).with_name("glossary.json").read_text(encoding="utf-8"))
"""Names of columns, in words for hover and focus."""
MEANING = {"false": ", not significant", "undefined": ", not tested"}


@dataclass(frozen=True)
class Cell:
    """One cell: `sort` is a number or text, `tip` the text shown on hover and focus, `style` a class, `href` a link."""

    text: str
    sort: float | str = ""
    tip: str = ""
    style: str = ""
    key: str = ""
    href: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table to sort and filter: its first column names the rows; `numeric[i]` sets column i flush right.

    `left_out`: how many rows only `file`.tsv has; `about`: the meaning of columns of this table.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left_out: int = 0
    file: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    def tip(self, column: str) -> str:
        """What the name of a column means."""
        return self.about.get(column, "") or GLOSSARY.get(column, "")

    @property
    def filtered(self) -> bool:
        return len(self.rows) > 8


def tau_page_table(table: TauTable, name: str, caption: str, about: Mapping[str, str]) -> PageTable:
    """A row for each measure, a column for each metric, coloured by the coefficient."""
    rows = tuple(
        (Cell(measure, measure), *(tau_of(tau, bold=is_highest(tau, taus)) for tau in taus))
        for measure, taus in zip(table.measures, table.taus, strict=True)
    )
    return PageTable(
        name, caption, ("measure", *table.metrics), (False, *(True for _ in table.metrics)), rows, about=about
    )


def tau_of(row: Correlation, *, bold: bool) -> Cell:
    """The cell of a coefficient: coloured by its size, `bold` for the highest of its row."""
    if isnan(row.value):
        return Cell("undefined", -2.0, f"{row.metric} with {row.measure}: undefined, {row.note}", "none", row.metric)
    level = f"{'neg' if row.value < 0 else 'pos'} l{min(10, round(abs(row.value) * 10))}"
    dull = "" if row.significant == "true" else " dull"
    tip = f"{row.metric} with {row.measure}: {number(row.value)}{interval(row)}"
    if not isnan(row.p_value):
        tip += f", p {'< .0001' if row.p_value < 0.0001 else '= ' + number(row.p_value, 4)}"
    tip += f", {row.n_systems} systems{MEANING.get(row.significant, '')}"
    if scheme := getattr(row, "scheme", ""):
        tip += f"; interval over {scheme}"
    tip += f"; {row.note}" if row.note else ""
    if not isnan(row.ceiling):
        true = row.corrected_note if isnan(row.corrected) else f"tau without noise {number(row.corrected)}"
        tip += f"; {true}; expected of a perfect metric: {number(row.ceiling)}"
    return Cell(tau_cell(row), row.value, tip, level + dull + (" best" if bold else ""), row.metric)


def systems_page_table(board: Scoreboard, baselines: Scoreboard = NO_ROWS) -> PageTable:
    """The systems with their metadata and columns, then the baselines; the best system is bold, a hole is a dash.

    Of more than 2,000 those that are best by the first measure, in the order of the board.
    """
    best = {column.name: best_value(column) for column in board.columns}
    printed = board.above(baselines)
    columns = (*printed.metrics, *printed.measures)
    header = ("system", *board.metadata, *(column.name for column in columns))
    numeric = (False, *(_numbers(texts) for texts in board.metadata.values()), *(True for _ in columns))
    rows = []
    shown = list(range(len(board.systems)))
    if len(shown) > MOST_SYSTEMS and columns:
        first = board.first_measure or columns[0]
        shown = sorted(np.argsort(-np.nan_to_num(first.oriented, nan=-np.inf), kind="stable")[:MOST_SYSTEMS].tolist())
    for i in (*shown, *range(len(board.systems), len(printed.systems))):
        cells = [Cell(printed.systems[i], printed.systems[i])]
        cells += [Cell(texts[i], _sortable(texts[i])) for texts in printed.metadata.values()]
        for column in columns:
            value = float(column.values[i])
            style = "best" if column.oriented[i] == best[column.name] else ""
            text = f"{value:.2f}" if column.role == "metric" and best[column.name] > 1.5 else f"{value:.4f}"
            cells.append(Cell("–", float("-inf"), "no value") if isnan(value) else Cell(text, value, "", style))
        rows.append(tuple(cells))
    caption = f"All {len(board.systems)} systems; bold: the best of its column"
    left_out = len(printed.systems) - len(rows)
    return PageTable("systems", caption, header, numeric, tuple(rows), left_out, "systems", about=said_of(columns))


def said_of(columns: Sequence[Column]) -> dict[str, str]:
    """column -> its signature and direction."""
    better = {True: "more is better", False: "less is better"}
    return {c.name: f"{c.signature or 'read from a table'}; {better[c.higher_is_better]}" for c in columns}


def analysis_page_table(made: AnalysisTable) -> PageTable:
    """The first rows of a further analysis, significant ones first; its .tsv has all, in their own order."""
    at = made.header.index("significant") if "significant" in made.header else None
    ranked = made.rows if at is None else sorted(made.rows, key=lambda row: str(row[at]).casefold() != "true")
    shown = ranked[:MOST_ROWS]
    numeric = tuple(any(isinstance(row[i], int | float) for row in shown) for i in range(len(made.header)))
    rows = tuple(tuple(_value(value) for value in row) for row in shown)
    left_out = len(made.rows) - len(shown)
    return PageTable(f"analysis-{made.name}", made.title, made.header, numeric, rows, left_out, made.name)


def _value(value: Any) -> Cell:
    if isinstance(value, bool):
        return Cell(str(value).lower(), str(value))
    if isinstance(value, float | np.floating):
        exact = float(value)
        if isnan(exact):
            return Cell("–", float("-inf"), "undefined")
        text = "∞" if isinf(exact) else f"{exact:.4g}" if abs(exact) >= 100 else f"{exact:.4f}"
        return Cell(text, exact)
    return Cell(str(value), value if isinstance(value, int) else _sortable(str(value)))


def _sortable(text: str) -> float | str:
    value = read_number(THOUSANDS.sub("", text))
    return text.casefold() if value is None or isnan(value) else value


def _numbers(texts: Sequence[str]) -> bool:
    return any(text.strip() for text in texts) and all(
        isinstance(_sortable(text), float) for text in texts if text.strip()
    )
