"""Pseudo-relevance by percentile: the best part of what a topic matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.checks import number, one_of
from clirbench.relevance.base import PSEUDO, best_ranked
from clirbench.types import Documents, Doubles, Need, Qrels, Run, Topic

POPULATIONS = ("matched", "collection")


@dataclass(frozen=True)
class Percentile:
    """Documents whose score is at or above the (100 - `percent`)-th percentile are relevant (grade 1).

    The percentile (linear between neighbours) is taken over the scores of the documents the topic matches
    (`of="matched"`, default) or of the whole collection, where a document that is not matched has score 0
    (`of="collection"`, CLIReval's way). A document that is not matched is never relevant, the best always is. Ties
    are whole; the rule reaches as far as the list is deep. A topic that the English side does not match is left out.
    Raises `ConfigError` for `percent` outside (0, 100].

    **Source:** Sun and Duh, CLIReval: Evaluating Machine Translation as a Cross-Lingual Information Retrieval Task,
    ACL 2020 (percentile mode, 25 by default).
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    percent: float = 25
    of: str = "matched"

    def __post_init__(self) -> None:
        number("relevance.percent", self.percent, above=0, most=100)
        one_of("relevance.of", self.of, POPULATIONS)

    @property
    def signature(self) -> str:
        return f"percentile{self.percent:g}|of:{self.of}"

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        def relevant(topic_id: str, scores: Doubles) -> int:
            matched = max(int(ideal.n_matched[ideal.position[topic_id]]), len(scores))
            threshold = self._threshold(scores, matched, max(len(documents), matched))
            return int((scores >= threshold).sum())

        return best_ranked(ideal, topics, relevant)

    def _threshold(self, scores: Doubles, matched: int, collection: int) -> float:
        """The percentile over a population of which only the best, `scores`, are listed; -inf below the list."""
        population = matched if self.of == "matched" else collection
        rank = (population - 1) * self.percent / 100
        above, below = int(np.floor(rank)), int(np.ceil(rank))
        values = [self._value(scores, i, matched) for i in (above, below)]
        if np.isinf(values).any():
            return -np.inf
        return values[0] + (rank - above) * (values[1] - values[0])

    def _value(self, scores: Doubles, i: int, matched: int) -> float:
        if i < len(scores):
            return float(scores[i])
        return 0.0 if i >= matched else -np.inf
