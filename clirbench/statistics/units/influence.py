"""What each unit does to a tau between units, and the variance that follows: for differences of taus and for pooling.

The interval of one tau is not made from it (`agreement`).
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.pages.wording import fixed
from clirbench.statistics.units.concordance import CONSTANT, TOGETHER, agreement_sums, ratio
from clirbench.statistics.units.jackknife import FEWEST_UNITS, deviations, leaving_one, too_few
from clirbench.types import Doubles, Ints

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
    balance, size_x, size_y = agreement_sums(x, y, unit)
    units = balance.shape[-1]
    balances, in_x, in_y = map(leaving_one, (balance, size_x, size_y))
    found = ratio(balances, in_x * in_y)
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


def no_interval(found: Estimates, metric: int) -> str:
    """Why there is no interval; nothing where there is one."""
    tau = float(found.tau[metric])
    if np.isnan(tau):
        return CONSTANT
    if found.units < FEWEST_UNITS:
        return too_few(found.units)
    if np.isnan(found.variance[metric]):
        return "without one of the systems a column is constant"
    if abs(tau) >= 1 - 1e-12:
        return f"tau is {fixed(tau)}: how sure that is cannot be estimated from {found.units} independent systems"
    if found.variance[metric] < 1e-12:
        return f"no single one of the {found.units} independent systems changes tau: how sure it is cannot be estimated"
    return ""
