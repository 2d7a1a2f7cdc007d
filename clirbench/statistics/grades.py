"""How strong the evidence is that a metric orders systems as a measure does: one word, from the interval of tau.

What every analysis starts from: a scoreboard, and beneath its columns the segments and topics they came from.

Is one metric a better predictor than another, across units?
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, nan

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.later import Shelf
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric, Statistics
from clirbench.pages import fixed
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.agreement import CONSTANT, FEWEST_UNITS, too_few
from clirbench.statistics.coefficients import ranks, signs
from clirbench.statistics.given import Estimates, estimates
from clirbench.types import EMPTY, Doubles, Ints

STRONG, MODERATE, WEAK = "strong", "moderate", "weak"
OPEN, LITTLE, NOISY, CONTRADICTED = "open", "little", "too noisy to tell", "contradicted"
SHOWN = {STRONG: 0.5, MODERATE: 0.25, WEAK: 0.0}
"""Grades above chance, and what the low end of tau must reach; that of `weak` is above 0."""
GRADES = (STRONG, MODERATE, WEAK, OPEN, LITTLE, NOISY, CONTRADICTED)
RELIABLE = 0.6
"""The reliability over topics below which a measure cannot rank the systems."""
COVARIATE = "covariate"
"""What lowers a grade to weak where a covariate orders the systems as well as the metric."""


def grade(low: float, high: float, reliability: float = nan) -> str:
    """The grade of the interval of tau (`agreements`); nothing where there is none."""
    if isnan(low):
        return ""
    for name, least in SHOWN.items():
        if low >= least and low > 0:
            return name
    if high < 0:
        return CONTRADICTED
    return NOISY if reliability < RELIABLE else LITTLE if high < SHOWN[STRONG] else OPEN


def reliability(values: Doubles) -> float:
    """The reliability of systems' means over topics, 1 - MS(residual) / MS(systems). `values`: (systems, topics).

    NaN for fewer than 2 systems or topics, or holes that leave fewer; at most 1, at least 0.
    **Source:** Hoyt 1941, "Test reliability estimated by analysis of variance".
    """
    whole = values[np.isfinite(values).all(axis=1)]
    n, k = whole.shape
    if n < 2 or k < 2:
        return nan
    between = k * float(np.var(whole.mean(axis=1), ddof=1))
    rest = whole - whole.mean(axis=1, keepdims=True) - whole.mean(axis=0) + whole.mean()
    noise = float((rest**2).sum()) / ((n - 1) * (k - 1))
    return max(0.0, 1 - noise / between) if between > 0 else nan


def topics_to_add(found: float, topics: int) -> int | None:
    """How many topics more make a measure of this reliability reach .6; None where it has none.

    **Source:** Spearman 1910; Brown 1910.
    """
    if not found > 0:
        return None
    return max(0, int(np.ceil(topics * (RELIABLE / (1 - RELIABLE) * (1 - found) / found - 1))))


MOST_SYSTEMS = 50
MOST_SEGMENTS = 250_000
"""Up to these numbers of systems, and of segments of all systems together, segments are drawn, and statistics are held
in memory as far as `ROOM` reaches; others are read from the store each time."""
ROOM = 128 << 20
"""Bytes of statistics that are held."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A scoreboard and the items its numbers were summed from, where they are known.

    `statistics[metric column, system]`: segments x k; `metrics[column]` scores their sums.
    `types[metric column, system]`: the names of a type average's types, where segments of two systems are mixed.
    `per_topic[measure column]`: systems (as in the board) x topics; `measures[column]` aggregates them.
    Statistics are held in memory from the first look on, as far as `ROOM` reaches; parts of the evidence share them.
    A column without items (imported scores) takes part with its values fixed, and every table says so.
    Raises `AlignmentError` where items and board do not fit: other numbers of them, or NaN where the board has a score.
    """

    board: Scoreboard
    statistics: Mapping[tuple[str, str], Statistics] = field(default_factory=lambda: EMPTY)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: EMPTY)
    per_topic: Mapping[str, Doubles] = field(default_factory=lambda: EMPTY)
    measures: Mapping[str, Measure] = field(default_factory=lambda: EMPTY)
    types: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=lambda: EMPTY)

    def __post_init__(self) -> None:
        for name, values in self.per_topic.items():
            if values.ndim != 2 or len(values) != len(self.systems):
                raise AlignmentError(f"{name}: per-topic values {values.shape} for {len(self.systems)} systems")
        if not self.bulky:
            return
        shelf: Shelf[tuple[str, str], Statistics] = Shelf(self.statistics, holds=True, room=ROOM)
        if _too_many(self.systems, self.metrics, shelf):
            return
        # Those in the store are of one test set: they need not be read to be compared.
        kept = self.statistics.kept if isinstance(self.statistics, Shelf) else {}
        here = shelf.keys() - {key for key, value in kept.items() if hasattr(value, "load")}
        for name in self.metrics:
            lengths = {shelf[name, system].shape[0] for system in self.systems if (name, system) in here}
            if len(lengths) > 1:
                raise AlignmentError(f"{name}: systems have different numbers of segments: {sorted(lengths)}")
            values = self.board[name].values if name in self.board.by_name else np.empty(0)
            for system, value in zip(self.systems, values, strict=False):
                if (name, system) in here and np.isfinite(value) and not np.isfinite(shelf[name, system].sum()):
                    raise AlignmentError(
                        f"{name}: a segment of {system} is NaN, its score is not; leave the segment out"
                    )
        object.__setattr__(self, "statistics", shelf)

    @property
    def bulky(self) -> bool:
        """Whether there are too many statistics to hold any in memory, or to be drawn from unless that is asked for."""
        return not (isinstance(self.statistics, Shelf) and self.statistics.holds)

    @property
    def systems(self) -> tuple[str, ...]:
        return self.board.systems

    @cached_property
    def metric_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.board.metrics)

    @cached_property
    def measure_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.board.measures)

    @cached_property
    def x(self) -> Doubles:
        """(metrics, systems): every metric, turned so that more is better."""
        return np.array([c.oriented for c in self.board.metrics]).reshape(len(self.metric_names), len(self.systems))

    @cached_property
    def y(self) -> Doubles:
        """(measures, systems): every measure, turned so that more is better."""
        return np.array([c.oriented for c in self.board.measures]).reshape(len(self.measure_names), len(self.systems))

    def segments(self, metric: str) -> int:
        """How many segments a metric was summed over; 0 where only its scores are known."""
        if metric not in self._segments:
            known = metric in self.metrics and bool(self.systems)
            known = known and all((metric, system) in self.statistics for system in self.systems)
            self._segments[metric] = int(self.statistics[metric, self.systems[0]].shape[0]) if known else 0
        return self._segments[metric]

    @cached_property
    def _segments(self) -> dict[str, int]:
        """What `segments` found before: looking may read the store."""
        return {}

    def topics(self, measure: str) -> int:
        """How many topics a measure was averaged over; 0 where only its values are known."""
        return int(self.per_topic[measure].shape[1]) if measure in self.per_topic else 0

    def is_mean(self, measure: str) -> bool:
        """Whether a measure's value is the mean over its topics, by trial; sums are much faster than trials."""
        aggregate, values = self.measures[measure].aggregate, self.per_topic[measure]
        trials = (values, np.linspace(0.1, 1.0, values.shape[1]))
        return all(np.allclose(aggregate(trial), trial.mean(axis=-1), rtol=1e-12, atol=0) for trial in trials)

    def sign(self, column: str) -> float:
        """-1 where less is better in that column."""
        return 1.0 if self.board[column].higher_is_better else -1.0

    def rows(self, systems: Sequence[str]) -> Ints:
        """(systems,): the rows of these systems in the board."""
        place = {system: row for row, system in enumerate(self.systems)}
        return np.array([place[system] for system in systems], dtype=np.int64)

    def only(self, kept: "np.typing.NDArray[np.bool_]") -> "Evidence":
        """The same columns over the systems for which `kept` (systems,) is true."""
        rows = np.flatnonzero(kept)
        board = replace(
            self.board,
            systems=tuple(self.systems[i] for i in rows),
            columns=tuple(replace(column, values=column.values[rows]) for column in self.board.columns),
            metadata={name: tuple(texts[i] for i in rows) for name, texts in self.board.metadata.items()},
        )
        return replace(self, board=board, per_topic={name: values[rows] for name, values in self.per_topic.items()})

    def columns(self, names: "frozenset[str] | set[str]") -> "Evidence":
        """The same systems with the named columns alone."""
        kept = tuple(column for column in self.board.columns if column.name in names)
        return replace(self, board=replace(self.board, columns=kept))


def _too_many(systems: Sequence[str], metrics: Iterable[str], statistics: Mapping[tuple[str, str], Statistics]) -> bool:
    if len(systems) > MOST_SYSTEMS:
        return True
    # The first will do: all statistics are rows for the lines of one test set.
    known = ((name, system) for name in metrics for system in systems)
    first = next((key for key in known if key in statistics), None)
    return first is not None and len(systems) * statistics[first].shape[0] > MOST_SEGMENTS


def panels(evidence: Evidence, complete: bool = False) -> Iterator[tuple[Evidence, str]]:
    """Parts of the evidence without holes, each with a note that names the missing systems.

    First the columns that have every system. With `complete`, then every column with holes, with all the complete
    columns of the other side and over the systems it has: "tau only over complete pairs", with its own n.
    """
    there = {column.name: np.isfinite(column.values) for column in evidence.board.columns}
    whole = {name for name, kept in there.items() if kept.all()}
    yield evidence.columns(whole), ""
    for name in (name for name in there if complete and name not in whole):
        role, kept = evidence.board[name].role, there[name]
        others = {other.name for other in evidence.board.columns if other.role != role and other.name in whole}
        part = evidence.columns(others | {name}).only(kept)
        lacking = ", ".join(np.array(evidence.systems)[~kept].tolist())
        of = f"over {len(part.systems)} of {len(evidence.systems)} systems: {name} has no value for {lacking}"
        yield part, of


EXHAUSTIVE = 12
SAMPLES = 999


@dataclass(frozen=True)
class Gap:
    """Two-sided `p_value` of two metrics' difference in tau between units, NaN with its reason in `note`."""

    p_value: float
    note: str = ""


def unit_swaps(units: int, samples: int = SAMPLES, seed: int = 0) -> Doubles:
    """(samples, units) of 0 and 1: which change sides; all 2^units up to 12 units, else none and random ones."""
    if units <= EXHAUSTIVE:
        return ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)
    swaps = np.random.default_rng([seed, units]).integers(2, size=(samples + 1, units)).astype(np.float64)
    swaps[0] = 0
    return swaps


def gap(a: Doubles, b: Doubles, y: Doubles, unit: Ints, *, alpha: float = 0.05, swaps: Doubles | None = None) -> Gap:
    """Whether metric a agrees with the measure better than metric b.

    Where every system is a unit: both metrics' values of a system change sides, as ranks, so that no monotone
    transform costs power. Null hypothesis: values under a and b are exchangeable.
    Where units hold several systems or a metric has ties, exchanges reject .06 to .08 at .05 (blocks of near-copies get
    the same ranks; ties of one metric are no ties of the other), so the difference of atanh(tau) is held against its
    jackknife error, t with units - 1 degrees of freedom (.02 to .05). Fewer than 6 units: neither is done.
    `a`, `b`, `y`: (n,), finite; `swaps`: other ones of `unit_swaps` than those by default.
    **Source:** Deutsch, Dror and Roth 2021 (perm-systems); Arvesen 1969 (jackknife).
    """
    units = int(unit.max()) + 1
    found = estimates(np.stack([a, b]), y, unit)
    if np.isnan(found.tau).any():
        return Gap(nan, CONSTANT)
    if units < len(y) or min(len(np.unique(a)), len(np.unique(b))) < len(y):
        return _jackknifed(found)
    smallest = min(1.0, 2.0 ** (1 - units))
    if smallest >= alpha:
        return Gap(nan, f"{too_few(units)}: the smallest possible p is {fixed(smallest, 3)}")
    one, other, order = ranks(np.stack([a, b, y]))
    moved = swapped_differences(one, other, order, unit_swaps(units) if swaps is None else swaps)
    return Gap(float((np.abs(moved) >= abs(moved[0]) - 1e-12).mean()))


def swapped_differences(a: Doubles, b: Doubles, y: Doubles, swaps: Doubles) -> Doubles:
    """tau-b of a' with y less that of b' with y, where a' and b' are a and b with some values exchanged.

    `a`, `b`, `y`: (n,); `swaps`: (samples, n), 1 where a system's values change sides. Returns (samples,); 0 stands for
    tau of a side that is constant. A pair of which neither, both or one changes sides has one of three fixed signs, so
    that all samples are matrix products.
    """
    order, kept = signs(y), 1 - swaps
    crossed = np.sign(b[:, None] - a[None, :])

    def taus(own: Doubles, other: Doubles, mixed: Doubles) -> Doubles:
        """Of the side that has `own` unless it is swapped; `mixed`: the swapped system's value against the other's."""

        def total(own: Doubles, other: Doubles, mixed: Doubles) -> Doubles:
            return np.asarray(((kept @ own + 2 * swaps @ mixed) * kept + (swaps @ other) * swaps).sum(axis=1))

        agreeing = total(own * order, other * order, mixed * order)
        possible = np.sqrt(total(np.abs(own), np.abs(other), np.abs(mixed)) * np.abs(order).sum())
        return np.asarray(np.divide(agreeing, possible, out=np.zeros(len(swaps)), where=possible > 0))

    return taus(signs(a), signs(b), crossed) - taus(signs(b), signs(a), -crossed.T)


def _jackknifed(found: Estimates) -> Gap:
    """Student's test of the difference of two atanh(tau), each unit's influence taken from `Estimates.spread`.

    A plain jackknife of tau_a - tau_b has another p: on the scale of atanh a difference between large taus counts for
    more and so does its error, and what the jackknife overstates is taken away. Published PS-EN scores, MacroF1
    against BLEU with MAP (29 systems): .118 plain, .138 on the scale of atanh, .133 here. With ties and true
    equality, plain rejects .004 to .05 at .05, this one .02 to .05.
    """
    from clirbench.native.special import stdtr

    note = too_few(found.units) if found.units < FEWEST_UNITS else ""
    if not note and not ((np.abs(found.tau) < 1 - 1e-12) & (found.variance >= 1e-12)).all():  # nor where it is NaN
        note = f"how sure tau is cannot be estimated from {found.units} independent systems"
    if note:
        return Gap(nan, note)
    z, spread = np.arctanh(found.tau), found.spread
    error = float(np.sqrt(((spread[:, 0] - spread[:, 1]) ** 2).sum()))
    return Gap(float(2 * stdtr(found.units - 1, -abs(z[0] - z[1]) / error)) if error > 0 else 1.0)
