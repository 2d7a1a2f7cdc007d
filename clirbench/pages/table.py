"""The one table: columns with name, kind, meaning, unit and number format, and rows; every writer reads this form."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from clirbench.errors import ClirbenchError
from clirbench.pages.tsv import frame, write_rows, write_tsv
from clirbench.pages.wording import FORMATS

if TYPE_CHECKING:
    import pandas as pd

Row = TypeVar("Row")
NONE: Mapping[str, Any] = MappingProxyType({})
KNOWN: Mapping[str, Mapping[str, str]] = json.loads(Path(__file__).with_name("columns.json").read_text("utf-8"))
"""Name of a column -> its `meaning`, and where it has them its `unit` and `format`, for every table that has it."""


@dataclass(frozen=True)
class TableColumn:
    """A column: `kind` says what its cells hold, `format` (a name of `FORMATS`) how its numbers are written."""

    name: str
    kind: Literal["text", "number"] = "text"
    meaning: str = ""
    unit: str = ""
    format: str = "number"

    def text(self, value: Any) -> str:
        """The cell as every writer shows it; nothing for a hole."""
        if isinstance(value, float | np.floating):
            return FORMATS[self.format](float(value))
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else str(value)


@dataclass(frozen=True)
class Cell:
    """A value with what a reader sees of it: a mark behind it, whether it is the best, words on hover, a link.

    `alarm`: it should be equal to another value and is not. `pieces`: a text in pieces, some of which are marked.
    """

    value: Any
    mark: str = ""
    best: bool = False
    tip: str = ""
    href: str = ""
    alarm: bool = False
    pieces: Sequence[tuple[str, bool]] = ()


def value_of(cell: Any) -> Any:
    """The value of a cell, which may be the value itself."""
    return cell.value if isinstance(cell, Cell) else cell


def is_hole(value: Any) -> bool:
    """Whether a number is undefined."""
    return isinstance(value, float | np.floating) and isnan(value)


@dataclass(frozen=True)
class Streamed(Sequence[Sequence[Any]]):
    """Rows that are made again each time they are read: a run has millions of per-topic values."""

    make: Callable[[], Iterator[Sequence[Any]]]

    def __iter__(self) -> Iterator[Sequence[Any]]:
        return self.make()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]


@dataclass(frozen=True)
class Table:
    """One table: `name` is its file (`differences` -> differences.tsv), `text` what the numbers say.

    `rows` hold strings, numbers (NaN: undefined) and `Cell`s; `records` are the same rows as the analysis computed
    them (`of`), for those who ask a run for them (`Result.rows`). `text` are sentences, computed from the numbers:
    sampling, n, seed, and what a reader may and may not conclude. `figure` draws what belongs to it: a `Drawing`, or a
    figure of matplotlib. A report shows the first `shown` rows, the terminal the first `said`. `failures`: what makes
    the run fail after everything was written, such as a cell of a published table that is neither reproduced nor
    explained. `about`, `formats`: meaning and number format of columns of this table alone; `texts`: the columns of
    text, where the rows do not tell; `matrix`: each row compares the columns behind the first; `aside`: the terminal
    shows nothing of it.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    text: tuple[str, ...] = ()
    figure: Callable[[], Any] | None = None
    shown: int = 60
    said: int = 0
    failures: tuple[ClirbenchError, ...] = ()
    records: tuple[object, ...] = ()
    about: Mapping[str, str] = field(default_factory=lambda: NONE)
    formats: Mapping[str, str] = field(default_factory=lambda: NONE)
    texts: frozenset[str] | None = None
    matrix: bool = False
    aside: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        kind: type[Row],
        records: Iterable[Row],
        text: Iterable[str] = (),
        *,
        header: Sequence[str] | None = None,
        figure: Callable[[], Any] | None = None,
        shown: int = 60,
        said: int = 0,
    ) -> "Table":
        """The table of records of one `kind`, a frozen dataclass: a column for each field; None is an empty cell.

        `header`: other names for the columns; by default those of the fields, which are there without records too.
        """
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        kept = tuple(records)
        values = ((getattr(record, name) for name in names) for record in kept)
        rows = tuple(tuple("" if value is None else value for value in row) for row in values)
        return cls(name, title, tuple(header or names), rows, tuple(text), figure, shown, said, records=kept)

    def compact(self) -> "Table":
        """The table as pages show it: without empty columns, and a note that all rows share is a sentence.

        A matrix keeps its columns, and so does every table of its `Cell`s, whose holes are marked.
        """
        if self.matrix or isinstance(self.rows, Streamed) or not self.rows:
            return self
        kept, text = [0], self.text
        for at, name in enumerate(self.header[1:], start=1):
            cells = [row[at] for row in self.rows]
            if name == "note" and len(cells) > 1 and cells[0] and len(set(map(value_of, cells))) == 1:
                text = (*text, f"All rows: {value_of(cells[0])}.")
            elif not all(value in ("", None) or is_hole(value) for value in cells):
                kept.append(at)
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        return replace(self, header=tuple(self.header[at] for at in kept), rows=rows, text=text)

    @cached_property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns: what `about`, `formats` and `texts` say of them, else what is known by their names."""
        texts = frozenset(self._texts()) if self.texts is None else self.texts
        return tuple(self._column(name, name in texts) for name in self.header)

    def _column(self, name: str, text: bool) -> TableColumn:
        known = KNOWN.get(name, NONE)
        meaning = self.about.get(name, "") or known.get("meaning", "")
        form = self.formats.get(name) or known.get("format", "number")
        return TableColumn(name, "text" if text else "number", meaning, known.get("unit", ""), form)

    @property
    def texts_of_columns(self) -> frozenset[str]:
        """The columns that hold text; all others hold numbers."""
        return frozenset(column.name for column in self.columns if column.kind == "text")

    @property
    def corner(self) -> str:
        """What text shows over the first column: nothing over that of a matrix of measures."""
        return "" if self.matrix and self.header[0] == "measure" else self.header[0]

    def values(self) -> Iterator[Sequence[Any]]:
        """The rows as a file has them: values alone."""
        return iter(self.rows) if isinstance(self.rows, Streamed) else ([*map(value_of, row)] for row in self.rows)

    def write(self, folder: Path) -> None:
        """Write `name`.tsv."""
        write_tsv(folder / f"{self.name}.tsv", self.header, self.values())

    def load(self) -> "pd.DataFrame":
        """The table as a DataFrame: as its file reads."""
        stream = io.StringIO()
        write_rows(stream, self.header, self.values())
        stream.seek(0)
        return frame(stream, self.texts_of_columns)

    def _texts(self) -> Iterator[str]:
        """The columns with a value that is no number and no hole."""
        for at, name in enumerate(self.header):
            if not all(_is_number(value_of(row[at])) for row in self.rows):
                yield name

    def cells(self, rows: Sequence[Sequence[Any]]) -> list[list[str]]:
        """Rows of this table as text, each value as its column writes it, with its mark."""
        return [[shown_cell(column, cell) for column, cell in zip(self.columns, row, strict=True)] for row in rows]


def _is_number(value: Any) -> bool:
    """Whether a cell is a number or a hole."""
    return value in ("", None) or (isinstance(value, int | float | np.number) and not isinstance(value, bool))


def shown_cell(column: TableColumn, cell: Any) -> str:
    """The text of one cell with its mark, as every writer shows it."""
    text = column.text(value_of(cell))
    return f"{'! ' if cell.alarm else ''}{text} {cell.mark}".rstrip() if isinstance(cell, Cell) else text
