"""How sure is it that retrieval improves when a metric rises by x?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, log, nan

import numpy as np

from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.resampling import Draws
from clirbench.types import Doubles


@dataclass(frozen=True)
class Improvement:
    """P(the measure improves | the metric rises by `rise`), one point of the curve of one metric and measure.

    `probability` = 1 / (1 + exp(-slope * rise)), fitted to all pairs of systems; `ci_low`, `ci_high` from resampled
    systems (pairs that share a system are not independent). `share` is what the data say: of the `pairs` pairs whose
    rise lies nearest to this one, how many improve. `rise_80`: the rise that gives .8 by the curve (inf where no
    rise does).
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
    n_systems: int
    samples: int
    seed: int
    note: str = ""


def improvements(
    evidence: Evidence, *, points: int = 5, samples: int = 200, seed: int = 0, complete: bool = False
) -> list[Improvement]:
    """The curve of every measure and metric, at `points` rises: the means of equally many pairs in order of rise.

    A curve through P(0) = .5 has one slope, in 1 / (points of the metric); pairs tied in the metric say nothing
    about it, pairs tied in the measure count half. Undefined for fewer than 3 systems or a constant column.
    **Source:** the question is Kocmi et al. 2024's, with retrieval in place of people.
    """
    found: list[Improvement] = []
    for part, note in panels(evidence, complete):
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                found += _curve(measure, metric, part.x[m], part.y[k], points, samples, seed, note)
    return found


def _curve(
    measure: str, metric: str, x: Doubles, y: Doubles, points: int, samples: int, seed: int, note: str
) -> list[Improvement]:
    n = len(x)
    rises, better = rising_pairs(x, y)
    rises, better = rises[rises > 0], better[rises > 0]
    if n < 3 or not len(rises) or (y == y[0]).all():
        why = f"{n} systems: at least 3 are needed" if n < 3 else "a column is constant"
        note = "; ".join(filter(None, [note, why]))
        nothing = Improvement(
            measure=measure,
            metric=metric,
            rise=nan,
            probability=nan,
            ci_low=nan,
            ci_high=nan,
            share=nan,
            pairs=0,
            slope=nan,
            rise_80=nan,
            n_systems=n,
            samples=samples,
            seed=seed,
            note=note,
        )
        return [nothing]
    slope = float(logistic_slope(rises, better))
    drawn = Draws(("systems",), samples, seed=seed).items("systems", n)
    slopes = logistic_slope(*rising_pairs(x[drawn], y[drawn]))
    slopes = slopes[~np.isnan(slopes)]
    low, high = np.quantile(slopes, [0.025, 0.975]) if len(slopes) else (nan, nan)
    rise_80 = log(4) / slope if slope > 0 else inf
    order = np.argsort(rises, kind="stable")
    return [
        Improvement(
            measure=measure,
            metric=metric,
            rise=float(rises[part].mean()),
            probability=_probability(slope, rises[part]),
            ci_low=_probability(low, rises[part]),
            ci_high=_probability(high, rises[part]),
            share=float(better[part].mean()),
            pairs=len(part),
            slope=slope,
            rise_80=rise_80,
            n_systems=n,
            samples=samples,
            seed=seed,
            note=note,
        )
        for part in np.array_split(order, min(points, len(order)))
    ]


def rising_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """For every pair of systems: by how much x rises, and whether y does too (1, 0; .5 where y is tied).

    `x`, `y`: (..., systems); returns (..., pairs) in the order of `np.triu_indices`. A rise of 0 orders nothing.
    """
    lower, upper = np.triu_indices(x.shape[-1], 1)
    rise, gain = x[..., upper] - x[..., lower], y[..., upper] - y[..., lower]
    return np.abs(rise), (np.sign(gain) * np.sign(rise) + 1) / 2


def logistic_slope(rises: Doubles, better: Doubles) -> Doubles:
    """The maximum-likelihood b of P(better) = 1 / (1 + exp(-b rise)), over the last axis; NaN where no rise is > 0.

    `rises`, `better`: (..., pairs); a rise of 0 says nothing. Where every pair improves the likelihood has no
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


def _probability(slope: float, rises: Doubles | Sequence[float]) -> float:
    if isnan(slope):
        return nan
    return float(1 / (1 + np.exp(-np.clip(slope * float(np.mean(rises)), -700, 700))))
