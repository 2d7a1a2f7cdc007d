"""How a metric agrees with a measure: tau between independent groups, and the one interval that grades rest on.

    tau = sum w_ij s_ij(x) s_ij(y) / sqrt(sum w_ij |s_ij(x)| * sum w_ij |s_ij(y)|)

over pairs i, j of different units, s the sign of the difference, w_ij = 1 / (systems in i's unit * in j's): every
pair of units counts once, however many systems they have. With one system a unit this is Kendall's tau-b.

The interval holds every true tau t from which the observed one is no further than z standard errors. The variance is
that of tau of n pairs from a normal distribution (`variance`), n the number of groups, .8 at t and .2 at the observed
tau, times how much larger the jackknife finds it (`excess`): real scores have heavier tails than normal ones, and in
groups, systems differ. Counted in worlds of real systems (benchmarks/validity_intervals.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan

import numpy as np

from clirbench.statistics.coefficients import ENUMERATED, TINY, UNTESTED, kendall, kendall_exact, pair_balance
from clirbench.types import Doubles, Ints, by_key

FEWEST_UNITS = 6
"""Units that a jackknife interval needs: with fewer it would reach from one end to the other nearly always."""

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


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of systems of different units, `first` before `second`, and the `weight` of each: three times (pairs,).

    A pair counts 1 / (systems in its one unit * in its other), so that every two units count once.
    """

    unit: Ints
    first: Ints
    second: Ints
    weight: Doubles

    @classmethod
    def of(cls, unit: Ints) -> "Pairs":
        """Those of systems in these units (n,): the units are numbered 0, 1, ..., in their order."""
        return _pairs(unit.astype(np.int64).tobytes())

    def signs(self, columns: Doubles) -> Doubles:
        """(..., pairs): 1 where the first of the pair scores higher, -1 lower, 0 for a tie or a hole."""
        return np.nan_to_num(np.sign(columns[..., self.first] - columns[..., self.second]))

    def known(self, columns: Doubles) -> Doubles:
        """(..., pairs): 1 where both have a value, else 0."""
        return np.isfinite(columns[..., self.first] + columns[..., self.second]).astype(np.float64)

    def of_units(self, values: Doubles) -> Doubles:
        """(..., units, units): weighted sums of values (..., pairs), symmetric, 0 within units."""
        units = int(self.unit.max(initial=-1)) + 1
        place = self.unit[self.first] * units + self.unit[self.second]
        sums = np.empty((*values.shape[:-1], units * units))
        for at in np.ndindex(*values.shape[:-1]):
            sums[at] = np.bincount(place, self.weight * values[at], units * units)
        sums = sums.reshape(*values.shape[:-1], units, units)
        return np.asarray(sums + sums.swapaxes(-1, -2))


@lru_cache(maxsize=4)
def _pairs(numbers: bytes) -> Pairs:
    unit = np.unique(np.frombuffer(numbers, dtype=np.int64), return_inverse=True)[1]
    first, second = np.triu_indices(len(unit), 1)
    apart = unit[first] != unit[second]
    first, second, share = first[apart], second[apart], 1 / np.bincount(unit)[unit]
    return Pairs(unit, first, second, share[first] * share[second])


def leaving_one(sums: Doubles) -> Doubles:
    """(..., 1 + units): the total of `Pairs.of_units`, and without each unit in turn."""
    mine = sums.sum(axis=-1)
    whole = mine.sum(axis=-1, keepdims=True)
    return np.concatenate([whole, whole - 2 * mine], axis=-1)


CONSTANT = "a column is constant between units"


def agreement_sums(x: Doubles, y: Doubles, unit: Ints) -> tuple[Doubles, Doubles, Doubles]:
    """Weighted agreement, pairs ordered by x, pairs ordered by y, of each two units: (..., units, units)."""
    pairs = Pairs.of(unit)
    left, right = pairs.signs(x), pairs.signs(y)
    return pairs.of_units(left * right), pairs.of_units(np.abs(left)), pairs.of_units(np.abs(right))


def taus(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(..., 1 + units): tau between units, and without each unit in turn; NaN where a column is constant."""
    balance, in_x, in_y = map(leaving_one, agreement_sums(x, y, unit))
    return ratio(balance, in_x * in_y)


def taus_of_orders(x: Doubles, orders: Doubles, unit: Ints) -> Doubles:
    """(metrics, orders): tau between units of each of `x` (metrics, n) with each of `orders` (orders, n).

    Pairs with a hole, which is NaN, are left out.
    """
    pairs, found = Pairs.of(unit), [np.empty((len(x), 0))]
    known, signs = (pairs.weight * part for part in (pairs.known(x), pairs.signs(x)))
    step = max(1, AT_ONCE // max(1, len(pairs.first)))
    for some in (orders[at : at + step] for at in range(0, len(orders), step)):
        theirs = pairs.signs(some)
        possible = (np.abs(signs) @ pairs.known(some).T) * (known @ np.abs(theirs).T)
        found.append(ratio(signs @ theirs.T, possible))
    return np.concatenate(found, axis=1)


def ratio(balance: Doubles, squared: Doubles) -> Doubles:
    possible = np.sqrt(np.where(squared > 1e-9, squared, nan))
    return np.clip(balance / possible, -1.0, 1.0)


FEWEST_COMPARED = 3
"""Units that the interval of a tau needs."""
PRIOR, LARGER, AT_TRUE = 20, 1.15, 0.8
"""Before any system is seen, standard errors are 1.15 times those of normal columns; that counts as 20 units do. The
share of the variance that is taken at the true tau. Fixed before the worlds that judge them were drawn."""
TAUS = np.sin(np.arange(-250, 251) * np.pi / 500)
"""True taus at which it is asked whether they fit: 0 among them, denser towards 1 and -1."""
AT_ONCE = 1 << 22
"""Pairs of systems times metrics that are held at once: 32 MB."""


@dataclass(frozen=True)
class Agreement:
    """One metric and one measure: `tau` between groups; `low`, `high`: its interval, corrected for the metrics.

    Each end leaves out alpha / max(2, `effective_number` of the metrics), so one or two metrics have a .95 interval.
    `p_value`: one-sided, of tau <= 0, corrected likewise: below alpha exactly where `low` is above 0. NaN with the
    reason in `note`.
    """

    tau: float = nan
    low: float = nan
    high: float = nan
    p_value: float = nan
    groups: int = 0
    note: str = ""


def variance(tau: Doubles | float, groups: Ints | int) -> Doubles:
    """Of Kendall's tau of `groups` pairs from a normal distribution whose tau is `tau`; n >= 2.

    **Source:** Esscher 1924, "On a method of determining correlation from the ranks of the variates".
    """
    three = 1 / 9 - (2 / np.pi * np.arcsin(np.sin(np.pi / 2 * np.asarray(tau)) / 2)) ** 2
    return np.asarray(2 / (groups * (groups - 1)) * (1 - np.square(tau) + 2 * (groups - 2) * three))


def inner(tau: Doubles | float, groups: Ints | int) -> Doubles:
    """An observed tau drawn in by one pair, so that a perfect one has a variance."""
    pairs = groups * (groups - 1) / 2
    return np.asarray(tau * pairs / (pairs + 1))


def excess(tau: Doubles, groups: Ints, jackknife: Doubles) -> Doubles:
    """How many times as large as normal columns' the variance of this observed tau is, by its jackknife and before."""
    own = jackknife / variance(inner(tau, groups), groups)
    return np.asarray((PRIOR * LARGER**2 + (groups - 1) * own) / (PRIOR - 1 + groups))


def standard_error(true: Doubles | float, tau: Doubles | float, groups: Ints | int, times: Doubles | float) -> Doubles:
    """Of the observed `tau` for each `true` one; `times`: of `excess`."""
    at_tau = variance(inner(tau, groups), groups)
    return np.asarray(np.sqrt(times * (AT_TRUE * variance(true, groups) + (1 - AT_TRUE) * at_tau)))


def limits(tau: Doubles, groups: Ints, times: Doubles, z: float) -> tuple[Doubles, Doubles]:
    """(metrics,) twice: the least and the largest true tau within z standard errors of each observed one."""
    row, most = np.arange(len(tau)), len(TAUS)
    true = np.sort(np.concatenate([np.tile(TAUS, (len(tau), 1)), tau[:, None]], axis=1), axis=1)
    beyond = np.abs(tau[:, None] - true) - z * standard_error(true, tau[:, None], groups[:, None], times[:, None])
    fit = beyond <= 0

    def end(last: Ints, outside: Ints) -> Doubles:
        """Where between the last that fits and the one outside, if there is one."""
        one, other = beyond[row, last], beyond[row, np.clip(outside, 0, most)]
        share = np.where(other > 0, one / np.where(other > 0, one - other, 1.0), 0.0)
        return np.asarray(true[row, last] + share * (true[row, np.clip(outside, 0, most)] - true[row, last]))

    first, last = fit.argmax(axis=1), most - fit[:, ::-1].argmax(axis=1)
    return end(first, first - 1), end(last, last + 1)


def agreements(x: Doubles, y: Doubles, unit: Ints, *, alpha: float = 0.05) -> list[Agreement]:
    """Every metric with one measure. `x`: (metrics, n), `y`: (n,), NaN for holes, more is better; `unit`: (n,).

    A metric is compared over the systems that have both values. Of at most 9 systems, each a group, an end passes 0
    only where the exact permutation test agrees.
    """
    from clirbench.native.special import ndtr, ndtri

    found, variances = _measured(x, y, unit)
    tested = np.flatnonzero(np.isfinite(variances))
    if not len(tested):
        return found
    whole = np.isfinite(y)
    corrected = max(2.0, effective_number(x[tested][:, whole], unit[whole]))
    side = alpha / corrected
    tau, groups = np.array([found[m].tau for m in tested]), np.array([found[m].groups for m in tested])
    times = excess(tau, groups, variances[tested])
    low, high = limits(tau, groups, times, -float(ndtri(side)))
    p = ndtr(-tau / standard_error(0.0, tau, groups, times))
    exact = np.array([exact_tail(x[m], y, unit) for m in tested])
    low = np.where(exact >= side, np.minimum(low, 0.0), low)
    high = np.where(exact >= side, np.maximum(high, 0.0), high)
    p = np.clip(corrected * np.where(tau > 0, np.fmax(p, exact), p), TINY, 1.0)
    for m, *ends in zip(tested.tolist(), low.tolist(), high.tolist(), p.tolist(), strict=True):
        found[m] = replace(found[m], low=ends[0], high=ends[1], p_value=ends[2])
    return found


def by_holes(x: Doubles, y: Doubles) -> Iterator[tuple[list[int], Ints]]:
    """Metrics (rows of `x`) that have the same systems together with `y`, and these systems; NaN for holes."""
    there = np.isfinite(x) & np.isfinite(y)
    alike = by_key((kept.tobytes(), m) for m, kept in enumerate(there))
    yield from ((metrics, np.flatnonzero(there[metrics[0]])) for metrics in alike.values())


def _measured(x: Doubles, y: Doubles, unit: Ints) -> tuple[list[Agreement], Doubles]:
    """Every metric's tau; and its variance, by leaving out each group, NaN where it is not tested."""
    found, variances = [Agreement()] * len(x), np.full(len(x), nan)
    for members, rows in by_holes(x, y):
        labels, own = np.unique(unit[rows], return_inverse=True)
        n, groups = len(rows), len(labels)
        size = max(1, AT_ONCE // max(1, n * n))
        note = "" if groups >= FEWEST_COMPARED else f"too few independent groups ({groups})"
        if groups < 2:
            note = "fewer than two independent groups"
        if n > MOST and groups < n:
            note = f"{n} systems in groups: at most {MOST} are compared pair by pair"
        for some in (members[at : at + size] for at in range(0, len(members), size)):
            tau, own_variance = np.full((2, len(some)), nan)
            if n > MOST and groups == n:
                tau = np.array([kendall(x[m, rows], y[rows], p_value=UNTESTED).value for m in some])
            elif groups >= 2 and n <= MOST:
                every = taus(x[some][:, rows], y[rows], own)
                tau, own_variance = every[:, 0], (deviations(every[:, 1:]) ** 2).sum(axis=1)
            # Without pairs, or where a column is constant without some group, only what is known before is.
            before = LARGER**2 * variance(inner(tau, max(2, groups)), max(2, groups))
            own_variance = np.where(np.isnan(own_variance), before, own_variance)
            for m, value, spread in zip(some, tau.tolist(), own_variance.tolist(), strict=True):
                why = note or (CONSTANT if np.isnan(value) else "")
                found[m] = Agreement(value, groups=groups, note=why)
                variances[m] = nan if why else spread
    return found, variances


def exact_tail(x: Doubles, y: Doubles, unit: Ints) -> float:
    """How many of all orders of at most 9 systems, each a group, have tau this far from 0 on this side; else NaN.

    NaN too with ties in both columns. Not mid-p: of so few systems one order more or less is seen in how often a
    useless metric is shown.
    """
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(rows) > ENUMERATED or len(np.unique(unit[rows])) < len(rows):
        return nan
    found = kendall_exact(x[rows], y[rows], pair_balance(x[rows], y[rows]))
    return nan if found is None else found.value / 2


def effective_number(x: Doubles, unit: Ints) -> float:
    """How many unrelated metrics these are as good as, from 1 to their number. `x`: (metrics, n), NaN for holes.

    1 + (m - 1) (1 - variance / m) of the eigenvalues of the correlations of the metrics' signs over pairs of units.
    Metrics count as unrelated for more than 2,000 systems.
    **Source:** Nyholt 2004, "A simple correction for multiple testing for SNPs in linkage disequilibrium".
    """
    m, n = x.shape
    if m == 1 or n > MOST:
        return float(m)
    pairs, sums = Pairs.of(unit), np.zeros((m, m))
    size = max(1, AT_ONCE // m)
    for at in range(0, len(pairs.first), size):
        some = slice(at, at + size)
        part = Pairs(pairs.unit, pairs.first[some], pairs.second[some], pairs.weight[some])
        ordered = part.signs(x) * np.sqrt(part.weight)
        sums += ordered @ ordered.T
    length = np.sqrt(np.diag(sums))
    eigenvalues = np.linalg.eigvalsh(sums / np.outer(length, length))
    return float(np.clip(1 + (m - 1) * (1 - eigenvalues.var(ddof=1) / m), 1, m))


def groups_needed(tau: float, p: float, most: int = 100, power: float = 0.8) -> int | None:
    """The number of groups from which a true `tau` is shown with this power at one-sided p; None above `most`."""
    from clirbench.native.special import ndtri

    for groups in range(FEWEST_COMPARED, most + 1) if tau > 0 else ():
        error, under_none = (float(standard_error(t, tau, groups, LARGER**2)) for t in (tau, 0.0))
        if tau + float(ndtri(1 - power)) * error >= -float(ndtri(p)) * under_none:
            return groups
    return None
