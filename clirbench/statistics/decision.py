"""The decision on one measure: which system to recommend, which are tied with it, what each metric would choose.

The best system: each against the recommended one, the tied set, P(it is the best), what choosing it may lose.

How sure is it that retrieval improves when a metric rises by x?

Is a candidate better than the system in production? From the topics of the two alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from clirbench.measures.base import arithmetic
from clirbench.pages import number
from clirbench.statistics.agreement import Interval, jackknifed
from clirbench.statistics.belonging import Units, known_before
from clirbench.statistics.grades import Evidence
from clirbench.statistics.noise import (
    FEWEST_TOPICS,
    Noise,
    contrasts,
    mean_difference_p,
    mean_limits,
    p_above,
    topic_noise,
)
from clirbench.types import Doubles, Ints

ABOVE, BELOW = 0.04, 0.01
"""P(the true difference is above, below its interval), at most. The tails are unequal so that the same upper limit
decides who is tied: with two tails of .025 the set would keep systems that .95 confidence excludes."""
DRAWS, AT_ONCE = 4000, 250
LOGITS = np.linspace(-4, 8, 49)
"""Grid of the logit of reliability."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """n systems against the one with the highest measured mean (`first`), in a population of topics.

    `difference` (n,) <= 0: measured mean less that of `first`; `low`, `high` (n,): its .95 interval, for each system,
    whichever system comes first. `tied` (n,): `high` >= 0. The set of tied systems has the best with probability .96
    or more. The lower limits hold for all systems together, so also for one that was picked by the same topics.
    """

    first: int
    difference: Doubles
    low: Doubles
    high: Doubles

    @property
    def tied(self) -> "np.typing.NDArray[np.bool_]":
        return np.asarray(self.high >= 0)


def compared_with_first(means: Doubles, values: Doubles, *, seed: int = 0) -> Comparisons:
    """Compares `means` (n,), more is better, that are averages of `values` (n, topics), n and topics at least 2.

    Standard errors are those of paired differences, one for each pair of systems: what a topic adds to all systems
    cancels, and noise may differ between systems. The first system was chosen by the same topics, so for system i the
    upper limit uses the .96 quantile of max_j (error_j - error_i) / se_ij over all systems j that might have come
    first (Dunnett with i as control; a multivariate t with topics - 1 degrees of freedom, 4,000 draws). The lower
    limits have the first system as control, at .99: being chosen makes it look better, never worse. The systems whose
    upper limit reaches 0 are the set of multiple comparisons with the best.
    **Source:** Dunnett 1955; Hsu 1981, 1996 (4.2).
    """
    n, topics = values.shape
    covariance = np.cov(values) / topics
    own = np.diag(covariance)
    error = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0))
    error[error < 1e-9 * np.sqrt(own.max(initial=0))] = 0  # the same values for every topic, up to rounding
    first = int(means.argmax())
    difference = means - means[first]
    drawn = np.ascontiguousarray(_t_draws(covariance, topics - 1, np.random.default_rng([seed, n])).T)
    high = [difference[i] + _quantile(drawn, i, error[i], ABOVE) * error[i, first] for i in range(n)]
    low = difference - _quantile(drawn, first, error[first], BELOW) * error[first]
    return Comparisons(first, difference, low, np.array(high))


def _quantile(drawn: Doubles, control: int, error: Doubles, tail: float) -> float:
    """What the largest of `drawn` (n, draws) less the control's, over `error` (n,), exceeds with probability `tail`."""
    share = np.divide(1.0, error, out=np.zeros(len(error)), where=error > 0)[:, None]
    blocks = np.split(drawn, DRAWS // AT_ONCE, axis=1)  # which stay in the processor's cache
    largest = [((block - block[control]) * share).max(axis=0) for block in blocks]
    return float(np.quantile(np.concatenate(largest), 1 - tail))


def _t_draws(covariance: Doubles, freedom: int, rng: np.random.Generator) -> Doubles:
    """(DRAWS, n): of a multivariate t with this scale matrix, which may be singular."""
    sizes, axes = np.linalg.eigh(covariance)
    normal = rng.normal(size=(DRAWS, len(sizes))) @ (axes * np.sqrt(np.maximum(sizes, 0))).T
    return np.asarray(normal / np.sqrt(rng.chisquare(freedom, size=(DRAWS, 1)) / freedom))


def true_values(means: Doubles, noise: Doubles, *, seed: int = 0) -> Doubles:
    """(DRAWS, n): joint draws of the true values of n >= 2 systems, less their mean, given measured `means` (n,).

    means = mu + theta + e, e ~ N(0, noise), theta ~ N(0, v I), mu flat; reliability v / (v + mean noise) is
    Beta(1, .5), summed over a grid. `noise` (n, n): covariance of contrasts (`topic_noise`), not 0.
    **Source:** Rasmussen and Williams 2006, 2.3; prior of reliability: Daniels 1999.
    """
    basis = contrasts(len(means))
    error = basis.T @ noise @ basis
    alike, own = float(np.trace(error)) / len(error), np.eye(len(error))
    # The noise is turned to the identity, the prior then to a diagonal: every cell of the grid is a product.
    root = np.asarray(np.linalg.cholesky(error + 1e-9 * alike * own), dtype=np.float64)
    white = np.linalg.solve(root, np.linalg.solve(root, own).T)
    sizes, axes = np.linalg.eigh((white + white.T) / 2)
    seen = axes.T @ np.linalg.solve(root, basis.T @ means)
    variances = alike * np.exp(LOGITS)[:, None] * np.maximum(sizes, 0)
    logs = -(np.log1p(variances) + seen**2 / (1 + variances)).sum(axis=1) / 2
    logs += -np.log1p(np.exp(-LOGITS)) - 0.5 * np.log1p(np.exp(LOGITS))  # Beta(1, .5) as a density of the logit
    weights = np.exp(logs - logs.max())
    rng = np.random.default_rng([seed, len(means)])
    cells, counts = np.unique(rng.choice(len(weights), size=DRAWS, p=weights / weights.sum()), return_counts=True)
    found = []
    for variance, count in zip(variances[cells], counts.tolist(), strict=True):
        kept = variance / (1 + variance)
        normal = kept * seen + np.sqrt(kept) * rng.normal(size=(count, len(seen)))
        found.append(normal @ (basis @ root @ axes).T)
    return np.concatenate(found)


def p_best(draws: Doubles) -> Doubles:
    """(systems,): how often each is the best of a draw."""
    return np.asarray(np.bincount(draws.argmax(axis=1), minlength=draws.shape[1]) / len(draws))


def expected_loss(draws: Doubles) -> Doubles:
    """(systems,) >= 0: mean of true best - true value."""
    return np.asarray((draws.max(axis=1, keepdims=True) - draws).mean(axis=0))


def better_with(slope: Interval, rise: float = 1.0) -> Interval:
    """P(the measure improves | the metric rises by `rise`) and its interval, of a slope from `jackknifed_slope`."""
    slopes = np.array([slope.value, slope.low, slope.high])
    value, low, high = (1 / (1 + np.exp(-np.clip(slopes * rise, -700, 700)))).tolist()
    return Interval(value, low, high, note=slope.note)


def jackknifed_slope(x: Doubles, y: Doubles, unit: Ints) -> Interval:
    """b of P(measure improves | metric rises by r) = 1 / (1 + exp(-b r)), delete-one-unit jackknife; `unit` (n,).

    No interval (note) for fewer than 6 units and where every pair is ordered alike: b has no maximum then.
    """
    rises, better = rising_pairs(x, y)
    ends = unit[np.stack(np.triu_indices(len(x), 1))]

    def slope(kept: "np.typing.NDArray[np.bool_]", near: float = 0.0) -> float:
        if not kept.any():
            return nan
        found = float(logistic_slope(rises[kept], better[kept], near))
        # 50 / mean rise is where the slope stops if no finite one is best.
        return nan if abs(found) * float(rises[kept].mean()) > 49 else found

    whole = slope(np.ones(len(rises), dtype=bool))
    near = whole if np.isfinite(whole) else 0.0
    return jackknifed(whole, [slope((ends != group).all(axis=0), near) for group in np.unique(unit)])


def rising_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """For every pair of systems: by how much x rises, and whether y does too (1, 0; .5 where y is tied).

    `x`, `y`: (..., systems); returns (..., pairs) in the order of `np.triu_indices`. A rise of 0 orders nothing.
    """
    lower, upper = np.triu_indices(x.shape[-1], 1)
    rise, gain = x[..., upper] - x[..., lower], y[..., upper] - y[..., lower]
    return np.abs(rise), (np.sign(gain) * np.sign(rise) + 1) / 2


def logistic_slope(rises: Doubles, better: Doubles, near: float = 0.0) -> Doubles:
    """The maximum-likelihood b of P(better) = 1 / (1 + exp(-b rise)), over the last axis; NaN where no rise is > 0.

    `rises`, `better`: (..., pairs); a rise of 0 has no effect; `near`: where the search begins. Where every pair
    improves the likelihood has no maximum: b stops at 50 / mean rise, whose P is 1 in print.
    """
    scale = rises.mean(axis=-1, keepdims=True) if rises.shape[-1] else np.zeros((*rises.shape[:-1], 1))
    z = rises / np.where(scale > 0, scale, 1.0)
    low, high = np.full(scale.shape, -50.0), np.full(scale.shape, 50.0)
    slope = np.clip(near * scale, -49, 49)
    for _ in range(40):  # Newton's step, or the middle of the bracket where it would leave it
        p = 1 / (1 + np.exp(-np.clip(slope * z, -700, 700)))
        gradient = (z * (better - p)).sum(axis=-1, keepdims=True)
        low, high = np.where(gradient > 0, slope, low), np.where(gradient > 0, high, slope)
        curvature = (z * z * p * (1 - p)).sum(axis=-1, keepdims=True)
        step = slope + gradient / np.where(curvature > 1e-12, curvature, 1e-12)
        following = np.where((step > low) & (step < high), step, (low + high) / 2)
        moved, slope = np.abs(following - slope).max(initial=0.0), following
        if moved < 1e-10:
            break
    return np.asarray(np.where(scale > 0, slope / np.where(scale > 0, scale, 1.0), nan)[..., 0])


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
    recommended one. `p_best`, that it is the best, and `expected_loss` >= 0 are NaN where not known: `note` says why.
    """

    system: str
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p_best: float
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


def measure_with_topics(evidence: Evidence, first: str) -> str:
    """`first`, or where it has too few topics for a decision the first measure of the board that has enough."""
    names = (first, *evidence.measure_names)
    return next((name for name in names if evidence.topics(name) >= FEWEST_TOPICS), first)


def decided(evidence: Evidence, units: Units, measure: str, *, seed: int = 0) -> Decision:
    """Which system to choose by `measure`, a column of the board, among the systems that have it.

    Along training true values are no sample: P(best) and losses are not expected. `reason` says why there is no
    decision: fewer than 2 systems or 5 topics, or more than 400 systems.
    """
    part = evidence.only(np.isfinite(evidence.board[measure].values))
    units, y = units.only(evidence.rows(part.systems)), part.board[measure].oriented
    values = topic_values(part, measure)
    topics = 0 if values is None else values.shape[1]
    reason = _no_decision(measure, y, topics)
    if reason or values is None:
        return Decision(measure, n_topics=topics, reason=reason)
    noise = topic_noise(values, units.index)
    if float(np.trace(noise.covariance)) <= 0:
        return Decision(measure, n_topics=topics, reason="all topics agree exactly: there is no noise to measure")
    reliability = sure_reliability(y, noise)
    best, losses = np.full((2, len(y)), nan)
    if not (note := _not_expected(topics, reliability, units.along_training)):
        draws = true_values(y, noise.covariance, seed=seed)
        best, losses = p_best(draws), expected_loss(draws)
    compared = compared_with_first(y, values, seed=seed)
    low, high = np.array([mean_limits(row, 0.025) for row in values]).T + (y - values.mean(axis=1))
    columns = (y, low, high, compared.difference, compared.low, compared.high, best, losses, compared.tied)
    cells: list[list[Any]] = [list(part.systems), *(column.tolist() for column in columns), [note] * len(y)]
    rows = [Standing(*row) for row in zip(*cells, strict=True)]
    standings = tuple(rows[i] for i in np.argsort(-y, kind="stable").tolist())
    return Decision(measure, standings, tuple(_picks(part, y, units)), topics, reliability)


def _no_decision(measure: str, y: Doubles, topics: int) -> str:
    """Why there is no decision; nothing where there is one."""
    if len(y) > MOST_SYSTEMS:
        return f"{len(y)} systems: at most {MOST_SYSTEMS} are compared"
    if len(y) < 2:
        return f"{len(y)} system: at least 2 are needed"
    if (y == y[0]).all():
        return f"{measure} is the same for all systems"
    if not topics:
        return f"{measure} has no per-topic values, so its noise is unknown"
    return "" if topics >= FEWEST_TOPICS else f"{topics} topics: at least {FEWEST_TOPICS} are needed"


def _not_expected(topics: int, reliability: float, along: bool) -> str:
    """Why no probability of being the best and no loss is expected; nothing where they are."""
    if along:
        return "no p_best: checkpoints along training are no sample of systems"
    if topics < ENOUGH_TOPICS:
        return f"no p_best: {topics} topics, at least {ENOUGH_TOPICS} are needed"
    if reliability < RELIABLE:
        return f"no p_best: reliability may be {number(reliability)}, at least {number(RELIABLE)} is needed"
    return ""


def _picks(part: Evidence, y: Doubles, units: Units) -> Iterator[Pick]:
    for metric in part.board.metrics:
        x = metric.oriented
        if np.isfinite(x).all() and (x != x[0]).any() and not known_before(metric.name):
            first = np.flatnonzero(x == x.max())
            slope = jackknifed_slope(x, y, units.index)
            note = _no_rise(units.along_training, slope, float(np.ptp(x)))
            better = Interval(nan) if note else better_with(slope)
            pick = part.systems[int(first[np.argmin(y[first])])]
            yield Pick(metric.name, pick, better.value, better.low, better.high, note)


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


FEWEST_SHARED = 8


@dataclass(frozen=True)
class BaselineComparison:
    """A candidate against a baseline on one measure, in a population of topics of which these are a sample.

    `difference` = candidate - baseline, oriented; `low`, `high`: its .95 interval; `p_better` = P(true difference > 0),
    `p_loss` = P(true difference < -margin), both with a flat prior. `verdict`: if there is no difference, `better` or
    `worse` has a probability of at most .05 (.025 each for symmetric differences); if the candidate is worse by
    `margin`, so has `not worse` or `better`; else `open`. With fewer than 12 topics and differences as skewed as
    those of a gamma law of shape .5 it was .08. NaN and `open`, with a note, where no test is possible.
    """

    difference: float
    low: float
    high: float
    p_better: float
    p_loss: float
    margin: float
    p_value: float
    verdict: str
    n_topics: int
    note: str = ""


def compare_with_baseline(
    candidate: Doubles, baseline: Doubles, margin: float = 0.0, *, others: int = 1, seed: int = 0
) -> BaselineComparison:
    """Compares values (topics,) of the same topics, more is better; `margin` >= 0 in units of the measure.

    Student's t of the differences and Hall's transformation of it, which corrects for skewness, both give interval and
    probabilities; the wider and the less sure is printed. A verdict needs the interval and the exact randomisation
    test. With `others` candidates against one baseline every rate is divided by their number (Bonferroni). Fewer
    than 8 topics are not tested. **Source:** Smucker et al. 2007; Hall 1992, "On the removal of skewness by
    transformation"; margin: Wellek 2010, 5.3.
    """
    d = candidate - baseline
    d = d[np.isfinite(d)]
    k = len(d)
    mean = float(d.mean()) if k else nan
    note = f"{k} topics: at least {FEWEST_SHARED} are needed" if k < FEWEST_SHARED else ""
    if not note and float(np.ptp(d)) <= 1e-12 * float(np.abs(d).max(initial=1e-300)):
        note = "all differences are the same"
    if note:
        return BaselineComparison(mean, nan, nan, nan, nan, margin, nan, "open", k, note)
    alpha = 0.025 / others
    low, high = mean_limits(d, alpha)
    verdict = "open"
    # Worse, but by less than the margin, is what the margin allows.
    if low > 0 and mean_difference_p(d, sides=1, seed=seed) <= alpha:
        verdict = "better"
    elif low > -margin and mean_difference_p(d + margin, sides=1, seed=seed) <= alpha:
        verdict = "not worse"
    elif high < 0 and mean_difference_p(-d, sides=1, seed=seed) <= alpha:
        verdict = "worse"
    p = mean_difference_p(d, seed=seed)
    return BaselineComparison(mean, low, high, p_above(d, 0.0), 1 - p_above(d, -margin), margin, p, verdict, k)


def candidates(
    evidence: Evidence, measure: str, baseline: str, margin: float = 0.0, *, seed: int = 0
) -> dict[str, BaselineComparison]:
    """Every other system against `baseline`, the most better first; the rates hold for all of them together.

    Systems without a value are left out. Without per-topic values nothing is tested; the note has this reason.
    """
    kept = np.isfinite(evidence.board[measure].values)
    part = evidence.only(kept | (np.array(evidence.systems) == baseline))
    values = topic_values(part, measure)
    names = [name for name in part.systems if name != baseline]
    if values is None or not kept[evidence.systems.index(baseline)]:
        note = "no per-topic values" if values is None else f"{baseline} has no {measure}"
        return {name: BaselineComparison(nan, nan, nan, nan, nan, margin, nan, "open", 0, note) for name in names}
    own = dict(zip(part.systems, values, strict=True))
    found = {n: compare_with_baseline(own[n], own[baseline], margin, others=len(names), seed=seed) for n in names}
    return dict(sorted(found.items(), key=lambda item: -item[1].difference))
