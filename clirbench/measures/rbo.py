"""Rank-biased overlap of two rankings: how alike they are, the top of the lists weighing most; MIN, MAX, EXT in O(n).

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

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from clirbench.checks import number, one_of, whole_number
from clirbench.errors import InputError
from clirbench.measures.base import ArithmeticMean
from clirbench.measures.ir import ranked_documents, shared_ordinals
from clirbench.native.library import compiled
from clirbench.types import Doubles, Ints, Judged, Need, Run

TIES = ("doc_id", "w", "a", "b")
VARIANTS = ("ext", "min", "max", "res")

Ranking = Sequence[str | Sequence[str]]
"""Items in order, best first; a group of tied items is a tuple or list of them."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """First and last rank of the group at every rank 1..n; where nothing is tied both are one array, 1..n."""

    top: Ints
    bottom: Ints

    @classmethod
    def untied(cls, n: int) -> "Ranks":
        ranks = np.arange(1, n + 1)
        return cls(ranks, ranks)

    @classmethod
    def of_sizes(cls, sizes: Ints) -> "Ranks":
        """From the number of items of each group, first group first."""
        if (sizes <= 1).all():
            return cls.untied(int(sizes.sum()))
        bottoms = np.cumsum(sizes)
        return cls(np.repeat(bottoms - sizes + 1, sizes), np.repeat(bottoms, sizes))

    def __len__(self) -> int:
        return len(self.top)

    def fraction(self, depths: Doubles) -> Doubles:
        """The part of the group at depth d that d has reached; 1 beyond the end of the ranking."""
        fraction, n = np.ones(len(depths)), len(self)
        fraction[:n] = (depths[:n] - self.top + 1) / (self.bottom - self.top + 1)
        return fraction

    def divisor(self, depths: Doubles, ties: str) -> Doubles:
        """sum_e c_e (w) or sum_e c_e^2 (b) at each depth; beyond the end, unseen items count one each: d."""
        total, n = depths.copy(), len(self)
        if ties == "w":
            total[:n] = self.bottom
        else:
            total[:n] = self.top - 1 + (depths[:n] - self.top + 1) ** 2 / (self.bottom - self.top + 1)
        return total


@dataclass(frozen=True, eq=False)
class OverlapCurve:
    """What is known at depths 1..l: overlap, the divisor of the agreement, and L's items that S has not shown.

    Of these `unshared` are in full, `crossed` to a `fraction`.
    """

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
    n = len(y)
    depths = _depths(n)
    shown = np.zeros(n, dtype=bool)
    shown[at_y] = True
    crossing = not (x.top is x.bottom and y.top is y.bottom)
    divisor = depths
    if crossing and ties == "w":
        divisor = (x.divisor(depths, ties) + y.divisor(depths, ties)) / 2
    elif crossing and ties == "b":
        divisor = np.sqrt(x.divisor(depths, ties) * y.divisor(depths, ties))
    crossing = crossing and ties != "w"  # under w a whole group counts from its first rank on
    full_x, full_y = (x.bottom, y.bottom) if crossing else (x.top, y.top)
    bottom_x, bottom_y, top_x, top_y = full_x[at_x], full_y[at_y], x.top[at_x], y.top[at_y]
    overlap = _active(np.maximum(bottom_x, bottom_y), None, n)
    unshared, crossed, of_y = _active(full_y[~shown], None, n).astype(np.int64), np.zeros(n, dtype=np.int64), depths
    if crossing:
        of_x, of_y = x.fraction(depths), y.fraction(depths)
        overlap += of_y * _active(np.maximum(bottom_x, top_y), bottom_y, n)
        overlap += of_x * _active(np.maximum(bottom_y, top_x), bottom_x, n)
        overlap += of_x * of_y * _active(np.maximum(top_x, top_y), np.minimum(bottom_x, bottom_y), n)
        crossed = _active(y.top[~shown], full_y[~shown], n).astype(np.int64)
    return OverlapCurve(len(x), overlap, divisor, unshared, crossed, of_y)


def _active(start: Ints, stop: Ints | None, n: int) -> Doubles:
    """At each depth 1..n the number of intervals [start, stop) that hold it; an empty interval counts nowhere."""
    change = np.bincount(start, minlength=n + 1)
    if stop is not None:
        change = change - np.bincount(np.maximum(start, stop), minlength=n + 1)
    return np.cumsum(change[1 : n + 1]).astype(np.float64)


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
    weights = _weights(p, len(agreement))
    return float((1 - p) / p * in_order(agreement * weights) + agreement[-1] * weights[-1])


def minimum(curve: OverlapCurve, p: float) -> float:
    """MIN: no unseen item agrees, so the overlap stays at X_l at every greater depth."""
    n = len(curve.overlap)
    if not n:
        return 0.0
    below = float(curve.overlap[-1]) * _tail(p, n)
    return float((1 - p) / p * (in_order(curve.overlap / curve.divisor * _weights(p, n)) + below))


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
    weights = _weights(p, complete)
    total = in_order(overlap / curve.divisor * weights[:n])
    total += in_order((shared + n - s + 2 * (deeper - n)) / deeper * weights[n:])
    return float((1 - p) / p * total + weights[-1])


def in_order(terms: Doubles) -> float:
    """Their sum, first term first: the same to the last bit on every machine, as numpy's own sums are not."""
    return float(np.cumsum(terms)[-1]) if len(terms) else 0.0


@lru_cache(maxsize=4)
def _depths(n: int) -> Doubles:
    depths = np.arange(1, n + 1, dtype=np.float64)
    depths.flags.writeable = False
    return depths


@lru_cache(maxsize=4)
def _weights(p: float, n: int) -> Doubles:
    """p^d for d = 1..n, by multiplication."""
    weights = np.cumprod(np.full(n, p))
    weights.flags.writeable = False
    return weights


def _tail(p: float, n: int) -> float:
    """sum_{d > n} p^d / d, by the series of -ln(1 - p)."""
    return -math.log1p(-p) - in_order(_weights(p, n) / _depths(n))


@dataclass(frozen=True)
class RBO(ArithmeticMean):
    """Rank-biased overlap between a system's ranking and the English side's own, or of any two rankings.

    RBO = (1-p)/p sum_{d>=1} A_d p^d, A_d the agreement of the first d ranks (see the module).

    * `p` in (0, 1): persistence; the first d ranks carry about 1 - p^d of the weight.
    * `depth` >= 1: both rankings are cut to this number of items (a tie group across the cut is cut too).
    * `ties`: how equal scores enter: `doc_id` breaks them by id ascending, the one rank order of every other
      measure (default); `w`, `a` and `b` keep them as ties (`Run.tied`), counted as in sports, averaged over all
      orders, and normalised so that a ranking agrees with itself.
    * `variant`: what unseen items do: `ext` agree as seen ones (default), `min` never, `max` always; `res` is
      max - min, how much is left open.

    Values are in [0, 1]; higher is more alike, `res` apart. Identical rankings give EXT 1, except under `a`, where a
    tie is an order left to chance. A topic that the system does not match scores 0 in every variant. Raises
    `ConfigError`.

    **Source:** Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010, eq. 32 for EXT;
    Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024, for w, a, b.
    """

    p: float = 0.98
    ties: str = "doc_id"
    variant: str = "ext"
    depth: int = 1000
    name: str = "RBO"
    uses_qrels: bool = field(default=False, init=False)
    needs_relevant: bool = field(default=False, init=False)
    needs: ClassVar[frozenset[Need]] = frozenset({"english"})

    def __post_init__(self) -> None:
        number(f"measure {self.name}: p", self.p, above=0, below=1)
        whole_number(f"measure {self.name}: depth", self.depth)
        one_of(f"measure {self.name}: ties", self.ties, TIES)
        one_of(f"measure {self.name}: variant", self.variant, VARIANTS)

    @property
    def higher_is_better(self) -> bool:
        return self.variant != "res"

    @property
    def signature(self) -> str:
        settings = f"p:{self.p:g}|depth:{self.depth}|variant:{self.variant}|ties:{self.ties}"
        return f"{self.name}|measure:RBO|{settings}|mean:arithmetic|unmatched:0"

    def compare(self, x: Ranking, y: Ranking) -> float:
        """RBO of two rankings, given as items or as groups of tied items, best first.

        With `ties="doc_id"` the items of a group are ordered by their text. Two rankings of which one is empty have
        EXT and MIN 0 and MAX 1. Raises `InputError` for an item that stands twice in a ranking.
        """
        (ranks_x, items_x), (ranks_y, items_y) = self._read(x), self._read(y)
        where = {item: i for i, item in enumerate(items_y)}
        shared = [(i, where[item]) for i, item in enumerate(items_x) if item in where]
        at = np.array(shared, dtype=np.int64).reshape(-1, 2)
        return self._value(curve(ranks_x, ranks_y, at[:, 0], at[:, 1], self.ties))

    __call__ = compare

    def _read(self, ranking: Ranking) -> tuple[Ranks, list[str]]:
        groups = [[group] if isinstance(group, str) else list(group) for group in ranking]
        if self.ties == "doc_id":
            groups = [[item] for group in groups for item in sorted(group)]
        items = [item for group in groups for item in group]
        if len(set(items)) < len(items):
            double = next(item for i, item in enumerate(items) if item in items[:i])
            raise InputError(f"the ranking has {double!r} twice; an item stands once in a ranking")
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        return Ranks.of_sizes(np.diff(np.minimum(np.cumsum(np.append(0, sizes)), self.depth))), items[: self.depth]

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        ordinals = shared_ordinals(run, judged.ideal)
        if self.ties == "doc_id" and self.variant == "ext" and (overlaps := compiled("overlaps")) is not None:
            values, ours, theirs = np.zeros(len(judged.topic_ids)), run, judged.ideal
            overlaps(
                ours.documents, *ours.parts(judged.topic_ids), len(ours.documents), ordinals, len(ordinals),
                theirs.documents, *theirs.parts(judged.topic_ids), len(theirs.documents), len(theirs.doc_ids),
                len(values), self.p, _weights(self.p, self.depth), self.depth, values,
            )  # fmt: skip
            return values
        scratch = np.full(len(judged.ideal.doc_ids) + 1, -1, dtype=np.int64)
        topics = [self._topic(run, judged.ideal, topic_id, ordinals, scratch) for topic_id in judged.topic_ids]
        return np.array(topics, dtype=np.float64)

    def _topic(self, run: Run, ideal: Run, topic_id: str, ordinals: Ints, scratch: Ints) -> float:
        """One topic's value; `scratch` is -1 for every document, and is left so."""
        x = ordinals[ranked_documents(run, topic_id)[: self.depth]]
        y = ranked_documents(ideal, topic_id)[: self.depth]
        if not len(x) or not len(y):
            return 0.0
        scratch[y] = np.arange(len(y))
        at = scratch[x]
        scratch[y] = -1
        at_x = np.flatnonzero(at >= 0)
        ranks_x, ranks_y = self._ranks(run, topic_id), self._ranks(ideal, topic_id)
        return self._value(curve(ranks_x, ranks_y, at_x, at[at_x], self.ties))

    def _ranks(self, run: Run, topic_id: str) -> Ranks:
        scores = run.values(topic_id, tied=True)[: self.depth]
        if self.ties == "doc_id":
            return Ranks.untied(len(scores))
        new = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        return Ranks.of_sizes(np.diff(np.concatenate([[0], new, [len(scores)]])))

    def _value(self, curve: OverlapCurve) -> float:
        if self.variant == "ext":
            return extrapolated(curve, self.p)
        low = minimum(curve, self.p) if self.variant != "max" else 0.0
        return low if self.variant == "min" else maximum(curve, self.p) - low
