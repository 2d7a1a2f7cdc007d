"""A published table of taus: from per-system scores to every printed cell, mark and summary row.

**Source:** Gowda et al. 2021, Tables 4 and 5 (tau with IR measures) and 9 to 11 (tau with human scores, summaries).
A table is data: a score file (columns `group`, `system`, one for each metric and measure), a file of the cells as
printed, and a few rules. Nothing here knows a paper, a year or a language.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan

import numpy as np

from clirbench.errors import ConfigError, MissingData, UnknownName
from clirbench.labs.papers.author_files import GroupScores, group_scores
from clirbench.labs.papers.cells import PaperCell, joined, known_differences
from clirbench.labs.papers.printing import SUMMARIES, print_cell, summary, thousandths
from clirbench.labs.papers.published import PublishedTable, printed_cells
from clirbench.statistics.coefficients import P_VALUES, Coefficient, kendall


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

    def cells(self) -> Iterator[PaperCell]:
        """Every cell, in printed order where it was printed, then the groups that were not; summaries last."""
        if not self.scores:
            raise MissingData(f"{self.title}: the scores behind it are not shipped. {self.unavailable}")
        spelling = {group.casefold(): group for group, _ in self._printed}
        groups = group_scores(self.scores, self.rename, (*self.metrics, *self.measures), spelling)
        rows = [row for name, group in groups.items() for row in self._rows(name, group)]
        order = {place: i for i, place in enumerate(self._printed)}
        rows.sort(key=lambda row: order.get((row.group, row.measure), len(order)))
        for row in rows:
            yield from self._row_cells(row)
        yield from self._summary_cells([row for row in rows if (row.group, row.measure) in order] or rows)

    @cached_property
    def _printed(self) -> Mapping[tuple[str, str], Mapping[str, str]]:
        return printed_cells(self.printed)

    def _rows(self, name: str, group: GroupScores) -> "list[_Row]":
        columns = {column: np.array(values) for column, values in group.columns.items()}
        whole = ~np.any([np.isnan(values) for values in columns.values()], axis=0)
        if not whole.any():
            return []
        kept = {column: values[whole] for column, values in columns.items()}
        dropped = [system for system, keep in zip(group.systems, whole, strict=True) if not keep]
        return [
            _Row(name, measure, dropped, [kendall(kept[x], kept[measure], p_value=self.p_value) for x in self.metrics])
            for measure in self.measures
        ]

    def _row_cells(self, row: "_Row") -> Iterator[PaperCell]:
        for metric, tau in zip(self.metrics, row.taus, strict=True):
            dropped = f"without {', '.join(row.dropped)}: no complete scores" if row.dropped else ""
            negative = "negative; the paper prints |tau|" if self.absolute and tau.value < 0 else ""
            text = print_cell(tau.value, tau.p_value, self.alpha, self.absolute)
            yield self._cell(row.group, row.measure, metric, text, tau, joined(tau.note, dropped, negative))

    def _cell(self, row: str, measure: str, metric: str, text: str, found: Coefficient, note: str) -> PaperCell:
        printed = self._printed.get((row, measure), {}).get(metric, "")
        return PaperCell(
            row,
            measure,
            metric,
            printed,
            shown=text,
            value=found.value,
            p_value=found.p_value,
            n=found.n,
            note=note,
            known=known_differences(self.errata, row=row, measure=measure, metric=metric),
        )

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
    dropped: Sequence[str]
    taus: Sequence[Coefficient]
