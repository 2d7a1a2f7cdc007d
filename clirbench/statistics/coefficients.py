"""Coefficients of agreement between two columns over the same systems.

Direction is the caller's: a column where less is better is negated once before it gets here; nothing takes an
absolute value. Every function answers with a `Coefficient`; where the number does not exist, `value` is NaN and
`note` says why. All take `p_value`: `exact` (the default: exact where that is possible, else permutation),
`permutation`, `scipy` (scipy's default, which is what most papers print), or `UNTESTED`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from types import MappingProxyType

import numpy as np

from clirbench.errors import AlignmentError, UnknownName
from clirbench.pages.wording import short
from clirbench.statistics.p_values import (
    BLOCK,
    ENUMERATED,
    SAMPLES,
    PValue,
    Statistic,
    enumerated,
    kendall_exact,
    sampled,
)
from clirbench.statistics.vectorised import balances, ranks, standardised
from clirbench.types import Doubles, Ints

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
