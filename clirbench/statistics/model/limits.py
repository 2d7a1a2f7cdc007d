"""Limits of a mean of few and skewed values."""

from math import sqrt

import numpy as np

from clirbench.types import Doubles


def mean_limits(d: Doubles, alpha: float) -> tuple[float, float]:
    """The wider of Student's and Hall's limits of the mean of `d` (k,), each exceeded with probability `alpha`.

    The mean itself, twice, where all values are the same.
    **Source:** Hall 1992, "On the removal of skewness by transformation".
    """
    from scipy.special import stdtrit

    size, mean, sd = len(d), float(d.mean()), float(d.std())
    if float(np.ptp(d)) <= 1e-12 * float(np.abs(d).max(initial=1e-300)):
        return mean, mean
    q = float(stdtrit(size - 1, 1 - alpha)) / sqrt(size - 1)
    skew = _skewness(d)

    def back(value: float) -> float:
        """The standardised mean whose transform this is."""
        moved = value - skew / (6 * size)
        return float(3 / skew * (np.cbrt(1 + skew * moved) - 1)) if abs(skew) > 1e-6 else moved

    return mean - sd * max(q, back(q)), mean - sd * min(-q, back(-q))


def p_above(d: Doubles, at: float) -> float:
    """P(true mean > at): of Student's and Hall's the one nearer to 1/2."""
    from scipy.special import stdtr

    size, skew = len(d), _skewness(d)
    z = (float(d.mean()) - at) / float(d.std())
    bent = z + skew * z**2 / 3 + skew**2 * z**3 / 27 + skew / (6 * size)
    found = [float(stdtr(size - 1, value * sqrt(size - 1))) for value in (z, bent)]
    return min(found, key=lambda p: abs(p - 0.5))


def _skewness(d: Doubles) -> float:
    return float(((d - d.mean()) ** 3).mean() / d.std() ** 3)
