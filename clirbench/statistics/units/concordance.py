"""tau between units: whether two systems of different units stand in the same order by metric and measure.

    tau = sum w_ij s_ij(x) s_ij(y) / sqrt(sum w_ij |s_ij(x)| * sum w_ij |s_ij(y)|)

over pairs i, j of different units, s the sign of the difference, w_ij = 1 / (systems in i's unit * in j's): every
pair of units counts once, however many systems they have. With one system a unit this is Kendall's tau-b.
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.types import Doubles, Ints

FEWEST = 6
"""Units that an interval needs: with fewer it would reach from one end to the other nearly always."""
PLAIN = 0.5
"""Size of tau between and within units from which opposite signs are pointed out without a test: by chance in .01."""
MODEL_BELOW = 12
"""Units below which the variance is held to that of normal columns: the jackknife's alone is half as wide again."""


@dataclass(frozen=True)
class Agreement:
    """How one metric agrees with one measure across units.

    `tau`: between units; `within`: pooled over the pairs inside units (NaN where there are none); `low`, `high`: the
    interval of `tau`, NaN with the reason in `note`; `disagree`: between and within differ by more than chance, or,
    with too few units to say so, both are at least .5 in size and of opposite signs (Simpson's paradox): one number
    then hides what happens.
    """

    tau: float
    within: float
    low: float
    high: float
    disagree: bool
    n_systems: int
    n_units: int
    note: str = ""


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
    membership = (np.arange(unit.max() + 1)[:, None] == unit).astype(np.float64)
    units = len(membership)
    weight, left, right = pair_weights(unit), signs(x), signs(y)
    balance, size_x, size_y = (
        membership @ (pairs * weight) @ membership.T for pairs in (left * right, np.abs(left), np.abs(right)[None])
    )
    all_three = [pairs.sum(axis=(1, 2)) for pairs in (balance, size_x, size_y)]
    tau = _ratio(all_three[0], all_three[1] * all_three[2])
    without = _ratio(*_without(balance, size_x, size_y))
    deviation = np.sqrt((units - 1) / units) * (without - without.mean(axis=1, keepdims=True)).T
    jackknife = (deviation**2).sum(axis=0)
    if units < 4:
        return Estimates(tau, jackknife, deviation)
    ordered = [total[:, None, None] / (units * (units - 1)) for total in all_three[1:]]
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


def _without(balance: Doubles, size_x: Doubles, size_y: Doubles) -> tuple[Doubles, Doubles]:
    """Sums over pairs without each unit in turn: of agreement, and both sides' sizes multiplied; (metrics, units)."""
    less = [pairs.sum(axis=(1, 2))[:, None] - 2 * pairs.sum(axis=2) for pairs in (balance, size_x, size_y)]
    return less[0], less[1] * less[2]


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


def within_tau(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(metrics,): tau-b of the pairs inside units, all pooled; NaN where there is no such pair that both order."""
    inside = (unit[:, None] == unit[None, :]).astype(np.float64)
    left, right = signs(x) * inside, signs(y) * inside
    sizes = np.abs(left).sum(axis=(1, 2)) * np.abs(right).sum()
    return _ratio((left * right).sum(axis=(1, 2)), sizes)


def agreements(x: Doubles, y: Doubles, unit: Ints, level: float = 0.95) -> list[Agreement]:
    """Every metric's tau between units with its interval. `x`: (metrics, n), `y`: (n,), finite, more is better.

    Interval: tanh(atanh(tau) +- t se), t with units - 1 degrees of freedom, se from `estimates`. There is none with
    fewer than 6 units, nor where tau is 1 or undefined.
    **Source:** Kendall 1945 (tau-b); Tukey 1958 (jackknife, t); Fisher 1921 (atanh).
    """
    from scipy.special import stdtrit

    found = estimates(x, y, unit)
    within = within_tau(x, y, unit)
    quantile = float(stdtrit(max(1, found.units - 1), (1 + level) / 2))
    disagree = _disagree(x, y, unit, found.tau, within)
    rows = []
    for m, tau in enumerate(found.tau.tolist()):
        note = no_interval(found, m)
        low = high = nan
        if not note:
            half = quantile * float(np.sqrt((found.spread[:, m] ** 2).sum()))
            low, high = (float(np.tanh(np.arctanh(tau) + side * half)) for side in (-1, 1))
        rows.append(Agreement(tau, float(within[m]), low, high, disagree[m], len(y), found.units, note))
    return rows


def no_interval(found: Estimates, metric: int) -> str:
    """Why there is no interval; nothing where there is one."""
    tau = float(found.tau[metric])
    constant = "a column is constant between units"
    if np.isnan(tau):
        return constant
    if found.units < FEWEST:
        return f"too few independent systems ({found.units})"
    if np.isnan(found.variance[metric]):
        return constant
    if abs(tau) >= 1 - 1e-12:
        return f"tau is {tau:.0f}: how sure that is cannot be estimated from {found.units} independent systems"
    if found.variance[metric] < 1e-12:
        return f"no single one of the {found.units} independent systems changes tau: how sure it is cannot be estimated"
    return ""


def _disagree(x: Doubles, y: Doubles, unit: Ints, between: Doubles, within: Doubles) -> list[bool]:
    """Whether tau between and within units differ: by the jackknife where there are units enough, else plainly."""
    both = np.isfinite(between) & np.isfinite(within)
    plainly = both & (between * within < 0) & (np.minimum(np.abs(between), np.abs(within)) >= PLAIN)
    units = int(unit.max()) + 1
    if units < FEWEST or not both.any():
        return [bool(one) for one in plainly]
    from scipy.special import stdtrit

    gaps = np.empty((units, len(x)))
    for left in range(units):
        kept = unit != left
        others = np.unique(unit[kept], return_inverse=True)[1].astype(np.int64)
        gaps[left] = estimates(x[:, kept], y[kept], others).tau - within_tau(x[:, kept], y[kept], others)
    error = np.sqrt((units - 1) / units * ((gaps - gaps.mean(axis=0)) ** 2).sum(axis=0))
    far = np.abs(between - within) > np.maximum(1e-9, stdtrit(units - 1, 0.975) * error)
    return [bool(one) for one in np.where(np.isnan(gaps).any(axis=0), plainly, both & far)]
