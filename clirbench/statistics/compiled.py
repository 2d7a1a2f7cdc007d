"""Compiled loops of the statistics: sums over pairs of systems, for many resamples at once.

Imported only where many resamples are needed (numba takes half a second to load). `coefficients` has a
readable form of each loop; tests compare the two.
"""

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.compiled.jit import njit
from clirbench.types import Doubles


@njit(cache=True, nogil=True)
def pair_sums(left: Doubles, right: Doubles, permutations: NDArray[np.int64]) -> Doubles:
    """sum over i, j of left[i, j] * right[p[i], p[j]], for every permutation p.

    `left`, `right`: (n, n); `permutations`: (samples, n). Returns (samples,).
    """
    samples, n = permutations.shape
    sums = np.empty(samples)
    for r in range(samples):
        total = 0.0
        for i in range(n):
            row = permutations[r, i]
            for j in range(n):
                total += left[i, j] * right[row, permutations[r, j]]
        sums[r] = total
    return sums


@njit(cache=True, nogil=True)
def _orders(column: Doubles, orders: NDArray[np.int8]) -> int:
    """Fill `orders` with the sign of every pair i < j of the column; return how many pairs it orders."""
    n = len(column)
    at = 0
    ordered = 0
    for i in range(n):
        for j in range(i + 1, n):
            sign = np.int8(column[i] > column[j]) - np.int8(column[i] < column[j])
            orders[at] = sign
            ordered += sign != 0
            at += 1
    return ordered


@njit(cache=True, nogil=True)
def tau_b_grid(x: Doubles, y: Doubles) -> Doubles:
    """tau-b of every column of x with every column of y, in every sample.

    `x`: (samples, columns, n), `y`: (samples, rows, n). Returns (samples, columns, rows); NaN where either column
    is constant.
    """
    samples, columns, n = x.shape
    rows = y.shape[1]
    pairs = n * (n - 1) // 2
    taus = np.empty((samples, columns, rows))
    x_orders = np.empty((columns, pairs), np.int8)
    y_orders = np.empty((rows, pairs), np.int8)
    x_ordered = np.empty(columns)
    y_ordered = np.empty(rows)
    for r in range(samples):
        for c in range(columns):
            x_ordered[c] = _orders(x[r, c], x_orders[c])
        for k in range(rows):
            y_ordered[k] = _orders(y[r, k], y_orders[k])
        for c in range(columns):
            left = x_orders[c]
            for k in range(rows):
                right = y_orders[k]
                balance = np.int32(0)
                for p in range(pairs):
                    balance += np.int32(left[p] * right[p])
                possible = np.sqrt(x_ordered[c] * y_ordered[k])
                taus[r, c, k] = balance / possible if possible > 0 else np.nan
    return taus
