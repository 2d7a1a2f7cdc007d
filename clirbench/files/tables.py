"""Records of files: tables with a header (TSV, CSV) and JSON, one object a line or one value a file.

A table is tab-separated, or comma-separated by extension (or where the header has commas but no tab). Every error names
file and line; JSON is refused before it is read where it only opens brackets.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.errors import InputError, closest
from clirbench.files.kinds import refuse
from clirbench.text import SURROGATE, TextFile, check_name, current_limits, decoded, limit_error

NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE)
LARGEST = 1e150
"""A score: its square is still a number, which coefficients and figures need."""
MISSING = frozenset({"", "nan", "na", "n/a", "none", "null", "-"})
"""Cells of numbers that are holes."""
TABS = " (a TAB, not spaces, stands between columns)"
QUOTED = re.compile(r'"((?:[^"]|"")*)"')


@dataclass(frozen=True)
class TextTable:
    """Cells as text, as the file has them; `numbers[i]` is the line of the file where row i begins."""

    where: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]

    def column(self, name: str) -> tuple[str, ...]:
        at = self.header.index(name)
        return tuple(row[at] for row in self.rows)

    def records(self) -> Iterator[dict[str, str]]:
        for row in self.rows:
            yield dict(zip(self.header, row, strict=True))

    def require(self, *names: str) -> None:
        """Raise `InputError` where a column is not there."""
        require_columns(self.where, names, self.header)

    def unique(self, name: str) -> None:
        """Raise `InputError` where a cell of the column is empty, no name (`check_name`), or stands twice, as all do
        where a table was appended to itself."""
        lines, again = dict[str, list[int]](), list[int]()
        for number, cell, row in zip(self.numbers, self.column(name), self.rows, strict=True):
            if not cell.strip():
                raise InputError(f"{self.where}: line {number}: column {name!r} is empty")
            check_name(f"{self.where}: line {number}", name, cell)
            (again if row == self.header else lines.setdefault(cell, [])).append(number)
        said = [f"line {number} repeats the header: delete it" for number in again[:1]]
        twice = {cell: of for cell, of in lines.items() if len(of) > 1}
        for cell, of in [*twice.items()][:1]:
            one = f"line {of[1]}: {name} {cell!r} stands on line {of[0]} already; keep one line for each"
            many = f"{len(twice)} {name}s stand twice, the first {cell!r} on lines {of[0]} and {of[1]}; keep one line"
            said.append(one if len(twice) == 1 else f"{many} for each")
        if said:
            raise InputError(f"{self.where}: {'; '.join(said)}")


def require_columns(where: str, names: Sequence[str], header: Sequence[str]) -> None:
    """Raise `InputError` where columns are not there; it says which others may be meant."""
    if missing := [name for name in names if name not in header]:
        others = {name: [other for other in header if other[:1].lower() == name[0]] for name in missing}
        meant = "".join(f"; call {near!r} {name}" for name, of in others.items() if (near := closest(name, of)))
        meant += _tabs(where, header[0]) if len(header) == 1 else ""
        if any(map(NUMBER.fullmatch, header)):
            meant = f"; its first line is no header: put {' TAB '.join(names)} before it"
        raise InputError(f"{where}: no column {', '.join(missing)}{meant}; columns: {', '.join(header)}")


def _tabs(where: str, header: str) -> str:
    """How to put TABs into a table that has something else between its columns; nothing where it has one column."""
    between = next((one for one in ";| " if one in header), "")
    tr = {";": "';,' '\\t.'", "|": "'|' '\\t'", " ": "-s ' ' '\\t'"}  # where ; stands between, numbers have commas
    return f"; a TAB stands between columns: type tr {tr[between]} < {where} > new.tsv" if between in tr else TABS


def as_number(cell: str) -> float | None:
    """The one grammar of numbers in tables: `12`, `-0.5`, `.5`, `1e-3`; also nan and infinity, for callers to refuse.

    None for everything else: `1_5`, `12,5`, `23%`, digits of other scripts.
    """
    text = cell.strip()
    return float(text) if NUMBER.fullmatch(text) else None


def read_table(path: Path, columns: Sequence[str] = ()) -> TextTable:
    """Read a table; lines that start with `#` before the header and blank lines are ignored.

    `columns`: those of a file without a header. An empty cell behind the last column (a tab at the end of lines) is
    ignored. A tab-separated cell in quotes with doubled quotes in it is read as we write it, and as csv, pandas and R
    read it. Raises `InputError` for a missing header, a column that is no name (`check_name`) or stands twice, or a row
    of another width, with its line.
    """
    rows = table_rows(path, columns)
    _, header = next(rows)
    numbered = [(number, tuple(row)) for number, row in rows]
    return TextTable(str(path), tuple(header), tuple(row for _, row in numbered), tuple(n for n, _ in numbered))


def table_rows(path: Path, columns: Sequence[str] = ()) -> Iterator[tuple[int, Sequence[str]]]:
    """(line, cells) of the header, then of each row, as `read_table` takes them."""
    lines = TextFile(path).lines()
    lines = (lines[0].removeprefix("\ufeff"), *lines[1:]) if lines else lines  # what spreadsheets put first
    start = 0
    while not columns and start < len(lines) and (lines[start].startswith("#") or not lines[start].strip()):
        start += 1
    rows = _cells(path, lines, start)
    number, first = (0, columns) if columns else next(rows, (0, ()))
    if not first:
        raise InputError(f"{path}: is empty, a header line was expected")
    header = [cell.strip() for cell in first]
    header = header[:-1] if len(header) > 1 and not header[-1] else header
    for name in header:
        check_name(f"{path}: line {number}", "column", name)
    if doubled := sorted({name for name in header if header.count(name) > 1}):
        raise InputError(f"{path}: line {number}: columns stand twice: {', '.join(doubled)}")
    yield number, header
    known = f"without a header they are {', '.join(header)}" if columns else f"the header has {len(header)}"
    for number, row in rows:
        row = row[:-1] if len(row) == len(header) + 1 and not row[-1].strip() else row
        if len(row) != len(header):
            spaces = TABS if len(row) < len(header) and any(" " in cell for cell in row) else ""
            spaces = _tabs(str(path), header[0]) if len(header) == 1 else spaces
            raise InputError(f"{path}: line {number}: {len(row)} columns, {known}{spaces}")
        yield number, row


def system_column(table: TextTable) -> str:
    """The column of the systems: `system`, or `name`, in any case; raises `InputError` where there is neither."""
    for wanted in ("system", "name"):
        for name in sorted(table.header, key=lambda name: name != wanted):
            if name.lower() == wanted:
                return name
    refuse(Path(table.where), "table")
    if len(table.header) == 1:
        raise InputError(f"{table.where}: is one column, {table.header[0]!r}{_tabs(table.where, table.header[0])}")
    if any(map(NUMBER.fullmatch, table.header)):
        raise InputError(f"{table.where}: line 1 is no header, it has numbers; put one above: system, BLEU, MAP, ...")
    columns = zip(table.header, *table.rows, strict=True)
    meant = next((f"; call {name!r} system" for name, *cells in columns if not any(map(NUMBER.match, cells))), "")
    raise InputError(f"{table.where}: no column system or name{meant}; columns: {', '.join(table.header)}")


def _cells(path: Path, lines: Sequence[str], start: int) -> Iterator[tuple[int, list[str]]]:
    name = path.name.removesuffix(".gz")
    head = lines[start] if start < len(lines) else ""
    if not (name.endswith(".csv") or (not name.endswith(".tsv") and "\t" not in head and "," in head)):
        for number, line in enumerate(lines[start:], start=start + 1):
            if line.strip():
                yield number, [_unquoted(cell) for cell in line.removesuffix("\r").split("\t")]
        return
    reader = csv.reader((line + "\n" for line in lines[start:]), strict=True)
    number = start + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield number, cells
            number = start + reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}: line {start + reader.line_num}: not a comma-separated table ({error})") from None


def _unquoted(cell: str) -> str:
    found = QUOTED.fullmatch(cell) if cell.startswith('"') else None
    return cell if found is None or '""' not in found[1] else found[1].replace('""', '"')


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of every line that is not blank; raises `InputError` for what is no JSON object."""
    for before, block, _ in decoded(TextFile(path).blocks(), path):
        for number, line in enumerate(block.split(b"\n")[:-1], start=before + 1):
            if line.strip():
                record = json_value(f"{path}: line {number}", line)
                if not isinstance(record, dict):
                    kind = type(record).__name__
                    raise InputError(f"{path}: line {number}: a JSON object was expected, found {kind}")
                yield number, record


def first_of(record: Mapping[str, Any], keys: Sequence[str], default: Any = None) -> Any:
    """The value of the first of `keys` that an object has."""
    return next((record[key] for key in keys if key in record), default)


def json_value(where: str, content: bytes, strict: bool = False) -> Any:
    """A JSON value from UTF-8; raises `InputError` for what is none, and for more nesting than `limits.json_depth`.

    strict: also for a key that is there twice and a number that is not finite; halves of a pair of characters, which
    cannot be written again, are U+FFFD.
    """
    strictly: dict[str, Any] = {"object_pairs_hook": _single, "parse_constant": _finite, "parse_float": _finite}
    most = current_limits().json_depth
    try:
        text = content.decode("utf-8")
        value = json.loads(text, **(strictly if strict else {}))
        too_deep = content.count(b"[") + content.count(b"{") > most and _depth(value) > most
        if strict and not too_deep and "\\ud" in text.lower():
            value = json.loads(SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({error})") from None
    except RecursionError:
        too_deep = True
    if too_deep:
        raise limit_error(where, "json_depth", "more than {:,} lists and objects within each other")
    return value


def _depth(value: Any) -> int:
    if not isinstance(value, list | dict):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text} is no finite number")
    return value


def shape_error(value: Any, shape: Any, key: str = "it") -> str:
    """What of a JSON value does not have a shape, nothing where all has.

    A shape is a type, None, `object` (anything), a pattern that a whole text must match, a tuple (one of them), a list
    (each item), or a mapping of names to shapes: a name that ends in `?` may be missing, `...` is every name, names
    that are not in it may have any value.
    """
    if isinstance(shape, re.Pattern):
        return "" if isinstance(value, str) and shape.fullmatch(value) else f"{key} is not as {shape.pattern}"
    if isinstance(shape, tuple):
        kind = "text" if str in shape else "number" if float in shape else "null"
        return "" if any(not shape_error(value, one) for one in shape) else f"{key} is no {kind}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{key} is no list"
        return next(filter(None, (shape_error(item, shape[0], f"an item of {key}") for item in value)), "")
    if isinstance(shape, dict):
        return f"{key} is no object" if not isinstance(value, dict) else next(filter(None, _misfits(value, shape)), "")
    fits = shape is object or value is None if shape in (None, object) else type(value) is shape
    return "" if fits else f"{key} is no {'text' if shape is str else getattr(shape, '__name__', 'null')}"


def _misfits(value: Mapping[str, Any], shape: Mapping[Any, Any]) -> Iterator[str]:
    for name, one in shape.items():
        if name is ...:
            yield from (shape_error(item, one, repr(key)) for key, item in value.items())
        elif (key := name.removesuffix("?")) in value:
            yield shape_error(value[key], one, repr(key))
        elif key == name:
            yield f"{key!r} is missing"
