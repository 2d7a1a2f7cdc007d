"""Least squares with nonnegative weights, without scipy.optimize, whose import takes .3 s of processor time."""

import numpy as np

from clirbench.types import Doubles


def nonnegative_least_squares(columns: Doubles, target: Doubles) -> Doubles:
    """The weights (k,), none below 0, that minimise |columns @ weights - target|.

    `columns`: (n, k), linearly independent; `target`: (n,). Ends after at most 3 k exchanges of a weight.

    **Source:** Lawson and Hanson 1974, algorithm NNLS; as `scipy.optimize.nnls`.
    """
    k = columns.shape[1]
    weights, free = np.zeros(k), np.zeros(k, dtype=bool)
    tolerance = 10 * max(columns.shape) * np.finfo(np.float64).eps * np.abs(columns).sum(axis=0).max()
    for _ in range(3 * k):
        gradient = np.where(free, -np.inf, columns.T @ (target - columns @ weights))
        if gradient.max() <= tolerance:
            break
        free[gradient.argmax()] = True
        trial = _least_squares(columns, target, free)
        while (trial[free] <= 0).any():
            falling = free & (trial <= 0)
            step = (weights[falling] / (weights[falling] - trial[falling])).min()
            weights += step * (trial - weights)
            free &= weights > tolerance
            weights[~free] = 0.0
            trial = _least_squares(columns, target, free)
        weights = trial
    return weights


def _least_squares(columns: Doubles, target: Doubles, free: "np.typing.NDArray[np.bool_]") -> Doubles:
    """The best weights (k,) of the columns that are free, 0 for the others."""
    weights = np.zeros(columns.shape[1])
    weights[free] = np.linalg.lstsq(columns[:, free], target, rcond=None)[0]
    return weights
