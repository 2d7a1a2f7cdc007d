"""What choosing a system by a metric costs, in words: as these topics have it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.pages.wording import listed, number
from clirbench.scoreboard import Column
from clirbench.types import Ints

MOST = 4
"""So many names at most in one list."""


@dataclass(frozen=True)
class Pick:
    """The system that a metric puts first; of several that tie, the worst by the measure. `loss` >= 0."""

    metric: str
    system: str
    loss: float


def cost(systems: Sequence[str], measure: Column, metrics: Sequence[Column], rows: Ints | None = None) -> str:
    """One sentence about the picks of these metrics over the systems `rows`, by the measure on the same topics."""
    whole = np.isfinite(measure.values) & np.all([np.isfinite(m.values) for m in metrics], axis=0)
    rows = np.flatnonzero(whole) if rows is None else rows
    y = measure.oriented[rows]
    picks = [_pick(metric, measure, rows, systems) for metric in metrics if np.ptp(metric.oriented[rows]) > 0]
    if not picks or np.ptp(y) == 0:
        return ""
    best = [systems[rows[at]] for at in np.flatnonzero(y == y.max())]
    first = f"{listed(best, MOST)} {'is the best' if len(best) == 1 else 'are tied as the best'} by {measure.name}"
    free = [pick.metric for pick in picks if pick.loss <= 0]
    paid = sorted((pick for pick in picks if pick.loss > 0), key=lambda pick: -pick.loss)
    if not paid:
        by = "any of these metrics" if len(free) > 1 else free[0]
        return f"On these topics, picking the first system by {by} would have cost nothing: {first}."
    worst = paid[0]
    whose = listed([pick.metric for pick in paid if pick.system == worst.system], MOST)
    lost = f"{amount(worst.loss)} {measure.name} ({worst.system} instead of {listed(best, MOST)})"
    if not free and len(paid) > 1 and {pick.system for pick in paid} == {worst.system}:
        return f"On these topics, picking the first system by any of these metrics would have cost {lost}."
    if not free and len(paid) > 1:
        least = f"{amount(paid[-1].loss)} by {paid[-1].metric}"
        return f"On these topics, picking the first system would have cost {least}, and {lost} by {whose}."
    kept = f" nothing by {listed(free, MOST)}, but" if free else ""
    return f"On these topics, picking the first system would have cost{kept} {lost} by {whose}."


def _pick(metric: Column, measure: Column, rows: Ints, systems: Sequence[str]) -> Pick:
    x, y = metric.oriented[rows], measure.oriented[rows]
    tied = np.flatnonzero(x == x.max())
    at = int(tied[np.argmin(y[tied])])
    return Pick(metric.name, systems[rows[at]], float(y.max() - y[at]))


def amount(value: float) -> str:
    """Three decimals as the field prints them; what rounds to nothing keeps one significant digit."""
    return number(value) if value >= 0.0005 else f"{value:.0e}"
