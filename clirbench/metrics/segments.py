"""Metrics made of one score a segment, and those whose scores are made elsewhere: they must know whose text it is.

Statistics, from any sum of which the mean, median or system score can be had:

mean     (score, 1) a segment
median   (scores on the diagonal, ones on the diagonal): a sum says how often each segment is held
system   (the score of the whole, ones on the diagonal): defined where all segments are held alike
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clirbench.checks import one_of
from clirbench.errors import AlignmentError
from clirbench.metrics.base import Metric, Statistics, check_aligned
from clirbench.text import Text
from clirbench.types import Doubles, TestSet

AGGREGATES = ("mean", "median", "system")


class SegmentMean:
    """A metric that is the mean of its segments' scores, which it gives by `segment_scores`."""

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> ArrayLike:
        """The score of every segment: (segments,)."""
        raise NotImplementedError(f"{type(self).__name__} needs a method `segment_scores`")

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """(segment score, 1), one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        return as_statistics(self.segment_scores(hypotheses, test))

    def score(self, totals: Doubles) -> Doubles:
        """Mean over segments, vectorised over leading axes: (..., 2) -> (...)."""
        return mean(totals)


@dataclass(frozen=True)
class SegmentScores:
    """The scores of one system's segments; `aggregate` is mean, median, or system for one score of the whole.

    Statistics: see the module. Score: on the scale of the scores themselves; direction as given.

    Raises `AlignmentError` where there are not as many scores as segments (or not one, for `system`).
    """

    scores: tuple[float, ...]
    name: str
    aggregate: str = "mean"
    higher_is_better: bool = True
    signature: str = ""

    def __post_init__(self) -> None:
        one_of(f"{self.name}: aggregate", self.aggregate, AGGREGATES)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Statistics:
        """Statistics of the aggregate, one row a segment."""
        expected = 1 if self.aggregate == "system" else len(test)
        if len(self.scores) != expected:
            raise AlignmentError(f"{self.name}: {len(self.scores)} scores for {expected} segments")
        if self.aggregate == "mean":
            return as_statistics(self.scores)
        from scipy.sparse import csr_array, diags_array, eye_array, hstack

        n = len(test)
        if self.aggregate == "median":
            rows = as_statistics(self.scores)
            return csr_array(hstack([diags_array(rows[:, 0]), diags_array(rows[:, 1])]))
        return csr_array(hstack([csr_array(np.full((n, 1), self.scores[0])), eye_array(n)]))

    def score(self, totals: Doubles) -> Doubles:
        """The aggregate from summed statistics, vectorised over leading axes: (..., k) -> (...)."""
        return aggregate_rows(totals, self.aggregate)


class MadeElsewhere:
    """A metric whose segment scores are made elsewhere: read from a file, or printed by a program."""

    name: str
    aggregate: str
    higher_is_better: bool
    scale: float

    @property
    def signature(self) -> str:
        raise NotImplementedError(f"{type(self).__name__} needs a property `signature`")

    def with_scores(self, scores: Sequence[float]) -> SegmentScores:
        """One system's scores, times `scale`, with this metric's name, aggregate, direction and signature."""
        scaled = tuple(self.scale * score for score in scores)
        return SegmentScores(scaled, self.name, self.aggregate, self.higher_is_better, self.signature)

    def score(self, totals: Doubles) -> Doubles:
        """As `SegmentScores` has it."""
        return aggregate_rows(totals, self.aggregate)


def as_statistics(scores: ArrayLike) -> Doubles:
    """One row (score, 1) for each segment, (0, 0) for one without a score (NaN): (segments,) -> (segments, 2)."""
    values = np.asarray(scores, dtype=np.float64)
    known = np.isfinite(values)
    return np.column_stack([np.where(known, values, 0.0), known])


def mean(totals: Doubles) -> Doubles:
    """The mean from summed rows, vectorised over leading axes: (..., 2) -> (...); NaN for no segment at all."""
    return np.where(totals[..., 1] != 0, ratio(totals[..., 0], totals[..., 1]), np.nan)


def ratio(above: Doubles, below: Doubles) -> Doubles:
    """Element-wise quotient, 0 where the divisor is 0."""
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)


def aggregate_rows(totals: Statistics, aggregate: str) -> Doubles:
    """Mean, median or system score from summed statistics: (..., k) -> (...); NaN where it is not defined."""
    if not isinstance(totals, np.ndarray):
        totals = totals.toarray()
    if aggregate == "mean":
        return mean(totals)
    if aggregate == "median":
        n = totals.shape[-1] // 2
        weights = totals[..., n:]
        return weighted_median(ratio(totals[..., :n], weights), weights)
    weights = totals[..., 1:]
    alike = (weights == weights[..., :1]).all(axis=-1) & (weights[..., 0] > 0)
    return np.where(alike, ratio(totals[..., 0], weights.sum(axis=-1)), np.nan)


def weighted_median(values: Doubles, weights: Doubles) -> Doubles:
    """The median where each value stands `weights` times, over the last axis; NaN where no weight is above 0.

    Of an even number of values the mean of the two middle ones.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    values = np.take_along_axis(values, order, axis=-1)
    reached = np.cumsum(np.take_along_axis(weights, order, axis=-1), axis=-1)
    half = reached[..., -1:] / 2
    slack = 1e-9 * half  # what rounding does to sums of fractions
    # A weight of 0 must not be chosen: the first value that reaches half has weight, and so has the first beyond it.
    lower = (reached >= half - slack).argmax(axis=-1)[..., None]
    upper = (reached > half + slack).argmax(axis=-1)[..., None]
    middle = np.take_along_axis(values, lower, axis=-1) + np.take_along_axis(values, upper, axis=-1)
    return np.where(half[..., 0] > 0, middle[..., 0] / 2, np.nan)


def per_system(metric: Metric, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, Metric]:
    """The metric that scores each system: the same for all, unless it has `for_systems`, which is asked once.

    A system without scores is left out and stays a hole.
    """
    found: Mapping[str, Metric] = dict.fromkeys(translations, metric)
    return metric.for_systems(translations, test) if hasattr(metric, "for_systems") else found
