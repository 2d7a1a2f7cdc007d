"""Resampled scores from sufficient statistics: `metric.score(W @ statistics)` and `measure.aggregate(values[:, T])`.

Segments (MT side) and topics (IR side) are different items with independent draws. Metrics share the draws of
segments and measures those of topics, so that differences between columns are paired.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clirbench.errors import ConfigError
from clirbench.metrics.base import Metric, Resampled
from clirbench.statistics.grades import Evidence
from clirbench.types import Doubles, Ints

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics

LEVELS = ("systems", "topics", "segments")
BLOCK = 64


@dataclass(frozen=True)
class Draws:
    """`samples` times n of n items with replacement, reproducible from `seed`; of each of `LEVELS` draws of its own.

    Raises `ConfigError` for no samples. **Source:** Koehn 2004.
    """

    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ConfigError(f"samples={self.samples}: at least 1")

    def items(self, level: str, n: int) -> Ints:
        """(samples, n): which of n items each sample holds."""
        return np.concatenate(list(self.blocks(level, n)))

    def weights(self, level: str, n: int) -> Doubles:
        """(samples, n): how often each sample holds each of n items; the items themselves are never all there."""
        return np.concatenate([weights(block, n) for block in self.blocks(level, n)])

    def blocks(self, level: str, n: int) -> Iterator[Ints]:
        """The rows of `items`, some at a time."""
        rng = np.random.default_rng([self.seed, LEVELS.index(level), n])
        for start in range(0, self.samples, BLOCK):
            yield rng.integers(n, size=(min(BLOCK, self.samples - start), n))


def weights(items: Ints, n: int) -> Doubles:
    """(samples, n): how often each sample holds each item."""
    weighting = np.empty((len(items), n))
    for row, drawn in zip(weighting, items, strict=True):
        row[:] = np.bincount(drawn, minlength=n)
    return weighting


def weighted_scores(metric: Metric, statistics: "Statistics", weighting: Doubles) -> Doubles:
    """Scores of one system's statistics (segments x k) under every row of weights (samples, segments): (samples,)."""
    if isinstance(statistics, np.ndarray):
        return np.asarray(metric.score(weighting @ statistics))
    if isinstance(metric, Resampled):
        return metric.resampled(statistics, weighting)
    parts = [weighting[at : at + BLOCK] @ statistics for at in range(0, len(weighting), BLOCK)]
    return np.concatenate([metric.score(np.asarray(part)) for part in parts])


def metric_scores(evidence: Evidence, name: str, weighting: Doubles) -> Doubles:
    """(samples, systems): a metric under every row of segment weights, more is better."""
    metric = evidence.metrics[name]
    held = [evidence.statistics[name, system] for system in evidence.systems]
    dense = [statistics for statistics in held if isinstance(statistics, np.ndarray)]
    if len(dense) == len(held):
        totals = weighting @ np.hstack(dense)  # one product for all systems: BLAS likes it wide
        scores = metric.score(totals.reshape(len(weighting), len(held), -1))
    else:
        scores = np.stack([weighted_scores(metric, statistics, weighting) for statistics in held], axis=1)
    return evidence.sign(name) * np.asarray(scores)


def percentile(sample: Doubles, level: float = 0.95) -> tuple[float, float]:
    """The (1 - level)/2 and (1 + level)/2 quantiles of resampled values (samples,). **Source:** Efron 1979."""
    low, high = np.quantile(sample, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
