"""Intervals of coefficients: resample systems, topics and segments, each alone or all at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import nan
from statistics import NormalDist
from typing import Literal

import numpy as np

from clirbench.errors import ConfigError
from clirbench.statistics.evidence import Evidence, holes, panels
from clirbench.statistics.resampling import (
    LEVELS,
    Draws,
    drawn_systems,
    measure_values,
    metric_scores,
    resampled_x,
    resampled_y,
)
from clirbench.statistics.vectorised import Grid, grid
from clirbench.types import Doubles, Ints

Method = Literal["percentile", "bca"]
METHODS = ("percentile", "bca")
GROUPS = 100


@dataclass(frozen=True)
class Interval:
    """The confidence interval of one coefficient between one measure and one metric.

    `samples` is how many resamples gave a value (a resample in which a column is constant gives none); `scheme`
    says what was drawn and how. NaN bounds come with a note that says why.
    """

    measure: str
    metric: str
    coefficient: str
    value: float
    ci_low: float
    ci_high: float
    level: float
    method: str
    scheme: str
    n_systems: int
    n_topics: int
    n_segments: int
    samples: int
    seed: int
    note: str = ""


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made: what is drawn, which interval is read off, at which level.

    `percentile` takes the quantiles of the resampled coefficients; `bca` corrects them for bias and skewness
    (Efron 1987), its acceleration by a jackknife over every drawn level (segments in at most 100 groups).
    Raises `ConfigError` for an unknown method, a level outside (0, 1), or BCa of half samples, which it is not
    defined for.
    """

    draws: Draws = field(default_factory=Draws)
    method: Method = "percentile"
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigError(f"method={self.method}: choose from {', '.join(METHODS)}")
        if not 0 < self.level < 1:
            raise ConfigError(f"level={self.level}: a confidence level lies between 0 and 1")
        if self.method == "bca" and self.draws.sampling != "replacement":
            raise ConfigError("method=bca needs sampling=replacement; half samples have percentile intervals")


def intervals(
    evidence: Evidence, coefficients: Sequence[str] = ("kendall",), how: Bootstrap = Bootstrap(), complete: bool = False
) -> list[Interval]:
    """An interval for every coefficient of every (measure, metric) pair.

    Pairs with holes are undefined and say which systems are missing; with `complete` they are computed over the
    systems that have both values.
    """
    found: dict[tuple[str, str, str], Interval] = {}
    for part, note in panels(evidence, complete):
        drawn = resampled_x(part, how.draws), resampled_y(part, how.draws)
        for name in coefficients:
            for row in _panel(part, name, how, note, drawn):
                found.setdefault((row.measure, row.metric, name), row)
    lacking = {hole.column: str(hole) for hole in holes(evidence)}
    return [
        found.get((measure, metric, name)) or _hole(evidence, measure, metric, name, how, lacking)
        for measure in evidence.measure_names
        for metric in evidence.metric_names
        for name in coefficients
    ]


def _panel(evidence: Evidence, name: str, how: Bootstrap, note: str, drawn: tuple[Doubles, Doubles]) -> list[Interval]:
    function = grid(name)
    observed = function(evidence.x[None], evidence.y[None])[0]
    few = len(evidence.systems) < 3
    systems = how.draws.items("systems", len(evidence.systems))
    values = function(*(drawn_systems(columns, systems) for columns in drawn))
    jackknifed = _jackknife(evidence, function, how.draws.levels) if how.method == "bca" and not few else []
    rows = []
    for at_y, measure in enumerate(evidence.measure_names):
        for at_x, metric in enumerate(evidence.metric_names):
            sample = values[:, at_x, at_y]
            sample = sample[np.isfinite(sample)]
            value = float(observed[at_x, at_y])
            row = replace(_unbounded(evidence, measure, metric, name, how), value=value, samples=len(sample), note=note)
            influences = [part[:, at_x, at_y] for part in jackknifed]
            rows.append(_bounded(row, sample, influences, _problem(evidence, metric, measure, value, few), how))
    return rows


def _bounded(row: Interval, sample: Doubles, influences: list[Doubles], problem: str, how: Bootstrap) -> Interval:
    """The row with its bounds, or with the reason why there are none."""
    fixed = _fixed(row, how.draws.levels)
    if not problem and len(sample) < 0.5 * how.draws.samples:
        problem = f"only {len(sample)} of {how.draws.samples} resamples have a value"
    if problem:
        return replace(row, note="; ".join(filter(None, [row.note, problem])))
    if how.method == "bca":
        low, high = bca(sample, row.value, influences, how.level)
    else:
        low, high = percentile(sample, how.level)
    outside = "" if low <= row.value <= high else "the interval does not contain the value: resampling is biased"
    return replace(row, ci_low=low, ci_high=high, note="; ".join(filter(None, [row.note, fixed, outside])))


def percentile(sample: Doubles, level: float = 0.95) -> tuple[float, float]:
    """The (1 - level)/2 and (1 + level)/2 quantiles of resampled values (samples,). **Source:** Efron 1979."""
    low, high = np.quantile(sample, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


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


def _problem(evidence: Evidence, metric: str, measure: str, value: float, few: bool) -> str:
    if few:
        return f"{len(evidence.systems)} systems: an interval needs at least 3"
    if np.isnan(value):
        constant = [name for name in (metric, measure) if len(np.unique(evidence.board[name].values)) == 1]
        return f"{' and '.join(constant)}: constant over all systems"
    return ""


def _fixed(row: Interval, levels: Sequence[str]) -> str:
    """Which levels were asked for and could not be drawn, because only the scores are known."""
    known = {"systems": row.n_systems, "topics": row.n_topics, "segments": row.n_segments}
    fixed = [level for level in LEVELS if level in levels and not known[level]]
    return f"{' and '.join(fixed)} held fixed: only scores are known" if fixed else ""


def _hole(
    evidence: Evidence, measure: str, metric: str, name: str, how: Bootstrap, lacking: dict[str, str]
) -> Interval:
    note = "; ".join(lacking[column] for column in (metric, measure) if column in lacking)
    return replace(_unbounded(evidence, measure, metric, name, how), note=note)


def _unbounded(evidence: Evidence, measure: str, metric: str, name: str, how: Bootstrap) -> Interval:
    """What an interval says before anything was drawn."""
    return Interval(
        measure=measure,
        metric=metric,
        coefficient=name,
        value=nan,
        ci_low=nan,
        ci_high=nan,
        level=how.level,
        method=how.method,
        scheme=how.draws.scheme,
        n_systems=len(evidence.systems),
        n_topics=evidence.topics(measure),
        n_segments=evidence.segments(metric),
        samples=0,
        seed=how.draws.seed,
    )
