"""Coefficients of agreement between two columns over the same systems.

Direction is the caller's: a column where less is better is negated once before it gets here; nothing takes an
absolute value. Every function answers with a `Coefficient`; where the number does not exist, `value` is NaN and
`note` says why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from types import MappingProxyType

import numpy as np

from clirbench.errors import AlignmentError, UnknownName
from clirbench.types import Doubles

P_VALUES = ("scipy",)


@dataclass(frozen=True)
class Coefficient:
    """A coefficient in [-1, 1], its two-sided p-value, over how many systems, and what must be said about it.

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


def kendall(x: Doubles, y: Doubles, *, p_value: str = "scipy") -> Coefficient:
    """Kendall's tau-b: concordant less discordant pairs, over the pairs that each column orders.

    tau_b = (C - D) / sqrt((N - T_x)(N - T_y)), N = n(n-1)/2, T = pairs tied in that column.
    `x`, `y`: (n,) finite. Returns [-1, 1], higher is closer agreement. Undefined for n < 2, a constant column or a
    missing value. Raises `AlignmentError` for unequal lengths, `UnknownName` for an unknown `p_value`.
    **Source:** Kendall 1945, "The treatment of ties in ranking problems".
    """
    from scipy.stats import kendalltau

    problem = _undefined(x, y, p_value)
    if problem is not None:
        return problem
    result = kendalltau(x, y)
    return Coefficient(float(result.statistic), float(result.pvalue), len(x), _few(len(x)), p_value)


def kendall_a(x: Doubles, y: Doubles, *, p_value: str = "scipy") -> Coefficient:
    """Kendall's tau-a: concordant less discordant pairs, over all pairs; ties count in the denominator.

    tau_a = (C - D) / (n(n-1)/2). Arguments, undefined cases and errors as in `kendall`; the p-value is tau-b's,
    because the two differ by a factor that no permutation changes.
    **Source:** Kendall 1938, "A new measure of rank correlation".
    """
    result = kendall(x, y, p_value=p_value)
    if not result.defined:
        return result
    return replace(result, value=pair_balance(x, y) / (len(x) * (len(x) - 1) / 2))


def spearman(x: Doubles, y: Doubles, *, p_value: str = "scipy") -> Coefficient:
    """Spearman's rho: Pearson's r of the mid-ranks.

    Arguments, range, undefined cases and errors as in `kendall`.
    **Source:** Spearman 1904, "The proof and measurement of association between two things".
    """
    from scipy.stats import rankdata

    problem = _undefined(x, y, p_value)
    return pearson(rankdata(x), rankdata(y), p_value=p_value) if problem is None else problem


def pearson(x: Doubles, y: Doubles, *, p_value: str = "scipy") -> Coefficient:
    """Pearson's r: covariance over the product of standard deviations.

    Arguments, range, undefined cases and errors as in `kendall`. scipy's p-value assumes normal columns; n = 2 has
    p = 1.
    **Source:** Pearson 1895, "Note on regression and inheritance in the case of two parents".
    """
    from scipy.stats import pearsonr

    problem = _undefined(x, y, p_value)
    if problem is not None:
        return problem
    result = pearsonr(_scaled(x), _scaled(y))
    return Coefficient(float(result.statistic), float(result.pvalue), len(x), _few(len(x)), p_value)


COEFFICIENTS: Mapping[str, Callable[..., Coefficient]] = MappingProxyType(
    {"kendall": kendall, "kendall_a": kendall_a, "spearman": spearman, "pearson": pearson}
)


def coefficient(name: str) -> Callable[..., Coefficient]:
    """The coefficient of that name; an unknown name raises `UnknownName` with the choices."""
    if name not in COEFFICIENTS:
        raise UnknownName("coefficient", name, COEFFICIENTS)
    return COEFFICIENTS[name]


def pair_balance(x: Doubles, y: Doubles) -> float:
    """C - D: concordant less discordant pairs of two aligned columns (n,)."""
    upper = np.triu_indices(len(x), 1)
    return float((np.sign(x[upper[0]] - x[upper[1]]) * np.sign(y[upper[0]] - y[upper[1]])).sum())


def complete_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Both columns without the systems that lack a value in either; `Coefficient.n` then says how many are left."""
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _undefined(x: Doubles, y: Doubles, p_value: str) -> Coefficient | None:
    """Why there is no coefficient, or None where there is one."""
    if p_value not in P_VALUES:
        raise UnknownName("p_value", p_value, P_VALUES)
    if len(x) != len(y):
        raise AlignmentError(
            f"two columns of {len(x)} and {len(y)} systems cannot be correlated: align them first"
        )
    missing = int((~np.isfinite(x) | ~np.isfinite(y)).sum())
    if missing:
        return Coefficient(nan, nan, len(x), f"{missing} of {len(x)} systems lack a value", p_value)
    if len(x) < 2:
        return Coefficient(
            nan, nan, len(x), f"{len(x)} system{'s' * (len(x) != 1)}: at least 2 are needed", p_value
        )
    for name, column in (("first", x), ("second", y)):
        if (column == column[0]).all():
            return Coefficient(nan, nan, len(x), f"the {name} column is constant ({column[0]:g})", p_value)
    return None


def _few(n: int) -> str:
    return "2 systems always agree or disagree perfectly" if n == 2 else ""


def _scaled(column: Doubles) -> Doubles:
    """The column centred and scaled to a largest magnitude of 1, so that tiny spreads on large values survive."""
    centred = column - column.mean()
    largest = np.abs(centred).max()
    return np.asarray(centred / largest if largest else centred)
