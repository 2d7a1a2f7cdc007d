"""Metrics that are means of segment scores: statistics (score, 1), so that sums give the mean back."""

import numpy as np
from numpy.typing import ArrayLike

from clirbench.types import Doubles


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
