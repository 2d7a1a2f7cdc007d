"""The one model of several collections: the mean of estimates that differ by noise and by collection.

y_c = mu + u_c + e_c,   u_c of variance tau2 between collections, e_c of known variance v_c

Collections may share texts, and makers of systems. Errors of those that share a text go together in a way that nobody
knows: of two defensible intervals (each collection by itself; whole groups of them) the wider is taken. What a maker's
systems do to several collections is added to it: the excess of sum_m (sum_c w_c g_cm)^2 over its terms of one
collection, with g_cm what maker m does to the estimate of collection c.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum, nan, sqrt

import numpy as np
from scipy.special import chdtrc, ndtr, owens_t, stdtr, stdtrit

from clirbench.types import Doubles, Ints

FEWEST_TO_PREDICT = 5
"""Collections that a prediction interval needs."""
FEWEST_FREEDOM = 4.0
"""Degrees of freedom that an interval over groups of collections needs."""
POINTS, DRAWS = 4096, 5000
CLOSEST = 0.9999
_MAKER = re.compile(r"online[-_ ]?(?P<letter>[a-z])(?![a-z])|(?P<word>[^\W\d_]+)")
"""An anonymous online system by its letter, which stays that of one provider; of others the first word."""


@dataclass(frozen=True)
class Mean:
    """`value` with its interval, two-sided p and degrees of `freedom`; NaN where there is no interval.

    `tau2`: variance between collections; `share`: of all variance, what is not noise (I squared); `p_same`: of "no
    collection differs from another but by noise" (Cochran's Q); `error`: standard error where tau2 and the noise are
    known. `groups` of collections that share nothing, `grouped`: whether the interval is over them; `makers`: the share
    of the squared error that common makers add, in [0, 1).
    """

    value: float
    tau2: float
    share: float
    p_same: float
    error: float
    groups: int
    low: float = nan
    high: float = nan
    p_value: float = nan
    freedom: float = nan
    grouped: bool = False
    makers: float = nan


def pooled_mean(
    y: Doubles, v: Doubles, level: float = 0.95, groups: Ints | None = None, makers: Sequence[Mapping[str, float]] = ()
) -> Mean:
    """The random-effects mean of `y`: (k,) estimates with noise variances `v` > 0; with one there is no interval.

    `groups`: (k,) labels 0, 1, ...: collections that share a text have one, by default none do; no interval where the
    groups have fewer than 4 degrees of freedom. `makers`: for each collection what each maker's systems do to its
    estimate, whose squares add up to its noise.
    **Source:** Paule and Mandel 1982 (tau2); Hartung and Knapp 2001, equation 7, and Knapp and Hartung 2003 (the
    interval, its factor at least 1, so that luck does not make it narrower: mHK in Roever, Knapp and Friede 2015);
    Cameron, Gelbach and Miller 2011 (errors of several groupings added); Satterthwaite 1946 (freedom of a sum).
    """
    k = len(y)
    tau2 = paule_mandel(y, v)
    weight, fixed = 1 / (v + tau2), 1 / v
    total = weight.sum()
    mean = float(weight @ y / total)
    if k < 2:
        return Mean(mean, nan, nan, nan, sqrt(1 / total), k)
    typical = (k - 1) * fixed.sum() / (fixed.sum() ** 2 - (fixed**2).sum())
    same = float(chdtrc(k - 1, _spread(y, fixed)))
    number = k if groups is None else int(groups.max()) + 1
    found = Mean(mean, tau2, tau2 / (tau2 + typical), same, sqrt(1 / total), number)
    errors = [(sqrt(max(1.0, _spread(y, weight) / (k - 1)) / total), float(k - 1))]
    if groups is not None and number < k:
        errors.append(cluster_robust(y, v + tau2, groups))
        if errors[-1][1] < FEWEST_FREEDOM:
            return replace(found, grouped=True, freedom=errors[-1][1])
    excess, of_makers = makers_excess(weight / total, makers)
    for grouped, (error, freedom) in enumerate(errors):
        whole = sqrt(error**2 + excess)
        if excess > 0:
            freedom = whole**4 / (error**4 / freedom + excess**2 / of_makers)
        half = float(stdtrit(freedom, (1 + level) / 2)) * whole
        if not half < found.high - mean:
            p = float(2 * stdtr(freedom, -abs(mean) / whole)) if whole > 0 else float(mean == 0)
            share = excess / whole**2 if whole > 0 else 0.0
            found = replace(
                found, low=mean - half, high=mean + half, p_value=p, freedom=freedom, grouped=grouped > 0, makers=share
            )
    return found


def paule_mandel(y: Doubles, v: Doubles) -> float:
    """The variance between collections for which sum (y - mean)^2 / (v + tau2) = k - 1; 0 where noise explains all.

    By Newton's steps, which come from below: the sum is convex in tau2. `y`, `v`: (k,), v > 0.
    **Source:** Paule and Mandel 1982; DerSimonian and Kacker 2007.
    """
    tau2 = 0.0
    while True:
        weight = 1 / (v + tau2)
        squares = (y - weight @ y / weight.sum()) ** 2
        step = float((weight @ squares - (len(y) - 1)) / max(1e-300, weight**2 @ squares))
        if not step > 1e-15 + 1e-12 * tau2:
            return tau2
        tau2 += step


def _spread(y: Doubles, weight: Doubles) -> float:
    """The weighted sum of squares around the weighted mean."""
    return float((weight * (y - (weight @ y) / weight.sum()) ** 2).sum())


def prediction(
    y: Doubles, v: Doubles, *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """Where a new collection's true value lies, with probability `level`; NaN with fewer than 5 collections.

    tau2 is drawn from its confidence distribution P(Q >= q; tau2), then mu + u - t * Hartung-Knapp's error, whose
    factor is not bounded. The law of Q is that of sum (1 + tau2 m_i) z_i^2, m_i the eigenvalues of its matrix, so that
    a draw of z gives tau2 at once.
    **Source:** Nagashima, Noma and Furukawa 2019, section 3; Biggerstaff and Jackson 2008 (law of Q).
    """
    k = len(y)
    if k < FEWEST_TO_PREDICT:
        return nan, nan
    squares, normal, student = _draws(k, draws, seed)
    fixed = 1 / v
    m = np.linalg.eigvalsh(np.diag(fixed) - np.outer(fixed, fixed) / fixed.sum())[1:]
    tau2 = np.maximum(0.0, (_spread(y, fixed) - squares.sum(axis=1)) / (squares @ m))[:, None]
    weight = 1 / (v + tau2)
    total = weight.sum(axis=1)
    mean = weight @ y / total
    error = np.sqrt((weight * (y - mean[:, None]) ** 2).sum(axis=1) / ((k - 1) * total))
    new = mean + normal * np.sqrt(tau2[:, 0]) - student * error
    low, high = np.quantile(new, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(k: int, draws: int, seed: int) -> tuple[Doubles, Doubles, Doubles]:
    """Chi-squares (draws, k - 1), standard normals and Student's t (draws,): the same for every row of a table."""
    rng = np.random.default_rng([seed, k])
    return rng.chisquare(1, size=(draws, k - 1)), rng.normal(size=draws), rng.standard_t(k - 1, size=draws)


def cluster_robust(y: Doubles, variance: Doubles, groups: Ints) -> tuple[float, float]:
    """(error, degrees of freedom) of the mean weighted by 1 / variance, from what whole groups deviate (CR2).

    `y`, `variance`: (k,), the working model's variances; `groups`: (k,) labels 0, 1, .... With the design a column of
    ones, weights W and H = 1 1'W / sum(w), group j counts with the symmetric root of the inverse of
    B_j = D_j ((I - H) Phi (I - H)')_jj D_j', D_j = Phi_jj^(1/2).
    **Source:** Bell and McCaffrey 2002; Pustejovsky and Tipton 2018, equations 7 and 11.
    """
    weight = 1 / variance
    total = weight.sum()
    keep = np.eye(len(y)) - np.tile(weight / total, (len(y), 1))
    spread = keep * variance @ keep.T
    rows = []
    for label in range(int(groups.max()) + 1):
        own = np.flatnonzero(groups == label)
        root = np.sqrt(variance[own])
        values, vectors = np.linalg.eigh(root[:, None] * spread[np.ix_(own, own)] * root)
        inverse = np.where(values > 1e-10 * values.max(), 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
        adjust = root[:, None] * (vectors * inverse @ vectors.T) * root
        rows.append((weight[own] @ adjust) @ keep[own] / total)
    scores = np.stack(rows)
    gram = scores * variance @ scores.T
    return float(np.sqrt(((scores @ y) ** 2).sum())), float(np.trace(gram) ** 2 / (gram**2).sum())


def makers_excess(weight: Doubles, makers: Sequence[Mapping[str, float]]) -> tuple[float, float]:
    """The variance that common makers add to a weighted mean (over pairs of collections; at least 0), and its degrees
    of freedom: the number of makers that would make it if all did equally much.
    """
    together: dict[str, float] = {}
    apart = 0.0
    for share, influence in zip(weight.tolist(), makers, strict=False):
        for maker, value in influence.items():
            together[maker] = together.get(maker, 0.0) + share * value
            apart += (share * value) ** 2
    squares = [value**2 for value in together.values()]
    fourth = fsum(value**2 for value in squares)
    return max(0.0, fsum(squares) - apart), fsum(squares) ** 2 / fourth if fourth > 0 else 1.0


def maker_of(system: str) -> str:
    """`online-a` of Online-A and ONLINE-A, `cuni` of CUNI-Transformer and cuni_docs; the name where it has no letter.

    Names may merge what different people made, or part what one made: merging makes the interval wider.
    """
    found = _MAKER.match(system.casefold())
    if not found:
        return system.casefold()
    return f"online-{found['letter']}" if found["letter"] else found["word"]


def joined(groups: Sequence[Sequence[int]], number: int) -> Ints:
    """(number,): labels 0, 1, ... of what is connected by any group, in the order of appearance."""
    label = np.arange(number)
    for members in groups:
        label[np.isin(label, label[list(members)])] = label[list(members)].min()
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def tau_covariance(taus: Doubles, between: Doubles, units: Ints) -> Doubles:
    """(k, m, m): sampling covariance of the taus of m metrics with one measure, for k numbers of independent systems.

    Cov = 2 / (n (n - 1)) [T - tt' + 2 (n - 2) (Z - tt')], T the taus between the metrics, Z[a, b] the expected product
    of two pairs' agreements that share a system, of columns that are normal after a monotone transform. A collection's
    own tau never tells its own variance: where tau is 1 by luck, that would be 0.
    `taus`: (m,) with the measure; `between`: (m, m), 1 on the diagonal; `units`: (k,), n of at least 2. Exact for
    normal columns; ties are ignored.
    **Source:** Esscher 1924 and Kendall and Gibbons 1990, chapter 10 (one tau); Hoeffding 1948 (the general form).
    """
    rho = np.clip(np.sin(np.pi * np.asarray(taus) / 2), -CLOSEST, CLOSEST)
    full = np.block([[np.sin(np.pi * np.asarray(between) / 2), rho[:, None]], [rho[None, :], np.ones((1, 1))]])
    sample = _normal_points(len(full)) @ _root(full).T
    agreement = np.column_stack([_expected(sample[:, m], sample[:, -1], rho[m]) for m in range(len(rho))])
    centre = agreement.mean(axis=0)
    shared = (agreement - centre).T @ (agreement - centre) / len(sample)
    tau = 2 / np.pi * np.arcsin(rho)
    pairs = np.asarray(between) - np.outer(tau, tau)
    n = np.asarray(units, dtype=np.float64)[:, None, None]
    return np.asarray(2 / (n * (n - 1)) * (pairs + 2 * (n - 2) * shared))


def _expected(x: Doubles, y: Doubles, rho: float) -> Doubles:
    """The expected agreement of a system at (x, y) with another one: 4 P(both below) - 2 P(x') - 2 P(y') + 1."""
    root = np.sqrt(1 - rho * rho)
    below_x, below_y = ndtr(x), ndtr(y)
    both = (
        (below_x + below_y) / 2
        - owens_t(x, (y - rho * x) / (x * root))
        - owens_t(y, (x - rho * y) / (y * root))
        - np.where(x * y < 0, 0.5, 0.0)
    )
    return np.asarray(4 * both - 2 * below_x - 2 * below_y + 1)


@lru_cache(maxsize=8)
def _normal_points(columns: int) -> Doubles:
    """Evenly spread standard normal points; the same ones each time."""
    from scipy.stats import norm, qmc

    return np.asarray(norm.ppf(qmc.Sobol(columns, scramble=True, rng=np.random.default_rng(1)).random(POINTS)))


def _root(correlation: Doubles) -> Doubles:
    """A matrix whose square is the nearest correlation matrix: taus that were pooled need not fit each other."""
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True))
