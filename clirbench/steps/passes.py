"""What is made of one text: pure functions, whose results the store keeps by all that they get.

One pass over a text calls those that are asked for, each after those that it needs; `clirbench.experiment` says which.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.files.lines import Lines
from clirbench.files.spool import Spool, give_back, map_of
from clirbench.measures.base import Measure, arithmetic
from clirbench.measures.ir import score_run
from clirbench.measures.rescoring import TOGETHER, Rescoring
from clirbench.metrics.base import Metric, Statistics
from clirbench.metrics.tokens import STRETCH, stretches
from clirbench.recent import keep_recent
from clirbench.text import Text
from clirbench.types import Doubles, Judged, Run, TestSet


def statistics(metric: Metric, test: TestSet, text: Text) -> Statistics:
    """One row of a metric's statistics for each segment of a translation of the test set."""
    hypotheses = _lines(text, text.fingerprint)
    if len(hypotheses) != len(test):
        raise AlignmentError(
            f"{text.where} has {len(hypotheses)} lines, the reference {len(test)}: they must be line-aligned"
        )
    if len(hypotheses) <= STRETCH or not getattr(metric, "by_segment", False):
        return metric.statistics(hypotheses, test)
    rows = Spool()
    for lines in stretches(len(hypotheses)):
        rows.write(np.asarray(metric.statistics(hypotheses[lines], test.part(lines)), dtype=np.float64))
    return rows.array(np.float64).reshape(len(hypotheses), -1)


@keep_recent(1)
def _lines(text: Text, fingerprint: str) -> Lines:
    """The lines of a text, read once for all metrics of its system; `fingerprint` tells when the file has changed."""
    return Lines.of(text)


def score(metric: Metric, counted: Statistics) -> Doubles:
    """A system's score from its statistics, and that of a resample, which holds the first segment twice.

    The resample has no score (NaN) where a score is of the whole text alone, or where a segment is NaN: then segments
    are no evidence of the score.
    """
    totals = column_sums(counted)
    first = np.asarray(counted[:1].sum(axis=0), dtype=np.float64).reshape(-1)
    return np.array([float(metric.score(totals)), float(metric.score(totals + first))])


def column_sums(counted: Statistics) -> Doubles:
    """The sum of all rows: (k,); of a mapped file some rows at a time, so that it takes no memory."""
    values = counted.data if hasattr(counted, "indptr") else counted
    if map_of(values) is None:
        return np.asarray(counted.sum(axis=0)).reshape(-1)
    total = np.zeros(counted.shape[1])
    for lines in stretches(counted.shape[0]):
        rows = counted[lines]
        # One addition after the other, as of all rows at once; sparse rows are counts, whose sums are exact.
        total = np.vstack([total, rows]).sum(axis=0) if isinstance(rows, np.ndarray) else total + rows.sum(axis=0)
        give_back(values)
    return total


def measured(measures: Sequence[Measure], judged: Judged, run: Run) -> list[Doubles]:
    """The per-topic values of each measure of one run."""
    values = score_run(measures, run, judged)
    return [values[measure.name] for measure in measures]


def rescored(ideal: Run, topic_ids: tuple[str, ...], n_documents: int, run: Run) -> Doubles:
    """The value of a run under each of `rescoring.SCORINGS`, over these topics of the English side's run."""
    parts = _rescorings(ideal, topic_ids, n_documents)
    return arithmetic(np.concatenate([part.per_topic(run) for part in parts], axis=1))


@lru_cache(maxsize=1)
def _rescorings(ideal: Run, topic_ids: tuple[str, ...], n_documents: int) -> list[Rescoring]:
    """Some topics at a time."""
    starts = range(0, len(topic_ids), TOGETHER)
    return [Rescoring(ideal, topic_ids[at : at + TOGETHER], n_documents) for at in starts]
