"""How much taus vary by which systems a collection has, from pooled taus and the number of independent systems.

A collection's own tau never tells its own variance: where tau is 1 by luck, that would be 0.
"""

from functools import lru_cache

import numpy as np
from scipy.special import ndtr, owens_t
from scipy.stats import norm, qmc

from clirbench.types import Doubles, Ints

POINTS = 4096
CLOSEST = 0.9999


def tau_covariance(taus: Doubles, between: Doubles, units: Ints) -> Doubles:
    """(k, m, m): sampling covariance of the taus of m metrics with one measure, for k numbers of independent systems.

    Cov = 2 / (n (n - 1)) [T - tt' + 2 (n - 2) (Z - tt')], T the taus between the metrics, Z[a, b] the expected product
    of two pairs' agreements that share a system, of columns that are normal after a monotone transform.
    `taus`: (m,) with the measure; `between`: (m, m), 1 on the diagonal; `units`: (k,), n of at least 2. Exact for
    normal columns; ties are ignored.
    **Source:** Esscher 1924 and Kendall and Gibbons 1990, chapter 10 (one tau); Hoeffding 1948 (the general form).
    """
    rho = np.clip(np.sin(np.pi * np.asarray(taus) / 2), -CLOSEST, CLOSEST)
    full = np.block([[np.sin(np.pi * np.asarray(between) / 2), rho[:, None]], [rho[None, :], np.ones((1, 1))]])
    sample = _normal_points(len(full)) @ _root(full).T
    agreement = np.column_stack([_expected(sample[:, m], sample[:, -1], rho[m]) for m in range(len(rho))])
    centre = agreement.mean(axis=0)
    shared = (agreement - centre).T @ (agreement - centre) / len(sample)
    tau = 2 / np.pi * np.arcsin(rho)
    pairs = np.asarray(between) - np.outer(tau, tau)
    n = np.asarray(units, dtype=np.float64)[:, None, None]
    return np.asarray(2 / (n * (n - 1)) * (pairs + 2 * (n - 2) * shared))


def _expected(x: Doubles, y: Doubles, rho: float) -> Doubles:
    """The expected agreement of a system at (x, y) with another one: 4 P(both below) - 2 P(x') - 2 P(y') + 1."""
    root = np.sqrt(1 - rho * rho)
    below_x, below_y = ndtr(x), ndtr(y)
    both = (
        (below_x + below_y) / 2
        - owens_t(x, (y - rho * x) / (x * root))
        - owens_t(y, (x - rho * y) / (y * root))
        - np.where(x * y < 0, 0.5, 0.0)
    )
    return np.asarray(4 * both - 2 * below_x - 2 * below_y + 1)


@lru_cache(maxsize=8)
def _normal_points(columns: int) -> Doubles:
    """Evenly spread standard normal points; the same ones each time."""
    return np.asarray(norm.ppf(qmc.Sobol(columns, scramble=True, rng=np.random.default_rng(1)).random(POINTS)))


def _root(correlation: Doubles) -> Doubles:
    """A matrix whose square is the nearest correlation matrix: taus that were pooled need not fit each other."""
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True))
