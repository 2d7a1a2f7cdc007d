"""Coefficients of agreement between two columns over the same systems.

Direction is the caller's: a column where less is better is negated once before it gets here; nothing takes an
absolute value. Every function answers with a `Coefficient`; where the number does not exist, `value` is NaN and
`note` says why. All take `p_value`: `exact` (the default: exact where that is possible, else permutation),
`permutation`, `scipy` (scipy's default, which is what most papers print), or `UNTESTED`.

Two-sided p-values of coefficients under "every assignment of one column to the other is equally likely".

`exact` counts all assignments: in closed form for Kendall with ties in at most one column, for any n; by full
enumeration to n = 9 otherwise; beyond that `permutation` samples them and says its standard error. `normal`: Kendall's
of more than 1,000 systems.

Every column against every column, in many resamples at once: the coefficients in vectorised form.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from math import erfc, isnan, nan, prod, sqrt
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import AlignmentError, UnknownName
from clirbench.pages import short
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


Grid = Callable[[Doubles, Doubles], Doubles]
AT_ONCE = 1 << 21
"""Pairs of systems times orders that are held at once."""


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


def spearman_grid(x: Doubles, y: Doubles) -> Doubles:
    """Spearman's rho (Pearson's r of mid-ranks); shapes as in `pearson_grid`."""
    return pearson_grid(ranks(x), ranks(y))


def ranks(columns: Doubles) -> Doubles:
    """1, 2, ... along the last axis, ties at their mean; NaN for a row with a hole. As `scipy.stats.rankdata`.

    That one takes half a second to import.
    """
    order = np.argsort(columns, axis=-1, kind="stable")
    ordered = np.take_along_axis(columns, order, axis=-1)
    begins = np.ones(columns.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(columns.shape, dtype=bool)
    ends[..., :-1] = begins[..., 1:]
    at = np.arange(columns.shape[-1])
    first = np.maximum.accumulate(np.where(begins, at, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, at, len(at))[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty(columns.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(columns).any(axis=-1, keepdims=True), np.nan, found)


GRIDS: Mapping[str, Grid] = MappingProxyType({"pearson": pearson_grid, "spearman": spearman_grid})
"""The coefficients that are resampled."""


def standardised(columns: Doubles) -> Doubles:
    """Centred and at length 1 along the last axis; NaN where constant.

    Scaled by the largest magnitude first, so that tiny spreads survive.
    """
    centred = columns - columns.mean(axis=-1, keepdims=True)
    constant = (columns == columns[..., :1]).all(axis=-1, keepdims=True)
    scaled = centred / np.where(constant, np.nan, np.abs(centred).max(axis=-1, keepdims=True))
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


P_VALUES = ("exact", "permutation", "scipy")
UNTESTED = "none"
"""Instead of a way to find a p-value, where no one looks at it: it is NaN, and tau takes n log n steps and no more."""


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
    problem = _reason_undefined(x, y, p_value)
    if problem is not None:
        return problem
    balance = pair_balance(x, y)
    value = balance / float(np.sqrt(4.0 * _ordered_pairs(x) * _ordered_pairs(y)) / 2)
    if p_value == "scipy":
        from scipy.stats import kendalltau

        return Coefficient(value, float(kendalltau(x, y).pvalue), len(x), _few(len(x)), p_value)
    closed = kendall_exact(x, y, balance) if p_value == "exact" else None
    p = closed or _by_orders(lambda orders: _balances(x, y, orders), len(x), p_value, samples, seed)
    return Coefficient(value, p.value, len(x), _few(len(x)), p.method, p.error)


def kendall_a(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Kendall's tau-a: concordant less discordant pairs, over all pairs; ties count in the denominator.

    tau_a = (C - D) / (n(n-1)/2). Arguments, undefined cases and errors as in `kendall`; the p-value is tau-b's,
    because the two differ by a factor that no permutation changes.
    **Source:** Kendall 1938, "A new measure of rank correlation".
    """
    result = kendall(x, y, p_value=p_value, samples=samples, seed=seed)
    if not result.defined:
        return result
    return replace(result, value=pair_balance(x, y) / (len(x) * (len(x) - 1) / 2))


def tau_ap_a(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """tau_AP: as Kendall's tau, but a system counts by the share of those ranked above it that belong above it.

    tau_AP = 2/(n-1) * sum over ranks i >= 2 of C(i)/(i-1) - 1, where C(i) counts the systems above rank i of the
    estimate that the truth puts above it too. Ties in the estimate are averaged over all their orders; a tie in the
    truth counts as disagreement.
    `x`: the estimate (the MT metric), `y`: the truth (the IR measure), (n,), greater is better. Returns [-1, 1];
    mistakes at the top cost most. Undefined cases and errors as in `kendall`; scipy has no p-value for it, so
    `scipy` means `exact`.
    **Source:** Yilmaz et al. 2008, eq. 4; ties: Urbano and Marrero 2017, tau_AP,a.
    """
    problem = _reason_undefined(x, y, p_value)
    if problem is not None:
        return problem
    form = (_above_weights(x), _better(y))
    tied = len(np.unique(y)) < len(y)
    note = "a tie in the truth counts as disagreement" if tied else ""
    return _from_pair_form((form,), p_value, samples, seed, note)


def tau_ap_b(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """tau_AP,b: tau_AP between two rankings of equal standing that may both have ties; symmetric.

    The mean over both directions of 2/m * sum of C(i)/(p_i - 1) - 1, over the m systems that are not tied with the
    first; p_i - 1 systems stand strictly above system i, C(i) of them above it in the other ranking too.
    Arguments, range, undefined cases and errors as in `tau_ap_a`.
    **Source:** Urbano and Marrero 2017, "The treatment of ties in AP correlation", tau_AP,b.
    """
    problem = _reason_undefined(x, y, p_value)
    if problem is not None:
        return problem
    forms = ((_strictly_above_weights(x), _better(y)), (_better(x), _strictly_above_weights(y)))
    return _from_pair_form(forms, p_value, samples, seed)


def spearman(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Spearman's rho: Pearson's r of the mid-ranks.

    Arguments, range, undefined cases and errors as in `kendall`; exact p by enumeration to n = 9.
    **Source:** Spearman 1904, "The proof and measurement of association between two things".
    """
    problem = _reason_undefined(x, y, p_value)
    if problem is not None:
        return problem
    return pearson(ranks(x), ranks(y), p_value=p_value, samples=samples, seed=seed)


def pearson(x: Doubles, y: Doubles, *, p_value: str = "exact", samples: int = SAMPLES, seed: int = 0) -> Coefficient:
    """Pearson's r: covariance over the product of standard deviations.

    Arguments, range, undefined cases and errors as in `kendall`; exact p by enumeration to n = 9. scipy's p-value
    assumes normal columns; n = 2 has p = 1.
    **Source:** Pearson 1895, "Note on regression and inheritance in the case of two parents".
    """
    problem = _reason_undefined(x, y, p_value)
    if problem is not None:
        return problem
    left, right = standardised(x), standardised(y)
    value = float(np.clip(left @ right, -1.0, 1.0))
    if p_value == "scipy":
        from scipy.stats import pearsonr

        return Coefficient(value, float(pearsonr(left, right).pvalue), len(x), _few(len(x)), p_value)
    p = _by_orders(lambda orders: np.asarray(right[orders] @ left), len(x), p_value, samples, seed)
    return Coefficient(value, p.value, len(x), _few(len(x)), p.method, p.error)


NAMES: Mapping[str, str] = MappingProxyType(
    {"kendall": "Kendall's tau", "spearman": "Spearman's rho", "pearson": "Pearson's r"}
)
SYMBOLS: Mapping[str, str] = MappingProxyType({"kendall": "tau", "spearman": "rho", "pearson": "r"})
"""What the usual coefficients are called in a heading and before a number; others go by their own name."""

COEFFICIENTS: Mapping[str, Callable[..., Coefficient]] = MappingProxyType(
    {
        "kendall": kendall,
        "kendall_a": kendall_a,
        "tau_ap_a": tau_ap_a,
        "tau_ap_b": tau_ap_b,
        "spearman": spearman,
        "pearson": pearson,
    }
)


def coefficient(name: str) -> Callable[..., Coefficient]:
    """The coefficient of that name; an unknown name raises `UnknownName` with the choices."""
    if name not in COEFFICIENTS:
        raise UnknownName("coefficient", name, COEFFICIENTS)
    return COEFFICIENTS[name]


def pair_balance(x: Doubles, y: Doubles) -> float:
    """C - D: concordant less discordant pairs of two aligned columns (n,), in n log n steps.

    Pairs ordered by both columns less twice those that y orders the other way once x is sorted.
    **Source:** Knight 1966, "A computer method for calculating Kendall's tau with ungrouped data".
    """
    order = np.lexsort((y, x))
    both = np.stack([x[order], y[order]], axis=1)
    tied = _pairs(np.unique(both, axis=0, return_counts=True)[1])
    total = len(x) * (len(x) - 1) // 2
    ordered_by_both = _ordered_pairs(x) + _ordered_pairs(y) + tied - total
    return float(ordered_by_both - 2 * _falling_pairs(y[order]))


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
    return len(column) * (len(column) - 1) // 2 - _pairs(np.unique(column, return_counts=True)[1])


def _pairs(sizes: Ints) -> int:
    """Pairs within groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def _falling_pairs(column: Doubles) -> int:
    """Pairs i < j with column[i] > column[j], by merging sorted halves of all blocks of a length at once."""
    n = len(column)
    size = 1 << max(0, n - 1).bit_length()
    # Ranks, and the largest rank behind the end; every block has a range of its own, so that one search serves all.
    ranked = np.full(size, n)
    ranked[:n] = np.unique(column, return_inverse=True)[1]
    falling, width = 0, 1
    while width < size:
        blocks = ranked.reshape(-1, 2, width)
        apart = (np.arange(len(blocks)) * (n + 1))[:, None]
        left, right = blocks[:, 0] + apart, blocks[:, 1] + apart
        ends = (np.arange(len(blocks)) + 1)[:, None] * width
        falling += int((ends - np.searchsorted(left.ravel(), right.ravel(), side="right").reshape(right.shape)).sum())
        width *= 2
        ranked = np.sort(ranked.reshape(-1, width), axis=1)
    return falling


def _better(column: Doubles) -> Doubles:
    """(n, n): 1 where the row's system scores strictly higher."""
    return (column[:, None] > column[None, :]).astype(np.float64)


def _above_weights(estimate: Doubles) -> Doubles:
    """(above, below) -> 2/(n-1) times the mean of 1/(rank of below - 1) where above precedes it, over tie orders."""
    n = len(estimate)
    better = _better(estimate)
    weights = np.zeros((n, n))
    for below in range(n):
        before = int(better[:, below].sum())
        tied = estimate == estimate[below]
        ranks = [before + k for k in range(int(tied.sum())) if before + k]
        weights[better[:, below] > 0, below] = sum(1 / rank for rank in ranks) / tied.sum()
        if tied.sum() > 1:
            share = sum((rank - before) / rank for rank in ranks) / (tied.sum() * (tied.sum() - 1))
            weights[tied, below] = share
        weights[below, below] = 0.0
    return 2 / (n - 1) * weights


def _strictly_above_weights(column: Doubles) -> Doubles:
    """(above, below) -> 1/(m * number strictly above): one direction of tau_AP,b, already halved."""
    better = _better(column)
    above = better.sum(axis=0)
    return np.asarray(better / np.where(above, above, 1) / (above > 0).sum())


def _pair_statistic(forms: Sequence[tuple[Doubles, Doubles]], orders: Ints) -> Doubles:
    """(m,): sum over the forms of sum over i, j of left[i, j] * right[order i, order j], for orders (m, n)."""
    total = np.zeros(len(orders))
    size = max(1, BLOCK // orders.shape[1] ** 2)
    for at in range(0, len(orders), size):
        some = orders[at : at + size]
        for left, right in forms:
            moved = right[some[:, :, None], some[:, None, :]]
            total[at : at + size] += moved.reshape(len(some), -1) @ left.ravel()
    return total


def _from_pair_form(
    forms: tuple[tuple[Doubles, Doubles], ...], p_value: str, samples: int, seed: int, note: str = ""
) -> Coefficient:
    """The coefficient sum <left, right> - 1 and its p-value by re-assigning the systems of one side."""
    n = len(forms[0][0])
    value = sum(float((left * right).sum()) for left, right in forms) - 1.0
    method = "exact" if p_value == "scipy" else p_value
    p = _by_orders(lambda orders: _pair_statistic(forms, orders) - 1.0, n, method, samples, seed)
    return Coefficient(value, p.value, n, _few(n) or note, p.method, p.error)


def _by_orders(statistic: Statistic, n: int, p_value: str, samples: int, seed: int) -> PValue:
    if p_value == UNTESTED:
        return PValue(nan, "")
    if p_value == "exact" and n <= ENUMERATED:
        return enumerated(statistic, n)
    return sampled(statistic, n, samples, seed)


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
