"""Two-sided p-values of coefficients under "every assignment of one column to the other is equally likely".

`exact` counts all assignments: in closed form for Kendall with ties in at most one column, for any n; by full
enumeration to n = 9 otherwise; beyond that `permutation` samples them and says its standard error. `normal`: Kendall's
of more than 1,000 systems.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import erfc, isnan, nan, prod, sqrt
from typing import Literal

import numpy as np

from clirbench.types import Doubles, Ints

ENUMERATED = 9
COUNTED = 1000
"""Systems of which the assignments are counted: .9 s."""
TINY = float(np.finfo(np.float64).tiny)
SAMPLES = 9999
BLOCK = 1 << 20
KEPT = 1 << 25
"""Entries of random orders that are drawn at a time, and that are kept at most (256 MB)."""
Statistic = Callable[[Ints], Doubles]


@dataclass(frozen=True)
class PValue:
    """A two-sided p-value in (0, 1], the method that found it and its standard error (0 where it is exact)."""

    value: float
    method: str
    error: float = 0.0


def inversions(sizes: tuple[int, ...]) -> Doubles:
    """P(a random order of a multiset has d inversions), d = 0, 1, ...; `sizes` are the sizes of its tied groups.

    The counts' generating function is the Gaussian multinomial [n; sizes]_q, here as probabilities: merging a group
    of m into k earlier items multiplies by prod_{i=1..m} (1 - q^(k+i)) / (1 - q^i). All groups of size 1 is Kendall's
    own null distribution. Small tails keep their relative precision, because sums run from the small end.
    **Source:** MacMahon 1916, "Combinatory Analysis" II, 6.
    """
    n = sum(sizes)
    largest = (n * n - sum(size * size for size in sizes)) // 2
    counts = np.zeros(largest // 2 + 1)
    counts[0] = 1.0
    before = most = 0
    for size in sorted(sizes, reverse=True):
        most += before * size  # inversions that the items so far can have: beyond them every count is 0
        for i in range(1, size + 1):
            if before:
                lower = counts[: most + 1]
                lower[:] = _times_ratio(lower, before + i, i) * (i / (before + i))
        before += size
    mirrored = counts[: (largest + 1) // 2][::-1]
    return np.concatenate([counts, mirrored])


def _times_ratio(counts: Doubles, up: int, down: int) -> Doubles:
    """counts(q) * (1 - q^up) / (1 - q^down), cut at the length given (the lower half of a symmetric law)."""
    divided = counts.copy()
    for start in range(min(down, len(divided))):
        divided[start::down] = np.cumsum(divided[start::down])
    if up < len(divided):
        divided[up:] -= divided[:-up].copy()
    return divided


@lru_cache(maxsize=256)
def _tails(sizes: tuple[int, ...]) -> Doubles:
    """P(at most d inversions), cumulated from the small end."""
    return np.cumsum(inversions(sizes))


def kendall_exact(x: Doubles, y: Doubles, balance: float) -> PValue | None:
    """P(|C - D| >= |balance|) over all assignments; None where both columns have ties (no closed form here).

    Of more than 1,000 systems by the normal law, ties or not: the exact one takes n^3 steps and differs by .0002.
    `x`, `y`: (n,) finite; `balance` = C - D of the two. **Source:** Kendall 1938; ties: MacMahon's multinomial.
    """
    groups = [tuple(sorted(np.unique(column, return_counts=True)[1].tolist())) for column in (x, y)]
    if len(x) > COUNTED:
        deviation = sqrt(balance_variance(*map(np.array, groups)))
        return PValue(max(TINY, erfc(abs(balance) / deviation / sqrt(2))), "normal")
    tied = [sizes for sizes in groups if max(sizes) > 1]
    if len(tied) == 2:
        return None
    tails = _tails(tied[0] if tied else groups[0])
    largest = len(tails) - 1
    fewest = round((largest - abs(balance)) / 2)
    if 2 * fewest >= largest:
        return PValue(1.0, "exact")
    return PValue(min(1.0, 2 * float(tails[fewest])), "exact")


def balance_variance(x: Ints, y: Ints) -> float:
    """Variance of C - D over all assignments, from the sizes of the groups that are tied in each column.

    **Source:** Kendall 1970, "Rank Correlation Methods", 4.9.
    """
    n = float(x.sum())
    found = n * (n - 1) * (2 * n + 5) / 18
    tied = [t.astype(np.float64) for t in (x, y)]
    found -= sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in tied) / 18
    found += prod(float((t * (t - 1)).sum()) for t in tied) / (2 * n * (n - 1))
    return found + prod(float((t * (t - 1) * (t - 2)).sum()) for t in tied) / (9 * n * (n - 1) * (n - 2))


def enumerated(statistic: Statistic, n: int) -> PValue:
    """Share of all n! assignments whose |statistic| reaches the observed one (that of the identity).

    `statistic`: takes orders (m, n) and returns (m,); n <= 9.
    """
    values = np.abs(statistic(_all_orders(n)))
    return PValue(float((values >= _with_rounding_slack(values[0])).mean()), "exact")


def sampled(statistic: Statistic, n: int, samples: int = SAMPLES, seed: int = 0) -> PValue:
    """(1 + number of random assignments that reach the observed |statistic|) / (1 + samples), with its error.

    Never 0: the observed assignment is one of them. **Source:** Davison and Hinkley 1997, 4.11.
    """
    observed = float(np.abs(statistic(np.arange(n)[None, :])[0]))
    orders = _kept_orders(n, samples, seed) if n * samples <= KEPT else _random_orders(n, samples, seed)
    hits = sum(int((np.abs(statistic(block)) >= _with_rounding_slack(observed)).sum()) for block in orders)
    value = (1 + hits) / (1 + samples)
    return PValue(value, "permutation", sqrt(value * (1 - value) / samples))


def _random_orders(n: int, samples: int, seed: int) -> Iterator[Ints]:
    """Random orders of n items, a block (orders, n) at a time: all at once may not fit into memory."""
    drawn = np.random.default_rng(seed)
    size = max(1, BLOCK // n)
    for start in range(0, samples, size):
        yield drawn.permuted(np.tile(np.arange(n), (min(size, samples - start), 1)), axis=1)


@lru_cache(maxsize=1)
def _kept_orders(n: int, samples: int, seed: int) -> tuple[Ints, ...]:
    """The same, kept: every pair of columns is tested by the same orders."""
    return tuple(_random_orders(n, samples, seed))


def _with_rounding_slack(observed: float) -> float:
    """The observed value less what rounding may take from an equal one."""
    return float(observed - 1e-9 * max(1.0, abs(observed)))


@lru_cache(maxsize=8)
def _all_orders(n: int) -> Ints:
    return np.array(list(permutations(range(n))), dtype=np.int64)


def significance(p_value: float, alpha: float) -> Literal["true", "false", "undefined"]:
    """Whether p < alpha, as tables write it; `undefined` for NaN."""
    if isnan(p_value):
        return "undefined"
    return "true" if p_value < alpha else "false"


def holm(p_values: Sequence[float], family: int | None = None) -> list[float]:
    """Holm-adjusted p-values: max over smaller ones of (m - rank + 1) p, at most 1; NaN stays NaN.

    m is the size of the `family`, by default the number of defined p-values; those of it that are not shown are taken
    to be larger, which is never too small. **Source:** Holm 1979, "A simple sequentially rejective multiple test
    procedure".
    """
    defined = sorted((p, i) for i, p in enumerate(p_values) if not isnan(p))
    adjusted, highest = [nan] * len(p_values), 0.0
    for rank, (p, i) in enumerate(defined):
        highest = max(highest, min(1.0, ((family or len(defined)) - rank) * p))
        adjusted[i] = highest
    return adjusted
