"""Per-system scores behind published tables: shipped ones, or the authors' own files as they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.errors import InputError, MissingData, UnknownName
from clirbench.papers.published import shipped_path
from clirbench.text import TextFile


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
        path = _path(name)
        header, rows = _read(path, rename)
        for column in ("system", *columns):
            if column not in header:
                raise UnknownName(f"column in {path}", column, header)
        for number, record in rows:
            group = record.get("group", label)
            found = groups.setdefault(spelling.get(group.casefold(), group), GroupScores())
            found.systems.append(record["system"])
            for column in columns:
                found.columns.setdefault(column, []).append(_score(path, number, column, record[column]))
    return groups


def _path(name: str) -> Path:
    if name.startswith("embedded:"):
        return shipped_path(name.removeprefix("embedded:"))
    path = Path(name)
    if not path.is_file():
        raise MissingData(f"{path}: no such score file")
    return path


def _read(path: Path, rename: Mapping[str, str]) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """Header and numbered rows of a tab-separated file; authors' files may end their rows with a spare tab."""
    lines = [(i, line.rstrip("\r")) for i, line in enumerate(TextFile(path).lines(), 1)]
    lines = [(i, line) for i, line in lines if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(f"{path}: is empty, a header line was expected")
    header = [rename.get(name, name) for name in lines[0][1].rstrip("\t").split("\t")]

    def records() -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in lines[1:]:
            cells = line.split("\t")
            if len(cells) < len(header) or any(cells[len(header) :]):
                raise InputError(f"{path}: line {number}: {len(cells)} columns, the header has {len(header)}")
            yield number, dict(zip(header, cells, strict=False))

    return header, records()


def _score(path: Path, number: int, column: str, cell: str) -> float:
    try:
        return float(cell or "nan")
    except ValueError:
        raise InputError(f"{path}: line {number}: column {column}: {cell!r} is not a number") from None
