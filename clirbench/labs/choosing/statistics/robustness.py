"""What a tau rests on: single systems, outliers, groups of systems, the lower half."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from math import nan, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from clirbench.statistics.coefficients import UNTESTED, Coefficient, kendall
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.vectorised import kendall_grid
from clirbench.types import Doubles

Kept = NDArray[np.bool_]
CUTOFF = 2.5
MAD_TO_SD = 1.483
tau = partial(kendall, p_value=UNTESTED)
"""Kendall's tau-b without a p-value, which is not needed here."""


@dataclass(frozen=True)
class Robustness:
    """One tau over some of the systems, beside the tau over all (`overall`).

    `check`: `leave-one-out lowest` / `highest` (the system whose loss moves tau most), `without outliers of ...`,
    `top half by ...`, `group COLUMN`; `detail` names the systems left out or the group. `expected`, with the middle
    95 %: what a top half shows where tau is `overall` everywhere among the systems (NaN for other checks); among the
    better half it is lower. These numbers describe: none is tested.
    """

    measure: str
    metric: str
    check: str
    detail: str
    value: float
    n_systems: int
    overall: float
    change: float
    expected: float
    expected_low: float
    expected_high: float
    note: str = ""


def robustness(evidence: Evidence, groups: tuple[str, ...] = (), complete: bool = False) -> list[Robustness]:
    """Every check for every measure and metric; `groups` are metadata columns.

    A check that leaves fewer than 2 systems, or makes a column constant, is undefined with the reason.
    **Source:** outliers: Mathur, Baldwin and Cohn 2020, section 4.
    """
    found = []
    for part, note in panels(evidence, complete):
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                x, y = part.x[m], part.y[k]
                overall = tau(x, y).value
                halves = top_half_expected(overall, len(x))
                for check, detail, result in _checks(part, measure, metric, x, y, groups):
                    expected = halves if check.startswith("top half") else (nan, nan, nan)
                    row = Robustness(
                        measure=measure,
                        metric=metric,
                        check=check,
                        detail=detail,
                        value=result.value,
                        n_systems=result.n,
                        overall=overall,
                        change=result.value - overall,
                        expected=expected[0],
                        expected_low=expected[1],
                        expected_high=expected[2],
                        note="; ".join(filter(None, [note, result.note])),
                    )
                    found.append(row)
    return found


def _checks(
    evidence: Evidence, measure: str, metric: str, x: Doubles, y: Doubles, groups: tuple[str, ...]
) -> Iterator[tuple[str, str, Coefficient]]:
    yield from _leave_one_out(evidence, x, y)
    for label, out in (
        (measure, outliers(y)),
        (metric, outliers(x)),
        (f"{measure} or {metric}", outliers(y) | outliers(x)),
    ):
        if out.any():
            gone = ", ".join(system for system, o in zip(evidence.systems, out, strict=True) if o)
            yield f"without outliers of {label}", gone, tau(x[~out], y[~out])
        else:
            yield f"without outliers of {label}", "no outliers", tau(x, y)
    for label, column in ((measure, y), (metric, x)):
        top = column >= np.sort(column)[-half_size(len(column))] if len(column) else np.zeros(0, dtype=bool)
        yield f"top half by {label}", f"{int(top.sum())} of {len(column)}", tau(x[top], y[top])
    for group in groups:
        texts = np.array(evidence.board.metadata[group])
        for text in dict.fromkeys(texts.tolist()):
            inside = texts == text
            yield f"group {group}", text or "(empty)", tau(x[inside], y[inside])


def _leave_one_out(evidence: Evidence, x: Doubles, y: Doubles) -> Iterator[tuple[str, str, Coefficient]]:
    """The lowest and the highest tau without one system; the first of several that tie."""
    results = [tau(np.delete(x, i), np.delete(y, i)) for i in range(len(x))]
    values = np.array([result.value for result in results])
    if not len(values) or np.isnan(values).all():
        return
    for label, at in (("lowest", int(np.nanargmin(values))), ("highest", int(np.nanargmax(values)))):
        yield f"leave-one-out {label}", f"without {evidence.systems[at]}", results[at]


def half_size(n: int) -> int:
    """How many of n systems are the better half."""
    return (n + 1) // 2


@cache
def top_half_expected(tau: float, n: int, simulations: int = 1000) -> tuple[float, float, float]:
    """Mean and middle 95 % of tau among the better half of n systems, where metric and measure are normal with `tau`.

    The half is chosen by one of the two; by which of them makes no difference. NaN for |tau| = 1 and halves of one.
    Simulated with a fixed seed. **Source:** selection attenuates correlations, Thorndike 1949; tau and r, Greiner 1909.
    """
    if not abs(tau) < 1 or half_size(n) < 2:
        return nan, nan, nan
    r = sin(pi / 2 * tau)
    first, other = np.random.default_rng(n).normal(size=(2, simulations, n))
    kept = np.argsort(first, axis=1)[:, -half_size(n) :]
    pair = [np.take_along_axis(column, kept, axis=1)[:, None] for column in (first, r * first + sqrt(1 - r**2) * other)]
    values = kendall_grid(pair[0], pair[1])[:, 0, 0]
    low, high = np.quantile(values, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def outliers(column: Doubles, cutoff: float = CUTOFF) -> Kept:
    """(n,): |value - median| / (1.483 MAD) > cutoff, on both sides; none where half of the values are equal.

    1.483 makes the MAD of a normal column its SD. **Source:** Mathur, Baldwin and Cohn 2020, eq. 1-2 (cutoff 2.5).
    """
    if not len(column):
        return np.zeros(0, dtype=np.bool_)
    distance = np.abs(column - np.median(column))
    mad = MAD_TO_SD * np.median(distance)
    return np.asarray(distance > cutoff * mad) if mad > 0 else np.zeros(len(column), dtype=np.bool_)
