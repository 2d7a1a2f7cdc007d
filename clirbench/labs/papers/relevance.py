"""Relevance rules of CLIReval (Sun and Duh, ACL 2020): percentile, natural breaks (jenks), query in document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.checks import number, one_of, whole_number
from clirbench.errors import InputError
from clirbench.pages import short
from clirbench.relevance.base import PSEUDO, BestRanked
from clirbench.types import Documents, Doubles, Ints, Judge, Need, Qrels, Run, Topic, by_key

POPULATIONS = ("matched", "collection")
UNITS = ("line", "text")


@dataclass(frozen=True)
class Percentile(BestRanked):
    """Documents whose score is at or above the (100 - `percent`)-th percentile are relevant (grade 1).

    The percentile (linear between neighbours) is taken over the scores of the documents the topic matches
    (`of="matched"`, default) or of the whole collection, where a document that is not matched has score 0
    (`of="collection"`, CLIReval's way). A document that is not matched is never relevant, the best always is. Ties
    are whole. Raises `ConfigError` for `percent` outside (0, 100].

    **Source:** Sun and Duh, CLIReval: Evaluating Machine Translation as a Cross-Lingual Information Retrieval Task,
    ACL 2020 (percentile mode, 25 by default).
    """

    percent: float = 25
    of: str = "matched"

    def __post_init__(self) -> None:
        number("relevance.percent", self.percent, above=0, most=100)
        one_of("relevance.of", self.of, POPULATIONS)

    @property
    def kind(self) -> str:
        return f"percentile{short(self.percent)}"

    @property
    def signature(self) -> str:
        return f"{self.kind}|of:{self.of}"

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        return int((scores >= self._threshold(scores, matched, documents)).sum())

    def _threshold(self, scores: Doubles, matched: int, collection: int) -> float:
        """The percentile over a population of which only the best, `scores`, are listed; -inf below the list."""
        population = matched if self.of == "matched" else collection
        rank = (population - 1) * self.percent / 100
        above, below = int(np.floor(rank)), int(np.ceil(rank))
        values = [self._value(scores, i, matched) for i in (above, below)]
        return -np.inf if np.isinf(values).any() else values[0] + (rank - above) * (values[1] - values[0])

    def _value(self, scores: Doubles, i: int, matched: int) -> float:
        return float(scores[i]) if i < len(scores) else 0.0 if i >= matched else -np.inf


@dataclass(frozen=True)
class Jenks:
    """The scores of a topic's documents, cut into `classes` natural classes; a document's grade is its class.

    Grades run from 0 (lowest class, not relevant) to classes - 1. The classes have the least sum of squared
    deviations from their means that any cut of the sorted scores has. One score of 0, that of a document which is
    not matched, takes part, so that the lowest class begins there. Equal scores share a class. With fewer distinct
    scores than classes, every distinct score is a class. A topic that the English side does not match is left out.
    Raises `ConfigError` for fewer than 2 classes, `InputError` for a negative score.

    **Source:** Sun and Duh, CLIReval, ACL 2020 (jenks mode, 5 classes by default); Fisher, On Grouping for Maximum
    Homogeneity, JASA 1958, for the exact optimum. CLIReval means to add the 0 and loses it; here it takes part.
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    judged_by: ClassVar[Judge] = "pseudo-relevance"
    gives: ClassVar[frozenset[Need]] = frozenset({"grades"})
    classes: int = 5

    def __post_init__(self) -> None:
        whole_number("relevance.classes", self.classes, least=2)

    @property
    def kind(self) -> str:
        return f"jenks{self.classes}"

    @property
    def signature(self) -> str:
        return self.kind

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        grades: dict[str, dict[str, int]] = {}
        for topic in topics:
            scores = ideal.values(topic.topic_id, tied=True).astype(np.float64)
            if not len(scores):
                continue
            if scores[-1] < 0:
                raise InputError(
                    f"topic {topic.topic_id}: a score is negative ({short(scores[-1])}); natural breaks start at 0, "
                    "use relevance=top_k with this retrieval"
                )
            labels = natural_classes(np.append(scores, 0.0), self.classes)[:-1].tolist()
            grades[topic.topic_id] = dict(zip(ideal.ranking(topic.topic_id), labels, strict=True))
        return Qrels({topic_id: by_document for topic_id, by_document in grades.items() if any(by_document.values())})


def natural_classes(values: Doubles, classes: int) -> Ints:
    """The class (0 lowest) of each value, for the cut into at most `classes` with the least squared deviation.

    Dynamic programme over the n distinct values v with counts: best(c, j) = min_i best(c-1, i) + cost(i..j), where
    cost is sum w v^2 - (sum w v)^2 / sum w; O(classes n^2) time, O(classes n) memory.
    """
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    n, k = len(distinct), min(classes, len(distinct))
    centred = distinct - np.average(distinct, weights=counts)
    weight, first, second = (np.concatenate([[0.0], np.cumsum(counts * centred**power)]) for power in (0, 1, 2))
    best = np.full((k + 1, n + 1), np.inf)
    best[0, 0] = 0.0
    cut = np.zeros((k + 1, n + 1), dtype=np.int64)
    for j in range(1, n + 1):
        cost = second[j] - second[:j] - (first[j] - first[:j]) ** 2 / (weight[j] - weight[:j])
        total = best[:-1, :j] + np.maximum(cost, 0.0)
        cut[1:, j] = total.argmin(axis=1)
        best[1:, j] = total.min(axis=1)
    label = np.empty(n, dtype=np.int64)
    end = n
    for c in range(k, 0, -1):
        label[cut[c, end] : end] = c - 1
        end = int(cut[c, end])
    return label[inverse]


@dataclass(frozen=True)
class QueryInDocument:
    """A document that contains the topic's text is relevant (grade 1).

    `unit="line"` (default): one of the document's lines is the topic's text, for topics that are sentences or titles
    of the English side; `unit="text"`: the topic's text is anywhere in it. White space at both ends and runs of
    it do not count; `ignore_case`: whether case does not count either. A topic that no document contains, that has
    no text, or that the English side does not match is left out. Raises `ConfigError` for an unknown unit.

    **Source:** Sun and Duh, CLIReval, ACL 2020 (query-in-document mode).
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    judged_by: ClassVar[Judge] = "known_items"
    kind: ClassVar[str] = "query_in_document"
    unit: str = "line"
    ignore_case: bool = False

    def __post_init__(self) -> None:
        one_of("relevance.unit", self.unit, UNITS)

    @property
    def signature(self) -> str:
        return f"{self.kind}|unit:{self.unit}|case:{'ignored' if self.ignore_case else 'kept'}"

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        wanted = [topic for topic in topics if len(ideal.values(topic.topic_id))]
        topics_of = by_key((plain, topic.topic_id) for topic in wanted if (plain := self._plain(topic.text)))
        grades: dict[str, dict[str, int]] = {topic.topic_id: {} for topic in wanted}
        for document in documents:
            for text in self._found(document.text, topics_of):
                for topic_id in topics_of[text]:
                    grades[topic_id][document.doc_id] = 1
        return Qrels({topic_id: by_document for topic_id, by_document in grades.items() if by_document})

    def _found(self, text: str, wanted: dict[str, list[str]]) -> set[str]:
        if self.unit == "line":
            return {self._plain(line) for line in text.split("\n")} & wanted.keys()
        plain = self._plain(text)
        return {query for query in wanted if query in plain}

    def _plain(self, text: str) -> str:
        spaced = " ".join(text.split())
        return spaced.casefold() if self.ignore_case else spaced
