"""The pure steps that the line maps over systems; each names all of its inputs, so that its result can be cached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clirbench.errors import AlignmentError
from clirbench.measures import score_run
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.retrieval.base import Retriever
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Doubles, Judged, Run, TestSet, Topic

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics


@dataclass(frozen=True)
class SegmentStatistics:
    """(metric, one system's translation of the test set) -> one row of statistics a segment."""

    test: TestSet

    def __call__(self, item: tuple[Metric, Text]) -> "Statistics":
        metric, text = item
        hypotheses = text.lines()
        if len(hypotheses) != len(self.test):
            raise AlignmentError(
                f"{text.where} has {len(hypotheses)} lines, the reference {len(self.test)}: they must be line-aligned"
            )
        return metric.statistics(hypotheses, self.test)


@dataclass(frozen=True)
class Retrieve:
    """One system's copy of the collection -> its Run."""

    retriever: Retriever
    topics: tuple[Topic, ...]
    document_map: DocumentMap

    def __call__(self, text: Text) -> Run:
        return self.retriever.rank(Documents(text, self.document_map), self.topics)


@dataclass(frozen=True)
class Evaluate:
    """One system's Run -> the per-topic values of every measure, under every set of judgments (by its label)."""

    measures: tuple[Measure, ...]
    judged: Mapping[str, Judged]

    def __call__(self, run: Run) -> dict[tuple[str, str], Doubles]:
        return {
            (label, name): values
            for label, judged in self.judged.items()
            for name, values in score_run(self.wanted(label), run, judged).items()
        }

    def wanted(self, label: str) -> Sequence[Measure]:
        """Measures that compare with the English side's own run are the same under every set of judgments."""
        return [measure for measure in self.measures if label == "" or measure.uses_qrels]
