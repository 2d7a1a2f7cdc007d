"""A published table of taus: from per-system scores to every printed cell, mark and summary row.

**Source:** Gowda et al. 2021, Tables 4 and 5 (tau with IR measures), 9 to 11 (tau with human scores, summaries) and
3 (the summaries of 9 to 11).
A table is data: a score file (columns `group`, `system`, one for each metric and measure), a file of the cells as
printed, and a few rules. Nothing here knows a paper, a year or a language.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cached_property
from math import isnan, nan
from pathlib import Path
from statistics import mean, median, stdev
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import ConfigError, MissingData, UnknownName
from clirbench.labs.papers.published import (
    Entry,
    PaperCell,
    PublishedTable,
    joined,
    known_of,
    leading,
    printed_cells,
    read_author_table,
    shipped_path,
)
from clirbench.pages import Table
from clirbench.statistics.coefficients import P_VALUES, Coefficient, kendall
from clirbench.types import Ints

EMBEDDED = "embedded:"
AVERAGES: Mapping[str, Callable[[list[Fraction]], Any]] = MappingProxyType(
    {"Median": median, "Mean": mean, "SD": stdev}
)
SUMMARIES = (*AVERAGES, "Wins")


@dataclass(frozen=True, kw_only=True)
class PublishedTaus(PublishedTable):
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

    metrics: Sequence[str]
    measures: Sequence[str]
    printed: str
    scores: Mapping[str, str] = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    absolute: bool = False
    summaries: Sequence[str] = ()
    exclude: str = "none"
    errata: Sequence[Entry] = ()
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

    def cells(self) -> Iterator[PaperCell]:
        """Every cell, in printed order where it was printed, then the groups that were not; summaries last."""
        if not self.scores:
            raise MissingData(f"{self.title}: the scores behind it are not shipped. {self.unavailable}")
        order = {place: i for i, place in enumerate(self._printed)}
        rows = [row for group, scores in self._groups().items() for row in self._rows(group, scores)]
        rows.sort(key=lambda row: order.get((row.group, row.measure), len(order)))
        for row in rows:
            for metric, tau in zip(self.metrics, row.taus, strict=True):
                negative = "negative; the paper prints |tau|" if self.absolute and tau.value < 0 else ""
                text = print_cell(tau.value, tau.p_value, self.alpha, self.absolute)
                yield self._cell(row.group, row.measure, metric, text, tau, joined(tau.note, row.dropped, negative))
        yield from self._summary_cells([row for row in rows if (row.group, row.measure) in order] or rows)

    @cached_property
    def _printed(self) -> Mapping[tuple[str, str], Mapping[str, str]]:
        return printed_cells(self.printed)

    def _groups(self) -> dict[str, list[tuple[str, list[float]]]]:
        """Of each group, as it is printed, each system and its scores, in the order of metrics and measures."""
        spelling = {group.casefold(): group for group, _ in self._printed}
        groups: dict[str, list[tuple[str, list[float]]]] = {}
        for label, name in self.scores.items():
            path = shipped_path(name.removeprefix(EMBEDDED)) if name.startswith(EMBEDDED) else Path(name)
            table = read_author_table(path, rename=self.rename)
            systems = table.text("system")
            scores = zip(*(table.numbers(column) for column in (*self.metrics, *self.measures)), strict=True)
            labels = table.columns.get("group", [label] * len(systems))
            for group, system, values in zip(labels, systems, scores, strict=True):
                groups.setdefault(spelling.get(group.casefold(), group), []).append((system, list(values)))
        return groups

    def _rows(self, group: str, scores: Sequence[tuple[str, list[float]]]) -> "Iterator[_Row]":
        columns = np.array([values for _, values in scores]).T
        whole = ~np.isnan(columns).any(axis=0)
        dropped = ", ".join(system for (system, _), keep in zip(scores, whole, strict=True) if not keep)
        if whole.any():
            n, kept = len(self.metrics), columns[:, whole]
            for measure, y in zip(self.measures, kept[n:], strict=True):
                taus = [kendall(x, y, p_value=self.p_value) for x in kept[:n]]
                yield _Row(group, measure, f"without {dropped}: no complete scores" if dropped else "", taus)

    def _cell(self, row: str, measure: str, metric: str, text: str, found: Coefficient, note: str) -> PaperCell:
        printed = self._printed.get((row, measure), {}).get(metric, "")
        known = known_of(self.errata, row=row, measure=measure, metric=metric)
        return PaperCell(row, measure, metric, printed, text, found.value, found.p_value, found.n, note, known)

    def _summary_cells(self, rows: "Sequence[_Row]") -> Iterator[PaperCell]:
        """Mean, median and SD over the rows that `exclude` keeps; wins over the significant cells of all rows."""
        values = np.array([[thousandths(tau.value, self.absolute) for tau in row.taus] for row in rows])
        significant = np.array([[tau.p_value < self.alpha for tau in row.taus] for row in rows])
        kept = np.ones(len(rows), dtype=np.bool_)
        if self.exclude == "any_not_significant":
            kept = np.asarray(significant.all(axis=1))
        out = ", ".join(row.group for row, keep in zip(rows, kept, strict=True) if not keep)
        for name in self.summaries:
            note = f"without {out}" if out and name != "Wins" else ""
            for at, metric in enumerate(self.metrics):
                value, text = summary(name, values, significant, kept, at)
                yield self._cell(name, self.measures[0], metric, text, Coefficient(value, nan, 0), note)


@dataclass(frozen=True)
class _Row:
    """One row of the table: the tau of each metric with a measure over the systems of a group."""

    group: str
    measure: str
    dropped: str
    taus: Sequence[Coefficient]


@dataclass(frozen=True, kw_only=True)
class Overview(PublishedTable):
    """Summary rows (Mean, Median, Wins) of several tables.

    `parts`: label to table; `scores`: label to the file of a part whose scores are not shipped. The printed file has
    the label as `group` and the summary as `measure`. A part whose scores are missing keeps its printed rows, with
    the verdict `no scores` and its table's explanation.
    """

    printed: str
    parts: Mapping[str, PublishedTaus] = field(default_factory=dict)
    summaries: Sequence[str] = ("Mean", "Median", "Wins")
    scores: Mapping[str, str] = field(default_factory=dict)

    def cells(self) -> Iterator[PaperCell]:
        """Every printed summary, computed again; a published error of a part is one here too."""
        printed = printed_cells(self.printed)
        for label, part in self._given.items():
            found = {(cell.row, cell.metric): cell for cell in part.cells()} if part.scores else {}
            for summary in self.summaries:
                for metric in part.metrics:
                    missing = PaperCell(summary, part.measures[0], metric, note=part.unavailable)
                    cell = found.get((summary, metric), missing)
                    yield replace(cell, row=f"{label} {summary}", printed=printed[label, summary][metric])

    def further(self) -> Sequence[Table]:
        """Every part whose scores are available, cell by cell."""
        return [part.table() for part in self._given.values() if part.scores]

    @property
    def _given(self) -> Mapping[str, PublishedTaus]:
        """The parts, with the scores that were given; raises `UnknownName` for a label that no part has."""
        if unknown := [label for label in self.scores if label not in self.parts]:
            raise UnknownName("table of paper.scores", unknown[0], self.parts)
        given = {label: {label: file} for label, file in self.scores.items()}
        return {label: replace(part, scores=given.get(label, part.scores)) for label, part in self.parts.items()}


def half_up(value: float | Fraction, digits: int) -> float:
    """The decimal number that `value` is written as, rounded; halves go up, away from zero."""
    exact = Decimal(value.numerator) / value.denominator if isinstance(value, Fraction) else Decimal(str(value))
    return float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def decimals(value: float | Fraction) -> str:
    """Three decimals, halves up, without a leading zero."""
    return leading(half_up(value, 3))


def thousandths(value: float, absolute: bool = False) -> int:
    """A tau in thousandths, rounded to the nearest as `round` does; |tau| where `absolute`."""
    rounded = round(1000 * round(value, 3))
    return abs(rounded) if absolute else rounded


def print_cell(value: float, p_value: float, alpha: float, absolute: bool) -> str:
    """A cell as such tables print it: `.418`, `1.000`, `x.345` where p >= alpha, `undefined` for no value."""
    if isnan(value):
        return "undefined"
    return ("" if p_value < alpha else "x") + decimals(Fraction(thousandths(value, absolute), 1000))


def summary(
    name: str, values: Ints, significant: NDArray[np.bool_], kept: NDArray[np.bool_], at: int
) -> tuple[float, str]:
    """One of `SUMMARIES` of column `at`, as a number and as printed.

    values: (rows, metrics) printed taus in thousandths; significant: (rows, metrics); kept: (rows,), the rows that
    median, mean and standard deviation are over. A win is the greatest significant value of a row; ties share it.
    """
    if name == "Wins":
        best = np.where(significant, values, np.iinfo(np.int64).min).max(axis=1)
        won = int((significant[:, at] & (values[:, at] == best)).sum())
        return float(won), str(won)
    held = [Fraction(value) for value in values[kept, at].tolist()]
    if len(held) < (2 if name == "SD" else 1):
        return nan, "undefined"
    found = Fraction(AVERAGES[name](held) / 1000)
    return float(found), decimals(found)
