"""The pure steps that the line maps over systems; each names all of its inputs, so that its result can be cached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from clirbench.errors import AlignmentError, EmptyCollection, InputError, raise_all
from clirbench.measures import score_run
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.recent import recent
from clirbench.retrieval.base import Retriever
from clirbench.store import Entry, opened
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Doubles, Judged, Run, TestSet, Topic

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics

Name = TypeVar("Name")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """Stands for the result of a step that could not be computed for one item; `reason` is for the user."""

    reason: str


def sound(results: Mapping[Name, "Result | Failure"]) -> tuple[dict[Name, Result], dict[Name, Failure]]:
    """The results that there are, and the failures; raises `InputError` where there are failures alone."""
    good = {name: result for name, result in results.items() if not isinstance(result, Failure)}
    failed = {name: result for name, result in results.items() if isinstance(result, Failure)}
    if failed and not good:
        reasons = dict.fromkeys(failure.reason for failure in failed.values())
        raise_all([InputError(reason) for reason in reasons])
    return good, failed


@dataclass(frozen=True)
class SegmentStatistics:
    """(metric, one system's translation of the test set) -> one row of statistics a segment."""

    bulky: ClassVar[bool] = True
    test: TestSet

    def cost(self, item: tuple[Metric, Text]) -> float:
        return item[1].size

    def releases_gil(self, item: tuple[Metric, Text]) -> bool:
        return getattr(item[0], "releases_gil", False)

    def __call__(self, item: tuple[Metric, Text]) -> "Statistics":
        metric, text = item
        hypotheses = _lines(text, text.fingerprint)
        if len(hypotheses) != len(self.test):
            raise AlignmentError(
                f"{text.where} has {len(hypotheses)} lines, the reference {len(self.test)}: they must be line-aligned"
            )
        return metric.statistics(hypotheses, self.test)


@recent(1)
def _lines(text: Text, fingerprint: str) -> tuple[str, ...]:
    """The lines of a text, read once for all metrics of its system; `fingerprint` tells when the file has changed."""
    return text.lines()


@dataclass(frozen=True)
class CorpusScore:
    """(metric, one system's statistics) -> the system's score, one number: scored once, not read again by each run."""

    def releases_gil(self, item: "tuple[Metric, Statistics | Entry[Statistics]]") -> bool:
        return getattr(item[0], "releases_gil", False)

    def __call__(self, item: "tuple[Metric, Statistics | Entry[Statistics]]") -> Doubles:
        metric, held = item
        statistics: Any = opened(held)
        return np.asarray(metric.score(np.asarray(statistics.sum(axis=0)).reshape(-1))).reshape(1)


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

    def cost(self, text: Text) -> float:
        return text.size

    def releases_gil(self, text: Text) -> bool:
        return getattr(self.retriever, "releases_gil", False)

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


@dataclass(frozen=True)
class Evaluate:
    """One system's Run -> the per-topic values of every measure, under every set of judgments (by its label).

    `pairs` are the (label, measure name) that are wanted; None: all that make sense.
    """

    measures: tuple[Measure, ...]
    judged: Mapping[str, Judged]
    pairs: tuple[tuple[str, str], ...] | None = None

    def __call__(self, item: "Run | Entry[Run]") -> dict[tuple[str, str], Doubles]:
        run = opened(item)
        return {
            (label, name): values
            for label, judged in self.judged.items()
            if (wanted := self.wanted(label))
            for name, values in score_run(wanted, run, judged).items()
        }

    def wanted(self, label: str) -> Sequence[Measure]:
        """Measures that compare with the English side's own run are the same under every set of judgments."""
        return [
            measure
            for measure in self.measures
            if (label == "" or measure.uses_qrels) and (self.pairs is None or (label, measure.name) in self.pairs)
        ]

    def only(self, pairs: Sequence[tuple[str, str]]) -> "Evaluate":
        """The step that gives these values alone."""
        return replace(self, pairs=tuple(pairs))

    def parts(self) -> dict[tuple[str, str], "Evaluate"]:
        """For each value the step that gives it alone and names no more than it needs."""
        return {
            (label, measure.name): Evaluate((measure,), {label: judged})
            for label, judged in self.judged.items()
            for measure in self.wanted(label)
        }
