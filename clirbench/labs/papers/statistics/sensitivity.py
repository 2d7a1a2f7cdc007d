"""What each kind of error costs every MT metric and every IR measure.

The systems are one kind of error at a time at rising rates, and the perfect translation (`systems=sensitivity`). The
loss of a column is what a rate takes of the perfect translation's score, so columns on different scales can be put
side by side: a loss of .2 is a fifth of the score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, nan

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.scoreboard import Column, Role, Scoreboard
from clirbench.types import Doubles

PERFECT = "none"
COMMON_RATE = 0.1
CLEARLY = 1.25  # one loss is clearly more than another from this factor on ...
NOTICED = 0.02  # ... where it is a loss at all: a smaller one is reported as unnoticed
RESAMPLES = 2000


@dataclass(frozen=True)
class Loss:
    """What one rate of one kind of error takes of one column: a share of the perfect score, with its 95 % interval."""

    kind: str
    role: Role
    column: str
    rate: float
    value: float
    loss: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True)
class LossCurve:
    """What one kind of error takes of one column, at rising rates.

    The intervals are over topics, NaN where the values of the topics are not known.
    """

    kind: str
    column: str
    role: Role
    rows: tuple[Loss, ...]

    @property
    def points(self) -> list[tuple[float, float]]:
        """(rate, loss), from no error, which takes nothing."""
        return [(0.0, 0.0), *((row.rate, row.loss) for row in self.rows)]

    def at(self, rate: float) -> float:
        """The loss at a rate, straight lines between the measured ones and from 0 at rate 0; NaN beyond the last."""
        for (low, before), (high, after) in pairwise(self.points):
            if low <= rate <= high:
                return before + (after - before) * (rate - low) / (high - low)
        return nan

    def interval(self, rate: float) -> tuple[float, float]:
        """The interval at a measured rate; NaN at any other."""
        return {row.rate: (row.ci_low, row.ci_high) for row in self.rows}.get(rate, (nan, nan))


@dataclass(frozen=True)
class Contrast:
    """What one kind of error costs a metric and a measure at one rate, as shares of the perfect scores."""

    kind: str
    metric: str
    measure: str
    rate: float
    metric_loss: float
    measure_loss: float
    interval: tuple[float, float] = (nan, nan)

    @property
    def verdict(self) -> str:
        """`retrieval` or `metric`: what it hurts clearly more; `alike`; `neither` where no loss is noticed.

        Where the metric's loss lies inside the interval of the measure's, the two are `alike`.
        """
        if max(self.metric_loss, self.measure_loss) < NOTICED or not isfinite(self.metric_loss + self.measure_loss):
            return "neither"
        low, high = self.interval
        if low <= self.metric_loss <= high:
            return "alike"
        if self.measure_loss >= CLEARLY * max(self.metric_loss, 0.0):
            return "retrieval"
        return "metric" if self.metric_loss >= CLEARLY * max(self.measure_loss, 0.0) else "alike"


@dataclass(frozen=True)
class Sensitivity:
    """Curves for every kind and column, in the order of the scoreboard, and the rate at which kinds are compared."""

    curves: tuple[LossCurve, ...]
    rate: float

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(curve.kind for curve in self.curves))

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(curve.column for curve in self.curves))

    def of(self, kind: str, column: str) -> LossCurve:
        return next(curve for curve in self.curves if (curve.kind, curve.column) == (kind, column))

    def named(self, role: Role, wanted: str) -> str:
        """`wanted` where that column exists, else the first column of the role; raises `ConfigError` for none."""
        names = list(dict.fromkeys(curve.column for curve in self.curves if curve.role == role))
        if not names:
            raise ConfigError(f"sensitivity: there is no {role}; it compares MT metrics with IR measures")
        return wanted if wanted in names else names[0]


def sensitivity(board: Scoreboard, per_topic: Mapping[str, Doubles] | None = None, seed: int = 0) -> Sensitivity:
    """The curves of every kind of error and every column.

    loss = (perfect - value) / perfect; for an error rate such as TER, whose perfect score is 0: (value - perfect) / 100

    board: systems with the metadata `kind` and `rate` (0-1), one of them of kind `none`. Kinds are
    compared at .1 where every kind was measured up to it, else at the highest rate that every kind reaches.
    per_topic: by measure the values of systems x topics, whose mean the measure must be; its losses get 95 %
    intervals from resampled topics. A system without a value leaves its rate out; a perfect score of 0 or less makes
    the losses NaN. Raises `ConfigError` where metadata or the perfect translation are missing.
    """
    kinds, rates, perfect = _layout(board)
    curves = tuple(
        _curve(column, kind, kinds, rates, perfect, (per_topic or {}).get(column.name), seed)
        for kind in dict.fromkeys(kind for kind in kinds if kind != PERFECT)
        for column in board.columns
    )
    reached = [max(r for k, r in zip(kinds, rates, strict=True) if k == kind) for kind in {*kinds} - {PERFECT}]
    return Sensitivity(curves, min(COMMON_RATE, *reached))


def _layout(board: Scoreboard) -> tuple[tuple[str, ...], tuple[float, ...], int]:
    """Kind and rate of every system, and where the perfect translation stands."""
    for name in ("kind", "rate"):
        if name not in board.metadata:
            raise ConfigError(
                f"sensitivity: the systems have no metadata column {name!r}; choose systems=sensitivity, "
                "or a systems.tsv with kind and rate"
            )
    kinds = tuple(board.metadata["kind"])
    try:
        rates = tuple(float(text) for text in board.metadata["rate"])
    except ValueError as error:
        raise ConfigError(f"sensitivity: a rate is no number ({error})") from None
    if kinds.count(PERFECT) != 1 or len(kinds) == 1:
        raise ConfigError(
            f"sensitivity: exactly one system of kind {PERFECT!r} (the perfect translation) and systems of other "
            f"kinds were expected; kinds here: {', '.join(dict.fromkeys(kinds))}"
        )
    return kinds, rates, kinds.index(PERFECT)


def _curve(
    column: Column,
    kind: str,
    kinds: Sequence[str],
    rates: Sequence[float],
    perfect: int,
    topics: Doubles | None,
    seed: int,
) -> LossCurve:
    chosen = [i for i, k in enumerate(kinds) if k == kind and isfinite(column.values[i])]
    rows = []
    for i in sorted(chosen, key=rates.__getitem__):
        value, best = float(column.values[i]), float(column.values[perfect])
        low, high = (nan, nan) if topics is None else _interval(topics[i], topics[perfect], seed)
        loss = _loss(value, best, column.higher_is_better)
        rows.append(Loss(kind, column.role, column.name, rates[i], value, loss, low, high))
    return LossCurve(kind, column.name, column.role, tuple(rows))


def _loss(value: float, perfect: float, higher_is_better: bool) -> float:
    if not higher_is_better:
        return (value - perfect) / 100
    return (perfect - value) / perfect if perfect > 0 else nan


def _interval(values: Doubles, perfect: Doubles, seed: int) -> tuple[float, float]:
    """95 % percentile interval of the relative loss of the mean, topics resampled in pairs."""
    n = len(values)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    best = drawn @ perfect
    if not (best > 0).all():
        return nan, nan
    low, high = np.percentile(1 - (drawn @ values) / best, [2.5, 97.5]).tolist()
    return low, high


def contrasts(found: Sensitivity, metric: str, measure: str) -> tuple[Contrast, ...]:
    """For every kind what it costs the two columns at the common rate; most harmful to retrieval first.

    Raises `UnknownName` for a column that does not exist.
    """
    for name in (metric, measure):
        if name not in found.columns:
            raise UnknownName("column", name, found.columns)
    rows = [
        Contrast(
            kind=kind,
            metric=metric,
            measure=measure,
            rate=found.rate,
            metric_loss=found.of(kind, metric).at(found.rate),
            measure_loss=found.of(kind, measure).at(found.rate),
            interval=found.of(kind, measure).interval(found.rate),
        )
        for kind in found.kinds
    ]
    return tuple(sorted(rows, key=lambda row: -row.measure_loss))


def losses(found: Sensitivity) -> list[Loss]:
    """One row for each kind, column and measured rate."""
    return [row for curve in found.curves for row in curve.rows]
