"""What the pairs of systems of one collection tell of a metric's scale; `benchmarks/memory.py` makes the memory of it.

`clirbench/labs/collections/memory.py` says what a scale is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.labs.collections.memory import SCALES, Told, learn
from clirbench.types import Doubles

SLOPES: Doubles = np.exp(np.linspace(np.log(1e-5), np.log(0.3), 56))
"""Measure a point of the metric."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems: `gap` of the metric > 0 in points; `gain`, the seen difference of the measure, of the same
    sign where they agree; `error`, its standard error over topics; `level`, the metric's mean of the two."""

    gap: Doubles
    gain: Doubles
    error: Doubles
    level: Doubles

    def chosen(self, which: Doubles) -> "Pairs":
        return Pairs(self.gap[which], self.gain[which], self.error[which], self.level[which])


def pairs_of(metric: Doubles, per_topic: Doubles) -> Pairs:
    """All pairs of systems with different scores; metric: (systems,), per_topic: (systems, topics)."""
    first, second = np.triu_indices(len(metric), 1)
    gap = metric[first] - metric[second]
    apart = per_topic[first] - per_topic[second]
    error = apart.std(axis=1, ddof=1) / np.sqrt(per_topic.shape[1])
    sign, level = np.sign(gap), (metric[first] + metric[second]) / 2
    return Pairs(gap * sign, apart.mean(axis=1) * sign, error, level).chosen((gap != 0) & (error > 0))


def likelihood(metric: Doubles, per_topic: Doubles) -> Doubles:
    """(SCALES, SLOPES): log-likelihood of a collection's systems: `metric` (systems,), `per_topic` (systems, topics).

    A system's mean over topics is level + b metric + u + error, u with variance (b a)^2 / 2, so that the difference of
    two systems has (b a)^2. The level is unknown and integrated out (flat prior); the topics' common part goes with it,
    so a system's error is that of its values less the topic's mean over systems.
    """
    n, topics = per_topic.shape
    own = per_topic - per_topic.mean(axis=0)
    error = own.var(axis=1, ddof=1) / topics * n / (n - 1)
    variance = (SLOPES[None, :] * SCALES[:, None])[..., None] ** 2 / 2 + error
    weight = 1 / variance
    total = weight.sum(axis=-1)
    residual = own.mean(axis=1) - SLOPES[:, None] * (metric - metric.mean())
    centre = (weight * residual).sum(axis=-1) / total
    misfit = (weight * (residual - centre[..., None]) ** 2).sum(axis=-1)
    return np.asarray(-0.5 * (np.log(variance).sum(axis=-1) + np.log(total) + misfit))


def told(cluster: str, metric: Doubles, per_topic: Doubles) -> Told:
    """What a collection tells; its slope is integrated out, any order of magnitude being equally likely before."""
    found = likelihood(metric, per_topic)
    raw = np.exp(found - found.max())
    profile = np.log(np.maximum(raw.sum(axis=1), 1e-300))
    slope = float(np.exp((raw.sum(axis=0) / raw.sum()) @ np.log(SLOPES)))
    apart = per_topic - per_topic.mean(axis=0)
    error = float(np.sqrt(2 * np.median(apart.var(axis=1, ddof=1)) * len(apart) / (len(apart) - 1)))
    return Told(cluster, profile - profile.max(), slope, error)


def reliability(
    stratum: Sequence[tuple[Told, Pairs]], everything: Sequence[Told] = (), known: Sequence[Told] = ()
) -> tuple[Doubles, Doubles, Doubles]:
    """(predicted, seen, weight) of each pair: P(seen better) from the collections of other clusters, whether it was.

    known: what they are predicted from, if not the stratum itself; everything: all collections of the metric, to which
    a stratum is drawn. The error of topics is turned into points by the median slope of the other collections. A pair
    weighs 1 / (pairs of its collection): collections weigh the same.
    """
    predicted, seen, weight = [], [], []
    for one, pairs in stratum:
        others = [other for other in known or [told for told, _ in stratum] if other.cluster != one.cluster]
        if not len(pairs.gap) or not others:
            continue
        slope = float(np.median([other.slope for other in others]))
        prior = learn([other for other in everything if other.cluster != one.cluster]) if everything else None
        predicted.append(learn(others, prior).probability(pairs.gap, pairs.error / slope))
        seen.append((pairs.gain > 0).astype(float))
        weight.append(np.full(len(pairs.gap), 1 / len(pairs.gap)))
    return np.hstack([*predicted, ()]), np.hstack([*seen, ()]), np.hstack([*weight, ()])
