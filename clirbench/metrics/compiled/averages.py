"""Averages over word types, from totals with `width` columns a type: REFS, PREDS, MATCH and, of four, WEIGHT.

WEIGHT is the type's own weight times (REFS + PREDS), so that it is additive and the weight can be had back from any
sum; of three columns every weight is 1.
"""

import numpy as np

from clirbench.metrics.compiled.jit import njit

F, PRECISION, RECALL = 0, 1, 2


@njit(cache=True, nogil=True)
def weighted_f(weight, refs, preds, match, beta):  # type: ignore[no-untyped-def]
    """weight * F_beta, F_beta = (1 + beta^2) MATCH / (PREDS + beta^2 REFS); 0 without match. Not branching: fast."""
    possible = preds + beta * beta * refs if match > 0 else 1.0
    return weight * (1 + beta * beta) * match / possible


@njit(cache=True, nogil=True)
def add_type(refs, preds, match, weighed, rate, micro, beta, k, above, below):  # type: ignore[no-untyped-def]
    """The running sums of weights times rates and of weights, with one more type.

    A precision is defined where PREDS > 0, a recall where REFS > 0; F where the type occurs at all, 0 without match.
    """
    if refs + preds <= 0 or (rate == PRECISION and preds <= 0) or (rate == RECALL and refs <= 0):
        return above, below
    weight = weighed / (refs + preds)
    if micro:
        weight *= refs + k
    value = 0.0
    if match > 0:
        if rate == PRECISION:
            value = match / preds
        elif rate == RECALL:
            value = match / refs
        else:
            value = weighted_f(1.0, refs, preds, match, beta)
    return above + weight * value, below + weight


@njit(cache=True, nogil=True)
def average_columns(totals, width, rate, micro, beta, k):  # type: ignore[no-untyped-def]
    """One average for each column of totals (width * types, rows); 0 for one without any type."""
    n_rows = totals.shape[1]
    above, below = np.zeros(n_rows), np.zeros(n_rows)
    for at in range(0, len(totals), width):
        for row in range(n_rows):
            refs, preds = totals[at, row], totals[at + 1, row]
            weighed = totals[at + 3, row] if width == 4 else refs + preds
            above[row], below[row] = add_type(
                refs, preds, totals[at + 2, row], weighed, rate, micro, beta, k, above[row], below[row]
            )
    for row in range(n_rows):
        above[row] = above[row] / below[row] if below[row] > 0 else 0.0
    return above


@njit(cache=True, nogil=True)
def average_sparse(values, columns, begins, width, rate, micro, beta, k):  # type: ignore[no-untyped-def]
    """One average for each row of a CSR matrix whose columns are sorted within each row."""
    out = np.zeros(len(begins) - 1)
    held = np.zeros(4)
    for row in range(len(out)):
        above, below = 0.0, 0.0
        i = begins[row]
        while i < begins[row + 1]:
            kind = columns[i] // width
            held[:] = 0
            while i < begins[row + 1] and columns[i] // width == kind:
                held[columns[i] % width] = values[i]
                i += 1
            weighed = held[3] if width == 4 else held[0] + held[1]
            above, below = add_type(held[0], held[1], held[2], weighed, rate, micro, beta, k, above, below)
        if below > 0:
            out[row] = above / below
    return out
