"""How published tables round and summarise: three decimals, halves up, summaries over the printed numbers."""

from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import isnan, nan
from statistics import mean, median, stdev
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.analyses.wording import number
from clirbench.types import Ints


def leading(value: float, digits: int = 3) -> str:
    """A number as the papers print it: `.071`, `-.055`, `1.099`; what is rounded to zero has no sign."""
    rounded = round(value, digits)
    return number(0.0 if rounded == 0 else rounded, digits)


def half_up(value: float | Fraction, digits: int) -> float:
    """The decimal number that `value` is written as, rounded; halves go up, away from zero."""
    exact = Decimal(value.numerator) / value.denominator if isinstance(value, Fraction) else Decimal(str(value))
    return float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def decimals(value: Fraction) -> str:
    """Three decimals, halves up, without a leading zero."""
    return leading(half_up(value, 3))


def thousandths(value: float, absolute: bool = False) -> int:
    """A tau in thousandths, rounded to the nearest as `round` does; |tau| where `absolute`."""
    rounded = round(1000 * round(value, 3))
    return abs(rounded) if absolute else rounded


def print_cell(value: float, p_value: float, alpha: float, absolute: bool) -> str:
    """A cell as such tables print it: `.418`, `1.000`, `x.345` where p >= alpha, `undefined` for no value."""
    if isnan(value):
        return "undefined"
    return ("" if p_value < alpha else "x") + decimals(Fraction(thousandths(value, absolute), 1000))


AVERAGES: Mapping[str, Callable[[list[Fraction]], Any]] = MappingProxyType(
    {"Median": median, "Mean": mean, "SD": stdev}
)
SUMMARIES = (*AVERAGES, "Wins")


def summary(
    name: str, values: Ints, significant: NDArray[np.bool_], kept: NDArray[np.bool_], at: int
) -> tuple[float, str]:
    """One of `SUMMARIES` of column `at`, as a number and as printed.

    values: (rows, metrics) printed taus in thousandths; significant: (rows, metrics); kept: (rows,), the rows that
    median, mean and standard deviation are over. A win is the greatest significant value of a row; ties share it.
    """
    if name == "Wins":
        best = np.where(significant, values, np.iinfo(np.int64).min).max(axis=1)
        won = int((significant[:, at] & (values[:, at] == best)).sum())
        return float(won), str(won)
    held = [Fraction(value) for value in values[kept, at].tolist()]
    if len(held) < (2 if name == "SD" else 1):
        return nan, "undefined"
    found = Fraction(AVERAGES[name](held) / 1000)
    return float(found), decimals(found)
