"""What measurement noise does to tau: the tau that a perfect metric would reach with it.

How much better does a metric look by pseudo-relevance than by other judgments, or by one retriever than another?
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import asin, nan, pi, sqrt

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import FEWEST_UNITS, MOST, Interval, Pairs, taus, too_few
from clirbench.statistics.belonging import Units
from clirbench.statistics.decision import topic_values
from clirbench.statistics.given import ALONG, real_metrics
from clirbench.statistics.grades import Evidence, panels
from clirbench.statistics.noise import FEWEST_TOPICS, jackknifed
from clirbench.statistics.resampling import Draws, metric_scores
from clirbench.types import JUDGES, Doubles, Ints

SAMPLES = 200


def ceilings(evidence: Evidence, units: Units) -> dict[str, Interval]:
    """The tau that is expected of a perfect metric with each measure without holes, by the noise of its topics.

    None along training, for fewer than 6 units or more than 2,000 systems, or without topics.
    """
    part, _ = next(iter(panels(evidence)))
    found: dict[str, Interval] = {}
    if units.along_training or units.number < FEWEST_UNITS or len(part.systems) > MOST:
        return found
    for measure, y in zip(part.measure_names, part.y, strict=True):
        noise = measure_noise(part, measure, FEWEST_TOPICS)
        if noise is not None and np.ptp(y) > 0:
            error, known = between_error(noise, units.index), freedom(noise, part.topics(measure))
            found[measure] = ceiling(y, error, known, units.index) if error > 0 else Interval(1.0)
    return found


def measure_noise(part: Evidence, measure: str, fewest: int = 2) -> Doubles | None:
    """(n, n): covariance of the systems' values because of the topics; None for fewer than `fewest` or one system."""
    values = topic_values(part, measure)
    if values is None or len(values) < 2 or values.shape[1] < fewest:
        return None
    return np.asarray(np.cov(values) / values.shape[1])


def freedom(covariance: Doubles, topics: int) -> float:
    """Degrees of freedom of the size of the noise of contrasts: (topics - 1) tr(C)^2 / tr(C^2), C doubly centred.

    topics - 1 for two systems. **Source:** Satterthwaite 1946.
    """
    rows = covariance - covariance.mean(axis=0)
    own = rows - rows.mean(axis=1, keepdims=True)
    squared = float((own**2).sum())
    return (topics - 1) * float(np.trace(own)) ** 2 / squared if squared > 0 else float(topics - 1)


def metric_errors(part: Evidence, unit: Ints, seed: int = 0) -> dict[str, float]:
    """Noise variance of each metric between units, of those whose segments are known: drawn 200 times."""
    draws, known = Draws(SAMPLES, seed), {name: part.segments(name) for name in part.metric_names}
    scores = {name: metric_scores(part, name, draws.weights("segments", n)) for name, n in known.items() if n}
    return {name: between_error(np.cov(values, rowvar=False), unit) for name, values in scores.items()}


def ceiling(y: Doubles, error: float, freedom: float, unit: Ints) -> Interval:
    """Expected tau of the measured values with the true ones, i.e. of a perfect metric, for pairs of different units.

    2 / pi asin(sqrt(reliability)), reliability = 1 - error / variance between units. Interval: variance / error is
    F-distributed with G - 1 and `freedom` degrees of freedom times 1 / (1 - reliability). `error` > 0: mean variance
    of the measure's noise. NaN with a note for fewer than 2 units. **Source:** Greiner 1909; Searle 1971, 9.9 (F).
    """
    from clirbench.native.special import fdtri

    g = len(np.unique(unit))
    if g < 2:
        return Interval(nan, note=too_few(g))
    ratio = variance_between(y, unit) / error
    low, high = (float(ratio / fdtri(g - 1, freedom, tail)) for tail in (0.975, 0.025))
    return Interval(_ceiling(ratio), _ceiling(low), _ceiling(high))


def better_half_ceiling(ceiling: float, y: Doubles, unit: Ints) -> float:
    """The ceiling of the systems whose measured value is at least the median; NaN where `ceiling`, that of all, is.

    With R = sin(pi ceiling / 2)^2 the reliability, V and v the measured variances of all and of the better half, true
    values of the half correlate with measured ones by sqrt(R v / (R v + (1 - R) V)), as normal ones do that are
    selected by what was measured. `y`: (n,) finite, more is better.
    **Source:** Lord and Novick 1968, 6.6 (restriction of range).
    """
    better = y >= np.median(y)
    if np.isnan(ceiling) or len(np.unique(unit[better])) < 2:
        return nan
    reliable = np.sin(pi * ceiling / 2) ** 2
    whole, half = variance_between(y, unit), variance_between(y[better], unit[better])
    explained = reliable * half
    total = explained + (1 - reliable) * whole
    return 2 / pi * asin(min(1.0, sqrt(explained / total))) if total > 0 else nan


def _ceiling(ratio: float) -> float:
    """Of a variance that is `ratio` times its noise."""
    return 2 / pi * asin(sqrt(max(0.0, 1 - 1 / ratio))) if ratio > 0 else 0.0


def between_error(covariance: Doubles, unit: Ints) -> float:
    """Noise variance of a system as felt by pairs of different units: half the mean variance of their difference.

    `covariance` (n, n): of the noise of systems' values: that of `measure_noise` for a measure, `np.cov` of values on
    resampled segments (systems in rows) for a metric.
    """
    pairs, own = Pairs.of(unit), np.diag(covariance)
    squares = own[pairs.first] + own[pairs.second] - 2 * covariance[pairs.first, pairs.second]
    return float(pairs.weight @ squares / pairs.weight.sum() / 2)


def variance_between(values: Doubles, unit: Ints) -> float:
    """Half the mean squared difference of two systems of different units; NaN where all are of one."""
    pairs = Pairs.of(unit)
    squares = (values[pairs.first] - values[pairs.second]) ** 2
    return float(pairs.weight @ squares / pairs.weight.sum() / 2) if len(squares) else nan


@dataclass(frozen=True)
class TauGap:
    """`gap` = tau(metric, first) - tau(metric, second), between units, with its interval of confidence .95.

    `first`, `second`: one measure by pseudo-relevance and by other judgments, or by two retrievers. NaN with the
    reason in `note`.
    """

    first: str
    second: str
    metric: str
    tau_first: float
    tau_second: float
    gap: float
    ci_low: float
    ci_high: float
    n_systems: int
    n_units: int
    note: str = ""


def tau_gaps(board: Scoreboard, units: Units, pairs: Iterable[tuple[Column, Column]]) -> list[TauGap]:
    """A row for every metric and every pair of measures (`twice_judged`, `twice_searched`).

    Over the systems that have all three values; along training there is no interval, else that of a delete-one-unit
    jackknife of the difference. **Source:** Miller 1974.
    """
    found = []
    for (one, other), metric in product(pairs, real_metrics(board)):
        rows = np.flatnonzero(np.isfinite(metric.values + one.values + other.values))
        own = units.only(rows)
        if own.number < 2:
            continue
        x, *both = (column.oriented[rows] for column in (metric, one, other))
        by_one, by_other = (taus(x, y, own.index) for y in both)
        whole, rest = float(by_one[0] - by_other[0]), (by_one - by_other)[1:]
        bias = Interval(whole, note=ALONG) if own.along_training else jackknifed(whole, rest)
        each, sizes = (float(by_one[0]), float(by_other[0])), (len(rows), own.number)
        names = one.name, other.name, metric.name
        found.append(TauGap(*names, *each, whole, bias.low, bias.high, *sizes, bias.note))
    return found


def twice_searched(board: Scoreboard) -> Iterator[tuple[Column, Column]]:
    """(by the first retriever, by another): one measure of the same topics and judgments, `MAP` and `MAP[dense]`."""
    for one, other in combinations(board.measures, 2):
        same = one.parts[1:] == other.parts[1:] != () and _root(one) == _root(other)
        if same and one.parts[0] != other.parts[0]:
            yield one, other


def twice_judged(board: Scoreboard) -> Iterator[tuple[Column, Column]]:
    """(by pseudo-relevance, by other judgments): one measure of the same runs, `MAP` and `MAP[qrels]`."""
    for pseudo, judged in product(board.measures, repeat=2):
        two = pseudo.judged_by == "pseudo-relevance" and judged.judged_by in JUDGES
        if two and _root(pseudo) == _root(judged) and pseudo.parts[:2] == judged.parts[:2]:
            yield pseudo, judged


def _root(column: Column) -> str:
    return column.name.partition("[")[0]
