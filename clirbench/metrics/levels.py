"""Scores below the system: of every segment, and of every document."""

from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.metrics.base import Metric
from clirbench.types import Doubles, Ints

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics


def segment_scores(metric: Metric, statistics: "Statistics") -> Doubles:
    """The score of every segment by itself: statistics (segments, k) -> (segments,).

    Scale and direction are the metric's. For sentence BLEU as sacreBLEU has it, use `BLEU(effective_order=True)`.
    """
    rows: Any = statistics
    return metric.score(rows)


def document_scores(metric: Metric, statistics: "Statistics", lengths: Ints) -> Doubles:
    """The score of every document, from the sums over its segments: lengths (documents,) -> (documents,).

    `lengths[d]` consecutive segments make document d; they add up to the number of segments (`ValueError` if not).
    A document without segments has the metric's score of nothing at all.
    """
    n_segments = statistics.shape[0]
    if int(np.sum(lengths)) != n_segments:
        raise ValueError(f"documents of {int(np.sum(lengths))} segments together, statistics of {n_segments}")
    from scipy.sparse import csr_array

    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    member = csr_array((np.ones(n_segments), np.arange(n_segments), starts), shape=(len(lengths), n_segments))
    sums: Any = member @ statistics
    return metric.score(sums)
