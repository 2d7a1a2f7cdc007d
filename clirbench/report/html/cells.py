"""Cells as a page shows them: their text, their sort key, the words shown on hover, their colour."""

import re
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from clirbench.files.tables import number as read_number
from clirbench.pages.table import Cell, Table, TableColumn, is_hole, shown_cell, value_of

MOST_ROWS = 300
ALARM = "!"
"""Before a number that should be equal and is not."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def cut(made: Table, most: int = MOST_ROWS) -> tuple[Table, int]:
    """The first rows, significant ones before others, and how many are left out; the .tsv has all, in their order."""
    at = made.header.index("significant") if "significant" in made.header else None
    ranked = made.rows if at is None else sorted(made.rows, key=lambda row: str(row[at]).casefold() != "true")
    return replace(made, rows=tuple(ranked[:most])), max(0, len(made.rows) - most)


def rows_of(made: Table) -> list[list[dict[str, Any]]]:
    """What the template writes of each cell."""
    return [[_cell(made, *pair) for pair in zip(made.columns, row, strict=True)] for row in made.rows]


def numeric(made: Table) -> list[bool]:
    """Which columns are set flush right: those of numbers, also where they are written as text."""
    return [
        column.kind == "number" or _all_numbers([str(value_of(row[at])) for row in made.rows])
        for at, column in enumerate(made.columns)
    ]


def _cell(made: Table, column: TableColumn, given: Any) -> dict[str, Any]:
    cell = given if isinstance(given, Cell) else Cell(given)
    value, text = cell.value, shown_cell(column, given)
    hole = is_hole(value)
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    style = ("best" if cell.best else "") if not made.matrix else _colour(cell) if number and not hole else "none"
    return {
        "text": f"{ALARM} {text}" if cell.alarm else text or ("–" if hole else ""),
        "sort": float("-inf") if hole else value if number else _sortable(text),
        "tip": cell.tip or ("no value" if hole else ""),
        "style": "unequal" if cell.alarm else style,
        "href": cell.href,
        "key": column.name,
    }


def _colour(cell: Cell) -> str:
    level = f"{'neg' if cell.value < 0 else 'pos'} l{min(10, round(abs(cell.value) * 10))}"
    return level + (" dull" if cell.mark else "") + (" best" if cell.best else "")


def _sortable(text: str) -> float | str:
    value = read_number(THOUSANDS.sub("", text))
    return text.casefold() if value is None or isnan(value) else value


def _all_numbers(texts: list[str]) -> bool:
    written = [text for text in texts if text.strip()]
    return bool(written) and all(isinstance(_sortable(text), float) for text in written)
