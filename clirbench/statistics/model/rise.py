"""How sure is it that retrieval improves when a metric rises by x, and by how much must it rise?"""

from dataclasses import dataclass
from math import inf, log, nan

import numpy as np

from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.jackknife import Interval, leave_one_out
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
    return [
        Improvement(
            measure=measure,
            metric=metric,
            rise=float(rises[part].mean()),
            probability=_probability(slope, rises[part]),
            ci_low=_probability(sure.low, rises[part]),
            ci_high=_probability(sure.high, rises[part]),
            share=float(better[part].mean()),
            pairs=len(part),
            slope=slope,
            rise_80=rise_80.value,
            rise_80_low=rise_80.low,
            rise_80_high=rise_80.high,
            n_systems=n,
            note="; ".join(filter(None, [note, sure.note])),
        )
        for part in np.array_split(order, min(points, len(order)))
    ]


def _probability(slope: float, rises: Doubles) -> float:
    """NaN of a slope that is NaN."""
    return float(1 / (1 + np.exp(-np.clip(slope * float(rises.mean()), -700, 700))))


def better_with(slope: Interval, rise: float = 1.0) -> Interval:
    """P(the measure improves | the metric rises by `rise`) and its interval, of a slope from `jackknifed_slope`."""
    value, low, high = (_probability(b, np.array([rise])) for b in (slope.value, slope.low, slope.high))
    return Interval(value, low, high, note=slope.note)


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


def jackknifed_slope(x: Doubles, y: Doubles, unit: Ints) -> Interval:
    """b of P(measure improves | metric rises by r) = 1 / (1 + exp(-b r)), delete-one-unit jackknife; `unit` (n,).

    No interval (note) for fewer than 6 units and where every pair is ordered alike: b has no maximum then.
    """

    def slope(kept: "np.typing.NDArray[np.bool_]") -> float:
        rises, better = rising_pairs(x[kept], y[kept])
        if not len(rises):
            return nan
        found = float(logistic_slope(rises, better))
        # 50 / mean rise is where the slope stops if no finite one is best.
        return nan if abs(found) * float(rises.mean()) > 49 else found

    return leave_one_out(slope, unit)


def rising_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """For every pair of systems: by how much x rises, and whether y does too (1, 0; .5 where y is tied).

    `x`, `y`: (..., systems); returns (..., pairs) in the order of `np.triu_indices`. A rise of 0 orders nothing.
    """
    lower, upper = np.triu_indices(x.shape[-1], 1)
    rise, gain = x[..., upper] - x[..., lower], y[..., upper] - y[..., lower]
    return np.abs(rise), (np.sign(gain) * np.sign(rise) + 1) / 2


def logistic_slope(rises: Doubles, better: Doubles) -> Doubles:
    """The maximum-likelihood b of P(better) = 1 / (1 + exp(-b rise)), over the last axis; NaN where no rise is > 0.

    `rises`, `better`: (..., pairs); a rise of 0 has no effect. Where every pair improves the likelihood has no
    maximum: b stops at 50 / mean rise, whose P is 1 in print.
    """
    scale = rises.mean(axis=-1, keepdims=True) if rises.shape[-1] else np.zeros((*rises.shape[:-1], 1))
    z = rises / np.where(scale > 0, scale, 1.0)
    low, high = np.full(scale.shape, -50.0), np.full(scale.shape, 50.0)
    slope = np.zeros(scale.shape)
    for _ in range(40):  # Newton's step, or the middle of the bracket where it would leave it
        p = 1 / (1 + np.exp(-np.clip(slope * z, -700, 700)))
        gradient = (z * (better - p)).sum(axis=-1, keepdims=True)
        low, high = np.where(gradient > 0, slope, low), np.where(gradient > 0, high, slope)
        curvature = (z * z * p * (1 - p)).sum(axis=-1, keepdims=True)
        step = slope + gradient / np.where(curvature > 1e-12, curvature, 1e-12)
        following = np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.abs(following - slope).max(initial=0.0) < 1e-10:
            break
        slope = following
    return np.asarray(np.where(scale > 0, slope / np.where(scale > 0, scale, 1.0), nan)[..., 0])
