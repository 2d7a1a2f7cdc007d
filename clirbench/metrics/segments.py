"""Metrics of segments: averages and medians over them, and scores of single segments and documents."""

from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.metrics.base import Metric
from clirbench.types import Doubles, Ints

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from clirbench.checks import check_choice
from clirbench.errors import AlignmentError
from clirbench.types import TestSet


def segment_scores(metric: Metric, statistics: "Statistics") -> Doubles:
    """The score of every segment by itself: statistics (segments, k) -> (segments,).

    Scale and direction are the metric's. For sentence BLEU as sacreBLEU has it, use `BLEU(effective_order=True)`.
    """
    rows: Any = statistics
    return metric.score(rows)


def document_scores(metric: Metric, statistics: "Statistics", lengths: Ints) -> Doubles:
    """The score of every document, from the sums over its segments: lengths (documents,) -> (documents,).

    `lengths[d]` consecutive segments make document d; they add up to the number of segments (`ValueError` if not).
    A document without segments has the metric's score of nothing at all.
    """
    n_segments = statistics.shape[0]
    if int(np.sum(lengths)) != n_segments:
        raise ValueError(f"documents of {int(np.sum(lengths))} segments together, statistics of {n_segments}")
    from scipy.sparse import csr_array

    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    member = csr_array((np.ones(n_segments), np.arange(n_segments), starts), shape=(len(lengths), n_segments))
    sums: Any = member @ statistics
    return metric.score(sums)


def as_statistics(scores: ArrayLike) -> Doubles:
    """One row (score, 1) for each segment: (segments,) -> (segments, 2)."""
    values = np.asarray(scores, dtype=np.float64)
    return np.column_stack([values, np.ones(len(values))])


def mean(totals: Doubles) -> Doubles:
    """The mean from summed rows, vectorised over leading axes: (..., 2) -> (...); 0 for no segment at all."""
    return ratio(totals[..., 0], totals[..., 1])


def ratio(above: Doubles, below: Doubles) -> Doubles:
    """Element-wise quotient, 0 where the divisor is 0."""
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)


AGGREGATES = ("mean", "median", "system")


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
        check_choice(self.name, "aggregate", self.aggregate, AGGREGATES)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> "Statistics":
        """Statistics of the aggregate, one row a segment."""
        expected = 1 if self.aggregate == "system" else len(test)
        if len(self.scores) != expected:
            raise AlignmentError(f"{self.name}: {len(self.scores)} scores for {expected} segments")
        if self.aggregate == "mean":
            return as_statistics(self.scores)
        from scipy.sparse import csr_array, diags_array, eye_array, hstack

        n = len(test)
        if self.aggregate == "median":
            return csr_array(hstack([diags_array(np.array(self.scores)), eye_array(n)]))
        return csr_array(hstack([csr_array(np.full((n, 1), self.scores[0])), eye_array(n)]))

    def score(self, totals: Doubles) -> Doubles:
        """The aggregate from summed statistics, vectorised over leading axes: (..., k) -> (...)."""
        return aggregated(totals, self.aggregate)


def aggregated(totals: "Statistics", aggregate: str) -> Doubles:
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
    # A weight of 0 must not be chosen: the first value that reaches half has weight, and so has the first beyond it.
    lower = (reached >= half).argmax(axis=-1)[..., None]
    upper = (reached > half).argmax(axis=-1)[..., None]
    middle = np.take_along_axis(values, lower, axis=-1) + np.take_along_axis(values, upper, axis=-1)
    return np.where(half[..., 0] > 0, middle[..., 0] / 2, np.nan)
