"""Compiled loops of MacroF and MicroF: a score is a ratio of two sums over word types.

    score = 100 * sum over types of w F_beta / sum over types of w

with w = 1 (MacroF) or REFS + k (MicroF), over the types that occur in the totals. Columns 3t, 3t + 1, 3t + 2 of the
statistics are REFS, PREDS, MATCH of type t (see `clirbench.metrics.macrof`, whose `score` the tests hold this
against).
"""

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.compiled.averages import weighted_f
from clirbench.metrics.compiled.jit import njit
from clirbench.types import Doubles

Index = NDArray[np.int32]
Bytes = NDArray[np.uint8]


@njit(cache=True, nogil=True)
def resampled(
    starts: Index, segments: Index, counts: Doubles, weights: Doubles | Bytes, beta: float, k: float, micro: bool
) -> Doubles:
    """Scores of every resample, one pass over the types.

    `starts`, `segments`, `counts`: the statistics by column (CSC); `weights`: (segments, samples), how often each
    sample holds each segment. Returns (samples,), 0-100.
    """
    samples = weights.shape[1]
    above = np.zeros(samples)
    below = np.zeros(samples)
    totals = np.empty((3, samples))
    for t in range((len(starts) - 1) // 3):
        totals[:] = 0.0
        for part in range(3):
            total = totals[part]
            for at in range(starts[3 * t + part], starts[3 * t + part + 1]):
                row = weights[segments[at]]
                count = counts[at]
                for r in range(samples):
                    total[r] += count * row[r]
        refs, preds, match = totals[0], totals[1], totals[2]
        for r in range(samples):
            occurs = refs[r] + preds[r] > 0
            weight = (refs[r] + k if micro else 1.0) if occurs else 0.0
            above[r] += weighted_f(weight, refs[r], preds[r], match[r], beta)
            below[r] += weight
    return 100.0 * above / np.where(below > 0, below, 1.0)


@njit(cache=True, nogil=True)
def _term(refs: float, preds: float, match: float, beta: float, k: float, micro: bool) -> tuple[float, float]:
    """w F and w of one type."""
    if refs + preds <= 0:
        return 0.0, 0.0
    weight = refs + k if micro else 1.0
    return weighted_f(weight, refs, preds, match, beta), weight


@njit(cache=True, nogil=True)
def leave_one_out(
    starts: Index, columns: Index, counts: Doubles, totals: Doubles, beta: float, k: float, micro: bool
) -> Doubles:
    """Scores without each segment in turn; only the types of that segment are scored again.

    `starts`, `columns`, `counts`: the statistics by segment (CSR, columns ascending); `totals`: (3 * types,) their
    sums. Returns (segments,), 0-100.
    """
    above, below = 0.0, 0.0
    for t in range(len(totals) // 3):
        term = _term(totals[3 * t], totals[3 * t + 1], totals[3 * t + 2], beta, k, micro)
        above += term[0]
        below += term[1]
    scores = np.empty(len(starts) - 1)
    for segment in range(len(starts) - 1):
        rest_above, rest_below = above, below
        at = starts[segment]
        while at < starts[segment + 1]:
            t = columns[at] // 3
            left = totals[3 * t : 3 * t + 3].copy()
            old = _term(left[0], left[1], left[2], beta, k, micro)
            while at < starts[segment + 1] and columns[at] // 3 == t:
                left[columns[at] - 3 * t] -= counts[at]
                at += 1
            new = _term(left[0], left[1], left[2], beta, k, micro)
            rest_above += new[0] - old[0]
            rest_below += new[1] - old[1]
        scores[segment] = 100.0 * rest_above / rest_below if rest_below > 0 else 0.0
    return scores
