"""How often does a metric put two systems in the order the measure puts them: pairwise accuracy, plain and soft."""

from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.resampling import pseudo_values
from clirbench.types import Doubles


@dataclass(frozen=True)
class Accuracy:
    """Pairwise accuracies of one metric for one measure; 1 is perfect, chance is .5 for the plain one.

    `accuracy`: share of pairs of systems with the same sign of difference on both sides (Kocmi 2021); a pair tied
    on one side only is wrong. `soft`: 1 - mean |p_metric - p_measure| over pairs, each p the one-sided probability
    that a random exchange of items gives at least the observed difference (SPA). NaN without items on both sides.
    """

    measure: str
    metric: str
    accuracy: float
    soft: float
    pairs: int
    n_systems: int
    n_topics: int
    n_segments: int
    samples: int
    seed: int
    note: str = ""


def accuracies(evidence: Evidence, *, samples: int = 1000, seed: int = 0, complete: bool = False) -> list[Accuracy]:
    """A row for every measure and metric.

    Soft pairwise accuracy was made for people's judgments of segments; here the gold side exchanges the topics'
    values of two systems and the MT side their segments' pseudo-values (the segment's own contribution for metrics
    that are means). The two sides' items are different, which SPA does not mind: it compares one p with another.
    Undefined for fewer than 2 systems.
    **Source:** Kocmi et al. 2021, eq. 1; Thompson et al. 2024, section 3, carried over to retrieval.
    """
    found = []
    for part, note in panels(evidence, complete):
        gold = {name: _soft(_topic_values(part, name), samples, [seed, 0]) for name in part.measure_names}
        own = {name: _soft(_segment_values(part, name), samples, [seed, 1]) for name in part.metric_names}
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                n = len(part.systems)
                p, q = own[metric], gold[measure]
                soft = 1 - float(np.abs(p - q).mean()) if p is not None and q is not None and n > 1 else nan
                row = Accuracy(
                    measure=measure,
                    metric=metric,
                    accuracy=pairwise_accuracy(part.x[m], part.y[k]),
                    soft=soft,
                    pairs=n * (n - 1) // 2,
                    n_systems=n,
                    n_topics=part.topics(measure),
                    n_segments=part.segments(metric),
                    samples=0 if isnan(soft) else samples,
                    seed=seed,
                    note=note,
                )
                found.append(row)
    return found


def pairwise_accuracy(x: Doubles, y: Doubles) -> float:
    """Share of pairs of systems that x and y order alike (or both tie); NaN for fewer than 2 systems."""
    first, second = np.triu_indices(len(x), 1)
    if not len(first):
        return nan
    return float((np.sign(x[first] - x[second]) == np.sign(y[first] - y[second])).mean())


def exchange_p_values(values: Doubles, samples: int, seed: "int | list[int]") -> Doubles:
    """One-sided p of every pair of systems: P(mean difference after random exchanges >= the observed one).

    `values`: (systems, items). Exchanging an item between systems i and j flips the sign of its difference; the same
    coins serve all pairs, so one product does: (samples, items) @ (items, systems). Returns (pairs,) in the order of
    `np.triu_indices`; the observed assignment counts as one sample.
    """
    systems, items = values.shape
    coins = 2.0 * np.random.default_rng(seed).integers(2, size=(samples, items)) - 1
    first, second = np.triu_indices(systems, 1)
    observed = (values.mean(axis=1)[first] - values.mean(axis=1)[second]) - 1e-12
    hits = np.ones(len(first))
    for at in range(0, samples, 100):
        flipped = coins[at : at + 100] @ values.T / items
        hits += (flipped[:, first] - flipped[:, second] >= observed).sum(axis=0)
    return np.asarray(hits / (samples + 1))


def _soft(values: Doubles | None, samples: int, seed: list[int]) -> Doubles | None:
    return None if values is None else exchange_p_values(values, samples, seed)


def _segment_values(evidence: Evidence, metric: str) -> Doubles | None:
    return pseudo_values(evidence, metric).values if evidence.segments(metric) else None


def _topic_values(evidence: Evidence, measure: str) -> Doubles | None:
    """Jackknife pseudo-values over topics: the topic's own value where the measure is their mean."""
    n = evidence.topics(measure)
    if n < 2:
        return None
    per_topic, aggregate = evidence.per_topic[measure], evidence.measures[measure].aggregate
    rest = np.stack([aggregate(np.delete(per_topic, topic, axis=1)) for topic in range(n)], axis=1)
    return evidence.sign(measure) * (n * aggregate(per_topic)[:, None] - (n - 1) * rest)
