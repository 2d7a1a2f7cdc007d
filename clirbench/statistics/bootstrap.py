"""Intervals of coefficients: resample systems, topics and segments, each alone or all at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import nan
from statistics import NormalDist
from typing import Literal

import numpy as np

from clirbench.errors import ConfigError
from clirbench.pages.wording import short
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
from clirbench.statistics.units.jackknife import Interval
from clirbench.statistics.vectorised import Grid, grid
from clirbench.types import Doubles, Ints

Method = Literal["percentile", "bca"]
METHODS = ("percentile", "bca")
GROUPS = 100
FEWEST = 3
"""Systems that an interval needs."""


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

    @property
    def scheme(self) -> str:
        """What the tables print: method, level and what was drawn."""
        return f"{self.method} {short(100 * self.level)} %: {self.draws.scheme}"


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
    function = grid(name)
    observed = function(evidence.x[None], evidence.y[None])[0]
    systems = how.draws.items("systems", len(evidence.systems))
    values = function(*(drawn_systems(columns, systems) for columns in drawn))
    bca_asked = how.method == "bca" and len(evidence.systems) >= FEWEST
    jackknifed = _jackknife(evidence, function, how.draws.levels) if bca_asked else []
    rows = {}
    for at_y, measure in enumerate(evidence.measure_names):
        for at_x, metric in enumerate(evidence.metric_names):
            sample = values[:, at_x, at_y]
            sample = sample[np.isfinite(sample)]
            value = float(observed[at_x, at_y])
            influences = [part[:, at_x, at_y] for part in jackknifed]
            low, high, said = nan, nan, _problem(evidence, metric, measure, value)
            if not said and len(sample) < 0.5 * how.draws.samples:
                said = f"only {len(sample)} of {how.draws.samples} resamples have a value"
            if not said:
                low, high = bca(sample, value, influences, how.level) if bca_asked else percentile(sample, how.level)
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
