"""Retrievers side by side, over collections that were searched by both: does what predicts one predict the other?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import nan, sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from clirbench.labs.collections.statistics.clusters import joined
from clirbench.labs.collections.statistics.settings import Collection, Setting, Stratum, same_collection
from clirbench.statistics.p_values import holm
from clirbench.types import Doubles


@dataclass(frozen=True)
class Beside:
    """`value`: how much higher the tau of `metric` with a measure is by the `first` retriever than by the `second`, or,
    with `other`, how much further it is ahead of that metric by the first: 0 where both stand alike by both.

    In one `collection`, or ("") the mean over `collections`, in [-2, 2], or [-4, 4] with `other`; `ci_low`, `ci_high`,
    `p_value`: by Student's t, a collection being the unit, whatever its noise; NaN where all say the same. `p_holm`:
    over all metrics, or all pairs, of a measure and two retrievers. `by_first`, `by_second`: the taus of `metric` (less
    those of `other`).
    """

    judge: str
    measure: str
    first: str
    second: str
    metric: str
    other: str
    collection: str
    by_first: float
    by_second: float
    value: float
    ci_low: float
    ci_high: float
    p_value: float
    p_holm: float
    collections: int


def compare_retrievers(found: Mapping[Stratum, Sequence[Setting]], level: float = 0.95) -> Iterator[Beside]:
    """The first retriever of each measure beside every other one whose collections it searched too."""
    firsts: dict[tuple[str, str], Stratum] = {}
    for stratum, settings in found.items():
        first = firsts.setdefault((stratum.judge, stratum.measure), stratum)
        mine = {setting.collection for setting in settings}
        common = [setting for setting in found[first] if setting.collection in mine]
        if first != stratum and {setting.collection for setting in common} == mine:
            yield from _compared(first, stratum, common, settings, level)


def _compared(
    first: Stratum, second: Stratum, ones: Sequence[Setting], others: Sequence[Setting], level: float
) -> Iterator[Beside]:
    metrics = list(dict.fromkeys(name for setting in (*ones, *others) for name in setting.metrics))
    cluster = joined(list(same_collection(ones)), len(ones))
    place = {setting.collection: at for setting, at in zip(ones, cluster.tolist(), strict=True)}
    named = ["+".join(c.name for c, at in place.items() if at == one) for one in range(max(cluster) + 1)]
    a, b = (_taus(settings, place, metrics) for settings in (ones, others))
    for pairs in ([(name, "") for name in metrics], list(combinations(metrics, 2))):
        rows = []
        for name, other in pairs:
            x, y = (taus[name] - taus[other] for taus in (a, b))
            both = np.flatnonzero(np.isfinite(x - y))
            of = partial(Beside, first.judge, first.measure, first.retriever, second.retriever, name, other)
            for at in both.tolist():
                yield of(named[at], float(x[at]), float(y[at]), float(x[at] - y[at]), nan, nan, nan, nan, 1)
            if len(both) > 1:
                mean = float(x[both].mean()), float(y[both].mean())
                rows.append(of("", *mean, *student((x - y)[both], level), nan, len(both)))
        adjusted = holm([row.p_value for row in rows], len(rows))
        yield from (replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True))


def _taus(settings: Sequence[Setting], place: Mapping[Collection, int], metrics: Sequence[str]) -> dict[str, Doubles]:
    """(collections,) for each metric, and 0 for none: settings of one collection averaged; NaN for a hole."""
    everywhere = range(max(place.values()) + 1)
    found = {"": np.zeros(len(everywhere))}
    for name in metrics:
        having = [(place[s.collection], s.tau[s.metrics.index(name)]) for s in settings if name in s.metrics]
        values = [[tau for at, tau in having if at == one] for one in everywhere]
        found[name] = np.array([np.mean(taus) if taus else nan for taus in values])
    return found


def student(values: Doubles, level: float = 0.95) -> tuple[float, float, float, float]:
    """(mean, low, high, two-sided p) of (k,) values by Student's t; NaN but for the mean where they do not differ."""
    k, mean = len(values), float(values.mean())
    error = float(values.std(ddof=1)) / sqrt(k) if k > 1 else 0.0
    if error <= 1e-12:
        return mean, nan, nan, nan
    half = float(stdtrit(k - 1, (1 + level) / 2)) * error
    return mean, mean - half, mean + half, float(2 * stdtr(k - 1, -abs(mean) / error))
