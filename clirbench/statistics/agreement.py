"""How a metric agrees with a measure: tau between independent groups, its interval, bounds and tests of all metrics.

    tau = sum w_ij s_ij(x) s_ij(y) / sqrt(sum w_ij |s_ij(x)| * sum w_ij |s_ij(y)|)

over pairs i, j of different units, s the sign of the difference, w_ij = 1 / (systems in i's unit * in j's): every
pair of units counts once, however many systems they have. With one system a unit this is Kendall's tau-b.

One table carries intervals and bounds: the distribution of Kendall's tau of n pairs from a t copula with 4 degrees of
freedom, n the number of groups, by simulation (benchmarks/kendall_table.py). Its tails are heavier than a normal
copula's, as those of scores are. n being the number of groups is exact where a group holds copies and cautious where
its systems differ. How sure other values are is seen by leaving out one unit at a time (`jackknifed`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import as_file, files
from math import nan

import numpy as np

from clirbench.statistics.coefficients import ENUMERATED, UNTESTED, kendall, kendall_exact, pair_balance, signs
from clirbench.types import Doubles, Ints

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


CONSTANT = "a column is constant between units"


def pair_weights(unit: Ints) -> Doubles:
    """(n, n): 1 / (systems in i's unit * in j's) for pairs of different units, else 0."""
    share = 1 / np.bincount(unit)[unit]
    return np.asarray(np.outer(share, share) * (unit[:, None] != unit[None, :]))


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


FEWEST_COMPARED = 3
"""Units that the interval of a tau needs."""
DRAWS = 10_000
MOST_RELATED = 500
"""Systems up to which it is known how metrics move together."""
GRID = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 65))
"""The taus of the table, true and observed: denser towards 1 and -1."""
COORDINATE = np.arcsin(GRID)


@dataclass(frozen=True)
class Agreement:
    """One metric and one measure: `tau` between groups; `low`, `high`: its interval by itself, 2.5 % on each side.

    `lower`, `upper`: one-sided bounds, corrected for the number of metrics: whatever value one asks about, in at most
    5 % of runs any metric that does not exceed it has `lower` above it. So a grade is corrected; that all bounds hold
    at once is not promised (five unrelated metrics of five true taus: .91). One metric alone has `lower` above `low`.
    `p_value`: one-sided, of tau <= 0, corrected likewise, below alpha where `lower` is above 0. NaN with the reason in
    `note`.
    """

    tau: float = nan
    low: float = nan
    high: float = nan
    lower: float = nan
    upper: float = nan
    p_value: float = nan
    n_systems: int = 0
    groups: int = 0
    note: str = ""


@lru_cache(maxsize=1)
def _table() -> tuple[Doubles, Doubles]:
    """(sizes,) and (sizes, true taus, observed taus): normal quantiles of the upper tail's mid-p."""
    with as_file(files("clirbench.data") / "kendall_t4.npz") as path, np.load(path) as held:
        sizes, half = held["sizes"].astype(np.float64), held["quantiles"] / 1000
    return sizes, np.concatenate([-half[:, :0:-1, ::-1], half], axis=1)


def upper_tail(tau: float, groups: int) -> Doubles:
    """(65,): normal quantiles of P(T > tau) + P(T = tau) / 2 for every true tau of `GRID`, not falling.

    Between tabled numbers of groups a line in the root of their number; above the largest, deviations shrink with it.
    """
    sizes, table = _table()
    most = sizes[-1]
    # What more groups would do to a deviation, the largest tabled number sees as a larger deviation.
    seen = np.clip(GRID + (tau - GRID) * np.sqrt(max(groups, most) / most), -1, 1)
    at, share = _between(sizes, groups)
    place = np.arcsin(seen)
    column = np.clip(np.searchsorted(COORDINATE, place, side="right") - 1, 0, len(GRID) - 2)
    row, part = np.arange(len(GRID)), (place - COORDINATE[column]) / np.diff(COORDINATE)[column]
    low, high = (table[at - 1 : at + 1, row, end] for end in (column, column + 1))
    ends = low + part * (high - low)  # exactly `low` where both are the same: ties decide the order of metrics
    return np.maximum.accumulate(ends[0] + share * (ends[1] - ends[0]))


def _between(sizes: Doubles, groups: int) -> tuple[int, float]:
    """The tabled size that ends the stretch of this number of groups, and how far along it, in its root, they are."""
    at = int(np.clip(np.searchsorted(sizes, groups), 1, len(sizes) - 1))
    low, here, high = np.sqrt([sizes[at - 1], min(groups, sizes[-1]), sizes[at]])
    return at, float((here - low) / (high - low))


def _inverted(tail: Doubles, p: float) -> float:
    """The true tau at which a tail has this probability; 1 or -1 where none has."""
    from scipy.special import ndtri

    z = float(ndtri(p))
    if z <= tail[0]:
        return -1.0
    return 1.0 if z >= tail[-1] else float(np.sin(np.interp(z, tail, COORDINATE)))


def interval(tau: float, groups: int) -> tuple[float, float]:
    """The central .95 interval of the true tau, by inversion of both tails, mid-p."""
    tail = upper_tail(tau, groups)
    return _inverted(tail, 0.025), _inverted(tail, 0.975)


def agreements(x: Doubles, y: Doubles, unit: Ints, *, alpha: float = 0.05, seed: int = 0) -> list[Agreement]:
    """Every metric with one measure. `x`: (metrics, n), `y`: (n,), NaN for holes, more is better; `unit`: (n,).

    A metric is compared over the systems that have both values. Bounds and p-values of all metrics are made together:
    for each c, metrics are tested for "tau <= c" in the order of their evidence against 0, each against the largest of
    those not yet rejected (step-down max-T); the joint distribution is normal, with the correlations that the metrics'
    taus have over all orders of the groups by the measure; a metric's lower bound is the end of the c that are rejected
    for it without a gap. At each c a true hypothesis is rejected for any metric with probability alpha at most.
    **Source:** Demarta and McNeil 2005 (t copula); Westfall and Young 1993, algorithm 2.8 (step-down); Daniels 1944.
    """
    found = [_single(column, y, unit) for column in x]
    tested = [m for m, one in enumerate(found) if not np.isnan(one.low)]
    if not tested:
        return found
    family = [found[m] for m in tested]
    drawn = _drawn(permutation_correlations(x[tested], y, unit), seed)
    exact = [exact_tail(x[m], y, unit) for m in tested]
    lower, p_values = _together(family, exact, drawn, alpha)
    exact = [exact_tail(-x[m], y, unit) for m in tested]
    upper, _ = _together([replace(one, tau=-one.tau) for one in family], exact, drawn, alpha)
    for m, low, high, p in zip(tested, lower, upper, p_values, strict=True):
        found[m] = replace(found[m], lower=low, upper=-high, p_value=p)
    return found


def _single(x: Doubles, y: Doubles, unit: Ints) -> Agreement:
    """One metric by itself."""
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    labels, own = np.unique(unit[rows], return_inverse=True)
    found = Agreement(n_systems=len(rows), groups=len(labels))
    if len(labels) < 2:
        return replace(found, note="fewer than two independent groups")
    if len(rows) > MOST and len(labels) < len(rows):
        return replace(found, note=f"{len(rows)} systems in groups: at most {MOST} are compared pair by pair")
    if len(rows) > MOST:
        tau = kendall(x[rows], y[rows], p_value=UNTESTED).value
    else:
        tau = float(taus(x[rows], y[rows], own)[0])
    if np.isnan(tau):
        return replace(found, note=CONSTANT)
    if len(labels) < FEWEST_COMPARED:
        return replace(found, tau=tau, note=f"too few independent groups ({len(labels)})")
    low, high = interval(tau, len(labels))
    return replace(found, tau=tau, low=low, high=high)


def exact_tail(x: Doubles, y: Doubles, unit: Ints) -> float:
    """P(T >= tau) over all orders of at most 9 systems, each a group; NaN for tau <= 0 or ties in both columns.

    Not mid-p: of so few systems one order more or less is seen in how often a useless metric is shown.
    """
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(rows) > ENUMERATED or len(np.unique(unit[rows])) < len(rows):
        return nan
    balance = pair_balance(x[rows], y[rows])
    found = kendall_exact(x[rows], y[rows], balance) if balance > 0 else None
    return nan if found is None else found.value / 2


def _together(
    family: Sequence[Agreement], exact: Sequence[float], drawn: Doubles, alpha: float
) -> tuple[list[float], list[float]]:
    """Lower bounds and p-values of "tau <= 0" of a family, step-down.

    `exact`: `exact_tail` of each metric; `drawn`: (draws, metrics), the joint null.
    """
    from scipy.special import ndtr, ndtri

    tails = np.stack([upper_tail(one.tau, one.groups) for one in family])
    middle = len(GRID) // 2
    for row, p in zip(tails, exact, strict=True):
        if not np.isnan(p):
            row[middle] = ndtri(p)
            row[:middle], row[middle:] = np.minimum(row[:middle], row[middle]), np.maximum(row[middle:], row[middle])
    order = np.lexsort((np.array([-one.tau for one in family]), tails[:, middle]))
    # The largest deviate of each metric and of all that come after it.
    largest = np.sort(np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1], axis=0)
    beyond = [1 - np.searchsorted(largest[:, k], -tails[m]) / len(drawn) for k, m in enumerate(order.tolist())]
    # Far out draws are coarse: never below the metric's own p, times the metrics left, up to what one draw can tell.
    own = ndtr(tails[order])
    several = np.minimum(own * np.arange(len(order), 0, -1)[:, None], 1 / len(drawn))
    adjusted = np.empty_like(tails)
    adjusted[order] = np.maximum.accumulate(np.maximum(np.maximum(beyond, own), several), axis=0)
    z = tails if len(family) == 1 else np.maximum.accumulate(ndtri(np.clip(adjusted, 1e-9, 1 - 1e-9)), axis=1)
    return [_inverted(row, alpha) for row in z], [float(p) for p in ndtr(z[:, middle])]


def permutation_correlations(x: Doubles, y: Doubles, unit: Ints) -> Doubles:
    """(metrics, metrics): correlations of the metrics' taus with `y` over all orders of the groups by it.

    With a_gh, a'_gh and b_gh, what groups g and h add to two metrics and the measure, the covariance of sum a b and
    sum a' b over all orders of b is 4 (sum a_g. a'_g. - sum a_gh a'_gh) B / (n (n - 1) (n - 2)) + 2 (sum a_gh a'_gh)
    (sum b_gh^2) / (n (n - 1)), B the same bracket of b with itself. A pair with a hole is 0. Above 500 systems metrics
    count as unrelated. **Source:** Daniels 1944.
    """
    if len(y) > MOST_RELATED:
        return np.eye(len(x))
    weight = pair_weights(unit)
    a, (b,) = (of_units(np.nan_to_num(signs(side)) * weight, unit) for side in (x, y[None]))
    n, squares = len(b), float((b**2).sum())
    rows, pairs = a.sum(axis=2), a.reshape(len(a), -1)
    products = pairs @ pairs.T
    bracket = float((b.sum(axis=1) ** 2).sum()) - squares
    covariance = 4 * (rows @ rows.T - products) * bracket / (n * (n - 1) * max(1, n - 2))
    covariance += 2 * products * squares / (n * (n - 1))
    size = np.sqrt(np.diag(covariance))
    correlation = covariance / np.where((sizes := np.outer(size, size)) > 1e-24, sizes, 1.0)
    return np.where(np.eye(len(x), dtype=bool), 1.0, correlation)


def _drawn(correlations: Doubles, seed: int) -> Doubles:
    """(draws, metrics): joint standard normals with these correlations."""
    rng = np.random.default_rng([seed, len(correlations)])
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T  # the symmetric one: the same on every machine
    return np.asarray(rng.standard_normal((DRAWS, len(correlations))) @ root)


def groups_needed(tau: float, p: float, most: int = 100, power: float = 0.8) -> int | None:
    """The number of groups from which a true `tau` is shown with this power at one-sided p; None above `most`."""
    from scipy.special import ndtri

    for groups in range(FEWEST_COMPARED, most + 1) if tau > 0 else ():
        # The tau that is observed at least with this power, and how unlikely it is where the true one is 0.
        seen = float(np.interp(-ndtri(power), -_observed(tau, groups), COORDINATE))
        if np.interp(seen, COORDINATE, _observed(0.0, groups)) <= ndtri(p):
            return groups
    return None


def _observed(theta: float, groups: int) -> Doubles:
    """(65,): normal quantiles of P(T > t) + P(T = t) / 2 for every observed t of `GRID`, falling; up to 100 groups."""
    sizes, table = _table()
    at, share = _between(sizes, groups)
    place = np.interp(np.arcsin(theta), COORDINATE, np.arange(len(GRID)))
    low = min(int(place), len(GRID) - 2)
    rows = (1 - share) * table[at - 1, low : low + 2] + share * table[at, low : low + 2]
    return np.minimum.accumulate(rows[0] + (place - low) * (rows[1] - rows[0]))
