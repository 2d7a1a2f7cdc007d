"""The mean of estimates that differ by noise and by collection, and where the next collection's would lie.

y_c = mu + u_c + e_c,   u_c of variance tau2 between collections, e_c of known variance v_c
"""

from dataclasses import dataclass
from functools import lru_cache
from math import nan

import numpy as np
from scipy.special import chdtrc, stdtr, stdtrit

from clirbench.types import Doubles

FEWEST_TO_PREDICT = 5
"""Collections that a prediction interval needs."""
DRAWS = 5000
INTERVAL = "modified Hartung-Knapp (factor at least 1)"
"""What `pooled_mean` computes, in the words of its tables."""


@dataclass(frozen=True)
class Estimate:
    """`mean` with its interval and two-sided p; `freedom`: degrees of freedom; NaN where there is no interval."""

    mean: float
    low: float
    high: float
    p_value: float
    freedom: float


@dataclass(frozen=True)
class Mean(Estimate):
    """The mean over collections whose true values differ.

    `tau2`: variance between them; `share`: of all variance, what is not noise (I squared); `p_same`: p-value of "no
    collection differs from another but by noise" (Cochran's Q).
    """

    tau2: float
    share: float
    p_same: float


def paule_mandel(y: Doubles, v: Doubles) -> float:
    """The variance between collections for which sum (y - mean)^2 / (v + tau2) = k - 1; 0 where noise explains all.

    `y`, `v`: (k,), v > 0. **Source:** Paule and Mandel 1982; DerSimonian and Kacker 2007.
    """
    from scipy.optimize import brentq

    def excess(tau2: float) -> float:
        return _spread(y, 1 / (v + tau2)) - (len(y) - 1)

    if len(y) < 2 or excess(0.0) <= 0:
        return 0.0
    high = float(np.ptp(y) ** 2) + 1e-12
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-12))


def _spread(y: Doubles, weight: Doubles) -> float:
    """The weighted sum of squares around the weighted mean."""
    return float((weight * (y - (weight @ y) / weight.sum()) ** 2).sum())


def pooled_mean(y: Doubles, v: Doubles, level: float = 0.95) -> Mean:
    """Random-effects mean with the modified Hartung-Knapp interval (mHK), t with k - 1 degrees of freedom.

    Where collections agree better than their noise allows, the factor is 1: luck does not make an interval narrower.
    `y`, `v`: (k,) estimates and their variances, v > 0. With one collection there is no interval.
    **Source:** Hartung and Knapp 2001, equation 7; Knapp and Hartung 2003 (the factor of at least 1), which
    Roever, Knapp and Friede 2015 call mHK.
    """
    k = len(y)
    tau2 = paule_mandel(y, v)
    weight = 1 / (v + tau2)
    mean = float(weight @ y / weight.sum())
    if k < 2:
        return Mean(mean, nan, nan, nan, nan, nan, nan, nan)
    error = float(np.sqrt(max(1.0, _spread(y, weight) / (k - 1)) / weight.sum()))
    half = float(stdtrit(k - 1, (1 + level) / 2)) * error
    p = float(2 * stdtr(k - 1, -abs(mean) / error)) if error > 0 else float(mean == 0)
    q = _spread(y, 1 / v)
    fixed = 1 / v
    typical = (k - 1) * fixed.sum() / (fixed.sum() ** 2 - (fixed**2).sum())
    return Mean(mean, mean - half, mean + half, p, k - 1, tau2, tau2 / (tau2 + typical), float(chdtrc(k - 1, q)))


def prediction(
    y: Doubles, v: Doubles, *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """Where a new collection's true value lies, with probability `level`; NaN with fewer than 5 collections.

    tau2 is drawn from its confidence distribution P(Q >= q; tau2), then mu + u - t * Hartung-Knapp's error, whose
    factor is not bounded. The law of Q is that of sum (1 + tau2 m_i) z_i^2, m_i the eigenvalues of its matrix, so that
    a draw of z gives tau2 at once.
    **Source:** Nagashima, Noma and Furukawa 2019, section 3; Biggerstaff and Jackson 2008 (law of Q).
    """
    k = len(y)
    if k < FEWEST_TO_PREDICT:
        return nan, nan
    squares, normal, student = _draws(k, draws, seed)
    fixed = 1 / v
    matrix = np.diag(fixed) - np.outer(fixed, fixed) / fixed.sum()
    m = np.linalg.eigvalsh(matrix)[1:]
    tau2 = np.maximum(0.0, (_spread(y, fixed) - squares.sum(axis=1)) / (squares @ m))[:, None]
    weight = 1 / (v + tau2)
    total = weight.sum(axis=1)
    mean = weight @ y / total
    error = np.sqrt((weight * (y - mean[:, None]) ** 2).sum(axis=1) / ((k - 1) * total))
    new = mean + normal * np.sqrt(tau2[:, 0]) - student * error
    low, high = np.quantile(new, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(k: int, draws: int, seed: int) -> tuple[Doubles, Doubles, Doubles]:
    """Chi-squares (draws, k - 1), standard normals and Student's t (draws,): the same for every row of a table."""
    rng = np.random.default_rng([seed, k])
    return rng.chisquare(1, size=(draws, k - 1)), rng.normal(size=draws), rng.standard_t(k - 1, size=draws)
