"""The tau table: every IR measure against every MT metric, across the systems of a scoreboard."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Literal

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.bootstrap import Bootstrap, intervals
from clirbench.statistics.coefficients import Coefficient, coefficient, complete_pairs
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.p_values import significance
from clirbench.statistics.training import has_steps
from clirbench.statistics.vectorised import GRIDS

Significance = Literal["true", "false", "undefined", "trend"]


@dataclass(frozen=True)
class Correlation:
    """One row of correlations.tsv: does `metric` order the systems as `measure` does?

    `value` in [-1, 1] (more is closer agreement; columns where less is better were turned round before), `p_value`
    two-sided, `n_systems` how many systems it was computed over. `significant` is `trend` where the systems are
    checkpoints along training: their common rise makes any two columns agree, so the plain p means nothing there.
    `ci_low`, `ci_high`: the interval made by `scheme` (`with_intervals`). `p_method`: `exact`, `permutation` (then
    `p_error` is its standard error) or `scipy`.
    """

    measure: str
    metric: str
    coefficient: str
    value: float
    p_value: float
    n_systems: int
    significant: Significance
    note: str = ""
    ci_low: float = nan
    ci_high: float = nan
    scheme: str = ""
    p_method: str = ""
    p_error: float = 0.0


def correlate(
    board: Scoreboard,
    coefficients: Sequence[str] = ("kendall", "spearman", "pearson"),
    *,
    alpha: float = 0.05,
    p_value: str = "exact",
    complete: bool = False,
    seed: int = 0,
) -> list[Correlation]:
    """Every coefficient of every (measure, metric) pair, in the order of the columns.

    `significant` is `p < alpha`, or `trend` where systems carry a `step`. A pair with a hole is undefined, unless
    `complete`: then it is computed over the systems that have both values, and `n_systems` and the note say so.
    """
    trend = has_steps(board)
    rows = []
    for measure in board.measures:
        for metric in board.metrics:
            for name in coefficients:
                found, note = _found(board, measure, metric, name, p_value, complete, seed)
                significant: Significance = significance(found.p_value, alpha)
                if trend and significant != "undefined":
                    significant = "trend"
                row = Correlation(
                    measure=measure.name,
                    metric=metric.name,
                    coefficient=name,
                    value=found.value,
                    p_value=found.p_value,
                    n_systems=found.n,
                    significant=significant,
                    note=note,
                    p_method=found.p_method,
                    p_error=found.p_error,
                )
                rows.append(row)
    return rows


def with_intervals(
    rows: Sequence[Correlation], evidence: Evidence, how: Bootstrap, complete: bool = False
) -> list[Correlation]:
    """The rows with bootstrap intervals, where the coefficient can be resampled (kendall, spearman, pearson).

    A note of the interval joins the row's; `scheme` says what was drawn, how often, from which seed.
    """
    names = [name for name in dict.fromkeys(row.coefficient for row in rows) if name in GRIDS]
    found = {(row.measure, row.metric, row.coefficient): row for row in intervals(evidence, names, how, complete)}
    joined = []
    for row in rows:
        interval = found.get((row.measure, row.metric, row.coefficient))
        if interval is not None:
            scheme = f"{interval.method} {100 * interval.level:g} %: {interval.scheme}"
            extra = [interval.note] if interval.note and interval.note not in row.note and not isnan(row.value) else []
            note = "; ".join(filter(None, [row.note, *extra]))
            row = replace(row, ci_low=interval.ci_low, ci_high=interval.ci_high, scheme=scheme, note=note)
        joined.append(row)
    return joined


def _found(
    board: Scoreboard, measure: Column, metric: Column, name: str, p_value: str, complete: bool, seed: int
) -> tuple[Coefficient, str]:
    """The coefficient and what must be said about it."""
    x, y = metric.oriented, measure.oriented
    n_all = len(board.systems)
    if complete:
        x, y = complete_pairs(x, y)
    found: Coefficient = coefficient(name)(x, y, p_value=p_value, seed=seed)
    over = f"over {len(x)} of {n_all} systems" if len(x) < n_all else ""
    return found, "; ".join(filter(None, [over, found.note]))
