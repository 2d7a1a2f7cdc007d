"""Coefficients of agreement between two columns over the same systems, their p-values, and Holm's correction.

Direction is the caller's: a column where less is better is negated once before it gets here; nothing takes an
absolute value. Every function answers with a `Coefficient`; where the number does not exist, `value` is NaN and
`note` says why. All take `p_value`: `permutation`, `scipy` (scipy's default, which is what most papers print),
`UNTESTED`, or `exact`, the default: two-sided under "every assignment of one column to the other is equally likely",
counted in closed form for Kendall with ties in at most one column, by full enumeration to n = 9 otherwise; beyond that
assignments are sampled (`permutation`), and Kendall's of more than 1,000 systems is by the normal law (`normal`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from math import isnan, nan, sqrt
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import AlignmentError, UnknownName
from clirbench.pages import short
from clirbench.types import Doubles, Ints

ENUMERATED = 9
COUNTED = 1000
"""Systems of which the assignments are counted: .9 s; the exact p differs by .0002 from the normal law's there."""
TINY = float(np.finfo(np.float64).tiny)
SAMPLES = 9999
AT_ONCE = 1 << 21
"""Pairs of systems times orders that are held at once."""
ORDERED = 1 << 18
"""Values in orders of their own that are held at once, so that they stay near the processor."""
P_VALUES = ("exact", "permutation", "scipy")
UNTESTED = "none"
"""Instead of a way to find a p-value, where no one looks at it: it is NaN."""
Statistic = Callable[[Ints], Doubles]
"""From orders (m, n) of the second column to the statistic of each (m,)."""


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
    return np.concatenate([counts, counts[: (largest + 1) // 2][::-1]])


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

    `x`, `y`: (n,) finite; `balance` = C - D of the two. **Source:** Kendall 1938; ties: MacMahon's multinomial.
    """
    groups = [tuple(sorted(np.unique(column, return_counts=True)[1].tolist())) for column in (x, y)]
    tied = [sizes for sizes in groups if max(sizes) > 1]
    if len(tied) == 2:
        return None
    tails = _tails(tied[0] if tied else groups[0])
    largest = len(tails) - 1
    fewest = round((largest - abs(balance)) / 2)
    return PValue(1.0, "exact") if 2 * fewest >= largest else PValue(min(1.0, 2 * float(tails[fewest])), "exact")


def by_orders(statistic: Statistic, n: int, p_value: str, samples: int = SAMPLES, seed: int = 0) -> PValue:
    """P(|statistic| of an order reaches that of the identity): over all n! orders to n = 9, else over random ones.

    Sampled it is (1 + number of orders that reach it) / (1 + samples), with its standard error: never 0, because the
    observed order is one of them. **Source:** Davison and Hinkley 1997, 4.11.
    """
    if p_value == UNTESTED:
        return PValue(nan, "")
    observed = float(np.abs(statistic(np.arange(n)[None])[0]))
    least = observed - 1e-9 * max(1.0, observed)  # what rounding may take from an equal one
    if p_value == "exact" and n <= ENUMERATED:
        return PValue(float((np.abs(statistic(all_orders(n))) >= least).mean()), "exact")
    orders, size = _random_orders(n, samples, seed), max(1, ORDERED // n)
    reached = (np.abs(statistic(orders[at : at + size])) >= least for at in range(0, samples, size))
    hits = sum(map(np.count_nonzero, reached))
    value = (1 + hits) / (1 + samples)
    return PValue(value, "permutation", sqrt(value * (1 - value) / samples))


@lru_cache(maxsize=1)
def _random_orders(n: int, samples: int, seed: int) -> Ints:
    """(samples, n): the same for every pair of columns."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(n), (samples, 1)), axis=1)


@lru_cache(maxsize=8)
def all_orders(n: int) -> Ints:
    """(n!, n): the identity first."""
    return np.array(list(permutations(range(n))), dtype=np.int64)


def significance(p_value: float, alpha: float) -> Literal["true", "false", "undefined"]:
    """Whether p < alpha, as tables write it; `undefined` for NaN."""
    return "undefined" if isnan(p_value) else "true" if p_value < alpha else "false"


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


def balances(ordered: Doubles, columns: NDArray[Any], first: Ints, second: Ints) -> Doubles:
    """(samples, metrics): sum over pairs of systems of `ordered` (metrics, pairs) times the sign of each column's pair.

    `columns`: (samples, n); pair k is of the systems `first[k]` and `second[k]`. With the signs of a metric's pairs
    this is concordant less discordant pairs, the numerator of every tau.
    """
    sums = np.empty((len(columns), len(ordered)))
    size = max(1, AT_ONCE // max(1, len(first)))
    for start in range(0, len(columns), size):
        some = columns[start : start + size]
        sums[start : start + size] = np.sign(some[:, first] - some[:, second]) @ ordered.T
    return sums


def pearson_grid(x: Doubles, y: Doubles) -> Doubles:
    """Pearson's r: (samples, metrics, n), (samples, measures, n) -> (samples, metrics, measures); NaN if constant."""
    return np.clip(standardised(x) @ standardised(y).swapaxes(1, 2), -1.0, 1.0)  # rounding may pass 1


def ranks(columns: Doubles) -> Doubles:
    """1, 2, ... along the last axis, ties at their mean; NaN for a row with a hole. As `scipy.stats.rankdata`.

    That one takes half a second to import.
    """

    def of(row: Doubles) -> Doubles:
        _, place, sizes = np.unique(row, return_inverse=True, return_counts=True)
        return np.asarray((np.cumsum(sizes) - (sizes - 1) / 2)[place])

    return np.where(np.isnan(columns).any(axis=-1, keepdims=True), np.nan, np.apply_along_axis(of, -1, columns))


def standardised(columns: Doubles) -> Doubles:
    """Centred and at length 1 along the last axis; NaN where constant.

    Scaled by the largest magnitude first, so that tiny spreads survive.
    """
    centred = columns - columns.mean(axis=-1, keepdims=True)
    constant = (columns == columns[..., :1]).all(axis=-1, keepdims=True)
    scaled = centred / np.where(constant, np.nan, np.abs(centred).max(axis=-1, keepdims=True))
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


@dataclass(frozen=True)
class Coefficient:
    """A coefficient in [-1, 1], its two-sided p-value, the number of systems, and a note.

    `value` is NaN where it is undefined and `p_value` is NaN where it is; `note` then says why. `p_method` names
    how the p-value was found (`exact`, `permutation`, `scipy`), `p_error` is its standard error (0 unless sampled).
    """

    value: float
    p_value: float
    n: int
    note: str = ""
    p_method: str = ""
    p_error: float = 0.0

    @property
    def defined(self) -> bool:
        return not isnan(self.value)


def kendall(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Kendall's tau-b: concordant less discordant pairs, over the pairs that each column orders.

    tau_b = (C - D) / sqrt((N - T_x)(N - T_y)), N = n(n-1)/2, T = pairs tied in that column.
    `x`, `y`: (n,) finite; `samples`, `seed`: of a permutation p-value. Returns [-1, 1], higher is closer agreement.
    Undefined for n < 2, a constant column or a missing value. Raises `AlignmentError` for unequal lengths,
    `UnknownName` for an unknown `p_value`.
    **Source:** Kendall 1945, "The treatment of ties in ranking problems".
    """
    if problem := _reason_undefined(x, y, p_value):
        return problem
    balance = pair_balance(x, y)
    value = balance / float(np.sqrt(4.0 * _ordered_pairs(x) * _ordered_pairs(y)) / 2)
    method = "normal" if p_value == "exact" and len(x) > COUNTED else p_value
    if method in ("normal", "scipy"):
        from scipy.stats import kendalltau

        found = kendalltau(x, y, method="asymptotic" if method == "normal" else "auto")
        return Coefficient(value, max(TINY, float(found.pvalue)), len(x), _few(len(x)), method)
    closed = kendall_exact(x, y, balance) if p_value == "exact" else None
    p = closed or by_orders(lambda orders: _balances(x, y, orders), len(x), p_value, samples, seed)
    return Coefficient(value, p.value, len(x), _few(len(x)), p.method, p.error)


def kendall_a(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Kendall's tau-a: concordant less discordant pairs, over all pairs; ties count in the denominator.

    tau_a = (C - D) / (n(n-1)/2). Arguments, undefined cases and errors as in `kendall`; the p-value is tau-b's,
    because the two differ by a factor that no permutation changes.
    **Source:** Kendall 1938, "A new measure of rank correlation".
    """
    result = kendall(x, y, p_value=p_value, samples=samples, seed=seed)
    return result if not result.defined else replace(result, value=pair_balance(x, y) / (len(x) * (len(x) - 1) / 2))


def spearman(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Spearman's rho: Pearson's r of the mid-ranks.

    Arguments, range, undefined cases and errors as in `kendall`; exact p by enumeration to n = 9.
    **Source:** Spearman 1904, "The proof and measurement of association between two things".
    """
    if problem := _reason_undefined(x, y, p_value):
        return problem
    return pearson(ranks(x), ranks(y), p_value=p_value, samples=samples, seed=seed)


def pearson(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Pearson's r: covariance over the product of standard deviations.

    Arguments, range, undefined cases and errors as in `kendall`; exact p by enumeration to n = 9. scipy's p-value
    assumes normal columns; n = 2 has p = 1.
    **Source:** Pearson 1895, "Note on regression and inheritance in the case of two parents".
    """
    if problem := _reason_undefined(x, y, p_value):
        return problem
    left, right = standardised(x), standardised(y)
    value = float(np.clip(left @ right, -1.0, 1.0))
    if p_value == "scipy":
        from scipy.stats import pearsonr

        return Coefficient(value, float(pearsonr(left, right).pvalue), len(x), _few(len(x)), p_value)
    p = by_orders(lambda orders: np.asarray(right[orders] @ left), len(x), p_value, samples, seed)
    return Coefficient(value, p.value, len(x), _few(len(x)), p.method, p.error)


NAMES: Mapping[str, str] = MappingProxyType(
    {"kendall": "Kendall's tau", "spearman": "Spearman's rho", "pearson": "Pearson's r"}
)
SYMBOLS: Mapping[str, str] = MappingProxyType({"kendall": "tau", "spearman": "rho", "pearson": "r"})
"""What the usual coefficients are called in a heading and before a number; others go by their own name."""

COEFFICIENTS: Mapping[str, Callable[..., Coefficient]] = MappingProxyType(
    {"kendall": kendall, "kendall_a": kendall_a, "spearman": spearman, "pearson": pearson}
)


def coefficient(name: str) -> Callable[..., Coefficient]:
    """The coefficient of that name; an unknown name raises `UnknownName` with the choices."""
    if name not in COEFFICIENTS:
        raise UnknownName("coefficient", name, COEFFICIENTS)
    return COEFFICIENTS[name]


def signs(columns: Doubles) -> Doubles:
    """(..., n, n): 1 where the row's system scores higher, -1 lower, 0 tied."""
    return np.sign(columns[..., :, None] - columns[..., None, :])


def pair_balance(x: Doubles, y: Doubles) -> float:
    """C - D: concordant less discordant pairs of two aligned columns (n,); of more than 1,000 from scipy's tau."""
    if len(x) <= COUNTED:
        return float((signs(x) * signs(y)).sum()) / 2
    from scipy.stats import kendalltau

    return float(round(kendalltau(x, y).statistic * sqrt(_ordered_pairs(x) * _ordered_pairs(y))))


def _balances(x: Doubles, y: Doubles, orders: Ints) -> Doubles:
    """(m,): C - D with y in each of the orders (m, n)."""
    first, second = np.triu_indices(len(x), 1)
    places = np.unique(y, return_inverse=True)[1].astype(np.int16)
    return balances(np.sign(x[first] - x[second])[None], places[orders], first, second)[:, 0]


def complete_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Both columns without the systems that lack a value in either; `Coefficient.n` then says how many are left."""
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _ordered_pairs(column: Doubles) -> int:
    """Pairs whose values differ."""
    return (len(column) ** 2 - int((np.unique(column, return_counts=True)[1] ** 2).sum())) // 2


def _reason_undefined(x: Doubles, y: Doubles, p_value: str) -> Coefficient | None:
    """Why there is no coefficient, or None where there is one."""
    if p_value not in (*P_VALUES, UNTESTED):
        raise UnknownName("p_value", p_value, P_VALUES)
    if len(x) != len(y):
        raise AlignmentError(f"two columns of {len(x)} and {len(y)} systems cannot be correlated: align them first")
    missing = int((~np.isfinite(x) | ~np.isfinite(y)).sum())
    if missing:
        return Coefficient(nan, nan, len(x), f"{missing} of {len(x)} systems lack a value", p_value)
    if len(x) < 2:
        systems = "system" if len(x) == 1 else "systems"
        return Coefficient(nan, nan, len(x), f"{len(x)} {systems}: at least 2 are needed", p_value)
    for name, column in (("first", x), ("second", y)):
        if (column == column[0]).all():
            return Coefficient(nan, nan, len(x), f"the {name} column is constant ({short(column[0])})", p_value)
    return None


def _few(n: int) -> str:
    return "2 systems always agree or disagree perfectly" if n == 2 else ""
