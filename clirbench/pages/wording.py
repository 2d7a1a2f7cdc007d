"""How numbers and lists are written. No other module makes digits for a reader (`tests/pages/test_wording.py`).

A sentence has `.867` (`number`), a cell of a table has what its column's format says (`FORMATS`).
"""

from collections.abc import Callable, Mapping, Sequence
from math import isinf, isnan
from types import MappingProxyType


def number(value: float, digits: int = 3) -> str:
    """`.867`, `-.021`, `1.200`, `undefined`, `more than was tried`."""
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "more than was tried"
    text = fixed(value, digits)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def fixed(value: float, digits: int = 0) -> str:
    """`0.867`: with this number of decimals."""
    return f"{value:.{digits}f}"


def short(value: float, digits: int = 6) -> str:
    """`0.05`, `1e-12`, `150`: with up to this number of significant digits, without zeros at the end."""
    return f"{value:.{digits}g}"


def signed(value: float, digits: int = 3) -> str:
    """`+0.012`: `short`, with its sign."""
    return f"{value:+.{digits}g}"


def grouped(value: float, digits: int = 0) -> str:
    """`23,340`: thousands apart."""
    return f"{value:,.{digits}f}"


def percent(share: float) -> str:
    """`97 %`; what is not all is `over 99 %`, what is not nothing `under 1 %`."""
    hundredths = 100 * share
    if 99.5 <= hundredths < 100 - 1e-9:
        return "over 99 %"
    return f"{fixed(hundredths)} %" if hundredths >= 0.5 or hundredths < 1e-9 else "under 1 %"


def interval(low: float, high: float, digits: int = 3) -> str:
    """`[.71, .95]`."""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def listed(names: Sequence[str], most: int = 6) -> str:
    """`A, B and C`; of many, the first and how many more."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def many(n: int, noun: str) -> str:
    """`1 system`, `38 systems`."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _plain(value: float) -> str:
    if isnan(value):
        return ""
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    return fixed(value, 4 if abs(value) < 100 else 1)


def _score(value: float) -> str:
    return "" if isnan(value) else fixed(value, 2)


def _difference(value: float) -> str:
    return "" if isnan(value) else signed(value)


FORMATS: Mapping[str, Callable[[float], str]] = MappingProxyType(
    {"number": _plain, "score": _score, "coefficient": number, "difference": _difference}
)
"""Format of a column -> the text of its numbers: four decimals, one from 100 on; two decimals; `.867`; `+0.012`."""
