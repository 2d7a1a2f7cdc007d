"""Noise of means because only a sample of topics was drawn: between systems, and of one mean of skewed values.

Random signs: exchanges of the items of two systems, exact for few items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.types import Doubles, Ints

FEWEST_TOPICS = 5


@dataclass(frozen=True, eq=False)
class Noise:
    """Covariance of the systems' means over topics that are drawn from a population of topics.

    `covariance`: (n, n), in squared units of the measure, of the deviations from the mean of all systems: what a
    hard topic does to all of them alike is no part of it, so only contrasts of systems have a meaning.
    `freedom`: degrees of freedom of its size (inf where it is known). `shrinkage`: the share in [0, 1] of the
    structured target in it.
    """

    covariance: Doubles
    freedom: float
    shrinkage: float


def topic_noise(values: Doubles, unit: Ints | None = None) -> Noise:
    """The noise of the means of `values` (systems, topics), topic main effects removed, shrunken towards a structure.

    R = values less row and column means, S = R R' / (T - 1); covariance = (a target + (1 - a) S) / T. The target is
    the nonnegative combination of the identity and, where systems form several units (`unit` (n,)), of "same unit"
    (n, n) that is nearest to S; a = min(1, sum of Var(s_ij) / sum of (s_ij - target_ij)^2). Freedom is
    (T - 1) tr(C)^2 / tr(C^2): T - 1 for two systems, (T - 1)(n - 1) for alike and independent ones.
    Raises `AlignmentError` for fewer than 2 systems or topics, or values that are not finite.
    **Source:** Ledoit and Wolf 2004; the estimate of a: Schaefer and Strimmer 2005; freedom: Satterthwaite 1946.
    """
    n, topics = values.shape
    if n < 2 or topics < 2 or not np.isfinite(values).all():
        raise AlignmentError(f"noise of {n} systems over {topics} topics: at least 2 of each, all values finite")
    residual = doubly_centred(values)
    sample = residual @ residual.T / (topics - 1)
    target = _nearest(sample, unit)
    squares = residual**2
    # Variance of an entry of S: that of the products over topics (sums of squares of products are one matrix product)
    spread = (squares @ squares.T - topics * (sample * (topics - 1) / topics) ** 2) * topics / (topics - 1) ** 3
    distance = float(((sample - target) ** 2).sum())
    share = float(np.clip(spread.sum() / distance, 0.0, 1.0)) if distance > 0 else 1.0
    mixed = share * target + (1 - share) * sample
    squared = float((mixed**2).sum())
    freedom = (topics - 1) * float(np.trace(mixed)) ** 2 / squared if squared > 0 else float(topics - 1)
    return Noise(mixed / topics, freedom, share)


def centred(values: Doubles) -> Doubles:
    """Less the mean over the first axis."""
    return np.asarray(values - values.mean(axis=0, keepdims=True))


def contrasts(n: int) -> Doubles:
    """(n, n - 1): orthonormal columns that each sum to 0 (Helmert's)."""
    columns = np.zeros((n, n - 1))
    for k in range(1, n):
        columns[:k, k - 1], columns[k, k - 1] = 1.0, -float(k)
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def doubly_centred(matrix: Doubles) -> Doubles:
    """C matrix C with C = I - 11'/n: what the matrix says about contrasts."""
    return centred(centred(matrix).T).T


def _nearest(sample: Doubles, unit: Ints | None) -> Doubles:
    """The nonnegative combination of centred matrices, identity and same unit, nearest to the sample covariance."""
    n = len(sample)
    same = np.eye(n) if unit is None else (unit[:, None] == unit).astype(np.float64)
    several = (same == 0).any() and same.sum() > n
    bases = [doubly_centred(matrix) for matrix in (np.eye(n), same)[: 1 + several]]
    stacked = np.stack([base.reshape(-1) for base in bases])
    # Normal equations: as many rows as bases instead of n^2.
    gram = stacked @ stacked.T
    root = np.linalg.cholesky(gram + 1e-10 * np.trace(gram) * np.eye(len(gram)))
    right = np.linalg.solve(root, stacked @ sample.reshape(-1))
    tried = np.zeros((4, len(bases)))  # the best is that of both, or of one of them, or none
    for weights, chosen in zip(tried, ([0, 1], [0], [1]), strict=False):
        own = [base for base in chosen if base < len(bases)]
        weights[own] = np.linalg.lstsq(root.T[:, own], right, rcond=None)[0] if own else 0.0
    tried = tried[(tried >= 0).all(axis=1)]
    best = tried[np.linalg.norm(tried @ root - right, axis=1).argmin()]
    return np.asarray((best @ stacked).reshape(n, n))


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
