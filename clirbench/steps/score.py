"""A system's score from its statistics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clirbench.files.spool import give_back, map_of
from clirbench.later import Later, load_value
from clirbench.metrics.base import Metric, Statistics
from clirbench.metrics.tokens import stretches
from clirbench.recent import keep_recent
from clirbench.types import Doubles


@dataclass(frozen=True)
class CorpusScore:
    """(metric, one system's statistics) -> the system's score, and that of a resample: not read again by each run.

    The resample holds the first segment twice. It has no score (NaN) where a score is of the whole text alone, or where
    a segment is NaN: then segments are no evidence of the score.
    """

    def kind(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> str:
        return item[0].name

    def __call__(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> Doubles:
        metric, held = item
        totals, first = _kept_totals(held) if isinstance(held, Later) else _totals(held)
        return np.array([float(metric.score(totals)), float(metric.score(totals + first))])


def _totals(held: Any) -> tuple[Doubles, Doubles]:
    """The sum of all rows, and the first row: (k,) each."""
    statistics = load_value(held)
    return column_sums(statistics), np.asarray(statistics[:1].sum(axis=0), dtype=np.float64).reshape(-1)


def column_sums(statistics: Statistics) -> Doubles:
    """The sum of all rows: (k,); of a mapped file some rows at a time, so that it takes no memory."""
    values = statistics.data if hasattr(statistics, "indptr") else statistics
    if map_of(values) is None:
        return np.asarray(statistics.sum(axis=0)).reshape(-1)
    total = np.zeros(statistics.shape[1])
    for lines in stretches(statistics.shape[0]):
        rows = statistics[lines]
        # One addition after the other, as of all rows at once; sparse rows are counts, whose sums are exact.
        total = np.vstack([total, rows]).sum(axis=0) if isinstance(rows, np.ndarray) else total + rows.sum(axis=0)
        give_back(values)
    return total


_kept_totals = keep_recent(1)(_totals)
"""For metrics that count the same, which come one after the other."""
