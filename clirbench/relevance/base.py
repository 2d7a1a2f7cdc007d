"""What decides which documents are relevant: the English side's own ranking, or people."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from clirbench.types import Documents, Doubles, Qrels, Run, Topic


@runtime_checkable
class Relevance(Protocol):
    """A source of relevance judgments; a frozen dataclass whose fields are its configuration."""

    @property
    def signature(self) -> str:
        """Rule and parameters, e.g. `top100`, or the content hash of a qrels file."""

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        """Judgments for the topics that can be scored, in the order of `topics`.

        `ideal` is the English side's run, `documents` the English side itself. A topic that people judged without
        finding a relevant document stays: measures that count false alarms score it.
        """


def best_ranked(ideal: Run, topics: Sequence[Topic], how_many: Callable[[str, Doubles], int]) -> Qrels:
    """The first `how_many(topic_id, scores)` documents of each topic that the English side matches are relevant.

    scores: those of the topic's ranking, best first, as the retriever gave them, ties intact.
    """
    grades: dict[str, dict[str, int]] = {}
    for topic in topics:
        scores = ideal.values(topic.topic_id, tied=True).astype(np.float64)
        if len(scores):
            relevant = how_many(topic.topic_id, scores)
            grades[topic.topic_id] = dict.fromkeys(ideal.ranking(topic.topic_id)[:relevant], 1)
    return Qrels(grades)
