"""Intervals from leaving out one unit (independent group of systems) at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from clirbench.statistics.units.concordance import pair_weights, signs
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
) -> Interval:
    """The jackknife of `value`, a function of which systems are kept (n,)."""
    whole = value(np.ones(len(unit), dtype=bool))
    return jackknifed(whole, [value(unit != group) for group in np.unique(unit)], scale, back)


def jackknifed(
    whole: float,
    rest: Sequence[float],
    scale: Callable[[float], float] = float,
    back: Callable[[float], float] = float,
    confidence: float = 0.95,
) -> Interval:
    """Delete-one-unit jackknife of a value on a `scale`, and `back`; `rest`: the value without each of G units.

    Half width: t with G - 1 degrees of freedom times sqrt((G - 1) / G sum of (v_-g - mean)^2). No interval for
    fewer than 6 units or where a value is undefined. **Source:** Tukey 1958; Miller 1974.
    """
    from scipy.special import stdtrit

    g = len(rest)
    if g < FEWEST_UNITS:
        return Interval(whole, note=f"too few independent systems ({g})")
    middle, others = scale(whole), np.array([scale(value) for value in rest])
    if not np.isfinite(others).all() or not np.isfinite(middle):
        return Interval(whole, note="undefined without some of the systems")
    spread = float(((others - others.mean()) ** 2).sum())
    half = float(stdtrit(g - 1, (1 + confidence) / 2)) * sqrt((g - 1) / g * spread)
    return Interval(whole, back(middle - half), back(middle + half))


def pair_totals(pairs: Doubles, unit: Ints) -> Doubles:
    """(..., 1 + units): sums over all pairs, and without each unit in turn.

    `pairs`: (..., n, n) symmetric and 0 within units, so a unit's pairs are twice the sum of its rows.
    """
    rows = pairs.sum(axis=-1)
    mine = np.stack([rows[..., unit == group].sum(axis=-1) for group in np.unique(unit)], axis=-1)
    whole = rows.sum(axis=-1)[..., None]
    return np.concatenate([whole, whole - 2 * mine], axis=-1)


def taus(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(1 + units,): tau between units, and without each unit in turn; NaN where a column is constant.

    sum w s s' / sqrt(sum w s^2 sum w s'^2) over pairs, s the sign of a pair in x, s' in y, w of `pair_weights`.
    """
    s_x, s_y = signs(x), signs(y)
    agree, in_x, in_y = pair_totals(pair_weights(unit) * np.stack([s_x * s_y, s_x**2, s_y**2]), unit)
    size = in_x * in_y
    return np.asarray(np.where(size > 1e-12, agree / np.sqrt(np.maximum(size, 1e-12)), nan))
