"""Metrics against people's system scores: Pearson's r with an interval, and Spearman's rho."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.labs.papers.human_scores import HumanSegments
from clirbench.labs.papers.statistics.jackknife import corpus_score
from clirbench.metrics.base import Metric, Statistics
from clirbench.statistics.bootstrap import percentile
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
class SystemLevel:
    """One metric against people, over systems: the row of the table, and what both sides are on resampled segments.

    `scores`, `human_scores`: (systems,); `samples`, `human_samples`: (samples, systems).
    """

    row: SystemCorrelation
    scores: Doubles
    samples: Doubles
    human_scores: Doubles
    human_samples: Doubles


def against_people(
    metrics: Sequence[Metric],
    statistics: Mapping[tuple[str, str], Statistics],
    human: HumanSegments,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> list[SystemLevel]:
    """Pearson's r and Spearman's rho of every metric with people's mean scores, over the systems that both have.

    The interval is that of the standard: people's judgments of segments are drawn again, n of n with replacement, and
    r is taken with the metric's own scores; percentiles. The metric's own uncertainty (its ellipse's other axis)
    comes from the same draws of segments. A metric where less is better is turned round. NaN for fewer than two
    systems. **Source:** Stanojevic et al. 2015, section 3 and appendix A.
    """
    n = human.scores.shape[1]
    drawn = Draws(("segments",), samples, "replacement", seed).weights("segments", n)
    means, resampled = human.means, human.resampled(drawn)
    found = []
    for metric in metrics:
        kept = [i for i, system in enumerate(human.systems) if (metric.name, system) in statistics]
        sign = 1.0 if metric.higher_is_better else -1.0
        held = [statistics[metric.name, human.systems[i]] for i in kept]
        scores = np.array([corpus_score(metric, one) for one in held])
        moved = [weighted_scores(metric, one, drawn) for one in held]
        gold, gold_samples = means[kept], resampled[:, kept]
        low, high = _interval(sign * scores, gold_samples)
        row = SystemCorrelation(
            metric=metric.name,
            pearson=_value(pearson, sign * scores, gold),
            ci_low=low,
            ci_high=high,
            spearman=_value(spearman, sign * scores, gold),
            n_systems=len(kept),
            n_segments=n,
            samples=samples,
        )
        own = np.stack(moved, axis=1) if moved else np.empty((samples, 0))
        found.append(SystemLevel(row, scores, own, gold, gold_samples))
    return found


def _value(coefficient: Callable[..., Coefficient], x: Doubles, y: Doubles) -> float:
    return coefficient(x, y, p_value="scipy").value if len(x) > 1 else nan


def _interval(x: Doubles, samples: Doubles) -> tuple[float, float]:
    """The middle 95 % of Pearson's r of x with every row of samples."""
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
    return percentile(values)
