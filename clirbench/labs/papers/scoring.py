"""Scores of a whole output, of each segment, of groups of segments, and without each segment."""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from clirbench.metrics.base import Metric, Resampled, Statistics
from clirbench.statistics.resampling import BLOCK
from clirbench.types import Doubles, TestSet


def corpus_score(metric: Metric, statistics: Statistics) -> float:
    """The score of all segments together."""
    return float(metric.score(np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)))


def text_score(metric: Metric, hypotheses: Sequence[str], test: TestSet) -> float:
    """The score of a whole output."""
    return corpus_score(metric, metric.statistics(hypotheses, test))


def left_out_scores(metric: Metric, statistics: Statistics) -> Doubles:
    """Scores without each segment in turn: (segments,). **Source:** Quenouille 1956 (the jackknife)."""
    if isinstance(metric, Resampled) and not isinstance(statistics, np.ndarray):
        return metric.left_out(statistics)
    totals = np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)
    if isinstance(statistics, np.ndarray):
        return np.asarray(metric.score(totals - statistics))
    rows = statistics.tocsr()
    blocks = range(0, rows.shape[0], BLOCK)
    return np.concatenate([metric.score(totals - rows[at : at + BLOCK].toarray()) for at in blocks])


def segment_scores(metric: Metric, statistics: Statistics) -> Doubles:
    """(segments,): the metric of every segment alone; BLEU with effective order, as one wants for sentences."""
    if any(field.name == "effective_order" for field in fields(metric)):  # type: ignore[arg-type]
        metric = replace(metric, effective_order=True)  # type: ignore[type-var]
    if isinstance(statistics, np.ndarray):
        return np.asarray(metric.score(statistics))
    rows = range(0, statistics.shape[0], 64)
    return np.concatenate([metric.score(np.asarray(statistics[at : at + 64].toarray())) for at in rows])


def group_scores(metric: Metric, statistics: Statistics, membership: Doubles) -> Doubles:
    """(groups,): the metric of groups of segments, from their summed statistics; NaN for a group of none."""
    parts = [
        metric.score(np.asarray(membership[at : at + 64] @ statistics, dtype=np.float64))
        for at in range(0, len(membership), 64)
    ]
    return np.where(membership.sum(axis=1) == 0, np.nan, np.concatenate(parts))
