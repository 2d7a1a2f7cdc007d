"""Segment scores that were made elsewhere, and how they become a system's score: mean, median, or as one number.

Each way has statistics that sums turn into a score, so that all that resamples does so here too:

mean    (score, 1)
median  2n columns for n segments: score in column i, 1 in column n + i. A sum tells how often each segment was drawn.
system  n + 1 columns: the system's score, and 1 in column 1 + i. It is defined only for sums that weigh all segments
        alike; any other is NaN, since nobody can tell what the score of a resample would be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.metrics.base import check_choice
from clirbench.metrics.segment_average import as_statistics, mean, ratio
from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics

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
