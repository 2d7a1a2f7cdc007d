"""What choosing a system by a metric costs, in words: expected by the posterior, else as the topics at hand have it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.analyses.wording import join_names, number
from clirbench.scoreboard import Column
from clirbench.statistics.model.decision import Decision
from clirbench.statistics.model.shipping import Regret
from clirbench.types import Ints

MOST = 4
"""So many names at most in one list."""


@dataclass(frozen=True)
class Pick:
    """The system that a metric puts first; of several that tie, the worst by the measure. `loss` >= 0."""

    metric: str
    system: str
    loss: float


def expected_cost(decision: Decision, metrics: Sequence[str]) -> str:
    """One sentence about what these metrics' picks may lose; nothing where that is not known.

    Intervals alone: where metrics tell bad systems from each other and hardly good ones (a Clayton copula), losses are
    .10 to .15 standard deviations larger than expected, and their intervals still hold them.
    """
    regrets = sorted((row for row in decision.regrets if row.metric in metrics), key=lambda row: row.expected)
    if not regrets:
        return ""
    said = f"With 95 % confidence, shipping the first system loses {_lost(regrets[0], decision.measure)}"
    if len({row.pick for row in regrets}) == 1:
        by = "any of these metrics" if len(regrets) > 1 else regrets[0].metric
        return f"{said} by {by} ({regrets[0].pick})."
    worst = regrets[-1]
    return (
        f"{said} by {regrets[0].metric} ({regrets[0].pick}), and {_lost(worst, decision.measure)} by "
        f"{worst.metric} ({worst.pick})."
    )


def _lost(row: Regret, measure: str) -> str:
    if row.high < 0.0005:
        return f"under .001 {measure}"
    return f"{f'{number(row.low)} to' if row.low >= 0.0005 else 'at most'} {number(row.high)} {measure}"


def expectation(value: float) -> str:
    """Three decimals; samples of a posterior tell no more."""
    return "under .001" if value < 0.0005 else number(value)


def bounds(low: float, high: float) -> str:
    """`[.001, .012]`."""
    return f"[{number(low)}, {number(high)}]"


def cost(systems: Sequence[str], measure: Column, metrics: Sequence[Column], rows: Ints | None = None) -> str:
    """One sentence about the picks of these metrics over the systems `rows`, by the measure on the same topics."""
    whole = np.isfinite(measure.values) & np.all([np.isfinite(m.values) for m in metrics], axis=0)
    rows = np.flatnonzero(whole) if rows is None else rows
    y = measure.oriented[rows]
    picks = [_pick(metric, measure, rows, systems) for metric in metrics if np.ptp(metric.oriented[rows]) > 0]
    if not picks or np.ptp(y) == 0:
        return ""
    best = [systems[rows[at]] for at in np.flatnonzero(y == y.max())]
    first = f"{join_names(best, MOST)} {'is the best' if len(best) == 1 else 'are tied as the best'} by {measure.name}"
    free = [pick.metric for pick in picks if pick.loss <= 0]
    paid = sorted((pick for pick in picks if pick.loss > 0), key=lambda pick: -pick.loss)
    if not paid:
        by = "any of these metrics" if len(free) > 1 else free[0]
        return f"On these topics, picking the first system by {by} would have cost nothing: {first}."
    worst = paid[0]
    whose = join_names([pick.metric for pick in paid if pick.system == worst.system], MOST)
    lost = f"{amount(worst.loss)} {measure.name} ({worst.system} instead of {join_names(best, MOST)})"
    if not free and len(paid) > 1 and {pick.system for pick in paid} == {worst.system}:
        return f"On these topics, picking the first system by any of these metrics would have cost {lost}."
    if not free and len(paid) > 1:
        least = f"{amount(paid[-1].loss)} by {paid[-1].metric}"
        return f"On these topics, picking the first system would have cost {least}, and {lost} by {whose}."
    kept = f" nothing by {join_names(free, MOST)}, but" if free else ""
    return f"On these topics, picking the first system would have cost{kept} {lost} by {whose}."


def _pick(metric: Column, measure: Column, rows: Ints, systems: Sequence[str]) -> Pick:
    x, y = metric.oriented[rows], measure.oriented[rows]
    tied = np.flatnonzero(x == x.max())
    at = int(tied[np.argmin(y[tied])])
    return Pick(metric.name, systems[rows[at]], float(y.max() - y[at]))


def amount(value: float) -> str:
    """Three decimals as the field prints them; what rounds to nothing keeps one significant digit."""
    return number(value) if value >= 0.0005 else f"{value:.0e}"
