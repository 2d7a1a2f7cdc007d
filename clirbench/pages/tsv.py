"""Tab-separated text: numbers are written so that they read back exactly, holes as empty cells; and its DataFrames."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from clirbench.errors import escape_unseen

if TYPE_CHECKING:
    import pandas as pd

BOOLEAN_COLUMNS = frozenset({"significant", "in_set", "on_frontier", "tied"})
BOOLEANS = {"true": True, "false": False, "undefined": None, "": None}
BLANKS = str.maketrans("\t\n\r", "   ")


def write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a header and rows, so that csv, pandas, polars and R read the same cells (`one_cell`)."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        write_rows(stream, header, rows)


def write_rows(stream: TextIO, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = cache(one_cell)  # names occur in many rows
    for row in chain([header], rows):
        cells = [repr(v) if type(v) is float and v == v else text(v if type(v) is str else exact(v)) for v in row]
        stream.write("\t".join(cells) + "\n")


def exact(value: Any) -> str:
    """`repr` of a number (the shortest text that reads back exactly), nothing for a hole."""
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else repr(float(value))
    return str(value)


def one_cell(text: str) -> str:
    """Text as it stands between tabs: those inside it and ends of lines become spaces, quotes are quoted."""
    if '"' in text:
        text = '"' + text.replace('"', '""') + '"'
    return text if text.isalnum() else escape_unseen(text.translate(BLANKS))


def frame(stream: TextIO, text: Collection[str]) -> "pd.DataFrame":
    """A table read as a DataFrame: whole numbers, floats with NaN for an empty cell, and `text` as it is.

    Numbers are those that were written, to the last bit. A text column of `BOOLEAN_COLUMNS` is boolean, of pandas'
    nullable type: NA where it is undefined.
    """
    import pandas as pd

    cells = pd.read_csv(stream, sep="\t", dtype=str, keep_default_na=False, na_filter=False)
    read = {name: _as_numbers(cells[name].tolist()) for name in cells.columns if name not in text}
    for name in BOOLEAN_COLUMNS.intersection(text, cells.columns):
        if set(cells[name]) <= set(BOOLEANS):
            read[name] = pd.array([BOOLEANS[cell] for cell in cells[name]], dtype="boolean")
    return cells.assign(**read)


def with_words(table: "pd.DataFrame") -> "pd.DataFrame":
    """The DataFrame with its boolean columns as a file has them: true, false, undefined."""
    named = [name for name in table.columns if str(table[name].dtype) == "boolean"]
    words = {True: "true", False: "false"}
    return table.assign(**{name: table[name].map(words).astype(object).fillna("undefined") for name in named})


def _as_numbers(cells: list[str]) -> Any:
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array([float(cell) if cell.strip() else np.nan for cell in cells])
