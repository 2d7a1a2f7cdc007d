"""The tau table: every IR measure against every MT metric, across the systems of a scoreboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clirbench.analysis.coefficients import Coefficient, coefficient, complete_pairs
from clirbench.scoreboard import Column, Scoreboard

Significance = Literal["true", "false", "undefined"]


@dataclass(frozen=True)
class Correlation:
    """One row of correlations.tsv: does `metric` order the systems as `measure` does?

    `value` in [-1, 1] (more is closer agreement; columns where less is better were turned round before), `p_value`
    two-sided, `n_systems` how many systems it was computed over.
    """

    measure: str
    metric: str
    coefficient: str
    value: float
    p_value: float
    n_systems: int
    significant: Significance
    note: str = ""


def correlate(
    board: Scoreboard,
    coefficients: Sequence[str] = ("kendall", "spearman", "pearson"),
    *,
    alpha: float = 0.05,
    p_value: str = "scipy",
    complete: bool = False,
) -> list[Correlation]:
    """Every coefficient of every (measure, metric) pair, in the order of the columns.

    `significant` is `p < alpha`. A pair with a hole is undefined, unless `complete`: then it is computed over the
    systems that have both values, and `n_systems` and the note say so.
    """
    return [
        _row(board, measure, metric, name, alpha, p_value, complete)
        for measure in board.measures
        for metric in board.metrics
        for name in coefficients
    ]


def _row(
    board: Scoreboard, measure: Column, metric: Column, name: str, alpha: float, p_value: str, complete: bool
) -> Correlation:
    x, y = metric.oriented, measure.oriented
    n_all = len(board.systems)
    if complete:
        x, y = complete_pairs(x, y)
    found: Coefficient = coefficient(name)(x, y, p_value=p_value)
    note = found.note
    if len(x) < n_all:
        note = "; ".join(filter(None, [f"over {len(x)} of {n_all} systems", note]))
    significant: Significance = "undefined"
    if found.p_value == found.p_value:
        significant = "true" if found.p_value < alpha else "false"
    return Correlation(measure.name, metric.name, name, found.value, found.p_value, found.n, significant, note)
