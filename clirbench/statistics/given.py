"""Does a metric say more than a trivial predictor (training size, step, output length) says already?

Not Kendall's partial tau, which is .11 to .22 where metric and measure are unrelated given the covariate. Where the
covariate is a grid, systems are compared at the same value of it; else what it predicts is taken out first.

Exchangeable, if the metric is unrelated, are whole units. Two units may change places if they have the same systems as
far as strata tell: as many of them in every stratum (a step, a training size; without strata: as many systems). Their
systems are matched by stratum, then by the order of the board. So one rule covers systems by themselves (all orders),
families of equal size (orders of blocks), strata (orders within each), and replicate runs (runs change places at all
steps at once).

What each unit does to a tau between units, and the variance that follows: for differences of taus and for pooling.

The interval of one tau is not made from it (`agreement`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import factorial, inf, nan, prod

import numpy as np

from clirbench.errors import UnknownName, raise_all
from clirbench.pages import fixed
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import MOST, Pairs, agreement_sums, deviations, leaving_one, ratio, taus, too_many
from clirbench.statistics.belonging import Units, covariates, known_before
from clirbench.statistics.coefficients import all_orders, balances, ranks
from clirbench.types import Doubles, Ints

ALONG = "checkpoints along training: description only, five runs or more could be compared at the same step"
ENUMERATED = 5040
SAMPLES = 9999
TIED = "all systems of a stratum are tied"
FREEDOM = 10
"""Residual degrees of freedom that taking out a covariate must leave."""


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Orders of `n` systems in which the units of each of `classes` change places; drawn when they are asked for.

    `classes`: exchangeable units, each as (units, systems of a unit), systems matched by stratum. `exact`: whether they
    are all there are; `number`: how many there are; `smallest_p`: the smallest two-sided p-value that they can give,
    2 / number.
    """

    n: int
    classes: tuple[Ints, ...]
    samples: int
    seed: int

    @cached_property
    def number(self) -> float:
        return prod((factorial(len(rows)) if len(rows) < 170 else inf for rows in self.classes), start=1.0)

    @property
    def exact(self) -> bool:
        return self.number <= ENUMERATED

    @property
    def smallest_p(self) -> float:
        return min(1.0, 2 / self.number)

    @cached_property
    def orders(self) -> Ints:
        """(samples, n), the first of them is the board's own."""
        count = int(self.number) if self.exact else self.samples + 1
        orders = np.tile(np.arange(self.n), (count, 1))
        sizes = [factorial(len(rows)) for rows in self.classes]
        at = np.unravel_index(np.arange(count), sizes) if self.exact and sizes else ()
        rng = np.random.default_rng([self.seed, self.n])
        for c, rows in enumerate(self.classes):
            own = np.arange(len(rows))
            if self.exact:
                chosen = all_orders(len(own))[at[c]]
            else:
                chosen = np.concatenate([own[None], rng.permuted(np.tile(own, (self.samples, 1)), axis=1)])
            orders[:, rows.ravel()] = rows[chosen].reshape(count, -1)
        return orders


@dataclass(frozen=True)
class Permuting:
    """How units change places: not at all where no p below `alpha` could come of it; `samples` times where all orders
    are too many."""

    alpha: float = 0.05
    samples: int = SAMPLES
    seed: int = 0


def exchanges(unit: Ints, strata: Sequence[object] | None = None, how: Permuting = Permuting()) -> Exchanges:
    """All exchanges of units where there are at most 5,040, else the identity and `samples` random ones.

    `unit`: (n,) 0, 1, ...; `strata`: (n,) or None. Units with a profile that no other has stay where they are.
    **Source:** Good 2005, "Permutation, Parametric and Bootstrap Tests", 3; Winkler et al. 2015 (blocks).
    """
    labels = [""] * len(unit) if strata is None else strata
    return _exchanges(tuple(unit.tolist()), tuple(map(str, labels)), how.samples, how.seed)


@lru_cache(maxsize=4)
def _exchanges(unit: tuple[int, ...], strata: tuple[str, ...], samples: int, seed: int) -> Exchanges:
    """The same for all metrics and measures of a run."""
    held: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
    for number in range(max(unit) + 1):
        rows = sorted((row for row in range(len(unit)) if unit[row] == number), key=strata.__getitem__)
        held[tuple(strata[row] for row in rows)].append(rows)
    classes = tuple(np.array(rows, dtype=np.int64) for rows in held.values() if len(rows) > 1)
    return Exchanges(len(unit), classes, samples, seed)


def refused(found: Exchanges, alpha: float, units: int) -> str:
    """Why a test of these exchanges is not run; nothing where it is."""
    if found.smallest_p < alpha:
        return ""
    others = units <= 170 and factorial(units) > found.number and 2 / factorial(units) < alpha
    few = f"too few of the {units} units can change places" if others else f"too few independent systems ({units})"
    return f"{few}: the smallest possible p is {fixed(found.smallest_p, 3)}"


def shares(values: Doubles) -> Doubles:
    """(samples, metrics): for every sample, the share of samples whose |value| reaches its own."""
    size = np.abs(values)
    size = np.round(size / np.maximum(1e-300, size.max(axis=0)), 9)
    ranked = np.sort(size, axis=0)
    below = np.stack([np.searchsorted(*columns, side="left") for columns in zip(ranked.T, size.T, strict=True)], axis=1)
    return np.asarray((len(size) - below) / len(size))


@dataclass(frozen=True)
class Beyond:
    """tau of one metric and the measure given covariates; NaN with the reason in `note` where it is not computed.

    `method`: `strata` or `residuals`; `pairs`: pairs of systems that were compared; `smallest_p`: the smallest
    two-sided p that there could be.
    """

    tau: float
    p_value: float
    method: str
    pairs: int
    n_systems: int
    n_units: int
    smallest_p: float
    note: str = ""


def beyond(x: Doubles, y: Doubles, unit: Ints, covariates: Doubles, how: Permuting = Permuting()) -> list[Beyond]:
    """Every metric's tau given the covariates. `x`: (metrics, n), `y`: (n,), `covariates`: (covariates, n), finite.

    A grid has each of its values at least twice on average: then `within_strata`, else `of_residuals`.
    """
    cells = list(map(tuple, covariates.T.tolist()))
    if len(set(cells)) <= len(cells) / 2:
        return within_strata(x, y, unit, cells, how)
    return of_residuals(x, y, unit, covariates, how)


def within_strata(
    x: Doubles, y: Doubles, unit: Ints, strata: Sequence[object], how: Permuting = Permuting()
) -> list[Beyond]:
    """tau over pairs of systems in the same stratum and of different units.

    tau = (C - D) / sqrt(pairs ordered by x * pairs ordered by y). Units with the same strata change places: with two
    systems a stratum, each its own unit, this is the sign permutation of the strata; runs that all have the same
    steps change places as wholes. Checkpoints of one run share its rise, so any two columns that training moves agree;
    at the same step (the stratum), does the run with the higher metric have the higher measure? With r runs the
    smallest p is 2 / r!: 4 runs or fewer have none below .05.
    **Source:** Korn 1984, "Kendall's tau with a blocking variable"; Good 2005 (exact permutation of units).
    """
    first, second = pairs_within(strata, unit)
    found = exchanges(unit, strata, how)
    units = int(unit.max()) + 1
    note = refused(found, how.alpha, units) if len(first) else "no two independent systems in one stratum"
    sizes = [float(np.count_nonzero(column[first] != column[second])) for column in (*x, y)]
    orders = np.arange(len(y))[None] if note else found.orders
    sums = balances(np.sign(x[:, first] - x[:, second]), y[orders], first, second)
    p_values = np.full(len(x), nan) if note else shares(sums)[0]
    rows = []
    for balance, size, p in zip(sums[0].tolist(), sizes[:-1], p_values.tolist(), strict=True):
        possible = np.sqrt(size * sizes[-1])
        tau, p, why = (balance / possible, p, note) if possible > 0 else (nan, nan, note or TIED)
        rows.append(Beyond(float(tau), p, "strata", len(first), len(y), units, found.smallest_p, why))
    return rows


def pairs_within(strata: Sequence[object], unit: Ints) -> tuple[Ints, Ints]:
    """(pairs,) twice: all pairs of systems of one stratum and of different units; as many as strata are large."""
    number = {label: i for i, label in enumerate(dict.fromkeys(strata))}
    place = np.array([number[label] for label in strata])
    order = np.argsort(place, kind="stable")
    gaps = range(1, np.bincount(place).max())
    first = np.concatenate([order[:0], *(order[:-gap] for gap in gaps)])
    second = np.concatenate([order[:0], *(order[gap:] for gap in gaps)])
    kept = (place[first] == place[second]) & (unit[first] != unit[second])
    return first[kept], second[kept]


def of_residuals(x: Doubles, y: Doubles, unit: Ints, covariates: Doubles, how: Permuting = Permuting()) -> list[Beyond]:
    """tau between units of what normal scores of x and y leave when those of the covariates are taken out.

    Taken out is a polynomial of third degree in the normal scores of each covariate: a straight line leaves what the
    ranks of few systems bend, alike on both sides (.07 rejected at .05 with 16 systems and correlations of .95).
    p: residuals of y are permuted by units, added to the fit, and the covariates taken out again.
    **Source:** Freedman and Lane 1983; Winkler et al. 2014.
    """
    n, units = len(y), int(unit.max()) + 1
    known = normal_scores(covariates)
    basis = np.concatenate([np.ones((1, n)), known, known**2, known**3]).T
    freedom = units - np.linalg.matrix_rank(basis)
    found = exchanges(unit, how=how)
    note = refused(found, how.alpha, units)
    if freedom < FREEDOM:
        note = f"{freedom} residual degrees of freedom: at least {FREEDOM} are needed"
    if n > MOST:
        note = too_many(n)
    if note:
        return [Beyond(nan, nan, "residuals", 0, n, units, found.smallest_p, note)] * len(x)
    left = np.eye(n) - basis @ np.linalg.pinv(basis)
    # Rounded, so that nothing is left of a metric that has the order of the covariate.
    rest_x, rest_y = np.round(normal_scores(x) @ left, 9), normal_scores(y[None])[0] @ left
    pairs = Pairs.of(unit)
    sums = balances(pairs.weight * pairs.signs(rest_x), rest_y[found.orders] @ left, pairs.first, pairs.second)
    tested = zip((sums[0] / pairs.weight.sum()).tolist(), shares(sums)[0].tolist(), strict=True)
    return [Beyond(tau, p, "residuals", len(pairs.first), n, units, found.smallest_p) for tau, p in tested]


def normal_scores(columns: Doubles) -> Doubles:
    """Normal quantiles of the mid-ranks along the last axis: Phi^-1((rank - 1/2) / n).

    **Source:** van der Waerden 1952; Hajek and Sidak 1967.
    """
    from clirbench.native.special import ndtri

    return np.asarray(ndtri((ranks(columns) - 0.5) / columns.shape[-1]))


def real_metrics(board: Scoreboard) -> tuple[Column, ...]:
    """The metric columns but for those that are `known_before`, which nobody declared metadata."""
    return tuple(column for column in board.metrics if not known_before(column.name))


def givens(board: Scoreboard, units: Units) -> dict[str, Doubles]:
    """What a metric may be asked to add to: the covariates, and each other metric."""
    return covariates(board, units) | {metric.name: metric.oriented for metric in real_metrics(board)}


def beyond_known(
    board: Scoreboard, units: Units, names: Sequence[str], how: Permuting, *, declared: bool = False
) -> dict[tuple[str, str], Beyond]:
    """What each metric says of each measure beyond the named covariates, by (measure, metric).

    Where systems are units by themselves but a further metadata column takes the same few values at every value of
    the covariate (two vocabularies at each training size), those values are the units: it may move both sides alike
    everywhere. Not where the units were `declared`, nor given metrics alone. Raises `UnknownName` for a covariate that
    the systems do not have.
    """
    known = givens(board, units)
    raise_all([UnknownName("covariate", name, known) for name in names if name not in known])
    given = np.stack([known[name] for name in names])
    declared = declared or not {*names} & {*covariates(board, units)}
    found = {}
    for measure, metric in product(board.measures, (one for one in real_metrics(board) if one.name not in names)):
        rows = np.flatnonzero(np.isfinite(metric.values + measure.values) & np.isfinite(given).all(axis=0))
        one = Beyond(nan, nan, "", 0, len(rows), len(rows), 1.0, "fewer than two independent systems")
        if len(rows) >= 2:
            unit = units.only(rows).index if declared else _factor(board, units, names, rows)
            (one,) = beyond(metric.oriented[None, rows], measure.oriented[rows], unit, given[:, rows], how)
        found[measure.name, metric.name] = one
    return found


def _factor(board: Scoreboard, units: Units, names: Sequence[str], rows: Ints) -> Ints:
    """(rows,): the units; those of the further columns that repeat, where systems are units by themselves."""
    own, repeated = units.only(rows), []
    for name, cells in board.metadata.items() if units.independent else ():
        labels = [cells[i] for i in rows.tolist()]
        if name not in names and 1 < len(set(labels)) <= len(labels) / 2:
            repeated.append(labels)
    joined = tuple(map("/".join, zip(*repeated, strict=True)))
    return replace(own, labels=joined).index if 0 < len(set(joined)) <= len(joined) / 2 else own.index


@dataclass(frozen=True)
class EqualPairs:
    """Of `pairs` disjoint pairs of equal covariate, those in which the metric orders as the measure does.

    `p_value`: exact, one-sided, of no more than a half; 1 without a pair.
    """

    right: int
    pairs: int
    p_value: float


def equal_pairs(x: Doubles, y: Doubles, unit: Ints, covariate: Doubles) -> EqualPairs:
    """Whether a metric orders systems of equal covariate. All (n,), NaN for holes.

    Pairs are chosen by the metric alone: within each value of the covariate, the lowest with the lowest of the upper
    half and so on; every group takes part once, and what is tied on either side counts for neither.
    **Source:** the sign test, Conover 1999, 3.4.
    """
    from clirbench.native.special import bdtrc

    whole = np.isfinite(x) & np.isfinite(y) & np.isfinite(covariate)
    used: set[int] = set()
    right = pairs = 0
    for value in np.unique(covariate[whole]):
        rows = [i for i in np.flatnonzero(whole & (covariate == value)).tolist() if unit[i] not in used]
        rows = list({int(unit[i]): i for i in rows}.values())
        rows.sort(key=lambda i: float(x[i]))
        used |= {int(unit[i]) for i in rows}
        half = len(rows) // 2
        for low, high in zip(rows[:half], rows[len(rows) - half :], strict=True):
            if x[low] < x[high] and y[low] != y[high]:
                pairs, right = pairs + 1, right + int(y[low] < y[high])
    return EqualPairs(right, pairs, float(bdtrc(right - 1, pairs, 0.5)) if right else 1.0)


@dataclass(frozen=True)
class Explaining:
    """A covariate that orders the systems about as well as a metric; the metric among systems of `equal` covariate."""

    covariate: str
    tau: float
    equal: EqualPairs


def explaining(
    known: Mapping[str, Doubles], units: Units, metric: Column, measure: Column, tau: float, low: float
) -> Explaining | None:
    """The covariate, of those `known`, that explains all of a metric's agreement, or None; of up to 2,000 systems.

    All: its tau, either way round, is in the upper half of what is between the metric's `low` end and its `tau`.
    """
    best = (0.0, "")
    for name, column in known.items() if len(metric.values) <= MOST else ():
        rows = np.flatnonzero(np.isfinite(column + measure.values + metric.values))
        own = units.only(rows)
        found = float(taus(column[None, rows], measure.oriented[rows], own.index)[0, 0]) if own.number > 2 else nan
        if abs(found) >= (tau + low) / 2:
            best = max(best, (abs(found), name))
    if not best[1]:
        return None
    return Explaining(best[1], best[0], equal_pairs(metric.oriented, measure.oriented, units.index, known[best[1]]))


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
    def spread(self) -> Doubles:
        """(units, metrics): the influence on atanh(tau) at the size of `variance`; NaN where tau is 1 or -1."""
        whole = (self.influence**2).sum(axis=0)
        of_atanh = self.influence / np.where(np.abs(self.tau) < 1, 1 - self.tau**2, nan)
        return np.asarray(of_atanh * np.sqrt(self.variance / np.where(whole > 0, whole, 1.0)))


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
