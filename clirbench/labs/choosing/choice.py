"""`analysis=[choice]`: what each metric would choose, what that loses, and what a rise of a metric is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.pages import Table
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.agreement import Interval
from clirbench.statistics.belonging import Units
from clirbench.statistics.decision import Decision, better_with, decided, jackknifed_slope, logistic_slope, rising_pairs
from clirbench.statistics.grades import Evidence, panels
from clirbench.types import Doubles, Ints

CHOICE = (
    "The system that a metric's first (of a short list: the best of it by the measure) would be, and what it loses: "
    "regret on these topics; expected_regret and [low, high] in a population of topics, with 95 % confidence."
)
IMPROVEMENT = (
    "probability: that the measure improves if a metric rises by `rise`, fitted to these systems; rise_80 makes it .8. "
    "Smaller changes within one training run are not seen here."
)


@dataclass(frozen=True)
class ChoiceAnalysis:
    """Tables `choice` (pick and regret) and `improvement` (P(improves | rise)).

    `shortlists`: sizes of short lists; `points`: of the curve.
    """

    shortlists: Sequence[int] = (1, 2, 3, 5)
    points: int = 5
    complete: bool = True
    seed: int = 0

    def tables(self, result: Result) -> Sequence[Table]:
        evidence, units, size = result.evidence, result.units, sizes(result.evidence)
        chosen = choices(evidence, units, self.shortlists, seed=self.seed, complete=self.complete)
        curves = improvements(evidence, units, points=self.points, complete=self.complete)
        title = "Which system would each metric choose, and what does that lose?"
        rises = "Does retrieval improve when a metric rises?"
        return (
            Table.of("choice", title, Choice, chosen, [CHOICE, size]),
            Table.of("improvement", rises, Improvement, curves, [IMPROVEMENT, size]),
        )


@dataclass(frozen=True)
class Choice:
    """What choosing the best of a metric's `shortlist` first systems loses, in units of the measure.

    `pick`: the system chosen (for a short list, the best of it by the measure); `regret` = best_value - value >= 0 on
    these topics. `expected_regret` and the .95 interval `low`, `high`, all >= 0: what choosing it loses in a population
    of topics, as in the decision (`expected_loss`, and `difference` turned round); NaN where it is not known.
    """

    measure: str
    metric: str
    shortlist: int
    pick: str
    value: float
    best: str
    best_value: float
    regret: float
    expected_regret: float
    low: float
    high: float
    n_systems: int
    n_topics: int
    note: str = ""


def choices(
    evidence: Evidence, units: Units, shortlists: Sequence[int] = (1, 2, 3, 5), *, seed: int = 0, complete: bool = False
) -> list[Choice]:
    """A row for every measure, metric and short-list size (sizes above the number of systems are left out).

    Metrics are oriented, so a pick is the system with the highest oriented score; ties go to the first in the
    board's order and are noted. Raises `ConfigError` for a size below 1.
    """
    if any(k < 1 for k in shortlists):
        raise ConfigError(f"shortlists={list(shortlists)}: sizes from 1")
    found = []
    for part, note in panels(evidence, complete):
        own = units.only(evidence.rows(part.systems))
        for k, measure in enumerate(part.measure_names):
            decision = decided(part, own, measure, seed=seed)
            for m, metric in enumerate(part.metric_names):
                for size in shortlists:
                    if size <= len(part.systems):
                        found.append(_choice(part, decision, metric, part.y[k], part.x[m], size, note))
    return found


def _choice(
    evidence: Evidence, decision: Decision, metric: str, y: Doubles, x: Doubles, size: int, note: str
) -> Choice:
    listed = np.argsort(-x, kind="stable")[:size]
    pick, best = int(listed[np.argmax(y[listed])]), int(np.argmax(y))
    tied = int((x == x[listed[-1]]).sum()) - int((x[listed] == x[listed[-1]]).sum())
    ties = f"{tied} more tied with the last of the list; the first in order was taken" if tied else ""
    systems, lost = evidence.systems, (nan, nan, nan)
    if not decision.reason:
        row = decision[systems[pick]]
        lost = row.expected_loss, max(0.0, -row.difference_high), max(0.0, -row.difference_low)
    seen = systems[pick], float(y[pick]), systems[best], float(y[best]), float(y[best] - y[pick])
    numbers = len(systems), evidence.topics(decision.measure)
    why = "; ".join(filter(None, [note, ties, decision.reason]))
    return Choice(decision.measure, metric, size, *seen, *lost, *numbers, why)


@dataclass(frozen=True)
class Improvement:
    """P(the measure improves | the metric rises by `rise`), one point of the curve of one metric and measure.

    `probability` = 1 / (1 + exp(-slope * rise)), fitted to all pairs of systems; `ci_low`, `ci_high`: .95 interval
    from leaving out one unit at a time (pairs that share a system are not independent). `share` is what the data say:
    of the `pairs` pairs whose rise lies nearest to this one, how many improve. `rise_80`: the rise that gives .8 by
    the curve, with its interval (inf where no rise does). NaN where there is no interval, `note` says why.
    """

    measure: str
    metric: str
    rise: float
    probability: float
    ci_low: float
    ci_high: float
    share: float
    pairs: int
    slope: float
    rise_80: float
    rise_80_low: float
    rise_80_high: float
    n_systems: int
    note: str = ""


def improvements(evidence: Evidence, units: Units, *, points: int = 5, complete: bool = False) -> list[Improvement]:
    """The curve of every measure and metric, at `points` rises: the means of equally many pairs in order of rise.

    A curve through P(0) = .5 has one slope, in 1 / (points of the metric); pairs tied in the metric do not affect
    it, pairs tied in the measure count half. Undefined for fewer than 3 systems or a constant column.
    **Source:** the question is Kocmi et al. 2024's, with retrieval in place of people.
    """
    found: list[Improvement] = []
    for part, note in panels(evidence, complete):
        unit = units.only(evidence.rows(part.systems)).index
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                found += _curve(measure, metric, part.x[m], part.y[k], unit, points, note)
    return found


def _curve(measure: str, metric: str, x: Doubles, y: Doubles, unit: Ints, points: int, note: str) -> list[Improvement]:
    n = len(x)
    rises, better = rising_pairs(x, y)
    rises, better = rises[rises > 0], better[rises > 0]
    if n < 3 or not len(rises) or (y == y[0]).all():
        why = f"{n} systems: at least 3 are needed" if n < 3 else "a column is constant"
        said = "; ".join(filter(None, [note, why]))
        return [Improvement(measure, metric, nan, nan, nan, nan, nan, 0, nan, nan, nan, nan, n, said)]
    slope = logistic_slope(rises, better)
    sure = jackknifed_slope(x, y, unit)
    rise_80 = rise_of(sure)
    of_all = slope, rise_80.value, rise_80.low, rise_80.high, n, "; ".join(filter(None, [note, sure.note]))
    rows = []
    for part in np.array_split(np.argsort(rises, kind="stable"), min(points, len(rises))):
        rise, share = float(rises[part].mean()), float(better[part].mean())
        chance = better_with(Interval(slope, sure.low, sure.high), rise)
        point = rise, chance.value, chance.low, chance.high, share, len(part)
        rows.append(Improvement(measure, metric, *point, *of_all))
    return rows


def rise_of(slope: Interval, probability: float = 0.8) -> Interval:
    """The rise r with P(measure improves | metric rises by r) = `probability`, in points of the metric, and interval.

    r = log(p / (1 - p)) / b, inf where b <= 0, b being the slope (`jackknifed_slope`), so the upper end is inf where b
    may be 0: then no rise is known to be enough. No number (NaN, note) where b has no interval. `probability` in
    (.5, 1).
    """
    if np.isnan(slope.low):
        return Interval(nan, note=slope.note)
    odds = log(probability / (1 - probability))
    value, low, high = (odds / b if b > 0 else inf for b in (slope.value, slope.high, slope.low))
    return Interval(value, low, high)
