"""Intervals from leaving out one unit (independent group of systems) at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.types import Doubles, Ints

FEWEST_UNITS = 6


@dataclass(frozen=True)
class Interval:
    """A value and its central interval of confidence .95; `note` says why there is none."""

    value: float
    low: float = nan
    high: float = nan
    note: str = ""


def unit_numbers(labels: "Sequence[str] | Ints | None", n: int) -> Ints:
    """(n,) from 0: which unit each system belongs to; None: each is a unit of its own."""
    return np.arange(n) if labels is None else np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)


def leave_one_out(
    value: "Callable[[np.typing.NDArray[np.bool_]], float]",
    unit: Ints,
    scale: Callable[[float], float] = float,
    back: Callable[[float], float] = float,
    confidence: float = 0.95,
) -> Interval:
    """Delete-one-unit jackknife of `value` (a function of which systems are kept) on a `scale`, and `back`.

    Half width: t with G - 1 degrees of freedom times sqrt((G - 1) / G sum of (v_-g - mean)^2). No interval for
    fewer than 6 units or where a value is undefined. **Source:** Tukey 1958; Miller 1974.
    """
    from scipy.stats import t

    found = value(np.ones(len(unit), dtype=bool))
    groups = np.unique(unit)
    g = len(groups)
    if g < FEWEST_UNITS:
        return Interval(found, note=f"too few independent systems ({g})")
    rest = np.array([scale(value(unit != group)) for group in groups])
    middle = scale(found)
    if not np.isfinite(rest).all() or not np.isfinite(middle):
        return Interval(found, note="undefined without some of the systems")
    half = float(t.ppf((1 + confidence) / 2, g - 1) * np.sqrt((g - 1) / g * ((rest - rest.mean()) ** 2).sum()))
    return Interval(found, back(middle - half), back(middle + half))


def between_weights(unit: Ints) -> Doubles:
    """(n, n): weight of each pair of systems from different units, every pair of units counting alike; 0 within."""
    sizes = np.bincount(unit)[unit].astype(np.float64)
    return np.asarray(np.where(unit[:, None] == unit[None, :], 0.0, 1 / (sizes[:, None] * sizes[None, :])))


def weighted_tau(x: Doubles, y: Doubles, weights: Doubles) -> float:
    """tau-b over weighted pairs: sum w s s' / sqrt(sum w s^2 sum w s'^2), s the sign of a pair in x, s' in y."""
    s_x, s_y = np.sign(x[:, None] - x[None, :]), np.sign(y[:, None] - y[None, :])
    size = float((weights * s_x**2).sum() * (weights * s_y**2).sum())
    return float((weights * s_x * s_y).sum() / np.sqrt(size)) if size > 0 else nan
