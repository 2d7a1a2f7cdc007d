"""tau between units: whether two systems of different units have the same order by metric and measure.

    tau = sum w_ij s_ij(x) s_ij(y) / sqrt(sum w_ij |s_ij(x)| * sum w_ij |s_ij(y)|)

over pairs i, j of different units, s the sign of the difference, w_ij = 1 / (systems in i's unit * in j's): every
pair of units counts once, however many systems they have. With one system a unit this is Kendall's tau-b.
"""

from math import nan

import numpy as np

from clirbench.statistics.units.jackknife import leaving_one, of_units
from clirbench.types import Doubles, Ints

CONSTANT = "a column is constant between units"
TOGETHER = 1000
"""Systems up to which the pairs of all metrics are held at once."""


def pair_weights(unit: Ints) -> Doubles:
    """(n, n): 1 / (systems in i's unit * in j's) for pairs of different units, else 0."""
    share = 1 / np.bincount(unit)[unit]
    return np.asarray(np.outer(share, share) * (unit[:, None] != unit[None, :]))


def signs(columns: Doubles) -> Doubles:
    """(..., n, n): 1 where the row's system scores higher, -1 lower, 0 tied."""
    return np.sign(columns[..., :, None] - columns[..., None, :])


def agreement_sums(x: Doubles, y: Doubles, unit: Ints) -> tuple[Doubles, Doubles, Doubles]:
    """Weighted agreement, pairs ordered by x, pairs ordered by y, of each two units: (..., units, units)."""
    weight, left, right = pair_weights(unit), signs(x), signs(y)
    return of_units(left * right * weight, unit), of_units(left**2 * weight, unit), of_units(right**2 * weight, unit)


def taus(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(..., 1 + units): tau between units, and without each unit in turn; NaN where a column is constant."""
    balance, in_x, in_y = map(leaving_one, agreement_sums(x, y, unit))
    return ratio(balance, in_x * in_y)


def ratio(balance: Doubles, squared: Doubles) -> Doubles:
    possible = np.sqrt(np.where(squared > 1e-9, squared, nan))
    return np.clip(balance / possible, -1.0, 1.0)


def within_taus(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(metrics, 1 + units): tau-b of the pairs inside units, all pooled, and without each unit in turn.

    NaN where there is no such pair that both order.
    """
    if len(x) > 1 and len(y) > TOGETHER:
        return np.concatenate([within_taus(row[None], y, unit) for row in x])
    inside = unit[:, None] == unit[None, :]
    left, right = signs(x) * inside, signs(y) * inside
    mine = [np.diagonal(of_units(pairs, unit), axis1=-2, axis2=-1) for pairs in (left * right, left**2, right**2)]
    whole = [own.sum(axis=-1, keepdims=True) for own in mine]
    rest = [np.concatenate([total, total - own], axis=-1) for total, own in zip(whole, mine, strict=True)]
    return ratio(rest[0], rest[1] * rest[2])
