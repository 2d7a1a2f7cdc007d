"""Tables with a header: tab-separated, or comma-separated by extension (or where the header has commas but no tab)."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clirbench.errors import InputError
from clirbench.text import TextFile, check_name

NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE)
LARGEST = 1e150
"""A score: its square is still a number, which coefficients and figures need."""
MISSING = frozenset({"", "nan", "na", "n/a", "none", "null", "-"})
"""Cells of numbers that are holes."""
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
        if missing := [name for name in names if name not in self.header]:
            raise InputError(f"{self.where}: no column {', '.join(missing)}; columns: {', '.join(self.header)}")

    def unique(self, name: str) -> None:
        """Raise `InputError` where a cell of the column is empty, no name (`check_name`), or stands twice."""
        first: dict[str, int] = {}
        for number, cell in zip(self.numbers, self.column(name), strict=True):
            if not cell.strip():
                raise InputError(f"{self.where}: line {number}: column {name!r} is empty")
            check_name(f"{self.where}: line {number}", name, cell)
            if cell in first:
                raise InputError(f"{self.where}: line {number}: {name} {cell!r} stands on line {first[cell]} already")
            first[cell] = number


def number(cell: str) -> float | None:
    """The one grammar of numbers in tables: `12`, `-0.5`, `.5`, `1e-3`; also nan and infinity, for callers to refuse.

    None for everything else: `1_5`, `12,5`, `23%`, digits of other scripts.
    """
    text = cell.strip()
    return float(text) if NUMBER.fullmatch(text) else None


def read_table(path: Path) -> TextTable:
    """Read a table; lines that start with `#` before the header and blank lines are ignored.

    An empty cell behind the last column (a tab at the end of lines) is ignored. A tab-separated cell in quotes with
    doubled quotes in it is read as we write it, and as csv, pandas and R read it. Raises `InputError` for a missing
    header, a column that is no name (`check_name`) or stands twice, or a row of another width, with its line.
    """
    lines = TextFile(path).lines()
    lines = (lines[0].removeprefix("\ufeff"), *lines[1:]) if lines else lines  # what spreadsheets put first
    start = 0
    while start < len(lines) and (lines[start].startswith("#") or not lines[start].strip()):
        start += 1
    rows = list(_split(path, lines, start)) if start < len(lines) else []
    if not rows:
        raise InputError(f"{path}: is empty, a header line was expected")
    header = tuple(cell.strip() for cell in rows[0][1])
    header = header[:-1] if len(header) > 1 and not header[-1] else header
    rows = [(n, row[:-1] if len(row) == len(header) + 1 and not row[-1].strip() else row) for n, row in rows]
    for name in header:
        check_name(f"{path}: line {start + 1}", "column", name)
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        raise InputError(f"{path}: line {start + 1}: columns stand twice: {', '.join(doubled)}")
    for number, row in rows[1:]:
        if len(row) != len(header):
            raise InputError(f"{path}: line {number}: {len(row)} columns, the header has {len(header)}")
    kept = rows[1:]
    return TextTable(str(path), header, tuple(tuple(row) for _, row in kept), tuple(number for number, _ in kept))


def system_column(table: TextTable) -> str:
    """The column of the systems: `system`, or `name`, in any case; raises `InputError` where there is neither."""
    for wanted in ("system", "name"):
        for name in sorted(table.header, key=lambda name: name != wanted):
            if name.lower() == wanted:
                return name
    raise InputError(f"{table.where}: no column system or name; columns: {', '.join(table.header)}")


def _split(path: Path, lines: tuple[str, ...], start: int) -> Iterator[tuple[int, list[str]]]:
    name = path.name.removesuffix(".gz")
    commas = name.endswith(".csv") or (not name.endswith(".tsv") and "\t" not in lines[start] and "," in lines[start])
    if not commas:
        for number, line in enumerate(lines[start:], start=start + 1):
            if line.strip():
                yield number, [_unquoted(cell) for cell in line.removesuffix("\r").split("\t")]
        return
    reader = csv.reader((line + "\n" for line in lines[start:]), strict=True)
    number = start + 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{path}: line {start + reader.line_num}: not a comma-separated table ({error})") from None
        if any(cell.strip() for cell in cells):
            yield number, cells
        number = start + reader.line_num + 1


def _unquoted(cell: str) -> str:
    found = QUOTED.fullmatch(cell) if cell.startswith('"') else None
    return cell if found is None or '""' not in found[1] else found[1].replace('""', '"')
