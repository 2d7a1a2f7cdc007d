"""What is a point of a metric worth elsewhere? The measure's gain predicted from the metric's, collection left out.

dMeasure = slope_c * dMetric + noise,   for pairs of systems of collection c
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from clirbench.labs.collections.statistics.clusters import joined
from clirbench.labs.collections.statistics.random_effects import pooled_mean, prediction
from clirbench.labs.collections.statistics.settings import AboutMetric, Setting, Stratum, same_collection
from clirbench.types import Doubles

FEWEST = 3


@dataclass(frozen=True)
class Transported(AboutMetric):
    """How a metric's gain predicts a measure's in a collection that was left out.

    `slope` of the measure per point of the metric, with the interval of its mean and where a new collection's lies;
    `brier`: mean squared error of the stated probability that the better system by the metric is better by the
    measure (.25: chance), `brier_common`: with one slope for all; `stated` and `happened`: where at least .8 was
    stated, how much on average and how often it came true, over `pairs` of systems.
    """

    slope: float
    ci_low: float
    ci_high: float
    new_low: float
    new_high: float
    sd_between: float
    brier: float
    brier_common: float
    stated: float
    happened: float
    pairs: int
    collections: int


@dataclass(frozen=True)
class _Line:
    """One collection's slope, its variance, the residual variance of one system, and all pairs' differences."""

    slope: float
    variance: float
    residual: float
    dx: Doubles
    dy: Doubles


def transport_rows(stratum: Stratum, settings: Sequence[Setting]) -> list[Transported]:
    """Every metric that three collections or more have. Of settings of one collection, the first one counts.

    For a pair of the collection left out, P(dy > 0) = Phi(b dx / sqrt(2 s^2 + dx^2 (error^2 + tau2))): slope b, its
    error and tau2 between collections, residual variance s^2, all from the other collections; tau2 = 0 with one
    common slope. **Source:** Gelman and Hill 2007, chapter 12 (varying slopes); Brier 1950.
    """
    cluster = joined(list(same_collection(settings)), len(settings))
    firsts = [settings[int(np.flatnonzero(cluster == label)[0])] for label in np.unique(cluster)]
    rows = []
    for metric in dict.fromkeys(m for s in firsts for m in s.metrics):
        lines = [_line(s, metric) for s in firsts if metric in s.metrics]
        if len(lines) < FEWEST:
            continue
        slopes, variances = np.array([line.slope for line in lines]), np.array([line.variance for line in lines])
        found = pooled_mean(slopes, variances)
        new = prediction(slopes, variances)
        held = [_left_out(lines, i) for i in range(len(lines))]
        own, common, came = (np.concatenate([h[k] for h in held]) for k in range(3))
        sure = own >= 0.8
        # Every collection counts alike, however many pairs it has.
        weight = np.concatenate([np.full(len(h[0]), 1 / len(h[0])) for h in held])
        rows.append(
            Transported(
                stratum.judge, stratum.measure, stratum.retriever, metric, found.mean, found.low, found.high, *new,
                float(np.sqrt(found.tau2)), float(np.average((own - came) ** 2, weights=weight)),
                float(np.average((common - came) ** 2, weights=weight)),
                float(np.average(own[sure], weights=weight[sure])) if sure.any() else np.nan,
                float(np.average(came[sure], weights=weight[sure])) if sure.any() else np.nan,
                int(sure.sum()), len(lines),
            )
        )  # fmt: skip
    return rows


def _line(setting: Setting, metric: str) -> _Line:
    x, y = setting.x[setting.metrics.index(metric)], setting.y
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    # Units, not systems, are independent: near-copies do not make the residual smaller or surer.
    sums = np.bincount(setting.unit, centred * rest)
    inflation = setting.units / max(1, setting.units - 2)
    variance = float((sums**2).sum() / (centred @ centred) ** 2) * inflation
    i, j = np.triu_indices(len(x), 1)
    dx, dy = x[i] - x[j], y[i] - y[j]
    kept = (dx != 0) & (dy != 0)
    turn = np.sign(dx[kept])
    return _Line(
        slope, max(variance, 1e-300), float(rest @ rest / max(1, len(x) - 2)), dx[kept] * turn, dy[kept] * turn
    )


def _left_out(lines: Sequence[_Line], at: int) -> tuple[Doubles, Doubles, Doubles]:
    """For each pair of collection `at`: stated probability that the better by the metric is better, also with one
    common slope, and 1 or 0 for whether it is; turned so that at least .5 is stated."""
    others = [line for i, line in enumerate(lines) if i != at]
    slopes, variances = np.array([o.slope for o in others]), np.array([o.variance for o in others])
    found = pooled_mean(slopes, variances)
    weight = 1 / (variances + found.tau2)
    residual = float(np.mean([o.residual for o in others]))
    fixed = 1 / variances
    dx, dy = lines[at].dx, lines[at].dy
    spread = found.tau2 + 1 / weight.sum()
    own = ndtr(found.mean * dx / np.sqrt(2 * residual + dx**2 * spread))
    common = ndtr(fixed @ slopes / fixed.sum() * dx / np.sqrt(2 * residual + dx**2 / fixed.sum()))
    came, turned = (dy > 0).astype(np.float64), own < 0.5
    own, common, came = (np.where(turned, 1 - values, values) for values in (own, common, came))
    return own, common, came
