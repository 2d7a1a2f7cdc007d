"""Pseudo-relevance: what the English side ranks first is relevant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clirbench.checks import whole_number
from clirbench.relevance.base import BestRanked
from clirbench.types import Documents, Doubles, Qrels, Run, Topic

DEFAULT, FEWEST, MOST = 10, 3, 0.5
"""k where none is stated: 10, at most half of the median of documents that a topic matches, and 3 at least."""


@dataclass(frozen=True)
class TopK(BestRanked):
    """The first `k` documents of the English side's ranking are relevant (grade 1), whole tie groups together.

    Documents tied with the k-th, by the scores the retriever gave, are relevant too. Without a `k` it is 10, or less
    where topics match few documents (`fitted`). Raises `ConfigError` for k < 1.

    **Source:** Gowda et al., Macro-Average: Rare Types Are Important Too, NAACL 2021, section 3.3.2 (after Lignos et
    al. 2019).
    """

    k: int | None = None

    def __post_init__(self) -> None:
        whole_number("relevance.k", self.k, or_null=True)

    @property
    def kind(self) -> str:
        return "top_k" if self.k is None else f"top{self.k}"

    def fitted(self, ideal: Run, topics: Sequence[Topic]) -> "TopK":
        """The rule with the `k` that is used: as stated, else min(10, max(3, half the median of matched documents)).

        The median is over the topics that the English side matches.
        """
        matched = [ideal.n_matched[ideal.position[t.topic_id]] for t in topics if len(ideal.values(t.topic_id))]
        if self.k is not None or not matched:
            return self
        return replace(self, k=min(DEFAULT, max(FEWEST, int(MOST * np.median(matched)))))

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        return super(TopK, self.fitted(ideal, topics)).judge(ideal, documents, topics)

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        last = scores[min(self.k or DEFAULT, len(scores)) - 1]
        return int((scores >= last).sum())
