"""Metrics against people's system scores: Pearson with an interval, Spearman, and plots with confidence ellipses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from clirbench.files.human_scores import HumanSegments
from clirbench.metrics.base import Metric
from clirbench.statistics.coefficients import pearson, spearman
from clirbench.statistics.resampling import Draws, weighted_scores
from clirbench.types import Doubles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from clirbench.metrics.base import Statistics

HEADER = ("metric", "pearson", "ci_low", "ci_high", "spearman", "n_systems", "n_segments", "samples")


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

    def row(self) -> tuple[str, float, float, float, float, int, int, int]:
        n, samples = len(self.systems), len(self.human.samples)
        return (
            self.metric, self.pearson, self.ci_low, self.ci_high, self.spearman, n, self.n_segments, samples,
        )  # fmt: skip


def against_people(
    metrics: Sequence[Metric],
    statistics: "Mapping[tuple[str, str], Statistics]",
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
        found.append(
            SystemLevel(
                metric.name, systems,
                _value(pearson, sign * scores, gold.scores), low, high, _value(spearman, sign * scores, gold.scores),
                own, gold, n,
            )
        )  # fmt: skip
    return found


def _score(metric: Metric, statistics: "Statistics") -> float:
    return float(metric.score(np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)))


def _value(coefficient: "object", x: Doubles, y: Doubles) -> float:
    return float(coefficient(x, y, p_value="scipy").value) if len(x) > 1 else nan  # type: ignore[operator]


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


def half_widths(one: Resampled, level: float = 0.95) -> Doubles:
    """(systems,): half the percentile interval of each system's resampled score."""
    low, high = np.nanquantile(one.samples, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.asarray((high - low) / 2)


def ellipse(x: Doubles, y: Doubles, points: int = 60) -> tuple[Doubles, Doubles]:
    """The outline of an ellipse around 0 whose bounding box is the two percentile intervals, tilted as x and y covary.

    x, y: (samples,) resampled scores of one system. Width and height are the 95 % intervals; the tilt is the
    correlation of the two sides over the same draws of segments.
    """
    width, height = ((np.nanquantile(v, 0.975) - np.nanquantile(v, 0.025)) / 2 for v in (x, y))
    both = np.isfinite(x) & np.isfinite(y)
    r = float(np.corrcoef(x[both], y[both])[0, 1]) if np.ptp(x[both]) and np.ptp(y[both]) else 0.0
    r = 0.0 if isnan(r) else r
    angle = np.linspace(0, 2 * np.pi, points)
    return width * np.cos(angle), height * (r * np.cos(angle) + np.sqrt(max(1 - r * r, 0.0)) * np.sin(angle))


def figure(found: Sequence[SystemLevel]) -> "Figure":
    """A scatter plot for each metric with an ellipse for each system."""
    from matplotlib.figure import Figure

    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    drawn = Figure(figsize=(3.4 * columns, 3 * rows), layout="constrained")
    axes = drawn.subplots(rows, columns, squeeze=False).ravel()
    for axis, one in zip(axes, found, strict=False):
        for at in range(len(one.systems)):
            x, y = ellipse(one.own.samples[:, at], one.human.samples[:, at])
            axis.plot(one.own.scores[at] + x, one.human.scores[at] + y, color="#BBBBBB", linewidth=0.7)
        axis.scatter(one.own.scores, one.human.scores, s=16, color="#0072B2")
        axis.set_xlabel(one.metric)
        axis.set_ylabel("people")
        axis.set_title(f"r {one.pearson:.3f}", fontsize=9)
        axis.grid(alpha=0.25, linewidth=0.5)
    for axis in axes[len(found) :]:
        axis.set_visible(False)
    return drawn
