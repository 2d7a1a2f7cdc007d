"""Intervals of coefficients that are corrected for bias and skewness: `correlation.intervals.method=bca`."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from clirbench.errors import ConfigError
from clirbench.statistics.bootstrap import Bootstrap, Ends
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import drawn_systems, measure_values, metric_scores
from clirbench.statistics.vectorised import Grid
from clirbench.types import Doubles, Ints

GROUPS = 100


@dataclass(frozen=True)
class BCa(Bootstrap):
    """Bias-corrected and accelerated intervals (Efron 1987).

    The acceleration is that of a jackknife over every drawn level (segments in at most 100 groups). Raises
    `ConfigError` for half samples, which it is not defined for.
    """

    methods: ClassVar[tuple[str, ...]] = ("bca",)

    method: str = "bca"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.draws.sampling != "replacement":
            raise ConfigError("method=bca needs sampling=replacement; half samples have percentile intervals")

    def ends(self, evidence: Evidence, function: Grid) -> Ends:
        jackknifed = _jackknife(evidence, function, self.draws.levels)

        def found(sample: Doubles, value: float, at_x: int, at_y: int) -> tuple[float, float]:
            return bca(sample, value, [part[:, at_x, at_y] for part in jackknifed], self.level)

        return found


def bca(sample: Doubles, value: float, jackknifed: Sequence[Doubles], level: float = 0.95) -> tuple[float, float]:
    """The bias-corrected and accelerated interval.

    z0 = Phi^-1(share of resamples below the value, ties by half); a = sum U^3 / (6 (sum U^2)^(3/2)) with U the
    jackknife influences of every level. Quantiles are Phi(z0 + (z0 + z)/(1 - a (z0 + z))).
    `jackknifed`: for each level the values without each of its items. Falls back to z0 of the outermost sample
    where all resamples lie on one side. **Source:** Efron 1987; several samples: Davison and Hinkley 1997, 5.3.2.
    """
    normal = NormalDist()
    below = float(((sample < value).mean() + (sample <= value).mean()) / 2)
    z0 = normal.inv_cdf(min(max(below, 0.5 / len(sample)), 1 - 0.5 / len(sample)))
    influences = [
        (len(part) - 1) / len(part) * (part.mean() - part)
        for part in (p[np.isfinite(p)] for p in jackknifed)
        if len(part)
    ]
    u = np.concatenate(influences) if influences else np.zeros(1)
    size = float((u**2).sum())
    a = float((u**3).sum()) / (6 * size**1.5) if size > 0 else 0.0
    bounds = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        shifted = z0 + normal.inv_cdf(share)
        bounds.append(normal.cdf(z0 + shifted / (1 - a * shifted)))
    low, high = np.quantile(sample, bounds)
    return float(low), float(high)


def _jackknife(evidence: Evidence, function: Grid, levels: Sequence[str]) -> list[Doubles]:
    """For each drawn level, the coefficients without each of its items (or groups): (items, metrics, measures)."""
    parts = []
    n = len(evidence.systems)
    if "systems" in levels:
        kept = _leaving_out(n)
        x, y = (np.tile(columns, (n, 1, 1)) for columns in (evidence.x, evidence.y))
        parts.append(function(drawn_systems(x, kept), drawn_systems(y, kept)))
    if "topics" in levels:
        parts += _left_out_topics(evidence, function)
    if "segments" in levels:
        parts += _left_out_segments(evidence, function)
    return parts


def _left_out_topics(evidence: Evidence, function: Grid) -> list[Doubles]:
    """One part for each number of topics; measures with another number stay as they are in it."""
    parts = []
    for n in sorted({evidence.topics(name) for name in evidence.measure_names} - {0}):
        y = np.tile(evidence.y, (n, 1, 1))
        for at, name in enumerate(evidence.measure_names):
            if evidence.topics(name) == n:
                y[:, at] = measure_values(evidence, name, _leaving_out(n))
        parts.append(function(np.tile(evidence.x, (n, 1, 1)), y))
    return parts


def _left_out_segments(evidence: Evidence, function: Grid) -> list[Doubles]:
    """One part for each number of segments, which are left out in groups: tau does not feel a single one."""
    parts = []
    for n in sorted({evidence.segments(name) for name in evidence.metric_names} - {0}):
        groups = min(GROUPS, n)
        weighting = (np.arange(n)[None, :] % groups != np.arange(groups)[:, None]).astype(np.float64)
        x = np.tile(evidence.x, (groups, 1, 1))
        for at, name in enumerate(evidence.metric_names):
            if evidence.segments(name) == n:
                x[:, at] = metric_scores(evidence, name, weighting)
        parts.append(function(x, np.tile(evidence.y, (groups, 1, 1))))
    return parts


def _leaving_out(n: int) -> Ints:
    """(n, n - 1): all items but each in turn."""
    return np.array([[i for i in range(n) if i != left] for left in range(n)], dtype=np.int64).reshape(n, n - 1)
