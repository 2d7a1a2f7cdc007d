"""Metrics against people's system scores: Pearson's r with an interval, and Spearman's rho."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.files.human_scores import HumanSegments
from clirbench.metrics.base import Metric, Statistics
from clirbench.statistics.coefficients import Coefficient, pearson, spearman
from clirbench.statistics.resampling import Draws, weighted_scores
from clirbench.types import Doubles


@dataclass(frozen=True)
class SystemCorrelation:
    """One row of system_level.tsv: how far a metric's scores of systems agree with people's."""

    metric: str
    pearson: float
    ci_low: float
    ci_high: float
    spearman: float
    n_systems: int
    n_segments: int
    samples: int


@dataclass(frozen=True, eq=False)
class Resampled:
    """Scores of systems and what they are on resampled segments: (systems,) and (samples, systems)."""

    scores: Doubles
    samples: Doubles


@dataclass(frozen=True, eq=False)
class SystemLevel:
    """One metric against people, over systems: coefficients, the interval of Pearson's r, and both sides' samples."""

    metric: str
    systems: tuple[str, ...]
    pearson: float
    ci_low: float
    ci_high: float
    spearman: float
    own: Resampled
    human: Resampled
    n_segments: int

    def row(self) -> SystemCorrelation:
        return SystemCorrelation(
            metric=self.metric,
            pearson=self.pearson,
            ci_low=self.ci_low,
            ci_high=self.ci_high,
            spearman=self.spearman,
            n_systems=len(self.systems),
            n_segments=self.n_segments,
            samples=len(self.human.samples),
        )


def against_people(
    metrics: Sequence[Metric],
    statistics: Mapping[tuple[str, str], Statistics],
    human: HumanSegments,
    *,
    samples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> list[SystemLevel]:
    """Pearson's r and Spearman's rho of every metric with people's mean scores, over the systems that both have.

    The interval is that of the standard: people's judgments of segments are drawn again, n of n with replacement, and
    r is taken with the metric's own scores; percentiles. The metric's own uncertainty (its ellipse's other axis)
    comes from the same draws of segments. A metric where less is better is turned round. NaN for fewer than two
    systems. **Source:** Stanojevic et al. 2015, section 3 and appendix A.
    """
    n = human.scores.shape[1]
    drawn = Draws(("segments",), samples, "replacement", seed).weights("segments", n)
    people = Resampled(human.means, human.resampled(drawn))
    found = []
    for metric in metrics:
        kept = [i for i, system in enumerate(human.systems) if (metric.name, system) in statistics]
        systems = tuple(human.systems[i] for i in kept)
        sign = 1.0 if metric.higher_is_better else -1.0
        held = [statistics[metric.name, system] for system in systems]
        scores = np.array([_score(metric, one) for one in held])
        moved = [weighted_scores(metric, one, drawn) for one in held]
        own = Resampled(scores, np.stack(moved, axis=1) if moved else np.empty((samples, 0)))
        gold = Resampled(people.scores[kept], people.samples[:, kept])
        low, high = _interval(sign * scores, gold.samples, level)
        level_of_metric = SystemLevel(
            metric=metric.name,
            systems=systems,
            pearson=_value(pearson, sign * scores, gold.scores),
            ci_low=low,
            ci_high=high,
            spearman=_value(spearman, sign * scores, gold.scores),
            own=own,
            human=gold,
            n_segments=n,
        )
        found.append(level_of_metric)
    return found


def _score(metric: Metric, statistics: Statistics) -> float:
    return float(metric.score(np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)))


def _value(coefficient: Callable[..., Coefficient], x: Doubles, y: Doubles) -> float:
    return coefficient(x, y, p_value="scipy").value if len(x) > 1 else nan


def _interval(x: Doubles, samples: Doubles, level: float) -> tuple[float, float]:
    """Percentiles of Pearson's r of x with every row of samples."""
    if len(x) < 2 or np.ptp(x) == 0:
        return nan, nan
    centred = samples - samples.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).sum(axis=1))
    mine = x - x.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        values = centred @ mine / (spread * np.sqrt((mine**2).sum()))
    values = values[np.isfinite(values)]
    if not len(values):
        return nan, nan
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
