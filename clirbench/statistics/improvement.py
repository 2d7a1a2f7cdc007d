"""How sure is it that retrieval improves when a metric rises by x?"""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.rise import jackknifed_slope, logistic_slope, rise_of, rising_pairs
from clirbench.statistics.units.belonging import Units
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

    A curve through P(0) = .5 has one slope, in 1 / (points of the metric); pairs tied in the metric say nothing
    about it, pairs tied in the measure count half. Undefined for fewer than 3 systems or a constant column.
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
