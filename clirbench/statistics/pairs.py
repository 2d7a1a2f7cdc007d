"""Which of these systems differ significantly in retrieval, and how many of those pairs each metric orders rightly.

A statement about these systems and a population of topics; other systems may differ, and no grade rests on it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clirbench.statistics.agreement import MOST, by_holes
from clirbench.statistics.belonging import Units
from clirbench.statistics.decision import topic_values
from clirbench.statistics.given import Exchanges, real_metrics
from clirbench.statistics.grades import Evidence
from clirbench.statistics.noise import FEWEST_TOPICS, pair_errors
from clirbench.types import Doubles, Ints

Places = np.typing.NDArray[Any]
FALSE = 0.05
"""The share of pairs without a difference among the separable ones, at most, on average."""
FEWEST_ORDERS, MOST_ORDERS = 99, 9999
CELLS = 8 * 10**8
"""Comparisons of two systems by a metric, in all orders together."""


@dataclass(frozen=True)
class SeparablePairs:
    """What one metric says of the pairs of systems, one system of each group, or all checkpoints of one run.

    `separable` of the `pairs` pairs differ significantly by `measure`: the metric orders `right` of them as it does;
    of the `others` it orders `others_right` as they were measured. What the metric ties is not right. `p_value`: how
    often the metric that has most right, its values changing systems, has as many right, for all metrics together.
    """

    measure: str
    metric: str
    pairs: int
    separable: int
    right: int
    others: int
    others_right: int
    p_value: float


def separable_pairs(evidence: Evidence, measure: str, units: Units, *, seed: int = 0) -> tuple[SeparablePairs, ...]:
    """A row for each metric that is not known beforehand; none for fewer than 2 groups or 5 topics,
    or more than 2,000 groups.

    Of each group the first system takes part, in the order of the board, which no score has chosen: the best of a
    group would be measured too well. Checkpoints of one run take part each by itself. A metric with holes is counted
    over the systems that it has, together with those that have the same ones.
    """
    metrics, rows = real_metrics(evidence.board), dict[str, SeparablePairs]()
    x = np.array([metric.values for metric in metrics]).reshape(len(metrics), len(evidence.systems))
    for members, there in by_holes(x, evidence.board[measure].values):
        if not units.along_training:
            there = there[np.unique(units.index[there], return_index=True)[1]]
        part = evidence.only(np.isin(np.arange(len(evidence.systems)), there))
        values, y, n = topic_values(part, measure), part.board[measure].oriented, len(there)
        if values is None or not 2 <= n <= MOST or values.shape[1] < FEWEST_TOPICS:
            continue
        told = separable_order(values)
        better = np.stack([told > 0, (y[:, None] > y) & (told == 0)])
        names = [metrics[m].name for m in members]
        ranked = [np.unique(part.board[name].oriented, return_inverse=True)[1] for name in names]
        places = np.stack(ranked).astype(np.int16)
        right = ((places[:, None, :, None] > places[:, None, None, :]) & better).sum(axis=(-2, -1)).tolist()
        pairs, separable = n * (n - 1) // 2, int(better[0].sum())
        for name, (own, other), p in zip(names, right, by_luck(places, better[0], seed).tolist(), strict=True):
            rows[name] = SeparablePairs(measure, name, pairs, separable, own, pairs - separable, other, p)
    return tuple(rows[metric.name] for metric in metrics if metric.name in rows)


def separable_order(values: Doubles) -> Ints:
    """(n, n): 1 where the row's system is better than the column's, -1 where it is worse, 0 where neither is shown.

    Student's t of the paired differences over topics, two-sided; of all pairs those below the limit of Benjamini and
    Hochberg. `values`: (n, topics >= 2), more is better. Systems that differ by the same for all topics are not
    separable.
    **Source:** Smucker et al. 2007 (t); Benjamini and Hochberg 1995, for dependent tests Benjamini and Yekutieli 2001.
    """
    from clirbench.native.special import stdtr

    first, second = np.triu_indices(len(values), 1)
    means, error = values.mean(axis=1), pair_errors(values)[first, second]
    difference = means[first] - means[second]
    t = np.divide(np.abs(difference), error, out=np.zeros_like(error), where=error > 0)
    p = 2 * stdtr(values.shape[1] - 1, -t)
    passing = (ordered := np.sort(p))[ordered <= FALSE * np.arange(1, len(p) + 1) / max(1, len(p))]
    told = np.zeros((len(values), len(values)), dtype=np.int64)
    told[first, second] = np.sign(difference) * (p <= passing.max(initial=-1.0))
    return np.asarray(told - told.T)


def by_luck(places: Places, better: Places, seed: int = 0) -> Doubles:
    """(metrics,): P(the most right pairs of any metric reach the metric's own | the metrics' values change systems).

    `places` (metrics, n): ranks by each metric; `better` (n, n): separable pairs, in their order. All metrics change
    systems together, so the p-values hold for whichever is named. All orders of up to 7 systems, else as many at random
    as there is time for, 99 to 9,999; the observed order is one of them.
    **Source:** Westfall and Young 1993, 2.6 (single step); Phipson and Smyth 2010 (+ 1).
    """
    n = places.shape[1]
    samples = int(np.clip(CELLS // places.size // n, FEWEST_ORDERS, MOST_ORDERS))
    orders = Exchanges(n, (np.arange(n)[:, None],), samples, seed).orders
    moved = np.ascontiguousarray(places[:, orders].transpose(2, 0, 1))  # (n, metrics, orders)
    right = np.zeros(moved.shape[1:], dtype=np.int64)
    for i in range(n):
        right += (moved[i] > moved[np.flatnonzero(better[i])]).sum(axis=0, dtype=np.int16)
    return np.asarray((right.max(axis=0) >= right[:, :1]).mean(axis=1))
