"""A published table of taus: from per-system scores to every printed cell, mark and summary row.

A table is data: a score file (columns `group`, `system`, one for each metric and measure), a file of the cells as
printed, and a few rules. Nothing here knows a paper, a year or a language.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clirbench.errors import ConfigError, InputError, MissingData, UnknownName
from clirbench.files.tables import read_table
from clirbench.papers.cells import PaperCell, Verdict, cells_table
from clirbench.papers.printing import SUMMARIES, shown, thousandths
from clirbench.result import AnalysisTable
from clirbench.statistics.coefficients import P_VALUES, Coefficient, kendall
from clirbench.text import TextFile
from clirbench.types import Doubles

if TYPE_CHECKING:
    from clirbench.result import Result

DATA = Path(__file__).parents[1] / "data" / "papers"


@dataclass(frozen=True)
class TauTable:
    """One published table and the rules that made it.

    scores: files of per-system scores (`embedded:NAME` for a shipped one); a file without a column `group` is the
      group that the mapping names. rename: their columns' names, old to new. printed: the shipped printed cells.
    measures, metrics: the rows' and columns' columns, in order. absolute: print |tau| (the sign stays in `value`).
    summaries: which of Mean, Median, SD, Wins follow. exclude: `any_not_significant` leaves a row out of mean,
      median and SD if any of its cells is not significant; `none` keeps every row.
    errata: cells that the paper printed wrongly: {row, metric, right, note}; `measure` where a row has several.
    unavailable: what to tell somebody who has no score file.

    Taus are tau-b; a cell is significant if p < alpha with scipy's default p-value. Systems with any missing value
    are dropped first. Raises `ConfigError`, `MissingData` (no scores), `UnknownName` (no such column).
    """

    name: str
    title: str
    metrics: Sequence[str]
    measures: Sequence[str]
    printed: str
    scores: Mapping[str, str] = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    absolute: bool = False
    summaries: Sequence[str] = ()
    exclude: str = "none"
    errata: Sequence[Mapping[str, str]] = ()
    unavailable: str = ""
    p_value: str = "scipy"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.exclude not in ("none", "any_not_significant"):
            raise ConfigError(f"{self.name}: exclude={self.exclude}: choose from none, any_not_significant")
        if unknown := sorted(set(self.summaries) - set(SUMMARIES)):
            raise ConfigError(f"{self.name}: summaries={unknown}: choose from {', '.join(SUMMARIES)}")
        if self.p_value not in P_VALUES:
            raise UnknownName(f"p_value of {self.name}", self.p_value, P_VALUES)

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The published table beside ours, cell by cell."""
        return [cells_table(self.name, self.title, reproduce(self))]


@dataclass(frozen=True, eq=False)
class _Row:
    group: str
    measure: str
    cells: tuple[Coefficient, ...]
    dropped: tuple[str, ...]


def reproduce(table: TauTable) -> list[PaperCell]:
    """Every cell of the table, in printed order where it was printed, then the groups that were not."""
    printed = _printed(table)
    rows = [row for group, scores in _groups(table) for row in _rows(table, group, scores)]
    order = {key: i for i, key in enumerate(printed)}
    rows.sort(key=lambda row: order.get((row.group, row.measure), len(order)))
    cells = [_cell(table, row, at, printed) for row in rows for at in range(len(table.metrics))]
    on_paper = [row for row in rows if (row.group, row.measure) in printed] or rows
    return cells + summary_cells(table, on_paper, printed)


def summary_cells(
    table: TauTable, rows: Sequence[_Row], printed: Mapping[tuple[str, str], Mapping[str, str]]
) -> list[PaperCell]:
    """Mean, median and SD over the rows that the exclusion rule keeps; wins over all rows, significant cells only."""
    values = np.array([[thousandths(cell.value, table.absolute) for cell in row.cells] for row in rows])
    significant = np.array([[cell.p_value < table.alpha for cell in row.cells] for row in rows])
    kept = np.ones(len(rows), dtype=np.bool_)
    if table.exclude == "any_not_significant":
        kept = np.asarray(significant.all(axis=1))
    out = ", ".join(row.group for row, keep in zip(rows, kept, strict=True) if not keep)
    found = []
    for name in table.summaries:
        for at, metric in enumerate(table.metrics):
            value, text = SUMMARIES[name](values, significant, kept, at)
            left_out = f"without {out}" if out and name != "Wins" else ""
            there = printed.get((name, table.measures[0]), {}).get(metric, "")
            found.append(
                _judged(
                    table, name, table.measures[0], metric, Coefficient(value, float("nan"), 0), text, there, left_out
                )
            )
    return found


def _cell(table: TauTable, row: _Row, at: int, printed: Mapping[tuple[str, str], Mapping[str, str]]) -> PaperCell:
    found, metric = row.cells[at], table.metrics[at]
    notes = [found.note]
    if row.dropped:
        notes.append(f"without {', '.join(row.dropped)}: no complete scores")
    if table.absolute and found.value < 0:
        notes.append("negative; the paper prints |tau|")
    there = printed.get((row.group, row.measure), {}).get(metric, "")
    text = shown(found.value, found.p_value, table.alpha, table.absolute)
    return _judged(table, row.group, row.measure, metric, found, text, there, "; ".join(filter(None, notes)))


def _judged(
    table: TauTable, row: str, measure: str, metric: str, found: Coefficient, text: str, printed: str, note: str
) -> PaperCell:
    """The cell with its verdict: an erratum counts only where ours is the value it calls right."""
    verdict: Verdict = "not printed" if not printed else "as printed" if text == printed else "differs"
    for erratum in table.errata:
        here = erratum["row"] == row and erratum["metric"] == metric and erratum.get("measure", measure) == measure
        if here and verdict == "differs" and text == erratum["right"]:
            verdict, note = "published error", "; ".join(filter(None, [erratum["note"], note]))
    return PaperCell(
        table.name, row, measure, metric, found.value, found.p_value, found.n, text, printed, verdict, note
    )


def _rows(table: TauTable, group: str, scores: Mapping[str, Sequence[str]]) -> list[_Row]:
    used = [*table.metrics, *table.measures]
    columns = {name: np.array([float(cell) if cell else np.nan for cell in scores[name]]) for name in used}
    whole = ~np.any([np.isnan(column) for column in columns.values()], axis=0)
    dropped = tuple(system for system, keep in zip(scores["system"], whole, strict=True) if not keep)
    if not whole.any():
        return []
    kept: dict[str, Doubles] = {name: column[whole] for name, column in columns.items()}
    return [
        _Row(
            group,
            measure,
            tuple(kendall(kept[metric], kept[measure], p_value=table.p_value) for metric in table.metrics),
            dropped,
        )
        for measure in table.measures
    ]


def _groups(table: TauTable) -> list[tuple[str, dict[str, list[str]]]]:
    """Every group with its columns, in the order of the files; groups are spelt as in print."""
    if not table.scores:
        raise MissingData(f"{table.title}: the scores behind it are not shipped. {table.unavailable}")
    spelling = {group.casefold(): group for group, _ in _printed(table)}
    groups: dict[str, dict[str, list[str]]] = {}
    for label, name in table.scores.items():
        path = _path(name)
        header, rows = _read(path, table.rename)
        for column in ("system", *table.metrics, *table.measures):
            if column not in header:
                raise UnknownName(f"column in {path}", column, header)
        for number, cells in rows:
            record = dict(zip(header, cells, strict=True))
            for column in (*table.metrics, *table.measures):
                _check_number(path, number, column, record[column])
            group = record.get("group", label)
            columns = groups.setdefault(spelling.get(group.casefold(), group), {column: [] for column in header})
            for column, cell in record.items():
                columns[column].append(cell)
    return list(groups.items())


def _read(path: Path, rename: Mapping[str, str]) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and numbered rows of a tab-separated file; others' files may end their rows with a spare tab."""
    lines = [(i, line.rstrip("\r")) for i, line in enumerate(TextFile(path).lines(), 1)]
    lines = [(i, line) for i, line in lines if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(f"{path}: is empty, a header line was expected")
    header = [rename.get(name, name) for name in lines[0][1].rstrip("\t").split("\t")]
    rows = []
    for number, line in lines[1:]:
        cells = line.split("\t")
        if len(cells) < len(header) or any(cells[len(header) :]):
            raise InputError(f"{path}: line {number}: {len(cells)} columns, the header has {len(header)}")
        rows.append((number, cells[: len(header)]))
    return header, rows


def _check_number(path: Path, number: int, column: str, cell: str) -> None:
    try:
        float(cell or "nan")
    except ValueError:
        raise InputError(f"{path}: line {number}: column {column}: {cell!r} is not a number") from None


def _path(name: str) -> Path:
    if not name.startswith("embedded:"):
        path = Path(name)
        if not path.is_file():
            raise MissingData(f"{path}: no such score file")
        return path
    return embedded(name.removeprefix("embedded:"))


def embedded(name: str) -> Path:
    """A table that is shipped, by its name; raises `UnknownName`."""
    for folder in (DATA, DATA.parent):
        for suffix in (".tsv", "_scores.tsv"):
            if (path := folder / (name + suffix)).is_file():
                return path
    raise UnknownName("embedded score table", name, (p.stem for p in DATA.glob("*.tsv")))


def _printed(table: TauTable) -> dict[tuple[str, str], dict[str, str]]:
    return printed_cells(table.printed)


def printed_cells(name: str) -> dict[tuple[str, str], dict[str, str]]:
    """(row, measure) -> metric -> the cell as printed, from the shipped file of that name."""
    file = read_table(_path(f"embedded:{name}"))
    return {(record["group"], record["measure"]): record for record in file.records()}
