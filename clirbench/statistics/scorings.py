"""Does a metric agree with retrieval under other scorings of the same topics too?"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clirbench.scoreboard import Column
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.grades import Graded, after_scorings
from clirbench.statistics.units.agreement import agreements
from clirbench.statistics.units.belonging import Units
from clirbench.types import Doubles


@dataclass(frozen=True, eq=False)
class Scoring:
    """The systems' values under one scoring; `values`: (systems,) in the order of the board, more is better, NaN holes.

    `half`: the measure of the run itself, on half of its topics.
    """

    name: str
    values: Doubles
    half: bool = False


@dataclass(frozen=True)
class ScoringTau:
    """One metric under one scoring: tau between groups, and whether its lower bound is above 0."""

    scoring: str
    metric: str
    tau: float
    shown: bool
    half: bool = False


def scoring_taus(
    scorings: Sequence[Scoring], metrics: Sequence[Column], units: Units, *, alpha: float = 0.05, seed: int = 0
) -> list[ScoringTau]:
    """A row for every scoring and metric; shown: the lower bound for all metrics together is above 0."""
    if not metrics:
        return []
    x = np.stack([metric.oriented for metric in metrics])
    rows = []
    for scoring in scorings:
        found = agreements(x, scoring.values, units.index, alpha=alpha, seed=seed)
        rows += [
            ScoringTau(scoring.name, metric.name, one.tau, one.lower > 0, scoring.half)
            for metric, one in zip(metrics, found, strict=True)
        ]
    return rows


def lowered_by_scorings(rows: Iterable[Correlation], measure: str, taus: Iterable[ScoringTau]) -> Iterator[Correlation]:
    """The rows; a grade with `measure` that fewer than half of its other scorings show is one step lower."""
    shown: dict[str, list[bool]] = {}
    for one in taus:
        if not one.half:
            shown.setdefault(one.metric, []).append(one.shown)
    for row in rows:
        if (row.measure, row.coefficient) == (measure, KENDALL) and row.metric in shown:
            found = after_scorings(Graded(row.grade, row.lowered), sum(shown[row.metric]), len(shown[row.metric]))
            row = replace(row, grade=found.grade, lowered=found.lowered)
        yield row
