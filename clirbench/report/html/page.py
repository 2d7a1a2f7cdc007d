"""One self-contained file from a page: it contains style and script, and a policy that forbids everything else.

The policy names the one script by its hash, so that no other would run; all text from data is escaped.
"""

import base64
import hashlib
import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from clirbench.errors import escape_unseen
from clirbench.files.tables import as_number as read_number
from clirbench.pages.page import Page, Section
from clirbench.pages.table import Cell, Table, TableColumn, is_hole, shown_cell

HERE = Path(__file__).resolve().parent
MOST_ROWS = 500
"""Rows of a table on a page."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def write_page(path: Path, made: Page) -> None:
    """Write a page, whose sections follow each other as in Markdown."""
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {"page": made, "style": Markup(style), "script": Markup(script), "policy": policy}
    text = escape_unseen(_environment().get_template("page.html.j2").render(values))
    path.write_text(text, encoding="utf-8", newline="\n")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(rows_of=rows_of, kind=lambda block: type(block).__name__, menu=menu, inline=Markup)
    return made


def menu(page: Page, section: Section) -> str:
    """What the links of a page call a section: all by their titles where none has a name of its own."""
    return section.menu or ("" if any(one.menu for one in page.sections) else section.title)


def rows_of(made: Table) -> tuple[list[list[dict[str, Any]]], list[bool], int]:
    """What the template writes of each cell, which columns are flush right, and how many rows are left out.

    The first rows are shown, significant ones before others; the .tsv has all, in their order.
    """
    at = made.header.index("significant") if "significant" in made.header else None
    ranked = made.rows if at is None else sorted(made.rows, key=lambda row: str(row[at]).casefold() != "true")
    cells = [[_cell(made, *pair) for pair in zip(made.columns, row, strict=True)] for row in ranked[:MOST_ROWS]]
    flush = [
        column.kind == "number" or all(isinstance(row[at]["sort"], float) for row in cells if row[at]["text"])
        for at, column in enumerate(made.columns)
    ]
    return cells, flush, max(0, len(made.rows) - MOST_ROWS)


def _cell(made: Table, column: TableColumn, given: Any) -> dict[str, Any]:
    cell = given if isinstance(given, Cell) else Cell(given)
    value, text = cell.value, shown_cell(column, given)
    hole = is_hole(value)
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    style = ("best" if cell.best else "") if not made.matrix else _colour(cell) if number and not hole else "none"
    return {
        "text": text or ("–" if hole else ""),
        "sort": float("-inf") if hole else float(value) if number else _sortable(text),
        "tip": cell.tip or ("no value" if hole else ""),
        "style": "unequal" if cell.alarm else style,
        "href": cell.href,
        "key": column.name,
        "pieces": cell.pieces,
    }


def _colour(cell: Cell) -> str:
    level = f"{'neg' if cell.value < 0 else 'pos'} l{min(10, round(abs(cell.value) * 10))}"
    return level + (" dull" if cell.mark else "") + (" best" if cell.best else "")


def _sortable(text: str) -> float | str:
    value = read_number(THOUSANDS.sub("", text))
    return text.casefold() if value is None or math.isnan(value) else value


def plain(value: Any) -> Any:
    """Values as JSON has them: numbers of numpy as numbers, tuples as lists, what is not finite as null."""
    # What there is most of comes first.
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return plain(value.tolist()) if hasattr(value, "tolist") else value
