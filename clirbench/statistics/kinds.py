"""Do other topics order the systems, and judge metrics, alike? Two kinds of topics made from one collection.

Both kinds are compared at the number of topics of the smaller one; of the larger an evenly spaced subset takes part.
Each kind's topics are resampled independently of the other's: a metric's two taus differ where the .95 interval of
their difference, normal with the standard deviation of the resampled ones, leaves out 0. The kinds order the systems
differently where tau between their two orders is below the 2 % point of random halves of the first kind, of equal size.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from clirbench.later import keep_recent
from clirbench.measures.base import Measure
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.agreement import taus_of_orders
from clirbench.statistics.belonging import Units
from clirbench.statistics.ceiling import tau_gaps, twice_searched
from clirbench.statistics.correlation import KENDALL, Correlation, between, weakened
from clirbench.statistics.given import real_metrics
from clirbench.statistics.grades import GRADES, RELIABLE, SHOWN, Evidence, reliability
from clirbench.types import Doubles, by_key

TOPICS, ANOTHER, RETRIEVER = "topics", "another", "retriever"
"""What lowers a grade to that of the second kind of topics, of another reference, or of another retriever."""
DRAWS = 200
LEAST = 0.02
"""The share of random halves of one kind with less tau than two kinds that differ; halves of one sample vary little."""
NORMAL = 1.959964
MOST = 500
"""Systems up to which kinds are compared, pair by pair in every draw."""


@dataclass(frozen=True)
class KindTau:
    """One metric by the second kind of topics: `tau` between groups with its interval `low` to `high`, and its `grade`.

    `first_tau`: by the same number of topics of the first kind; `difference_low`, `difference_high`: the interval of
    first_tau - tau, of topics alone; `differs`: it leaves out 0.
    """

    metric: str
    tau: float
    low: float
    high: float
    grade: str
    first_tau: float
    difference_low: float
    difference_high: float
    differs: bool


@dataclass(frozen=True)
class Kinds:
    """A run's first kind of topics, in words (`said`), beside a second `kind`, by the first measure of the run.

    `topics`: of each kind, as compared; `reliability` of the second over these; `orders`: tau between the two orders of
    the systems; `halves`: the 2 % point of tau between random halves of the first kind. NaN where systems are tied.
    `firsts`: the first system by all topics of each kind.
    """

    said: str
    kind: str
    topics: int
    reliability: float
    orders: float
    halves: float
    metrics: tuple[KindTau, ...] = ()
    firsts: tuple[str, str] = ("", "")

    @property
    def votes(self) -> bool:
        """Whether the second kind may lower a grade: a kind of low reliability is named and has no vote."""
        return self.reliability >= RELIABLE

    @property
    def differs(self) -> bool:
        """Whether the order of the systems is another one by the second kind, beyond what halves of one kind show."""
        return self.orders < self.halves

    def counted(self, why: str = TOPICS) -> dict[str, KindTau]:
        """The metrics whose grade is the lower one of both kinds: all by `ANOTHER` reference, else if taus differ."""
        return {one.metric: one for one in self.metrics if self.votes and (one.differs or why == ANOTHER)}

    def lower_by_noise(self, rows: Iterable[Correlation]) -> dict[str, list[str]]:
        """Metrics of moderate or strong evidence after the first kind alone, by their grade after the second: by equal
        numbers of topics it has less tau, but no less than noise allows, so that no grade is lowered.
        `rows`: after the first kind, of each metric."""
        found: dict[str, list[str]] = {}
        for row, one in zip(rows, self.metrics if self.votes else (), strict=False):
            first, second = (SHOWN.get(grade, 0.0) for grade in (row.grade, one.grade))
            if first > 0 and second == 0 and one.grade and one.tau < one.first_tau and not one.differs:
                found.setdefault(one.grade, []).append(one.metric)
        return found


def compared_kinds(
    evidence: Evidence, units: Units, name: str, second: Doubles, said: tuple[str, str], alpha: float, seed: int = 0
) -> Kinds | None:
    """The measure `name` by its own topics and by `second`, (systems, topics) of another kind, NaN for holes; `said`:
    what the two kinds are called.

    None for more than 500 systems, along training, and for fewer than two topics of a kind.
    """
    first, measure, metrics = evidence.per_topic[name], evidence.measures[name], real_metrics(evidence.board)
    n_first, n_second = first.shape[1], second.shape[1]
    topics = min(n_first, n_second)
    if topics < 2 or len(first) > MOST or units.along_training:
        return None
    unit, half = units.index, min(topics, n_first // 2)
    halves, drawn = _drawn(evidence, name, second.tobytes(), seed)
    apart = [float(taus_of_orders(one[None], other[None], unit)[0, 0]) for one, other in halves]
    orders = [aggregated(measure, spaced(values, half)) for values in (first, second)]
    x = np.stack([metric.oriented for metric in metrics]) if metrics else np.empty((0, len(first)))
    found = [taus_of_orders(x, ys, unit) for ys in drawn]
    moved = found[0] - found[1]
    differences, width = moved[:, 0], NORMAL * np.std(moved[:, 1:], axis=1, ddof=1)
    fewer = spaced(second, topics)
    known = reliability(fewer) if evidence.is_mean(name) else nan
    column = replace(evidence.board[name], values=measure.aggregate(fewer))
    rows = between(evidence.board, column, units, alpha, known)
    columns = (found[1][:, 0], found[0][:, 0], differences - width, differences + width, np.abs(differences) > width)
    made = tuple(
        KindTau(metric, tau, row.ci_low, row.ci_high, row.grade, *others)
        for (metric, row), tau, *others in zip(rows.items(), *(column.tolist() for column in columns), strict=True)
    )
    agreed = taus_of_orders(orders[0][None], orders[1][None], unit)
    means = (np.nan_to_num(aggregated(measure, values), nan=-np.inf) for values in (first, second))
    one, other = (evidence.systems[int(of.argmax())] for of in means)
    lowest = float(np.quantile(apart, LEAST, method="lower"))
    return Kinds(*said, topics, known, float(agreed[0, 0]), lowest, made, (one, other))


def lowered_by_kinds(
    rows: Iterable[Correlation], measure: str, kinds: Kinds, why: str = TOPICS
) -> Iterator[Correlation]:
    """The rows; where a metric's taus with `measure` differ, a grade above chance is the lower one of both kinds.

    By another reference it always is: a metric that favours what is peculiar to its own reference need not differ
    visibly by one that errs in part alike, and grades above the truth were then twice as frequent.
    """
    counted = kinds.counted(why)
    for row in rows:
        own = (row.measure, row.coefficient) == (measure, KENDALL) and row.metric in counted
        yield weakened(row, counted[row.metric].grade, why) if own else row


def lowered_by_retrievers(rows: Sequence[Correlation], board: Scoreboard, units: Units) -> Iterator[Correlation]:
    """The rows; where a metric's taus by two retrievers differ, so that the interval of their gap leaves out 0, a grade
    above chance is the lower one of both."""
    grades = {(row.measure, row.metric): row.grade for row in rows if row.coefficient == KENDALL}
    apart = [gap for gap in tau_gaps(board, units, twice_searched(board)) if gap.ci_low > 0 or gap.ci_high < 0]
    both = [(gap.metric, *of) for gap in apart for of in ((gap.first, gap.second), (gap.second, gap.first))]
    others = by_key(((own, metric), grades.get((other, metric), "")) for metric, own, other in both)
    for row in rows:
        held = [grade for grade in others.get((row.measure, row.metric), ()) if grade in GRADES]
        worst = max(held, key=GRADES.index, default="") if row.coefficient == KENDALL else ""
        yield weakened(row, worst, RETRIEVER)


def spaced(values: Doubles, n: int) -> Doubles:
    """(systems, n): the values of n topics, evenly spaced."""
    return values[:, np.arange(n) * values.shape[1] // n]


def aggregated(measure: Measure, values: Doubles) -> Doubles:
    """(systems,): the measure over the topics of `values`, turned so that more is better; a hole stays NaN."""
    return np.asarray(measure.aggregate(values) * (1 if measure.higher_is_better else -1))


@keep_recent(4)
def _drawn(evidence: Evidence, name: str, second: bytes, seed: int) -> tuple[list[list[Doubles]], list[Doubles]]:
    """What needs no groups of systems: the systems by two disjoint random halves of the first kind in each of `DRAWS`,
    and by equal numbers of topics of each kind, as they are and resampled."""
    first, measure = evidence.per_topic[name], evidence.measures[name]
    both = first, np.frombuffer(second).reshape(len(first), -1)
    topics, n = min(values.shape[1] for values in both), first.shape[1]
    rng, used = np.random.default_rng([seed, topics]), 2 * min(topics, n // 2)
    halves = [
        [aggregated(measure, first[:, part]) for part in np.split(rng.permutation(n)[:used], 2)] for _ in range(DRAWS)
    ]
    drawn = []
    for values in (spaced(one, topics) for one in both):
        some = (values[:, rng.integers(topics, size=topics)] for _ in range(DRAWS))
        drawn.append(np.stack([aggregated(measure, one) for one in (values, *some)]))
    return halves, drawn
