"""What shipping the system that a metric puts first has cost, collection by collection: described, not estimated.

A loss rests on one system in each collection and is never below 0, so that no interval is made of a few of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.labs.collections.statistics.clusters import joined
from clirbench.labs.collections.statistics.settings import AboutMetric, Setting, Stratum, same_collection


@dataclass(frozen=True)
class Chosen(AboutMetric):
    """What the pick of a metric lost of a measure, in its own unit: 0 is the best system's; means over collections.

    `lost`: by the metric's first system (of several that tie, the worst); `at_random`: by any system, on average;
    `most`: the largest loss in one collection, `worst`. Settings of one collection are averaged first.
    """

    lost: float
    at_random: float
    most: float
    worst: str
    collections: int


def choosing_losses(stratum: Stratum, settings: Sequence[Setting]) -> list[Chosen]:
    """Every metric that two collections or more have."""
    cluster = joined(list(same_collection(settings)), len(settings))
    rows = []
    for metric in dict.fromkeys(m for s in settings for m in s.metrics):
        there = [i for i, s in enumerate(settings) if metric in s.metrics]
        kept = np.unique(cluster[there])
        if len(kept) < 2:
            continue
        groups = [[settings[i] for i in there if cluster[i] == label] for label in kept]
        lost = [float(np.mean([_loss(s, metric) for s in group])) for group in groups]
        at_random = [float(np.mean([s.y.max() - s.y.mean() for s in group])) for group in groups]
        worst = int(np.argmax(lost))
        rows.append(
            Chosen(
                stratum.judge, stratum.measure, stratum.retriever, metric, float(np.mean(lost)),
                float(np.mean(at_random)), lost[worst], "+".join(s.name for s in groups[worst]), len(groups),
            )
        )  # fmt: skip
    return rows


def _loss(setting: Setting, metric: str) -> float:
    x = setting.x[setting.metrics.index(metric)]
    return float(setting.y.max() - setting.y[x == x.max()].min())
