"""Leaving out one unit (independent group of systems) at a time: how sure a value is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.types import Doubles, Ints

FEWEST_UNITS = 6
"""Units that an interval needs: with fewer it would reach from one end to the other nearly always."""

MOST = 2000
"""The most systems for which every pair is computed: a matrix of pairs takes 32 MB, and dozens of them are held."""


@dataclass(frozen=True)
class Interval:
    """A value and its central interval of confidence .95; `note` says why there is none."""

    value: float
    low: float = nan
    high: float = nan
    note: str = ""


def too_few(units: int) -> str:
    """Why there is no interval."""
    return f"too few independent systems ({units})"


def too_many(systems: int) -> str:
    """Why results that need every pair of systems are left out."""
    return f"{systems} systems: at most {MOST} are compared pair by pair"


def deviations(rest: Doubles) -> Doubles:
    """(..., G): sqrt((G - 1) / G) (v_-g - mean), of values without each of G units; squared they add to the variance.

    **Source:** Tukey 1958; Miller 1974.
    """
    units = rest.shape[-1]
    return np.asarray(np.sqrt((units - 1) / units) * (rest - rest.mean(axis=-1, keepdims=True)))


def jackknifed(whole: float, rest: Sequence[float] | Doubles) -> Interval:
    """Delete-one-unit jackknife of a value; `rest`: the value without each of G units.

    Half width: t with G - 1 degrees of freedom times the root of the sum of squared `deviations`. No interval for
    fewer than 6 units or where a value is undefined.
    """
    from scipy.special import stdtrit

    g = len(rest)
    if g < FEWEST_UNITS:
        return Interval(whole, note=too_few(g))
    others = np.asarray(rest, dtype=np.float64)
    if not np.isfinite(others).all() or not np.isfinite(whole):
        return Interval(whole, note="undefined without some of the systems")
    half = float(stdtrit(g - 1, 0.975) * np.linalg.norm(deviations(others)))
    return Interval(whole, whole - half, whole + half)


def of_units(pairs: Doubles, unit: Ints) -> Doubles:
    """(..., units, units): sums over the pairs of systems of every two units that occur; `pairs`: (..., n, n)."""
    if np.array_equal(unit, np.arange(len(unit))):
        return pairs
    order = np.argsort(unit, kind="stable")
    starts = np.unique(unit[order], return_index=True)[1]
    rows = np.add.reduceat(pairs[..., order, :], starts, axis=-2)
    return np.asarray(np.add.reduceat(rows[..., order], starts, axis=-1))


def leaving_one(sums: Doubles) -> Doubles:
    """(..., 1 + units): the total of `of_units`, and without each unit in turn; symmetric and 0 within units."""
    mine = sums.sum(axis=-1)
    whole = mine.sum(axis=-1, keepdims=True)
    return np.concatenate([whole, whole - 2 * mine], axis=-1)


def pair_totals(pairs: Doubles, unit: Ints) -> Doubles:
    """(..., 1 + units): sums over all pairs, and without each unit; `pairs` (..., n, n) symmetric, 0 within units."""
    return leaving_one(of_units(pairs, unit))
