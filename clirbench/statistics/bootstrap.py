"""Intervals of coefficients: resample systems, topics and segments, each alone or all at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.pages.wording import short
from clirbench.statistics.evidence import Evidence, holes, panels
from clirbench.statistics.resampling import LEVELS, Draws, drawn_systems, resampled_x, resampled_y
from clirbench.statistics.units.jackknife import Interval
from clirbench.statistics.vectorised import GRIDS
from clirbench.types import Doubles

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
