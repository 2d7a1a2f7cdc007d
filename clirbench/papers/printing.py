"""How published tables round and summarise: three decimals, halves up, summaries over the printed numbers."""

from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from statistics import median, stdev
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from clirbench.types import Ints

Summary = Callable[[Ints, NDArray[np.bool_], NDArray[np.bool_], int], tuple[float, str]]


def thousandths(value: float, absolute: bool = False) -> int:
    """A tau in thousandths, rounded to the nearest as `round` does; |tau| where `absolute`."""
    rounded = round(1000 * round(value, 3))
    return abs(rounded) if absolute else rounded


def shown(value: float, p_value: float, alpha: float, absolute: bool) -> str:
    """A cell as such tables print it: `.418`, `1.000`, `x.345` where p >= alpha, `undefined` for no value."""
    if value != value:
        return "undefined"
    return ("" if p_value < alpha else "x") + decimals(Fraction(thousandths(value, absolute), 1000))


def decimals(value: Fraction) -> str:
    """Three decimals, halves up, without a leading zero."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    text = str(exact.quantize(Decimal("0.001"), rounding=ROUND_HALF_UP))
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def _kept(values: Ints, kept: NDArray[np.bool_], at: int) -> list[int]:
    return [int(value) for value in values[kept, at]]


def _mean(values: Ints, significant: NDArray[np.bool_], kept: NDArray[np.bool_], at: int) -> tuple[float, str]:
    held = _kept(values, kept, at)
    if not held:
        return float("nan"), "undefined"
    mean = Fraction(sum(held), 1000 * len(held))
    return float(mean), decimals(mean)


def _median(values: Ints, significant: NDArray[np.bool_], kept: NDArray[np.bool_], at: int) -> tuple[float, str]:
    held = _kept(values, kept, at)
    if not held:
        return float("nan"), "undefined"
    middle = Fraction(median(map(Fraction, held))) / 1000
    return float(middle), decimals(middle)


def _sd(values: Ints, significant: NDArray[np.bool_], kept: NDArray[np.bool_], at: int) -> tuple[float, str]:
    held = _kept(values, kept, at)
    if len(held) < 2:
        return float("nan"), "undefined"
    spread = stdev(held) / 1000
    return spread, decimals(Fraction(spread))


def _wins(values: Ints, significant: NDArray[np.bool_], kept: NDArray[np.bool_], at: int) -> tuple[float, str]:
    masked = np.where(significant, values, np.iinfo(np.int64).min)
    won = significant[:, at] & (masked[:, at] == masked.max(axis=1))
    return float(won.sum()), str(int(won.sum()))


SUMMARIES: Mapping[str, Summary] = MappingProxyType({"Median": _median, "Mean": _mean, "SD": _sd, "Wins": _wins})
