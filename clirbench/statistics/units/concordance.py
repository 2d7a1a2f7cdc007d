"""tau between units: whether two systems of different units have the same order by metric and measure.

    tau = sum w_ij s_ij(x) s_ij(y) / sqrt(sum w_ij |s_ij(x)| * sum w_ij |s_ij(y)|)

over pairs i, j of different units, s the sign of the difference, w_ij = 1 / (systems in i's unit * in j's): every
pair of units counts once, however many systems they have. With one system a unit this is Kendall's tau-b.
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.pages.wording import fixed
from clirbench.statistics.units.jackknife import FEWEST, deviations, leaving_one, of_units, too_few
from clirbench.types import Doubles, Ints

CONSTANT = "a column is constant between units"
TOGETHER = 1000
"""Systems up to which the pairs of all metrics are held at once."""
MODEL_BELOW = 12
"""Units below which the variance is held to that of normal columns: the jackknife's alone is half as wide again."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """tau between units of several metrics with one measure, and how sure: `tau`, `variance` (metrics,).

    `influence`: (units, metrics), what each unit does to tau: sums of its rows, weighted by random normal numbers, are
    joint resamples of all metrics; its columns' sums of squares are the jackknife's variance. NaN for a constant side.
    """

    tau: Doubles
    variance: Doubles
    influence: Doubles

    @property
    def units(self) -> int:
        return len(self.influence)

    @property
    def jackknifed(self) -> Doubles:
        """(units, metrics): the influence on atanh(tau); NaN where tau is 1 or -1."""
        return np.asarray(self.influence / np.where(np.abs(self.tau) < 1, 1 - self.tau**2, nan))

    @property
    def spread(self) -> Doubles:
        """(units, metrics): the same at the size of `variance`, which is smaller."""
        whole = (self.influence**2).sum(axis=0)
        return np.asarray(self.jackknifed * np.sqrt(self.variance / np.where(whole > 0, whole, 1.0)))


def pair_weights(unit: Ints) -> Doubles:
    """(n, n): 1 / (systems in i's unit * in j's) for pairs of different units, else 0."""
    share = 1 / np.bincount(unit)[unit]
    return np.asarray(np.outer(share, share) * (unit[:, None] != unit[None, :]))


def signs(columns: Doubles) -> Doubles:
    """(..., n, n): 1 where the row's system scores higher, -1 lower, 0 tied."""
    return np.sign(columns[..., :, None] - columns[..., None, :])


def _sums(x: Doubles, y: Doubles, unit: Ints) -> tuple[Doubles, Doubles, Doubles]:
    """Weighted agreement, pairs ordered by x, pairs ordered by y: (..., units, units)."""
    weight, left, right = pair_weights(unit), signs(x), signs(y)
    return of_units(left * right * weight, unit), of_units(left**2 * weight, unit), of_units(right**2 * weight, unit)


def taus(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(..., 1 + units): tau between units, and without each unit in turn; NaN where a column is constant."""
    balance, in_x, in_y = map(leaving_one, _sums(x, y, unit))
    return _ratio(balance, in_x * in_y)


def estimates(x: Doubles, y: Doubles, unit: Ints) -> Estimates:
    """tau between units of every metric, its variance and every unit's influence. `x`: (metrics, n), `y`: (n,), finite.

    The delete-one-unit jackknife overstates the variance by its share of second order, which with few units is a
    half; the unbiased estimate of a U-statistic's variance (from pairs that share no unit) is too noisy alone. The
    variance is three quarters of the one (seven eighths with fewer than 12 units of several systems) and the rest of
    the other, at least half the jackknife's; with fewer than 12 units and no ties also at most that of normal columns,
    .437 / (units - 4) on atanh(tau).
    **Source:** Arvesen 1969 (jackknife of a U-statistic); Hoeffding 1948; Efron and Stein 1981; Fieller, Hartley and
    Pearson 1957.
    """
    if len(x) > 1 and len(y) > TOGETHER:
        each = [estimates(row[None], y, unit) for row in x]
        return Estimates(
            np.concatenate([one.tau for one in each]),
            np.concatenate([one.variance for one in each]),
            np.concatenate([one.influence for one in each], axis=1),
        )
    balance, size_x, size_y = _sums(x, y, unit)
    units = balance.shape[-1]
    balances, in_x, in_y = map(leaving_one, (balance, size_x, size_y))
    found = _ratio(balances, in_x * in_y)
    tau, deviation = found[:, 0], deviations(found[:, 1:]).T
    jackknife = (deviation**2).sum(axis=0)
    if units < 4:
        return Estimates(tau, jackknife, deviation)
    ordered = [total[..., :1, None] / (units * (units - 1)) for total in (in_x, in_y)]
    relative = size_x / np.maximum(ordered[0], 1e-300) + size_y / np.maximum(ordered[1], 1e-300)
    kernel = balance / np.sqrt(np.maximum(ordered[0] * ordered[1], 1e-300)) - tau[:, None, None] * (relative / 2 - 1)
    kernel = kernel * (1 - np.eye(units))
    own = 7 / 8 if units < min(MODEL_BELOW, len(y)) else 3 / 4
    variance = np.maximum(own * jackknife + (1 - own) * _unbiased(kernel), jackknife / 2)
    if units < MODEL_BELOW and units > 4:
        untied = [len(np.unique(column)) == len(y) and len(np.unique(y)) == len(y) for column in x]
        normal = 0.437 / (units - 4) * (1 - tau**2) ** 2
        variance = np.where(untied, np.minimum(variance, normal), variance)
    return Estimates(tau, variance, deviation)


def _unbiased(kernel: Doubles) -> Doubles:
    """(metrics,): unbiased variance of the mean over pairs of units; `kernel`: (metrics, units, units), symmetric.

    mean^2 less the mean product of two pairs that have no unit in common. It can be negative.
    """
    units = kernel.shape[-1]
    pairs = units * (units - 1) / 2
    total, squares = kernel.sum(axis=(1, 2)) / 2, (kernel**2).sum(axis=(1, 2)) / 2
    apart = total**2 - (kernel.sum(axis=2) ** 2).sum(axis=1) + squares
    return np.asarray((total / pairs) ** 2 - apart / (pairs * (units - 2) * (units - 3) / 2))


def _ratio(balance: Doubles, squared: Doubles) -> Doubles:
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
    return _ratio(rest[0], rest[1] * rest[2])


def no_interval(found: Estimates, metric: int) -> str:
    """Why there is no interval; nothing where there is one."""
    tau = float(found.tau[metric])
    if np.isnan(tau):
        return CONSTANT
    if found.units < FEWEST:
        return too_few(found.units)
    if np.isnan(found.variance[metric]):
        return "without one of the systems a column is constant"
    if abs(tau) >= 1 - 1e-12:
        return f"tau is {fixed(tau)}: how sure that is cannot be estimated from {found.units} independent systems"
    if found.variance[metric] < 1e-12:
        return f"no single one of the {found.units} independent systems changes tau: how sure it is cannot be estimated"
    return ""
