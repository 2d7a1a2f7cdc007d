"""The mean over collections that share texts and makers of systems, with an interval that allows for both.

Errors of collections that share a source or a reference go together in a way that nobody knows: of two defensible
intervals (each collection by itself; whole groups of shared texts) the wider is taken. What a maker's systems do to
several collections is added to it: the excess of sum_m (sum_c w_c g_cm)^2 over its terms of one collection, with g_cm
what maker m does to the estimate of collection c.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from scipy.special import stdtr, stdtrit

from clirbench.labs.collections.statistics.clusters import cluster_robust
from clirbench.labs.collections.statistics.random_effects import Estimate, pooled_mean
from clirbench.types import Doubles, Ints

_MAKER = re.compile(r"online[-_ ]?(?P<letter>[a-z])(?![a-z])|(?P<word>[^\W\d_]+)")
"""An anonymous online system by its letter, which stays that of one provider; of others the first word."""


def maker_of(system: str) -> str:
    """`online-a` of Online-A and ONLINE-A, `cuni` of CUNI-Transformer and cuni_docs; the name where it has no letter.

    Names may merge what different people made, or part what one made: merging makes the interval wider.
    """
    found = _MAKER.match(system.casefold())
    if not found:
        return system.casefold()
    return f"online-{found['letter']}" if found["letter"] else found["word"]


@dataclass(frozen=True)
class Dependent(Estimate):
    """The mean, its interval and p; `tau2`: variance between collections; `clusters`: groups of shared texts; `kind`:
    of which grouping the wider interval is; `maker_share`: of the squared error, what common makers add, in [0, 1).
    """

    tau2: float
    clusters: int
    kind: str
    maker_share: float


def dependent_mean(
    y: Doubles, v: Doubles, texts: Ints, makers: Sequence[Mapping[str, float]], level: float = 0.95
) -> Dependent:
    """The random-effects mean of `y`: (k,) estimates with noise variances `v` > 0, k of at least 2.

    `texts`: (k,) labels 0, 1, ...: collections that share a source or a reference have one; `makers`: for each
    collection what each maker's systems do to its estimate, whose squares add up to its noise. No interval where the
    clusters of texts have fewer than 4 degrees of freedom.
    **Source:** Cameron, Gelbach and Miller 2011 (errors of several groupings added); Satterthwaite 1946 (degrees of
    freedom of a sum of variances); `pooled_mean`, `cluster_robust`.
    """
    alone = pooled_mean(y, v, level)
    weight = 1 / (v + alone.tau2)
    weight = weight / weight.sum()
    excess, of_makers = makers_excess(weight, makers)
    number = int(texts.max()) + 1
    candidates = [("collections", _error(alone, level), alone.freedom)]
    if number < len(y):
        robust = cluster_robust(y, v + alone.tau2, texts, level)
        candidates.append(("shared texts", _error(robust, level), robust.freedom))
    widest = Dependent(alone.mean, nan, nan, nan, nan, alone.tau2, number, "shared texts", nan)
    if any(isnan(error) for _, error, _ in candidates):
        return widest
    half = 0.0
    for kind, error, freedom in candidates:
        whole = float(np.sqrt(error**2 + excess))
        if excess > 0:
            freedom = whole**4 / (error**4 / freedom + excess**2 / of_makers)
        reach = float(stdtrit(freedom, (1 + level) / 2)) * whole
        if reach >= half:
            half = reach
            p = float(2 * stdtr(freedom, -abs(alone.mean) / whole)) if whole > 0 else float(alone.mean == 0)
            share = excess / whole**2 if whole > 0 else 0.0
            widest = Dependent(
                alone.mean, alone.mean - reach, alone.mean + reach, p, freedom, alone.tau2, number, kind, share
            )
    return widest


def makers_excess(weight: Doubles, makers: Sequence[Mapping[str, float]]) -> tuple[float, float]:
    """The variance that common makers add to a weighted mean (over pairs of collections; at least 0), and its degrees
    of freedom: the number of makers that would make it if all did equally much.
    """
    together: dict[str, float] = {}
    apart = 0.0
    for share, influence in zip(weight.tolist(), makers, strict=True):
        for maker, value in influence.items():
            together[maker] = together.get(maker, 0.0) + share * value
            apart += (share * value) ** 2
    squares = [value**2 for value in together.values()]
    fourth = sum(value**2 for value in squares)
    return max(0.0, sum(squares) - apart), sum(squares) ** 2 / fourth if fourth > 0 else 1.0


def _error(estimate: Estimate, level: float) -> float:
    """The standard error behind a symmetric interval."""
    if isnan(estimate.low):
        return nan
    return (estimate.high - estimate.mean) / float(stdtrit(estimate.freedom, (1 + level) / 2))
