"""Resampled scores from sufficient statistics: `metric.score(W @ statistics)` and `measure.aggregate(values[:, T])`.

Segments (MT side) and topics (IR side) are different items with independent draws. Metrics share the draws of
segments and measures those of topics, so that differences between columns are paired.

Intervals of coefficients: resample systems, topics and segments, each alone or all at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from clirbench.errors import ConfigError
from clirbench.metrics.base import Metric, Resampled
from clirbench.pages import short
from clirbench.statistics.agreement import Interval
from clirbench.statistics.coefficients import GRIDS
from clirbench.statistics.grades import Evidence, holes, panels
from clirbench.types import Doubles, Ints

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics

LEVELS = ("systems", "topics", "segments")
BLOCK = 64
HELD = 1 << 22
"""Values of topics that are drawn at once, beyond those of one sample."""


@dataclass(frozen=True)
class Draws:
    """What is drawn: `samples` times n of n with replacement from each of `levels`, reproducible from `seed`.

    Raises `ConfigError` for another level and for no samples. **Source:** Koehn 2004.
    """

    levels: Sequence[str] = LEVELS
    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        unknown = [level for level in self.levels if level not in LEVELS]
        if unknown or not self.levels:
            raise ConfigError(f"levels={list(self.levels)}: choose from {', '.join(LEVELS)}")
        if self.samples < 1:
            raise ConfigError(f"samples={self.samples}: at least 1")

    def items(self, level: str, n: int) -> Ints:
        """(samples, drawn): which of n items each sample holds; all items in order where the level is not drawn."""
        return np.concatenate(list(self.blocks(level, n)))

    def weights(self, level: str, n: int) -> Doubles:
        """(samples, n): how often each sample holds each of n items; the items themselves are never all there."""
        return np.concatenate([weights(block, n) for block in self.blocks(level, n)])

    def blocks(self, level: str, n: int) -> Iterator[Ints]:
        """The rows of `items`, some at a time."""
        rng = np.random.default_rng([self.seed, LEVELS.index(level), n])
        for start in range(0, self.samples, BLOCK):
            size = min(BLOCK, self.samples - start)
            if level not in self.levels:
                yield np.tile(np.arange(n), (size, 1))
            else:
                yield rng.integers(n, size=(size, n))

    @property
    def scheme(self) -> str:
        """What the tables print: levels, samples and seed."""
        return f"{'+'.join(self.levels)}, n of n with replacement, {self.samples} samples, seed {self.seed}"


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


def measure_values(evidence: Evidence, name: str, topics: Ints) -> Doubles:
    """(samples, systems): a measure over every row of topic numbers (samples, drawn), more is better."""
    per_topic = evidence.per_topic[name]
    aggregate = evidence.measures[name].aggregate
    size = max(1, min(BLOCK, HELD // max(1, len(per_topic) * topics.shape[1])))
    blocks = range(0, len(topics), size)
    values = [aggregate(per_topic[:, topics[at : at + size]].swapaxes(0, 1)) for at in blocks]
    return evidence.sign(name) * np.concatenate(values)


def resampled_x(evidence: Evidence, draws: Draws) -> Doubles:
    """(samples, metrics, systems): every metric on drawn segments; columns without statistics stay as they are."""
    x = np.tile(evidence.x, (draws.samples, 1, 1))
    for at, name in enumerate(evidence.metric_names if "segments" in draws.levels else ()):
        if n := evidence.segments(name):
            x[:, at] = metric_scores(evidence, name, draws.weights("segments", n))
    return x


def resampled_y(evidence: Evidence, draws: Draws) -> Doubles:
    """(samples, measures, systems): every measure on drawn topics; columns without topics stay as they are."""
    y = np.tile(evidence.y, (draws.samples, 1, 1))
    for at, name in enumerate(evidence.measure_names if "topics" in draws.levels else ()):
        if n := evidence.topics(name):  # all draws of many topics are never there at once
            y[:, at] = np.concatenate([measure_values(evidence, name, block) for block in draws.blocks("topics", n)])
    return y


def drawn_systems(columns: Doubles, systems: Ints) -> Doubles:
    """(samples, columns, drawn): the drawn systems' values, from (samples, columns, systems)."""
    return np.take_along_axis(columns, systems[:, None, :], axis=2)


FEWEST = 3
"""Systems that an interval needs."""


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made: what is drawn, and the level; the ends are quantiles of the resampled coefficients.

    Raises `ConfigError` for a level outside (0, 1).
    """

    draws: Draws = field(default_factory=Draws)
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ConfigError(f"level={self.level}: a confidence level lies between 0 and 1")

    @property
    def scheme(self) -> str:
        """What the tables print: the level and what was drawn."""
        return f"percentile {short(100 * self.level)} %: {self.draws.scheme}"


def intervals(
    evidence: Evidence, coefficients: Sequence[str], how: Bootstrap = Bootstrap(), complete: bool = False
) -> dict[tuple[str, str, str], Interval]:
    """The interval of every coefficient by (measure, metric, coefficient); NaN with the reason in `note`.

    Pairs with holes are undefined and say which systems are missing; with `complete` they are computed over the
    systems that have both values.
    """
    found: dict[tuple[str, str, str], Interval] = {}
    for part, note in panels(evidence, complete):
        drawn = resampled_x(part, how.draws), resampled_y(part, how.draws)
        for name in coefficients:
            found = _panel(part, name, how, note, drawn) | found
    lacking = {hole.column: str(hole) for hole in holes(evidence)}
    for measure, metric, name in product(evidence.measure_names, evidence.metric_names, coefficients):
        note = "; ".join(lacking[column] for column in (metric, measure) if column in lacking)
        found.setdefault((measure, metric, name), Interval(nan, note=note))
    return found


def _panel(
    evidence: Evidence, name: str, how: Bootstrap, note: str, drawn: tuple[Doubles, Doubles]
) -> dict[tuple[str, str, str], Interval]:
    function = GRIDS[name]
    observed = function(evidence.x[None], evidence.y[None])[0]
    systems = how.draws.items("systems", len(evidence.systems))
    values = function(*(drawn_systems(columns, systems) for columns in drawn))
    rows = {}
    for at_y, measure in enumerate(evidence.measure_names):
        for at_x, metric in enumerate(evidence.metric_names):
            sample = values[:, at_x, at_y]
            sample = sample[np.isfinite(sample)]
            value = float(observed[at_x, at_y])
            low, high, said = nan, nan, _problem(evidence, metric, measure, value)
            if not said and len(sample) < 0.5 * how.draws.samples:
                said = f"only {len(sample)} of {how.draws.samples} resamples have a value"
            if not said:
                low, high = percentile(sample, how.level)
                outside = (
                    "" if low <= value <= high else "the interval does not contain the value: resampling is biased"
                )
                said = "; ".join(filter(None, [_fixed(evidence, metric, measure, how.draws.levels), outside]))
            rows[measure, metric, name] = Interval(value, low, high, "; ".join(filter(None, [note, said])))
    return rows


def percentile(sample: Doubles, level: float = 0.95) -> tuple[float, float]:
    """The (1 - level)/2 and (1 + level)/2 quantiles of resampled values (samples,). **Source:** Efron 1979."""
    low, high = np.quantile(sample, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _problem(evidence: Evidence, metric: str, measure: str, value: float) -> str:
    """Why there is no interval; nothing where there is one."""
    if len(evidence.systems) < FEWEST:
        return f"{len(evidence.systems)} systems: an interval needs at least {FEWEST}"
    if np.isnan(value):
        constant = [name for name in (metric, measure) if len(np.unique(evidence.board[name].values)) == 1]
        return f"{' and '.join(constant)}: constant over all systems"
    return ""


def _fixed(evidence: Evidence, metric: str, measure: str, levels: Sequence[str]) -> str:
    """Which levels were asked for and could not be drawn, because only the scores are known."""
    known = {
        "systems": len(evidence.systems),
        "topics": evidence.topics(measure),
        "segments": evidence.segments(metric),
    }
    fixed = [level for level in LEVELS if level in levels and not known[level]]
    return f"{' and '.join(fixed)} held fixed: only scores are known" if fixed else ""
