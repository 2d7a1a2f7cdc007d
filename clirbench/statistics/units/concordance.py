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
"""Units that an interval needs: below, the simulated coverage holds only by being wide, and t has no use."""


@dataclass(frozen=True)
class Agreement:
    """How one metric agrees with one measure across units.

    `tau`: between units; `within`: pooled over the pairs inside units (NaN where there are none); `low`, `high`: the
    interval of `tau`, NaN with the reason in `note`; `disagree`: between and within differ by more than chance, or,
    with too few units to say so, in sign (Simpson's paradox): one number then hides what happens.
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
class LeftOut:
    """`tau` (metrics,) and `without` (units, metrics): the same without each unit; NaN where a side is constant."""

    tau: Doubles
    without: Doubles

    @property
    def spread(self) -> Doubles:
        """(units, metrics): jackknife deviations of atanh(tau); their sum of squares is its variance."""
        units = len(self.without)
        z = np.arctanh(self.without)
        return np.asarray(np.sqrt((units - 1) / units) * (z - z.mean(axis=0)))


def pair_weights(unit: Ints) -> Doubles:
    """(n, n): 1 / (systems in i's unit * in j's) for pairs of different units, else 0."""
    share = 1 / np.bincount(unit)[unit]
    return np.asarray(np.outer(share, share) * (unit[:, None] != unit[None, :]))


def signs(columns: Doubles) -> Doubles:
    """(..., n, n): 1 where the row's system scores higher, -1 lower, 0 tied."""
    return np.sign(columns[..., :, None] - columns[..., None, :])


def left_out(x: Doubles, y: Doubles, unit: Ints) -> LeftOut:
    """tau between units of every metric, and without each unit in turn. `x`: (metrics, n), `y`: (n,), finite."""
    membership = (np.arange(unit.max() + 1)[:, None] == unit).astype(np.float64)
    right, left = signs(y), signs(x)
    weight = pair_weights(unit)

    def by_unit(pairs: Doubles) -> Doubles:
        return np.asarray((pairs * weight).sum(axis=-1) @ membership.T)

    totals = []
    for pairs in (left * right, np.abs(left), np.broadcast_to(np.abs(right), left.shape)):
        each = by_unit(pairs)
        totals.append((each.sum(axis=1), each.sum(axis=1)[:, None] - 2 * each))
    (balance, balances), (size_x, sizes_x), (size_y, sizes_y) = totals
    return LeftOut(_ratio(balance, size_x * size_y), _ratio(balances, sizes_x * sizes_y).T)


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

    Interval: delete-one-unit jackknife on atanh(tau), quantiles of t with units - 1 degrees of freedom. There is
    none with fewer than 6 units, nor where tau, with or without some unit, is 1 or undefined.
    **Source:** Kendall 1945 (tau-b); Tukey 1958 and Arvesen 1969 (jackknife of a U-statistic); Fisher 1921 (atanh).
    """
    from scipy.stats import t as student

    found = left_out(x, y, unit)
    within = within_tau(x, y, unit)
    units = len(found.without)
    rows = []
    for m, tau in enumerate(found.tau.tolist()):
        note = _no_interval(tau, found.without[:, m])
        low = high = nan
        if not note:
            half = float(student.ppf((1 + level) / 2, units - 1) * np.sqrt((found.spread[:, m] ** 2).sum()))
            low, high = (float(np.tanh(np.arctanh(tau) + side * half)) for side in (-1, 1))
        disagree = _disagree(x[m], y, unit, tau, float(within[m]))
        rows.append(Agreement(tau, float(within[m]), low, high, disagree, len(y), units, note))
    return rows


def _no_interval(tau: float, without: Doubles) -> str:
    """Why there is no interval; nothing where there is one."""
    if np.isnan(tau):
        return "a column is constant between units"
    if len(without) < FEWEST:
        return f"too few independent systems ({len(without)})"
    if abs(tau) >= 1 - 1e-12:
        return f"tau is {tau:.0f}: its interval cannot be estimated from {len(without)} independent systems"
    if np.isnan(without).any() or (np.abs(without) >= 1 - 1e-12).any():
        return "the order depends on a single independent system"
    return ""


def _disagree(x: Doubles, y: Doubles, unit: Ints, between: float, within: float) -> bool:
    """Whether tau between and within units differ: by the jackknife where there are units enough, else in sign."""
    if np.isnan(within) or np.isnan(between):
        return False
    units = int(unit.max()) + 1
    if units < FEWEST:
        return between * within < 0
    from scipy.stats import t as student

    inner = np.array([within_tau(x[None, unit != u], y[unit != u], unit[unit != u])[0] for u in range(units)])
    gaps = left_out(x[None], y, unit).without[:, 0] - inner
    if np.isnan(gaps).any():
        return between * within < 0
    error = np.sqrt((units - 1) / units * ((gaps - gaps.mean()) ** 2).sum())
    return bool(abs(between - within) > student.ppf(0.975, units - 1) * error and error > 0)
