"""Tab-separated files of the authors of papers, as they are, and the per-system scores in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.errors import InputError, MissingData, UnknownName
from clirbench.labs.papers.published import shipped_path
from clirbench.text import TextFile


@dataclass(frozen=True)
class AuthorTable:
    """Columns of a file, and the line of the file where each row is; raises `UnknownName` for a column it has not."""

    path: Path
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    def text(self, name: str) -> Sequence[str]:
        """The cells of a column."""
        if name not in self.columns:
            raise UnknownName(f"column in {self.path}", name, self.columns)
        return self.columns[name]

    def numbers(self, name: str) -> list[float]:
        """The cells of a column as numbers, NaN for an empty cell; raises `InputError` with the line."""
        return [self._number(name, line, cell) for line, cell in zip(self.lines, self.text(name), strict=True)]

    def _number(self, name: str, line: int, cell: str) -> float:
        try:
            return float(cell or "nan")
        except ValueError:
            raise InputError(f"{self.path}: line {line}: column {name}: {cell!r} is not a number") from None


def read_author_table(path: Path, first: str = "") -> AuthorTable:
    """Read a file whose header begins with the column `first`; lines above it and blank lines are ignored.

    A row may end with spare tabs. Raises `InputError` where there is no header, and for a row that is too short or
    too long, with its line.
    """
    header: list[str] = []
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, text in enumerate(TextFile(path).lines(), 1):
        cells = [cell.strip() for cell in text.split("\t")]
        if not any(cells):
            continue
        n = len(header)
        if not header:
            if cells[0] == first or (not first and not text.startswith("#")):
                header = [name.strip() for name in text.rstrip("\t\r").split("\t")]
        elif len(cells) < n or any(cells[n:]):
            raise InputError(f"{path}: line {line}: {len(cells)} columns, the header has {n}")
        else:
            lines.append(line)
            rows.append(cells)
    if not header:
        wanted = f"no line begins with `{first}`" if first else "is empty, a header line was expected"
        raise InputError(f"{path}: {wanted}")
    return AuthorTable(path, {name: [row[at] for row in rows] for at, name in enumerate(header)}, lines)


@dataclass(frozen=True)
class GroupScores:
    """The systems of one group, such as a language pair, and each column of their scores; NaN where there is none."""

    systems: list[str] = field(default_factory=list)
    columns: dict[str, list[float]] = field(default_factory=dict)


def group_scores(
    files: Mapping[str, str], rename: Mapping[str, str], columns: Sequence[str], spelling: Mapping[str, str]
) -> dict[str, GroupScores]:
    """Each group with its scores, in the order of the files.

    files: a file (`embedded:NAME` for a shipped one) of the group that names it, unless it has a column `group`;
    rename: names of its columns, old to new; spelling: groups in lower case, to how they are printed.
    Raises `MissingData` (no such file), `UnknownName` (no such column), `InputError` with the line.
    """
    groups: dict[str, GroupScores] = {}
    for label, name in files.items():
        read = read_author_table(_path(name))
        table = AuthorTable(read.path, {rename.get(old, old): cells for old, cells in read.columns.items()}, read.lines)
        systems = table.text("system")
        scores = {column: table.numbers(column) for column in columns}
        for at, group in enumerate(table.columns.get("group", [label] * len(systems))):
            found = groups.setdefault(spelling.get(group.casefold(), group), GroupScores())
            found.systems.append(systems[at])
            for column in columns:
                found.columns.setdefault(column, []).append(scores[column][at])
    return groups


def _path(name: str) -> Path:
    if name.startswith("embedded:"):
        return shipped_path(name.removeprefix("embedded:"))
    path = Path(name)
    if not path.is_file():
        raise MissingData(f"{path}: no such score file")
    return path
