"""Noise of means because only a sample of topics was drawn: of differences of systems, and of one skewed mean;
and of any value because only a sample of units is there.

Random signs: exchanges of the items of two systems, exact for few items.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from clirbench.statistics.agreement import FEWEST_UNITS, Interval, deviations, too_few
from clirbench.types import Doubles

FEWEST_TOPICS = 5


def jackknifed(whole: float, rest: Sequence[float] | Doubles) -> Interval:
    """Delete-one-unit jackknife of a value; `rest`: the value without each of G units.

    Half width: t with G - 1 degrees of freedom times the root of the sum of squared `deviations`. No interval for
    fewer than 6 units or where a value is undefined.
    """
    from clirbench.native.special import stdtrit

    g = len(rest)
    if g < FEWEST_UNITS:
        return Interval(whole, note=too_few(g))
    others = np.asarray(rest, dtype=np.float64)
    if not np.isfinite(others).all() or not np.isfinite(whole):
        return Interval(whole, note="undefined without some of the systems")
    half = float(stdtrit(g - 1, 0.975) * np.linalg.norm(deviations(others)))
    return Interval(whole, whole - half, whole + half)


def pair_errors(values: Doubles) -> Doubles:
    """(n, n): standard error of the difference of two systems' means over topics; `values`: (systems, topics >= 2).

    From the covariance of the systems: what a topic adds to all of them cancels. 0 where two differ by the same for
    every topic.
    """
    covariance = np.cov(values).reshape(len(values), len(values)) / values.shape[1]
    own = np.diag(covariance)
    error = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0))
    error[error < 1e-7 * np.sqrt(own.max(initial=0))] = 0  # the same values for every topic, up to rounding
    return np.asarray(error)


def mean_limits(d: Doubles, alpha: float) -> tuple[float, float]:
    """The wider of Student's and Hall's limits of the mean of `d` (k,), each exceeded with probability `alpha`.

    The mean itself, twice, where all values are the same.
    **Source:** Hall 1992, "On the removal of skewness by transformation".
    """
    from clirbench.native.special import stdtrit

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
    from clirbench.native.special import stdtr

    size, skew = len(d), _skewness(d)
    z = (float(d.mean()) - at) / float(d.std())
    bent = z + skew * z**2 / 3 + skew**2 * z**3 / 27 + skew / (6 * size)
    found = [float(stdtr(size - 1, value * sqrt(size - 1))) for value in (z, bent)]
    return min(found, key=lambda p: abs(p - 0.5))


def _skewness(d: Doubles) -> float:
    return float(((d - d.mean()) ** 3).mean() / d.std() ** 3)


EXACT = 14
HELD = 1 << 22
"""Numbers that a block of patterns, or the items of some pairs, may have."""


def sign_blocks(k: int, samples: int, seed: int) -> Iterator[Doubles]:
    """(patterns, k) of 1 (kept) and 0 (exchanged), some at a time; the very first keeps everything.

    All 2^k for k <= 14, else the observed one and `samples` at random: the coins that sacreBLEU tosses from this seed.
    """
    if k <= EXACT:
        yield ((np.arange(2**k)[:, None] >> np.arange(k)) & 1 ^ 1).astype(np.float64)
        return
    yield np.ones((1, k))
    rng = np.random.default_rng(seed)
    rows = max(32, HELD // k // 32 * 32)  # whole words of 32 coins, so that blocks toss what one call would
    for at in range(0, samples, rows):
        yield rng.integers(2, size=(min(rows, samples - at), k), dtype=np.bool_).astype(np.float64)


def mean_difference_p(d: Doubles, *, sides: int = 2, samples: int = 9999, seed: int = 0) -> float:
    """P(a mean of differences with random signs reaches the observed one); `d`: (items,), finite.

    Two-sided by magnitude, or one-sided (`sides=1`: greater). Ties count; the observed signs are one pattern, so the
    p-value is never 0. Exact for up to 14 items that differ. **Source:** Fisher 1935; Phipson and Smyth 2010 (+ 1).
    """
    d = d[d != 0]
    if not len(d):
        return 1.0
    sums = np.concatenate([(2 * keep - 1) @ d for keep in sign_blocks(len(d), samples, seed)])
    values = np.abs(sums) if sides == 2 else sums
    return float((values >= values[0] - 1e-9 * np.abs(sums).max()).mean())
