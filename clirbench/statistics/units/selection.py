"""Inference about the best of several metrics, given that it was chosen: p-values, a set, intervals.

All metrics are compared over the same systems (`common_systems`), under the same exchanges and the same resamples.
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.statistics.units.concordance import MODEL_BELOW, Estimates, estimates, no_interval
from clirbench.statistics.units.permutation import SAMPLES, exchanges, refused, shares, statistics
from clirbench.types import Doubles, Ints

DRAWS = 4000
FEWEST_TOGETHER = {True: 8, False: MODEL_BELOW}
"""Units that intervals of all metrics at once need, by whether they are of equal sizes: with fewer they are more than
1.25 times as wide as they need be (benchmarks/validity.py)."""
COSTLIEST = 0.1
"""The share of systems that one metric's holes may cost the comparison of all; a metric that costs more is left out."""


def common_systems(x: Doubles, y: Doubles) -> tuple[Ints, Ints]:
    """(metrics, systems) that are compared: indices such that no value is missing.

    The metrics with most holes are left out until the others lack no more than a tenth of the systems that the
    measure has. `x`: (metrics, n), `y`: (n,), NaN for holes.
    """
    there = np.isfinite(x) & np.isfinite(y)
    wanted = (1 - COSTLIEST) * np.isfinite(y).sum()
    kept = list(range(len(x)))
    while kept:
        systems = np.flatnonzero(there[kept].all(axis=0))
        if len(systems) >= wanted:
            return np.array(kept, dtype=np.int64), systems
        kept.remove(min(kept, key=lambda m: (int(there[m].sum()), -m)))
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Adjusted:
    """`p_values`, `adjusted`: (metrics,), two-sided, unadjusted and adjusted for testing all metrics.

    NaN with the reason in `note` where the test was not run.
    """

    p_values: Doubles
    adjusted: Doubles
    smallest_p: float
    note: str = ""


def adjusted_p_values(
    x: Doubles, y: Doubles, unit: Ints, *, alpha: float = 0.05, samples: int = SAMPLES, seed: int = 0
) -> Adjusted:
    """Each metric's p-value, adjusted for all of them by one shared permutation of the units of the measure.

    Step-down minimum p: the smallest p of the metrics not yet passed, in every exchange, against the observed one;
    this is max |tau| where metrics have no ties, and fair to metrics with ties. `x`: (metrics, n), `y`: (n,), finite.
    **Source:** Westfall and Young 1993, algorithm 2.8.
    """
    found = exchanges(unit, samples=samples, seed=seed)
    note = refused(found, alpha, int(unit.max()) + 1)
    if note:
        none = np.full(len(x), nan)
        return Adjusted(none, none, found.smallest_p, note)
    each = shares(statistics(x, y, unit, found.orders))
    return Adjusted(each[0], step_down(each), found.smallest_p)


def _joint_draws(found: Estimates, draws: int, seed: int) -> Doubles:
    """(draws, metrics): multivariate t around 0, jackknife covariance of atanh(tau), units - 1 degrees of freedom."""
    rng = np.random.default_rng([seed, found.units])
    freedom = found.units - 1
    stretch = np.sqrt(freedom / rng.chisquare(freedom, size=(draws, 1)))
    return np.asarray(rng.normal(size=(draws, found.units)) @ found.jackknifed * stretch)


def step_down(each: Doubles) -> Doubles:
    """(metrics,): step-down adjusted p of the first sample, from (samples, metrics) of p-values."""
    order = np.argsort(each[0], kind="stable")
    smallest = np.minimum.accumulate(each[:, order[::-1]], axis=1)[:, ::-1]
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate((smallest <= smallest[0] + 1e-12).mean(axis=0))
    return adjusted


@dataclass(frozen=True, eq=False)
class Best:
    """What is known of the best metric: all (metrics,).

    `tau`: between units; `in_set`: whether it is statistically tied with the best; `p_best`: p-value of "no other
    metric is better"; `low`, `high`: intervals that hold for all metrics at once, and so for the first one too; NaN
    with fewer than 8 units, or fewer than 12 of unequal sizes. All NaN where there is no result: `note` has the
    reason and `unknown` the metric that causes it.
    """

    tau: Doubles
    in_set: "np.typing.NDArray[np.bool_]"
    p_best: Doubles
    low: Doubles
    high: Doubles
    note: str = ""
    unknown: int = 0


def best_metrics(x: Doubles, y: Doubles, unit: Ints, *, level: float = 0.95, draws: int = DRAWS, seed: int = 0) -> Best:
    """The metrics that are statistically tied with the best, and an interval for each tau, also the winner's.

    Both are from draws from a multivariate t around atanh(tau) with the delete-one-unit jackknife's covariance
    and units - 1 degrees of freedom. A metric leaves the set where its largest standardised deficit against another
    that is still in it is larger than the largest gap between any two of them in all but 5 % of the draws.
    `x`: (metrics, n), `y`: (n,), finite.
    **Source:** Hansen, Lunde and Nason 2011 (the range statistic, in rounds); Arvesen 1969
    (jackknife).
    """
    found = estimates(x, y, unit)
    nothing = np.full(len(x), nan)
    for m in range(len(x)):
        if note := no_interval(found, m):
            return Best(found.tau, np.ones(len(x), dtype=bool), nothing, nothing, nothing, note, m)
    z, drawn = np.arctanh(found.tau), _joint_draws(found, draws, seed)
    p_best = _p_best(z, found.jackknifed, drawn, 1 - level)
    if found.units < FEWEST_TOGETHER[_even(unit)]:
        return Best(found.tau, p_best >= 1 - level, p_best, nothing, nothing)
    error, whole = (np.sqrt((each**2).sum(axis=0)) for each in (found.spread, found.jackknifed))
    widest = np.quantile((np.abs(drawn) / whole).max(axis=1), level)
    low, high = np.tanh(z - widest * error), np.tanh(z + widest * error)
    return Best(found.tau, p_best >= 1 - level, p_best, low, high)


def _even(unit: Ints) -> bool:
    """Whether all units have as many systems."""
    return len(set(np.bincount(unit).tolist())) == 1


def _p_best(z: Doubles, spread: Doubles, drawn: Doubles, alpha: float) -> Doubles:
    """(metrics,): P(the largest standardised gap between any two metrics still in the set >= its largest deficit).

    Any two: then all that are equally good stay together, and "agrees less" is false of none of them in .95.
    """
    gaps = spread[:, :, None] - spread[:, None, :]
    error = np.sqrt((gaps**2).sum(axis=0))
    scale = np.where(error > 1e-12, error, np.inf)
    p = np.ones(len(z))
    inside = np.arange(len(z))
    while True:
        pairs = scale[np.ix_(inside, inside)]
        deficit = ((z[inside] - z[inside, None]) / pairs).max(axis=1)
        largest = ((drawn[:, inside, None] - drawn[:, None, inside]) / pairs).max(axis=(1, 2))
        p[inside] = (largest[:, None] >= deficit - 1e-12).mean(axis=0)
        left = inside[p[inside] >= alpha]
        if len(left) == len(inside):
            return p
        inside = left
