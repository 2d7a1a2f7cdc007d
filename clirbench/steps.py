"""The steps of a run: pure functions, whose results the store keeps by all that they get.

Of one text: statistics of metrics, ranked lists, values of measures; one pass over it calls those that are asked for,
each after those that it needs (`clirbench.experiment` says which). Of all systems: the tau table, the decision.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from clirbench.errors import AlignmentError, EmptyCollection
from clirbench.files.lines import Lines, Spool, give_back, map_of
from clirbench.later import keep_recent
from clirbench.measures.base import Measure
from clirbench.measures.ir import score_run
from clirbench.metrics.base import Metric, Statistics
from clirbench.metrics.tokens import KEPT_STRETCHES, STRETCH, forget_references, stretches
from clirbench.pages import many
from clirbench.retrieval.base import Retriever, Search, Staged
from clirbench.statistics.belonging import Units
from clirbench.statistics.correlation import KENDALL, correlate, reliabilities, with_ceilings
from clirbench.statistics.decision import Decision, Pick, Standing, decided
from clirbench.statistics.grades import Evidence
from clirbench.text import Text
from clirbench.topics.base import TopicSource
from clirbench.types import DocumentMap, Documents, Doubles, Judged, Run, TestSet, Topic


def correlations(item: tuple[Evidence, Units], *, coefficients: Sequence[str], **how: Any) -> list[dict[str, Any]]:
    """(evidence, units) -> the fields of every row of correlations.tsv; `how`: what else `correlate` takes.

    Kendall's tau is always among the coefficients: the answer is made from it.
    """
    (evidence, units), names = item, tuple(dict.fromkeys((*coefficients, KENDALL)))
    rows = correlate(evidence.board, names, units=units, reliabilities=reliabilities(evidence), **how)
    return [asdict(row) for row in with_ceilings(rows, evidence, units)]


def decision(item: tuple[Evidence, Units], *, measure: str, seed: int) -> dict[str, Any]:
    """(evidence, units) -> the fields of the `Decision` on a measure."""
    found = decided(*item, measure, seed=seed)
    held = {field.name: getattr(found, field.name) for field in fields(found)}
    return held | {name: [asdict(row) for row in held[name]] for name in ("standings", "picks")}


def as_decision(held: dict[str, Any]) -> Decision:
    """The `Decision` with these fields."""
    standings = tuple(Standing(**row) for row in held["standings"])
    return Decision(**{**held, "standings": standings, "picks": tuple(Pick(**row) for row in held["picks"])})


def made_topics(item: tuple[Text, DocumentMap], *, source: TopicSource) -> list[tuple[Any, ...]]:
    """(text, document map) of the English side -> the fields of every `Topic` that `source` makes of it."""
    return [astuple(topic) for topic in source.topics(_documents(*item))]


_documents = keep_recent(1)(Documents)  # for both kinds of topics


def statistics(metric: Metric, test: TestSet, text: Text) -> Statistics:
    """One row of a metric's statistics for each segment of a translation of the test set."""
    hypotheses = _lines(text, text.fingerprint)
    if len(hypotheses) != len(test):
        said = f"{text.where} has {many(len(hypotheses), 'line')}, the reference {len(test)}:"
        raise AlignmentError(f"{said} they must be line-aligned")
    if len(hypotheses) <= STRETCH or not getattr(metric, "by_segment", False):
        return metric.statistics(hypotheses, test)
    rows = Spool()
    for lines in stretches(len(hypotheses)):
        rows.write(np.asarray(metric.statistics(hypotheses[lines], test.part(lines)), dtype=np.float64))
        if len(hypotheses) > KEPT_STRETCHES * STRETCH:
            forget_references()
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
    arrays = (counted,) if isinstance(counted, np.ndarray) else (counted.data, counted.indices)
    if map_of(arrays[0]) is None:
        return np.asarray(counted.sum(axis=0)).reshape(-1)
    total = np.zeros(counted.shape[1])
    for lines in stretches(counted.shape[0]):
        rows = counted[lines]
        # One addition after the other, as of all rows at once; sparse rows are counts, whose sums are exact.
        total = np.vstack([total, rows]).sum(axis=0) if isinstance(rows, np.ndarray) else total + rows.sum(axis=0)
        for values in arrays:
            give_back(values)
    return total


def measured(measures: Sequence[Measure], judged: Judged, run: Run) -> list[Doubles]:
    """The per-topic values of each measure of one run."""
    values = score_run(measures, run, judged)
    return [values[measure.name] for measure in measures]


@dataclass(frozen=True)
class Retrieve:
    """One system's copy of the collection -> its Run.

    A copy in which no document has a term (the first checkpoint of a sweep may write nothing) matches no topic, and
    so scores 0 everywhere; of the English side (`english`) that is an error: nothing could be judged.
    """

    bulky: ClassVar[bool] = True
    retriever: Retriever
    topics: tuple[Topic, ...]
    document_map: DocumentMap
    english: bool = False

    def __call__(self, text: Text) -> Run:
        try:
            return self.retriever.rank(Documents(text, self.document_map), self.topics)
        except EmptyCollection:
            if self.english:
                raise
            nothing = np.empty(0, dtype=np.int64)
            return Run.build(
                self.document_map, [(topic.topic_id, nothing, nothing.astype(np.float32)) for topic in self.topics]
            )


def search(retriever: Retriever, task: Search) -> Iterator[Any]:
    """The Run of every text, or why there is none."""
    if isinstance(retriever, Staged):
        return retriever.search(task)
    return task.pmap(Retrieve(retriever, task.topics, task.document_map, task.english), task.texts, task.names)
