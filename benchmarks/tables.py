"""The data files of docs/data: tab-separated rows of a dataclass below the names of its fields, or of given columns."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, TypeVar

DOCS = Path(__file__).resolve().parents[1] / "docs"
Row = TypeVar("Row")
READ: dict[Any, Any] = {str: str, int: lambda cell: int(cell or 0), float: lambda cell: float(cell or "nan")}


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([header, *rows])


def write_rows(path: Path, kind: type[Any], rows: Iterable[Any], digits: str = "") -> None:
    """`digits`: how numbers are written, such as `.6g`; NaN is an empty cell."""
    cells = ([_cell(value, digits) for value in astuple(row)] for row in rows)
    write(path, [field.name for field in fields(kind)], cells)


def _cell(value: object, digits: str) -> object:
    return ("" if value != value else format(value, digits)) if isinstance(value, float) else value


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """The rows of a file; a column that it has not is empty, as is a cell."""
    with path.open(encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream, delimiter="\t"))
    types: Any = fields(kind)  # type: ignore[arg-type]
    return [kind(*(READ[one.type](row.get(one.name, "")) for one in types)) for row in found]
