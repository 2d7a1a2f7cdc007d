"""Compiled loops over pairs of systems, weighted by their units; what they compute is said in `concordance`."""

import numpy as np
from numba import njit

from clirbench.types import Doubles, Ints


@njit(cache=True, nogil=True)
def balances(left: Doubles, columns: Doubles, orders: Ints) -> Doubles:
    """sum over i < j of left[m, i, j] * sign(y[p[i]] - y[p[j]]), for every order p, column y and metric m.

    `left`: (i, j, metrics); `columns`: (rows, n); `orders`: (samples, n). Returns (samples, rows, metrics).
    """
    samples, n = orders.shape
    rows, metrics = columns.shape[0], left.shape[2]
    sums = np.zeros((samples, rows, metrics))
    above = np.empty((n, n))
    for k in range(rows):
        for i in range(n):
            for j in range(n):
                above[i, j] = np.sign(columns[k, i] - columns[k, j])
        for r in range(samples):
            for i in range(n):
                first = orders[r, i]
                for j in range(i + 1, n):
                    sign = above[first, orders[r, j]]
                    for m in range(metrics):
                        sums[r, k, m] += left[i, j, m] * sign
    return sums


@njit(cache=True, nogil=True)
def swapped_differences(a: Doubles, b: Doubles, y: Doubles, weight: Doubles, swaps: Doubles) -> Doubles:
    """tau of a' with y less tau of b' with y, where a' and b' are a and b with some systems' values exchanged.

    `a`, `b`, `y`: (n,); `weight`: (n, n) of the pairs; `swaps`: (samples, n), 1 where a system's values change
    sides. Returns (samples,); 0 for a side that is constant.
    """
    samples, n = swaps.shape
    found = np.zeros(samples)
    for r in range(samples):
        sum_a = sum_b = size_a = size_b = size_y = 0.0
        for i in range(n):
            a_i, b_i = (b[i], a[i]) if swaps[r, i] else (a[i], b[i])
            for j in range(i + 1, n):
                w = weight[i, j]
                if w == 0.0:
                    continue
                a_j, b_j = (b[j], a[j]) if swaps[r, j] else (a[j], b[j])
                s = np.sign(y[i] - y[j])
                s_a = np.sign(a_i - a_j)
                s_b = np.sign(b_i - b_j)
                sum_a += w * s * s_a
                sum_b += w * s * s_b
                size_a += w * abs(s_a)
                size_b += w * abs(s_b)
                size_y += w * abs(s)
        tau_a = sum_a / np.sqrt(size_a * size_y) if size_a * size_y > 0 else 0.0
        tau_b = sum_b / np.sqrt(size_b * size_y) if size_b * size_y > 0 else 0.0
        found[r] = tau_a - tau_b
    return found
