"""Numbers, sentences, tables and pages as every writer has them.

A sentence has `.867` (`number`), a cell of a table has what its column's format says (`FORMATS`); no other module makes
digits for a reader (`tests/pages/test_wording.py`). A finding is a kind, its values, and the sentence made from them. A
table is columns with name, kind, meaning and number format, and rows; its file (tab-separated) has numbers that read
back exactly, and empty cells for holes. A page is a title, and sections of sentences, lists, tables and figures.
"""

import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from itertools import chain
from math import isinf, isnan
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import numpy as np

from clirbench.errors import ClirbenchError, escape_unseen

if TYPE_CHECKING:
    import pandas as pd

BOOLEAN_COLUMNS = frozenset({"significant", "in_set", "on_frontier", "tied"})
BOOLEANS = {"true": True, "false": False, "undefined": None, "": None}
BLANKS = str.maketrans("\t\n\r", "   ")


def write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a header and rows, so that csv, pandas, polars and R read the same cells."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        write_rows(stream, header, rows)


def write_rows(stream: TextIO, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """The shortest text of a number that reads back exactly, nothing for a hole; tabs and ends of lines in a text are
    spaces, quotes are quoted."""

    @cache  # names occur in many rows
    def text(value: str) -> str:
        quoted = '"' + value.replace('"', '""') + '"' if '"' in value else value
        return value if value.isalnum() else escape_unseen(quoted.translate(BLANKS))

    def exact(value: Any) -> str:
        if isinstance(value, float | np.floating):
            return "" if np.isnan(value) else repr(float(value))
        return "" if value is None else str(value)

    for row in chain([header], rows):  # csv.writer takes half as long again
        cells = [repr(v) if type(v) is float and v == v else text(v if type(v) is str else exact(v)) for v in row]
        stream.write("\t".join(cells) + "\n")


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
    words = {True: "true", False: "false"}
    boolean = table.select_dtypes("boolean").columns
    return table.assign(**{name: table[name].map(words).astype(object).fillna("undefined") for name in boolean})


def _as_numbers(cells: list[str]) -> Any:
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array([float(cell) if cell.strip() else np.nan for cell in cells])


def number(value: float, digits: int = 3) -> str:
    """`.867`, `-.021`, `1.200`, `undefined`, `more than was tried`."""
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "more than was tried"
    text = fixed(value, digits)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def fixed(value: float, digits: int = 0) -> str:
    """`0.867`: with this number of decimals."""
    return f"{value:.{digits}f}"


def short(value: float, digits: int = 6) -> str:
    """`0.05`, `1e-12`, `150`: with up to this number of significant digits, without zeros at the end."""
    return f"{value:.{digits}g}"


def signed(value: float, digits: int = 3) -> str:
    """`+0.012`: `short`, with its sign."""
    return f"{value:+.{digits}g}"


def percent(share: float) -> str:
    """`97 %`; what is not all is `over 99 %`, what is not nothing `under 1 %`."""
    hundredths = 100 * share
    if 99.5 <= hundredths < 100 - 1e-9:
        return "over 99 %"
    return f"{fixed(hundredths)} %" if hundredths >= 0.5 or hundredths < 1e-9 else "under 1 %"


def interval(low: float, high: float, digits: int = 3) -> str:
    """`[.71, .95]`."""
    return f"[{number(low, digits)}, {number(high, digits)}]"


NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def listed(names: Sequence[str], most: int = 6) -> str:
    """`A, B and C`; of many, the first and how many more: two at least, as a name takes no more room than "1 more"."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def many(n: int, noun: str) -> str:
    """`1 system`, `38 systems`."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _unless_hole(written: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: "" if isnan(value) else written(value)


def _plain(value: float) -> str:
    return f"{'-' if value < 0 else ''}∞" if isinf(value) else fixed(value, 4 if abs(value) < 100 else 1)


FORMATS: Mapping[str, Callable[[float], str]] = MappingProxyType(
    {
        "number": _unless_hole(_plain),
        "score": _unless_hole(lambda value: fixed(value, 2)),
        "coefficient": number,
        "difference": _unless_hole(signed),
    }
)
"""Format of a column -> the text of its numbers: four decimals, one from 100 on; two decimals; `.867`; `+0.012`."""


@dataclass(frozen=True)
class Finding:
    """What a run found, as data; `template` is a format string whose fields are names of `values`;
    findings about metrics have none, because the answer puts several into one sentence.

    Values are cells of the run's tables: names, numbers, `(low, high)` intervals, lists of names. A name that begins
    with `p_` is a probability.
    """

    kind: str
    template: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: str, template: str = "", /, **values: Any) -> "Finding":
        """The finding with these values."""
        return cls(kind, template, values)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __str__(self) -> str:
        return self.template.format(**{name: written(name, value) for name, value in self.values.items()})

    def as_dict(self) -> dict[str, Any]:
        """Kind and values, with the sentence of a finding that has its own template, for results.json."""
        return {"kind": self.kind, **self.values, **({"sentence": str(self)} if self.template else {})}


def written(name: str, value: Any) -> str:
    """A value as sentences print it: `.867`, `[.001, .012]`, `A, B and C`; probabilities `< .001` to `> .999`.

    What rounds to 0 or 1 says so: `under .001` where it is no probability.
    """
    if isinstance(value, float):
        if not name.startswith("p_"):
            return "under .001" if 0 < value < 0.0005 else number(value)
        return "> .999" if value > 0.9995 else "< .001" if value < 0.0005 else number(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        ends = len(value) == 2 and all(isinstance(end, float) for end in value)
        return interval(*value) if ends else listed(list(value))
    return str(value)


Row = TypeVar("Row")
NONE: Mapping[str, Any] = MappingProxyType({})
DATA = Path(__file__).parent / "data"
KNOWN: Mapping[str, Mapping[str, str]] = json.loads((DATA / "columns.json").read_text("utf-8"))
"""Name of a column -> its `meaning`, and where it has them its `unit` and `format`, for every table that has it."""


@dataclass(frozen=True)
class TableColumn:
    """A column: `kind` says what its cells hold, `format` (a name of `FORMATS`) how its numbers are written."""

    name: str
    kind: Literal["text", "number"] = "text"
    meaning: str = ""
    format: str = "number"

    def text(self, value: Any) -> str:
        """The cell as every writer shows it; nothing for a hole."""
        if isinstance(value, float | np.floating):
            return FORMATS[self.format](float(value))
        return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


@dataclass(frozen=True)
class Cell:
    """A value with what a reader sees of it: a mark behind it, whether it is the best, words on hover, a link."""

    value: Any
    mark: str = ""
    best: bool = False
    tip: str = ""
    href: str = ""


def value_of(cell: Any) -> Any:
    """The value of a cell, which may be the value itself."""
    return cell.value if isinstance(cell, Cell) else cell


def is_hole(value: Any) -> bool:
    """Whether a number is undefined."""
    return isinstance(value, float | np.floating) and isnan(value)


@dataclass(frozen=True)
class Table:
    """One table: `name` is its file (`differences` -> differences.tsv), `text` what the numbers say.

    `rows` hold strings, numbers (NaN: undefined) and `Cell`s; `records` are the same rows as the analysis computed
    them (`of`), for those who ask a run for them (`Result.rows`). `text` are sentences, computed from the numbers:
    sampling, n, seed, and what a reader may and may not conclude. `figure` draws what belongs to it: a `Drawing`. A
    report shows the first `shown` rows, the terminal the first `said`. `failures`: what makes
    the run fail after everything was written, such as a cell of a published table that is neither reproduced nor
    explained. `about`, `formats`: meaning and number format of columns of this table alone; `texts`: the columns of
    text, where the rows do not tell; `matrix`: each row compares the columns behind the first; `aside`: the terminal
    shows nothing of it. `stream` makes the rows of a file again each time they are read, in the place of `rows`: a run
    has millions of per-topic values.
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
    stream: Callable[[], Iterator[Sequence[Any]]] | None = None

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
        **further: Any,
    ) -> "Table":
        """The table of records of one `kind`, a frozen dataclass: a column for each field that its `repr` has; None is
        an empty cell.

        `header`: other names for the columns; by default those of the fields, which are there without records too.
        `further`: what else a table has.
        """
        names = [field.name for field in fields(kind) if field.repr]  # type: ignore[arg-type]
        kept = tuple(records)
        values = ((getattr(record, name) for name in names) for record in kept)
        rows = tuple(tuple("" if value is None else value for value in row) for row in values)
        return cls(name, title, tuple(header or names), rows, tuple(text), records=kept, **further)

    def compact(self) -> "Table":
        """The table as pages show it: without empty columns, and a note that all rows share is a sentence.

        A matrix keeps its columns, and so does every table of its `Cell`s, whose holes are marked.
        """
        if self.matrix or not self.rows:
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
        columns = zip(*self.rows, strict=True) if self.texts is None and self.rows else ()
        found = {n for n, cells in zip(self.header, columns, strict=False) if not all(map(_is_number, cells))}
        texts = found if self.texts is None else self.texts
        made = []
        for name in self.header:
            known = KNOWN.get(name, NONE)
            kind: Literal["text", "number"] = "text" if name in texts else "number"
            meaning = self.about.get(name, "") or known.get("meaning", "")
            made.append(TableColumn(name, kind, meaning, self.formats.get(name) or known.get("format", "number")))
        return tuple(made)

    @property
    def corner(self) -> str:
        """What text shows over the first column: nothing over that of a matrix of measures."""
        return "" if self.matrix and self.header[0] == "measure" else self.header[0]

    def values(self) -> Iterator[Sequence[Any]]:
        """The rows as a file has them: values alone."""
        return self.stream() if self.stream else ([*map(value_of, row)] for row in self.rows)

    def write(self, folder: Path) -> None:
        """Write `name`.tsv."""
        write_tsv(folder / f"{self.name}.tsv", self.header, self.values())

    def load(self) -> "pd.DataFrame":
        """The table as a DataFrame: as its file reads."""
        stream = io.StringIO()
        write_rows(stream, self.header, self.values())
        stream.seek(0)
        return frame(stream, [column.name for column in self.columns if column.kind == "text"])

    def cells(self, rows: Sequence[Sequence[Any]]) -> list[list[str]]:
        """Rows of this table as text, each value as its column writes it, with its mark."""
        return [[shown_cell(column, cell) for column, cell in zip(self.columns, row, strict=True)] for row in rows]


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number or a hole."""
    value = value_of(cell)
    return value in ("", None) or (isinstance(value, int | float | np.number) and not isinstance(value, bool))


def shown_cell(column: TableColumn, cell: Any) -> str:
    """The text of one cell with its mark, as every writer shows it."""
    text = column.text(value_of(cell))
    return f"{text} {cell.mark}".rstrip() if isinstance(cell, Cell) else text


Points = tuple[str, ...]
"""Short texts, one below the other."""


@dataclass(frozen=True)
class Plots:
    """Drawings under one name, each as (words for those who do not see it, SVG); `open`: shown at once."""

    title: str
    drawings: Sequence[tuple[str, str]]
    open: bool = False


@dataclass(frozen=True)
class Selection:
    """Drawings of which a reader chooses: `drawings[metric, measure]` is a svg.

    `colours[column]` has (name, svg of its mark) of each group; a mark's `data-of` counts the columns in this order.
    """

    title: str
    drawings: Mapping[tuple[str, str], str]
    colours: Mapping[str, Sequence[tuple[str, str]]]
    ellipses: bool = False

    def options(self, at: int) -> list[str]:
        """The metrics (0) or the measures (1)."""
        return list(dict.fromkeys(pair[at] for pair in self.drawings))


Block = str | Points | Table | Plots | Selection


@dataclass(frozen=True)
class Section:
    """A part of a page: `name` is its anchor; without a title it continues the page's head.

    `fold`: shown when it is opened, and not among the page's links; `screen`: of pages alone, not of Markdown.
    """

    name: str
    title: str
    blocks: Sequence[Block] = ()
    fold: bool = False
    screen: bool = False


@dataclass(frozen=True)
class Page:
    """What a command tells, once for all writers; an open browser loads it again every `reload` seconds, if any."""

    title: str
    sections: Sequence[Section]
    reload: int = 0


def points(name: str, title: str, lines: Sequence[str], fold: bool = False) -> tuple[Section, ...]:
    """A section with one list; none where there is nothing to list."""
    return (Section(name, title, (tuple(lines),), fold),) if lines else ()
