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
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyder, polyval

from clirbench.measures.base import arithmetic
from clirbench.pages import many, number
from clirbench.statistics.agreement import MOST, Interval
from clirbench.statistics.belonging import Units, known_before
from clirbench.statistics.grades import RELIABLE, Evidence, reliability
from clirbench.statistics.noise import FEWEST_TOPICS, jackknifed, mean_difference_p, mean_limits, p_above, pair_errors
from clirbench.types import Doubles, Ints

MISSED = 0.05
"""P(the tied set does not have the best system), at most."""
NEAR, MANY = 2.0, 100
"""Standard errors below the first within which a system is a rival; more rivals are counted by Bonferroni's limit."""
DRAWS, REFITTED = 4000, 400
TERMS, NEARBY = 9, 0.25
"""Terms of a Taylor series, and the change of a logit up to which it is as good as a search: 1e-10."""
FEWEST_TO_EXPECT = 20
"""Topics from which P(best) and losses are expected."""
POPULATION = "a population of topics, of which these are a sample"


def topic_draws(values: Doubles, seed: int = 0) -> Doubles:
    """(n, 4,000): joint draws of the errors of n systems' means over topics, normal with the covariance of `values`."""
    n, topics = values.shape
    weights = np.random.default_rng([seed, n]).normal(size=(topics, DRAWS))
    return np.asarray((values - values.mean(axis=1, keepdims=True)) @ weights / np.sqrt(topics * (topics - 1)))


def tied_with_best(
    means: Doubles, error: Doubles, draws: Doubles, freedom: int, *, seed: int = 0
) -> "np.typing.NDArray[np.bool_]":
    """(n,): which systems may be the best; the best of a population of topics is among them with P = .95.

    Multiple comparisons with the best: a system is none of them if a rival is better than it by more than the .95
    quantile of max over rivals of (error of the rival - its own) / se, a multivariate t. Rivals: all within two
    standard errors of the highest mean; the others could not raise this maximum unless they were better than measured.
    `means` (n,), more is better; `error` (n, n) of `pair_errors`; `draws` (n, samples) of the errors; `freedom`: topics
    less 1. **Source:** Hsu 1981, 1996 (4.2); which rivals count: Andrews and Soares 2010.
    """
    from clirbench.native.special import stdtrit

    first = int(means.argmax())
    rivals = np.flatnonzero(means + NEAR * error[first] >= means[first])
    lead, own = means[rivals] - means[:, None], error[:, rivals]
    t = np.divide(lead, own, out=np.where(lead > 0, np.inf, 0.0), where=own > 0).max(axis=1)
    least, most = (float(stdtrit(freedom, 1 - MISSED / tests)) for tests in (1, len(rivals)))
    tied = t <= (most if len(rivals) > MANY else least)
    spread = np.sqrt(np.random.default_rng([seed, 1]).chisquare(freedom, size=draws.shape[1]) / freedom)
    for i in np.flatnonzero(~tied & (t <= most)).tolist():
        share = np.divide(1.0, own[i], out=np.zeros(len(rivals)), where=own[i] > 0)
        largest = ((draws[rivals] - draws[i]) * share[:, None]).max(axis=0) / spread
        tied[i] = t[i] <= np.quantile(largest, 1 - MISSED)
    return np.asarray(tied)


def luck_of_first(means: Doubles, draws: Doubles) -> float:
    """The mean error of the highest of `means` + `draws`: by so much the first of several looks better than it is.

    **Source:** Efron and Tibshirani 1993, "An introduction to the bootstrap", 10 (bias), of the maximum.
    """
    return float(draws[(means[:, None] + draws).argmax(axis=0), np.arange(draws.shape[1])].mean())


def expected(means: Doubles, draws: Doubles, reliable: float) -> tuple[Doubles, Doubles]:
    """P(it is the best) and expected loss >= 0, the mean of true best - true value, of each system: (n,), (n,).

    True values are drawn around the measured ones, both shrunken towards their mean by the reliability over topics:
    mean + r (value - mean) + sqrt(r) error. **Source:** Kelley 1947, "Fundamentals of statistics" (true scores).
    """
    true = reliable * (means - means.mean())[:, None] + np.sqrt(reliable) * draws
    best = true.argmax(axis=0)
    loss = true.max(axis=0).mean() - true.mean(axis=1)
    return np.bincount(best, minlength=len(means)) / draws.shape[1], np.asarray(loss)


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
    ends = np.unique(unit, return_inverse=True)[1][np.stack(np.triu_indices(len(x), 1))]

    def slope(kept: "np.typing.NDArray[np.bool_]", near: float = 0.0) -> float:
        if not kept.any():
            return nan
        found = logistic_slope(rises[kept], better[kept], near)
        # 50 / mean rise is where the slope stops if no finite one is best.
        return nan if abs(found) * float(rises[kept].mean()) > 49 else found

    whole = slope(np.ones(len(rises), dtype=bool))
    rest = _slopes_without(rises, better, ends, whole)
    for group in np.flatnonzero(np.isnan(rest)).tolist() if np.isfinite(whole) else ():
        rest[group] = slope((ends != group).all(axis=0), whole)
    return jackknifed(whole, rest)


def _slopes_without(rises: Doubles, better: Doubles, ends: Ints, near: float) -> Doubles:
    """(units,): `logistic_slope` without the pairs of each unit, all at once; NaN where it is not so near to `near`.

    The gradient is a Taylor series about `near`, whose sums over the pairs of each unit are taken from the whole.
    `ends`: (2, pairs), the units of each pair.
    """
    units, scale, rate = int(ends.max()) + 1, float(rises.mean()), Polynomial([0.0, 1.0])
    z = rises / scale if scale > 0 else rises
    p, inside, series, power = 1 / (1 + np.exp(-near * scale * z)), ends[0] == ends[1], [], z
    for order in range(TERMS):
        terms = power * (better - p if order == 0 else -rate(p))
        held = sum(np.bincount(end, terms, units) for end in ends) - np.bincount(ends[0], terms * inside, units)
        series.append(terms.sum() - held)
        rate, power = rate.deriv() * Polynomial([0.0, 1.0, -1.0]), power * z / (order + 1)
    moved = np.zeros(units)
    with np.errstate(all="ignore"):
        for _ in range(20):
            moved -= polyval(moved, series, tensor=False) / polyval(moved, polyder(series), tensor=False)
        sure = np.abs(moved) * z.max(initial=0.0) < NEARBY
    return np.where(sure & (np.abs(near) * scale < 40), near + moved / scale, nan) if scale > 0 else moved * nan


def rising_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """For every pair of systems: by how much x rises, and whether y does too (1, 0; .5 where y is tied).

    `x`, `y`: (..., systems); returns (..., pairs) in the order of `np.triu_indices`. A rise of 0 orders nothing.
    """
    lower, upper = np.triu_indices(x.shape[-1], 1)
    rise, gain = x[..., upper] - x[..., lower], y[..., upper] - y[..., lower]
    return np.abs(rise), (np.sign(gain) * np.sign(rise) + 1) / 2


def logistic_slope(rises: Doubles, better: Doubles, near: float = 0.0) -> float:
    """The maximum-likelihood b of P(better) = 1 / (1 + exp(-b rise)); NaN where no rise is > 0.

    `rises`, `better`: (pairs,); a rise of 0 has no effect; `near`: where the search begins. Where every pair improves
    the likelihood has no maximum: b stops at 50 / mean rise, whose P is 1 in print.
    """
    scale = float(rises.mean()) if len(rises) else 0.0
    if not scale > 0:
        return nan
    z, low, high, slope = rises / scale, -50.0, 50.0, float(np.clip(near * scale, -49, 49))
    for _ in range(40):  # Newton's step, or the middle of the bracket where it would leave it
        p = 1 / (1 + np.exp(-np.clip(slope * z, -700, 700)))
        gradient = float(z @ (better - p))
        low, high = (slope, high) if gradient > 0 else (low, slope)
        step = slope + gradient / max(float(z * z @ (p * (1 - p))), 1e-12)
        following = step if low < step < high else (low + high) / 2
        moved, slope = abs(following - slope), following
        if moved < 1e-10:
            break
    return slope / scale


@dataclass(frozen=True)
class Standing:
    """One system on a measure, turned so that more is better, in a population of topics.

    `value`: measured; `low`, `high`: .95 interval of the system's own mean, around the measured one. `difference` <= 0
    from the recommended system, with Student's .95 interval of paired differences, moved up by the first's mean
    luck (`luck_of_first`), and not above 0 outside the set, whose systems are worse (Hsu's constrained
    intervals); `in_set`: it may be the best, which is in the set with P = .95. `p_best`, that it is the best, and
    `expected_loss` >= 0 are NaN where not known: `note` says why.
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

    `standings`: highest value first; `picks`: one for each metric that is not constant.
    """

    measure: str
    standings: tuple[Standing, ...] = ()
    picks: tuple[Pick, ...] = ()
    n_topics: int = 0
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
    decision: fewer than 2 systems or 5 topics, more than 2,000 systems.
    """
    from clirbench.native.special import stdtrit

    part = evidence.only(np.isfinite(evidence.board[measure].values))
    units, y = units.only(evidence.rows(part.systems)), part.board[measure].oriented
    values = topic_values(part, measure)
    topics = 0 if values is None else values.shape[1]
    reason = _no_decision(measure, y, topics)
    if reason or values is None:
        return Decision(measure, n_topics=topics, reason=reason)
    error = pair_errors(values)
    if not error.any():
        return Decision(measure, n_topics=topics, reason="all topics agree exactly: there is no noise to measure")
    draws, reliable = topic_draws(values, seed), reliability(values)
    reasons = {
        "checkpoints along training are no sample of systems": units.along_training,
        f"{topics} topics, at least {FEWEST_TO_EXPECT} are needed": topics < FEWEST_TO_EXPECT,
        f"reliability is {number(reliable)}, at least {number(RELIABLE)} is needed": reliable < RELIABLE,
    }
    note = next((f"no p_best: {why}" for why, so in reasons.items() if so), "")
    best, losses = np.full((2, len(y)), nan) if note else expected(y, draws, reliable)
    tied = tied_with_best(y, error, draws, topics - 1, seed=seed)
    difference, half = y - y.max(), float(stdtrit(topics - 1, 0.975)) * error[y.argmax()]
    centre = difference + luck_of_first(y, draws) * (half > 0)
    most = np.where(tied, centre + half, np.minimum(centre + half, 0.0))
    low, high = np.array([mean_limits(row, 0.025) for row in values]).T + (y - values.mean(axis=1))
    columns = (y, low, high, difference, centre - half, most, best, losses, tied)
    cells: list[list[Any]] = [list(part.systems), *(column.tolist() for column in columns), [note] * len(y)]
    rows = [Standing(*row) for row in zip(*cells, strict=True)]
    standings = tuple(rows[i] for i in np.argsort(-y, kind="stable").tolist())
    return Decision(measure, standings, tuple(_picks(part, y, units)), topics)


def _no_decision(measure: str, y: Doubles, topics: int) -> str:
    """Why there is no decision; nothing where there is one."""
    if not 2 <= len(y) <= MOST:
        return f"{many(len(y), 'system')}: from 2 to {MOST:,} are compared"
    if (y == y[0]).all():
        return f"{measure} is the same for all systems"
    if not topics:
        return f"{measure} has no per-topic values, so its noise is unknown"
    return "" if topics >= FEWEST_TOPICS else f"{topics} topics: at least {FEWEST_TOPICS} are needed"


def _picks(part: Evidence, y: Doubles, units: Units) -> Iterator[Pick]:
    for metric in part.board.metrics:
        x = metric.oriented
        if np.isfinite(x).all() and (x != x[0]).any() and not known_before(metric.name):
            first = np.flatnonzero(x == x.max())
            slope = Interval(nan) if len(y) > REFITTED else jackknifed_slope(x, y, units.index)
            note = _no_rise(units.along_training, slope, float(np.ptp(x)))
            better = Interval(nan) if note else better_with(slope)
            pick = part.systems[int(first[np.argmin(y[first])])]
            yield Pick(metric.name, pick, better.value, better.low, better.high, note)


def _no_rise(along: bool, slope: Interval, spread: float) -> str:
    """Why it is not known what a rise of a metric by 1 is worth; nothing where it is."""
    if along:
        return "better is empty: checkpoints along training are no sample of systems"
    if np.isnan(slope.low):
        return f"better is empty: {slope.note or f'more than {REFITTED} systems'}"
    # A difference of 1 is outside of what these systems show where they differ by less.
    return "" if spread >= 1 else "better is empty: no two of these systems differ by 1"


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
    # Worse, but by less than the margin, is what the margin allows.
    tests = (("better", low > 0, d), ("not worse", low > -margin, d + margin), ("worse", high < 0, -d))
    shown = (name for name, so, up in tests if so and mean_difference_p(up, sides=1, seed=seed) <= alpha)
    verdict, p = next(shown, "open"), mean_difference_p(d, seed=seed)
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
