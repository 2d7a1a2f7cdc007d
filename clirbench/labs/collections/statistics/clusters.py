"""Collections that have something in common: what they say together, and tests that keep them together."""

from functools import lru_cache
from math import nan

import numpy as np
from scipy.special import stdtr, stdtrit

from clirbench.labs.collections.statistics.random_effects import Estimate
from clirbench.types import Doubles, Ints

FEWEST_FREEDOM = 4.0
EXHAUSTIVE = 16
FLIPS = 65535


def cluster_robust(y: Doubles, variance: Doubles, cluster: Ints, level: float = 0.95) -> Estimate:
    """The mean weighted by 1 / variance, its error from what whole clusters deviate (CR2), Satterthwaite's t.

    No interval with fewer than 4 degrees of freedom. `y`, `variance`: (k,), the working model's variances;
    `cluster`: (k,) labels 0, 1, ....
    With the design a column of ones, weights W and H = 1 1'W / sum(w), cluster j counts with the symmetric root of the
    inverse of B_j = D_j ((I - H) Phi (I - H)')_jj D_j', D_j = Phi_jj^(1/2).
    **Source:** Bell and McCaffrey 2002; Pustejovsky and Tipton 2018, equations 7 and 11.
    """
    k = len(y)
    weight = 1 / variance
    total = weight.sum()
    mean = float(weight @ y / total)
    keep = np.eye(k) - np.tile(weight / total, (k, 1))
    spread = keep * variance @ keep.T
    rows = []
    for label in range(int(cluster.max()) + 1):
        own = np.flatnonzero(cluster == label)
        root = np.sqrt(variance[own])
        values, vectors = np.linalg.eigh(root[:, None] * spread[np.ix_(own, own)] * root)
        inverse = np.where(values > 1e-10 * values.max(), 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
        adjust = root[:, None] * (vectors * inverse @ vectors.T) * root
        rows.append((weight[own] @ adjust) @ keep[own] / total)
    scores = np.stack(rows)
    error = float(np.sqrt(((scores @ y) ** 2).sum()))
    gram = scores * variance @ scores.T
    freedom = float(np.trace(gram) ** 2 / (gram**2).sum())
    if freedom < FEWEST_FREEDOM:
        return Estimate(mean, nan, nan, nan, freedom)
    half = float(stdtrit(freedom, (1 + level) / 2)) * error
    p = float(2 * stdtr(freedom, -abs(mean) / error)) if error > 0 else float(mean == 0)
    return Estimate(mean, mean - half, mean + half, p, freedom)


def joined(groups: "list[list[int]]", number: int) -> Ints:
    """(number,): clusters 0, 1, ... of what is connected by any group, in the order of appearance."""
    label = np.arange(number)
    for members in groups:
        label[np.isin(label, label[members])] = label[members].min()
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def sign_flip(y: Doubles, cluster: Ints, *, seed: int = 0) -> tuple[float, float]:
    """(p, the smallest p that there could be) of "each cluster's mean is as likely negative", two-sided.

    Every cluster counts alike; all 2^k signs up to 16 clusters, else 65,535 drawn ones. **Source:** Fisher 1935.
    """
    number = int(cluster.max()) + 1
    means = np.bincount(cluster, y) / np.bincount(cluster)
    sums = np.abs(_signs(number, seed) @ means)
    smallest = min(1.0, 2.0 ** (1 - number)) if number <= EXHAUSTIVE else 1 / (FLIPS + 1)
    return float((sums >= sums[0] - 1e-12).mean()), smallest


@lru_cache(maxsize=4)
def _signs(number: int, seed: int) -> Doubles:
    """(flips, number): the first row as observed; the same for every row of a table."""
    if number <= EXHAUSTIVE:
        return np.asarray(1.0 - 2 * ((np.arange(2**number)[:, None] >> np.arange(number)) & 1))
    signs = np.random.default_rng([seed, number]).choice([-1.0, 1.0], size=(FLIPS + 1, number))
    signs[0] = 1
    return signs
