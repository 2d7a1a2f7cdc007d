"""Pseudo-relevance by percentile: the best part of what a topic matches."""

from dataclasses import dataclass

import numpy as np

from clirbench.checks import number, one_of
from clirbench.pages.wording import short
from clirbench.relevance.base import BestRanked
from clirbench.types import Doubles

POPULATIONS = ("matched", "collection")


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
        if np.isinf(values).any():
            return -np.inf
        return values[0] + (rank - above) * (values[1] - values[0])

    def _value(self, scores: Doubles, i: int, matched: int) -> float:
        if i < len(scores):
            return float(scores[i])
        return 0.0 if i >= matched else -np.inf
