"""The decision on one measure: which system to recommend, which are tied with it, what each metric would choose."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from clirbench.measures.base import arithmetic
from clirbench.pages.wording import number
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.best import compared_with_first, expected_loss, p_best, true_values
from clirbench.statistics.model.noise import FEWEST_TOPICS, Noise, mean_limits, topic_noise
from clirbench.statistics.model.rise import better_with, jackknifed_slope
from clirbench.statistics.units.belonging import Units, known_before
from clirbench.statistics.units.jackknife import Interval
from clirbench.types import Doubles, Ints

RELIABLE = 0.45
ENOUGH_TOPICS = 20
"""Least reliability (one-sided .95 limit) and least number of topics for which P(best) and losses are expected."""
MOST_SYSTEMS = 400
"""Every system is compared with every other in each of 4,000 draws."""
POPULATION = "a population of topics, of which these are a sample"


@dataclass(frozen=True)
class Standing:
    """One system on a measure, turned so that more is better, in a population of topics.

    `value`: measured; `low`, `high`: .95 interval of the system's own mean, around the measured one. `difference` <= 0
    from the recommended system, with the .95 interval of `Comparisons`; `in_set`: it is statistically tied with the
    recommended one. P(it is the best) by the topics, and by topics and metrics; `expected_loss` >= 0 by the topics. NaN
    where not known: `note` says why.
    """

    system: str
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p_best: float
    p_best_with_metrics: float
    expected_loss: float
    in_set: bool
    note: str = ""


@dataclass(frozen=True)
class Pick:
    """What a metric chooses, and what a rise of it is worth.

    `system`: its first; of several that tie, the worst by the measure. `better` in (0, 1): of two of these systems
    whose metric differs by 1, P(the higher one is better by the measure), with its .95 interval; NaN where not known:
    `note` says why.
    """

    metric: str
    system: str
    better: float
    better_low: float
    better_high: float
    note: str = ""


@dataclass(frozen=True)
class Decision:
    """What is known of the best system on `measure`; without rows `reason` says why nothing is known.

    `standings`: highest value first; `picks`: one for each metric that is not constant. `reliability`: one-sided .95
    limit of 1 - noise / measured variance.
    """

    measure: str
    standings: tuple[Standing, ...] = ()
    picks: tuple[Pick, ...] = ()
    n_topics: int = 0
    reliability: float = nan
    reason: str = ""

    def __getitem__(self, system: str) -> Standing:
        return next(row for row in self.standings if row.system == system)

    @property
    def recommended(self) -> tuple[str, ...]:
        """The systems with the highest value: one, unless several have the same."""
        return tuple(row.system for row in self.standings if row.value == self.standings[0].value)

    @property
    def tied(self) -> tuple[str, ...]:
        """Systems that are statistically tied with the recommended ones, highest value first."""
        return tuple(row.system for row in self.standings if row.in_set and row.system not in self.recommended)


def decided(evidence: Evidence, units: Units, measure: str, *, same_lines: bool = False, seed: int = 0) -> Decision:
    """The decision on a measure among the systems that have it.

    `same_lines`: see `decide`. `reason` says why there is none; more than 400 systems have none.
    """
    kept = np.isfinite(evidence.board[measure].values)
    if int(kept.sum()) > MOST_SYSTEMS:
        return Decision(measure, reason=f"{int(kept.sum())} systems: at most {MOST_SYSTEMS} are compared")
    own = units.only(np.flatnonzero(kept))
    part = evidence.only(kept)
    return decide(part, measure, unit=own.index, along=own.along_training, same_lines=same_lines, seed=seed)


def measure_with_topics(evidence: Evidence, first: str) -> str:
    """`first`, or where it has too few topics for a decision the first measure of the board that has enough."""
    names = (first, *evidence.measure_names)
    return next((name for name in names if evidence.topics(name) >= FEWEST_TOPICS), first)


def decide(
    evidence: Evidence,
    measure: str,
    *,
    unit: Ints | None = None,
    along: bool = False,
    same_lines: bool = False,
    seed: int = 0,
) -> Decision:
    """Which system to choose by `measure`, a column of the board without holes.

    `unit` (n,): the unit of every system in the board. `along`: systems are checkpoints along training, whose true
    values are no sample: P(best) and losses are not expected. `same_lines`: test set and collection are the same
    lines; metrics then confirm the noise of the measure, and P(best) does not use them; nor where systems form units.
    No decision for fewer than 2 systems or 5 topics.
    """
    part, _ = next(iter(panels(evidence)))
    if measure not in part.measure_names:
        return Decision(measure, reason=f"{measure} has holes")
    y = part.y[part.measure_names.index(measure)]
    if len(y) < 2:
        return Decision(measure, reason=f"{len(y)} system: at least 2 are needed")
    if (y == y[0]).all():
        return Decision(measure, reason=f"{measure} is the same for all systems")
    values = topic_values(part, measure)
    if values is None:
        return Decision(measure, reason=f"{measure} has no per-topic values, so its noise is unknown")
    topics = values.shape[1]
    if topics < FEWEST_TOPICS:
        return Decision(measure, n_topics=topics, reason=f"{topics} topics: at least {FEWEST_TOPICS} are needed")
    own = np.arange(len(y)) if unit is None else unit
    noise = topic_noise(values, own)
    if float(np.trace(noise.covariance)) <= 0:
        return Decision(measure, n_topics=topics, reason="all topics agree exactly: there is no noise to measure")
    reliability = sure_reliability(y, noise)
    best, with_metrics, losses = np.full((3, len(y)), nan)
    note = _not_expected(topics, reliability, along)
    if not note:
        draws = true_values(y, noise.covariance, seed=seed)
        best, losses = p_best(draws), expected_loss(draws)
        real = [at for at, name in enumerate(part.metric_names) if not known_before(name)]
        note = _no_evidence(len(real), same_lines, len(np.unique(own)) == len(own))
        if not note:
            with_metrics = p_best(true_values(y, noise.covariance, part.x[real], seed=seed))
    compared = compared_with_first(y, values, seed=seed)
    low, high = np.array([mean_limits(row, 0.025) for row in values]).T + (y - values.mean(axis=1))
    columns = (y, low, high, compared.difference, compared.low, compared.high, best, with_metrics, losses)
    numbers = (column.tolist() for column in (*columns, compared.tied))
    cells: list[list[Any]] = [list(part.systems), *numbers, [note] * len(y)]
    rows = [Standing(*row) for row in zip(*cells, strict=True)]
    standings = tuple(rows[i] for i in np.argsort(-y, kind="stable").tolist())
    return Decision(measure, standings, tuple(_picks(part, y, own, along)), topics, reliability)


def _not_expected(topics: int, reliability: float, along: bool) -> str:
    """Why no probability of being the best and no loss is expected; nothing where they are."""
    if along:
        return "no p_best: checkpoints along training are no sample of systems"
    if topics < ENOUGH_TOPICS:
        return f"no p_best: {topics} topics, at least {ENOUGH_TOPICS} are needed"
    if reliability < RELIABLE:
        return f"no p_best: reliability may be {number(reliability)}, at least {number(RELIABLE)} is needed"
    return ""


def _no_evidence(metrics: int, same_lines: bool, independent: bool) -> str:
    """Why metrics are no evidence of which system is the best; nothing where they are."""
    if not metrics:
        return "no p_best_with_metrics: this run has no metric"
    if same_lines:
        return "no p_best_with_metrics: test set and collection are the same lines"
    return "" if independent else "no p_best_with_metrics: systems are in groups"


def _picks(part: Evidence, y: Doubles, unit: Ints, along: bool) -> Iterator[Pick]:
    for metric, x in zip(part.metric_names, part.x, strict=True):
        if (x != x[0]).any() and not known_before(metric):
            first = np.flatnonzero(x == x.max())
            slope = jackknifed_slope(x, y, unit)
            note = _no_rise(along, slope, float(np.ptp(x)))
            better = None if note else better_with(slope)
            cells = (better.value, better.low, better.high) if better else (nan, nan, nan)
            yield Pick(metric, part.systems[int(first[np.argmin(y[first])])], *cells, note)


def _no_rise(along: bool, slope: Interval, spread: float) -> str:
    """Why it is not known what a rise of a metric by 1 is worth; nothing where it is."""
    if along:
        return "no better: checkpoints along training are no sample of systems"
    if np.isnan(slope.low):
        return f"no better: {slope.note}"
    # A difference of 1 is outside of what these systems show where they differ by less.
    return "" if spread >= 1 else "no better: no two of these systems differ by 1"


def topic_values(evidence: Evidence, measure: str) -> Doubles | None:
    """(systems, topics), more is better, whose means are the measure; topics without a value somewhere are left out.

    For an aggregate that is no mean: jackknife pseudo-values. None where only the systems' values are known.
    **Source:** Tukey 1958.
    """
    n = evidence.topics(measure)
    if n < 2:
        return None
    values, aggregate = evidence.per_topic[measure], evidence.measures[measure].aggregate
    values = values[:, np.isfinite(values).all(axis=0)]
    if np.allclose(aggregate(values), arithmetic(values), rtol=1e-12, atol=0):
        return evidence.sign(measure) * values
    n = values.shape[1]
    rest = np.stack([aggregate(np.delete(values, topic, axis=1)) for topic in range(n)], axis=1)
    return np.asarray(evidence.sign(measure) * (n * aggregate(values)[:, None] - (n - 1) * rest))


def sure_reliability(y: Doubles, noise: Noise) -> float:
    """The one-sided .95 lower limit of 1 - mean noise variance / variance of the measured values, at least 0.

    From variance / noise, F-distributed with (n - 1, freedom) degrees of freedom up to its true size.
    """
    from scipy.special import fdtri

    ratio = float(y.var(ddof=1)) / (float(np.trace(noise.covariance)) / (len(y) - 1))
    return max(0.0, 1 - float(fdtri(len(y) - 1, min(noise.freedom, 1e6), 0.95)) / ratio)
