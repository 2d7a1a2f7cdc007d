"""Compiled loops over pairs of systems, weighted by their units; `concordance` documents them."""

import numpy as np

from clirbench.metrics.compiled.jit import njit
from clirbench.types import Doubles, Ints

Columns = Doubles | np.typing.NDArray[np.int32]


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
def kendall_balances(by_x: Ints, x: Doubles, ranks: Ints, orders: Ints) -> Doubles:
    """sum over i < j of sign(x[m, i] - x[m, j]) * sign(y[p[i]] - y[p[j]]), in n log n steps: systems enter a Fenwick
    tree of the ranks of y by ascending x, those that are tied together, and count what is below and above them.

    `by_x`: (metrics, n), systems by ascending x; `ranks`: (n,) of y from 1 on; `orders`: (samples, n). Returns
    (samples, metrics).
    """
    samples, n = orders.shape
    sums = np.zeros((samples, len(x)))
    tree = np.empty(n + 1, np.int32)
    for r in range(samples):
        for m in range(len(x)):
            tree[:] = 0
            begin, balance = 0, 0
            while begin < n:
                end = begin
                while end < n and x[m, by_x[m, end]] == x[m, by_x[m, begin]]:
                    rank = ranks[orders[r, by_x[m, end]]]
                    below, reached = 0, 0
                    at = rank - 1
                    while at > 0:
                        below += tree[at]
                        at &= at - 1
                    at = rank
                    while at > 0:
                        reached += tree[at]
                        at &= at - 1
                    balance += below - (begin - reached)
                    end += 1
                for i in range(begin, end):
                    at = ranks[orders[r, by_x[m, i]]]
                    while at <= n:
                        tree[at] += 1
                        at += at & -at
                begin = end
            sums[r, m] = balance
    return sums


@njit(cache=True, nogil=True)
def swapped_differences(a: Columns, b: Columns, y: Columns, swaps: Doubles) -> Doubles:
    """Kendall's tau-b of a' with y less that of b' with y, where a' and b' are a and b with some values exchanged.

    `a`, `b`, `y`: (n,), fastest as int32 ranks; `swaps`: (samples, n), 1 where a system's values change sides.
    Returns (samples,); 0 stands for tau of a side that is constant.
    """
    samples, n = swaps.shape
    order = np.empty((n, n), np.int32)
    ordered = 0
    for i in range(n):
        for j in range(n):
            order[i, j] = np.int32(y[i] > y[j]) - np.int32(y[i] < y[j])
        ordered += np.abs(order[i, :i]).sum()
    left, right = np.empty_like(a), np.empty_like(b)
    found = np.zeros(samples)
    for r in range(samples):
        for i in range(n):
            left[i], right[i] = (b[i], a[i]) if swaps[r, i] else (a[i], b[i])
        # All int32: the compiler then takes eight pairs at once.
        sum_a, sum_b, size_a, size_b = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
        for i in range(n):
            a_i, b_i = left[i], right[i]
            for j in range(i):
                s_a = np.int32(a_i > left[j]) - np.int32(a_i < left[j])
                s_b = np.int32(b_i > right[j]) - np.int32(b_i < right[j])
                sum_a += order[i, j] * s_a
                sum_b += order[i, j] * s_b
                size_a += s_a * s_a
                size_b += s_b * s_b
        tau_a = sum_a / np.sqrt(float(size_a) * ordered) if size_a * ordered > 0 else 0.0
        tau_b = sum_b / np.sqrt(float(size_b) * ordered) if size_b * ordered > 0 else 0.0
        found[r] = tau_a - tau_b
    return found
