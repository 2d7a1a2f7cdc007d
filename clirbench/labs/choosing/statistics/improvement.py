"""How sure is it that retrieval improves when a metric rises by x, and by how much must it rise?"""

from dataclasses import dataclass
from math import inf, log, nan

import numpy as np

from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.rise import better_with, jackknifed_slope, logistic_slope, rising_pairs
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.jackknife import Interval
from clirbench.types import Doubles, Ints


@dataclass(frozen=True)
class Improvement:
    """P(the measure improves | the metric rises by `rise`), one point of the curve of one metric and measure.

    `probability` = 1 / (1 + exp(-slope * rise)), fitted to all pairs of systems; `ci_low`, `ci_high`: .95 interval
    from leaving out one unit at a time (pairs that share a system are not independent). `share` is what the data say:
    of the `pairs` pairs whose rise lies nearest to this one, how many improve. `rise_80`: the rise that gives .8 by
    the curve, with its interval (inf where no rise does). NaN where there is no interval, `note` says why.
    """

    measure: str
    metric: str
    rise: float
    probability: float
    ci_low: float
    ci_high: float
    share: float
    pairs: int
    slope: float
    rise_80: float
    rise_80_low: float
    rise_80_high: float
    n_systems: int
    note: str = ""


def improvements(evidence: Evidence, units: Units, *, points: int = 5, complete: bool = False) -> list[Improvement]:
    """The curve of every measure and metric, at `points` rises: the means of equally many pairs in order of rise.

    A curve through P(0) = .5 has one slope, in 1 / (points of the metric); pairs tied in the metric do not affect
    it, pairs tied in the measure count half. Undefined for fewer than 3 systems or a constant column.
    **Source:** the question is Kocmi et al. 2024's, with retrieval in place of people.
    """
    found: list[Improvement] = []
    for part, note in panels(evidence, complete):
        unit = units.only(evidence.rows(part.systems)).index
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                found += _curve(measure, metric, part.x[m], part.y[k], unit, points, note)
    return found


def _curve(measure: str, metric: str, x: Doubles, y: Doubles, unit: Ints, points: int, note: str) -> list[Improvement]:
    n = len(x)
    rises, better = rising_pairs(x, y)
    rises, better = rises[rises > 0], better[rises > 0]
    if n < 3 or not len(rises) or (y == y[0]).all():
        why = f"{n} systems: at least 3 are needed" if n < 3 else "a column is constant"
        said = "; ".join(filter(None, [note, why]))
        return [Improvement(measure, metric, nan, nan, nan, nan, nan, 0, nan, nan, nan, nan, n, said)]
    slope = float(logistic_slope(rises, better))
    sure = jackknifed_slope(x, y, unit)
    rise_80 = rise_of(sure)
    order = np.argsort(rises, kind="stable")
    parts = np.array_split(order, min(points, len(order)))
    steps = [float(rises[part].mean()) for part in parts]
    chances = [better_with(Interval(slope, sure.low, sure.high), step) for step in steps]
    return [
        Improvement(
            measure=measure,
            metric=metric,
            rise=step,
            probability=chance.value,
            ci_low=chance.low,
            ci_high=chance.high,
            share=float(better[part].mean()),
            pairs=len(part),
            slope=slope,
            rise_80=rise_80.value,
            rise_80_low=rise_80.low,
            rise_80_high=rise_80.high,
            n_systems=n,
            note="; ".join(filter(None, [note, sure.note])),
        )
        for part, step, chance in zip(parts, steps, chances, strict=True)
    ]


def rise_of(slope: Interval, probability: float = 0.8) -> Interval:
    """The rise r with P(measure improves | metric rises by r) = `probability`, in points of the metric, and interval.

    r = log(p / (1 - p)) / b, inf where b <= 0, b being the slope (`jackknifed_slope`), so the upper end is inf where b
    may be 0: then no rise is known to be enough. No number (NaN, note) where b has no interval. `probability` in
    (.5, 1).
    """
    if np.isnan(slope.low):
        return Interval(nan, note=slope.note)
    odds = log(probability / (1 - probability))
    value, low, high = (odds / b if b > 0 else inf for b in (slope.value, slope.high, slope.low))
    return Interval(value, low, high)
