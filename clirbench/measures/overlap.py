"""The arithmetic of rank-biased overlap with ties: two rankings in, MIN, MAX or EXT out, in O(n).

A ranking is a sequence of groups; the items of a group are tied and share its first rank t and last rank b (ranks
are 1-based). c_e(d), how far item e belongs to the first d ranks, depends on the treatment of ties:

    w            c = 1 where t <= d, else 0 (a whole group counts from its first rank on, as in sports)
    a, b         c = 1 where b <= d; (d - t + 1)/(b - t + 1) where t <= d < b (the chance under random order); else 0

    overlap      X_d = sum_e c_e(d; S) c_e(d; L)
    agreement    A_d = 2 X_d / (sum_e c_S + sum_e c_L)               w
                 A_d = X_d / d                                       a
                 A_d = X_d / (sqrt(sum_e c_S^2) sqrt(sum_e c_L^2))   b
    RBO          (1-p)/p sum_{d=1..inf} A_d p^d

S is the shorter ranking (s items), L the longer (l items). Only one group of each ranking is crossed by depth d, so
X_d is a count of items in full, and counts of crossed items times one fraction each; all counts over all depths are
sums of intervals, one or two for each shared item.

**Source:** Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010 (no ties; MIN, MAX and
EXT of uneven lists, eq. 11, 30, 32); Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clirbench.types import Doubles, Floats, Ints


@dataclass(frozen=True, eq=False)
class Ranks:
    """First and last rank of the group at every rank 1..n; where nothing is tied both are 1..n."""

    top: Ints
    bottom: Ints

    @classmethod
    def untied(cls, n: int) -> "Ranks":
        ranks = np.arange(1, n + 1)
        return cls(ranks, ranks)

    @classmethod
    def of_scores(cls, scores: Floats) -> "Ranks":
        """Equal neighbours in a falling list of scores are tied."""
        ends = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        bounds = np.concatenate([[0], ends, [len(scores)]]).astype(np.int64)
        return cls.of_sizes(np.diff(bounds))

    @classmethod
    def of_sizes(cls, sizes: Ints) -> "Ranks":
        """From the number of items of each group, first group first."""
        bottoms = np.cumsum(sizes)
        return cls(np.repeat(bottoms - sizes + 1, sizes), np.repeat(bottoms, sizes))

    def __len__(self) -> int:
        return len(self.top)


@dataclass(frozen=True, eq=False)
class OverlapCurve:
    """What is known at depths 1..l: overlap, the divisor of the agreement, and L's items that S has not shown."""

    s: int
    overlap: Doubles
    divisor: Doubles
    unshared: Ints
    crossed: Ints
    fraction: Doubles

    @property
    def beyond(self) -> Doubles:
        """d - s at the depths that S does not reach: the number of its unseen items there."""
        return np.arange(1, len(self.overlap) - self.s + 1, dtype=np.float64)


def curve(x: Ranks, y: Ranks, at_x: Ints, at_y: Ints, ties: str) -> OverlapCurve:
    """The overlap at every depth; item i of the shared ones stands at position `at_x[i]` of x, `at_y[i]` of y.

    `ties` is `w`, `a` or `b`; without ties all three are the same.
    """
    if len(x) > len(y):
        x, y, at_x, at_y = y, x, at_y, at_x
    s, n = len(x), len(y)
    depths = _depths(n)
    shown = np.zeros(n, dtype=bool)
    shown[at_y] = True
    if x.top is x.bottom and y.top is y.bottom:
        overlap = _active(np.maximum(at_x, at_y) + 1, None, n)
        return OverlapCurve(s, overlap, depths, np.cumsum(~shown), np.zeros(n, dtype=np.int64), depths)
    divisor = _divisor(x, depths, ties) + _divisor(y, depths, ties)
    if ties == "w":
        overlap = _active(np.maximum(x.top[at_x], y.top[at_y]), None, n)
        unshared = _active(y.top[~shown], None, n).astype(np.int64)
        return OverlapCurve(s, overlap, divisor / 2, unshared, np.zeros(n, dtype=np.int64), depths)
    overlap = _fractional_overlap(x, y, at_x, at_y, depths)
    divisor = depths if ties == "a" else np.sqrt(_divisor(x, depths, "b") * _divisor(y, depths, "b"))
    top, bottom = y.top[~shown], y.bottom[~shown]
    unshared = _active(bottom, None, n).astype(np.int64)
    return OverlapCurve(s, overlap, divisor, unshared, _active(top, bottom, n).astype(np.int64), _fraction(y, depths))


def _fractional_overlap(x: Ranks, y: Ranks, at_x: Ints, at_y: Ints, depths: Doubles) -> Doubles:
    """X_d of treatments a and b: shared items in full, crossed in one ranking, crossed in both."""
    n = len(depths)
    top_x, bottom_x, top_y, bottom_y = x.top[at_x], x.bottom[at_x], y.top[at_y], y.bottom[at_y]
    of_x, of_y = _fraction(x, depths), _fraction(y, depths)
    overlap = _active(np.maximum(bottom_x, bottom_y), None, n)
    overlap += of_y * _active(np.maximum(bottom_x, top_y), bottom_y, n)
    overlap += of_x * _active(np.maximum(bottom_y, top_x), bottom_x, n)
    overlap += of_x * of_y * _active(np.maximum(top_x, top_y), np.minimum(bottom_x, bottom_y), n)
    return overlap


def _active(start: Ints, stop: Ints | None, n: int) -> Doubles:
    """At each depth 1..n the number of intervals [start, stop) that hold it; an empty interval counts nowhere."""
    change = np.bincount(start, minlength=n + 1)
    if stop is not None:
        change = change - np.bincount(np.maximum(start, stop), minlength=n + 1)
    return np.cumsum(change[1 : n + 1]).astype(np.float64)


def _fraction(ranks: Ranks, depths: Doubles) -> Doubles:
    """The part of the group at depth d that d has reached; 1 beyond the end of the ranking."""
    fraction = np.ones(len(depths))
    n = len(ranks)
    fraction[:n] = (depths[:n] - ranks.top + 1) / (ranks.bottom - ranks.top + 1)
    return fraction


def _divisor(ranks: Ranks, depths: Doubles, ties: str) -> Doubles:
    """sum_e c_e (w) or sum_e c_e^2 (b) at each depth; beyond the end, unseen items count one each: d."""
    n = len(ranks)
    total = depths.copy()
    if ties == "w":
        total[:n] = ranks.bottom
    else:
        size = ranks.bottom - ranks.top + 1
        total[:n] = ranks.top - 1 + (depths[:n] - ranks.top + 1) ** 2 / size
    return total


def extrapolated(curve: OverlapCurve, p: float) -> float:
    """EXT: unseen items agree as those seen do, A_s for S's unseen items down to l, A_l for all below."""
    agreement = curve.overlap / curve.divisor
    s = curve.s
    if 0 < s < len(agreement):
        # An unseen item of S that agrees does so with one of L's unshared items, which may be crossed.
        shown, crossed = curve.unshared[s:], curve.crossed[s:]
        share = (shown + crossed * curve.fraction[s:]) / (shown + crossed) if crossed.any() else 1.0
        agreement[s:] += curve.beyond * agreement[s - 1] * share / curve.divisor[s:]
    if not len(agreement):
        return 0.0
    return float((1 - p) / p * (agreement @ _weights(p, len(agreement))) + agreement[-1] * p ** len(agreement))


def minimum(curve: OverlapCurve, p: float) -> float:
    """MIN: no unseen item agrees, so the overlap stays at X_l at every greater depth."""
    n = len(curve.overlap)
    if not n:
        return 0.0
    below = float(curve.overlap[-1]) * _tail(p, n)
    return float((1 - p) / p * ((curve.overlap / curve.divisor) @ _weights(p, n) + below))


def maximum(curve: OverlapCurve, p: float) -> float:
    """MAX: every unseen item agrees as early as it can: S's with L's first unshared items, then both with all left."""
    s, n = curve.s, len(curve.overlap)
    if not n:
        return 1.0
    overlap = curve.overlap.copy()
    if s < n:
        in_full = np.minimum(curve.beyond, curve.unshared[s:])
        overlap[s:] += in_full + np.minimum(curve.beyond - in_full, curve.crossed[s:]) * curve.fraction[s:]
    shared = round(float(curve.overlap[-1]))
    complete = n + s - shared
    deeper = np.arange(n + 1, complete + 1, dtype=np.float64)
    total = (overlap / curve.divisor) @ _weights(p, n)
    total += ((shared + n - s + 2 * (deeper - n)) / deeper) @ p**deeper
    return float((1 - p) / p * total + p**complete)


@lru_cache(maxsize=4)
def _depths(n: int) -> Doubles:
    depths = np.arange(1, n + 1, dtype=np.float64)
    depths.flags.writeable = False
    return depths


@lru_cache(maxsize=4)
def _weights(p: float, n: int) -> Doubles:
    """p^d for d = 1..n."""
    weights = np.asarray(p ** _depths(n), dtype=np.float64)
    weights.flags.writeable = False
    return weights


def _tail(p: float, n: int) -> float:
    """sum_{d > n} p^d / d, by the series of -ln(1 - p)."""
    return float(-np.log1p(-p) - (_weights(p, n) / _depths(n)).sum())
