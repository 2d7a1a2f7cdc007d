"""Soft pairwise accuracy that does not depend on the order of systems where items tie, with an interval."""

import numpy as np

from clirbench.statistics.model.jackknife import Interval, jackknifed, pair_totals
from clirbench.statistics.model.randomisation import sign_patterns
from clirbench.types import Doubles, Ints


def mid_p_values(values: Doubles, *, samples: int = 1000, seed: int = 0) -> Doubles:
    """(n, n): P(the row's system beats the column's by at least the observed difference by chance), ties by half.

    `values` (systems, items): items are exchanged between two systems at random, by the same coins for all pairs;
    p = share of patterns that exceed the observed difference + half the share that equals it, so p_ij + p_ji = 1 and
    p = 1/2 where all items tie. The observed pattern is one of them. **Source:** Lancaster 1961 (mid-p).
    """
    n, items = values.shape
    keep, _ = sign_patterns(items, samples, seed)
    signs = 2 * keep - 1
    means = values.mean(axis=1)
    observed = means[:, None] - means[None, :]
    slack = 1e-9 * max(float(np.abs(values).max()), 1e-300)
    above, equal = np.zeros((n, n)), np.zeros((n, n))
    for at in range(0, len(signs), 64):
        totals = signs[at : at + 64] @ values.T / items
        moved = totals[:, :, None] - totals[:, None, :]
        above += (moved > observed + slack).sum(axis=0)
        equal += (np.abs(moved - observed) <= slack).sum(axis=0)
    return np.asarray((above + equal / 2) / len(signs))


def soft_accuracy(metric: Doubles, measure: Doubles, unit: Ints) -> Interval:
    """1 - mean |p - q| over pairs of systems of different units; 1 is perfect.

    `metric`, `measure`: (n, n) from `mid_p_values`. Every pair counts alike; interval: delete-one-unit jackknife,
    within [0, 1]. NaN for fewer than 2 units. **Source:** Thompson et al. 2024, section 3.
    """
    different = (unit[:, None] != unit[None, :]).astype(np.float64)
    apart, size = pair_totals(np.stack([different * np.abs(metric - measure), different]), unit)
    found = np.where(size > 0, 1 - apart / np.maximum(size, 1), np.nan)
    return jackknifed(float(found[0]), found[1:].tolist(), back=lambda v: float(np.clip(v, 0.0, 1.0)))
