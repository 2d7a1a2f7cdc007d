"""Pseudo-relevance: what the English side ranks first is relevant, by number, by share or by score."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar

import numpy as np

from clirbench.checks import number, whole_number
from clirbench.errors import InputError
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
        return int((scores >= scores[min(self.k or DEFAULT, len(scores)) - 1]).sum())


@dataclass(frozen=True)
class _Share(BestRanked):
    """A rule with a `share` in (0, 1]."""

    rule: ClassVar[str]
    share: float = 0.2

    def __post_init__(self) -> None:
        number("relevance.share", self.share, above=0, most=1)

    @property
    def kind(self) -> str:
        return f"{self.rule}{self.share:g}"


@dataclass(frozen=True)
class TopShare(_Share):
    """The first ceil(`share` * matched) documents of the English side's ranking are relevant (grade 1), at least one.

    matched: how many documents the English side matches for this topic; `share` in (0, 1]. Documents tied with the
    last one, by the scores the retriever gave, are relevant too. Raises `ConfigError` for a share out of range.

    **Source:** no paper; Gowda et al. 2021, section 3.3.2, with a cut that small collections can bear.
    """

    rule: ClassVar[str] = "top_share"

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        # 1e-9: .2 * 15 is a little more than 3.
        return int((scores >= scores[min(max(1, ceil(self.share * matched - 1e-9)), len(scores)) - 1]).sum())


@dataclass(frozen=True)
class ScoreShare(_Share):
    """Documents with at least `share` of the topic's best score are relevant (grade 1).

    relevant: s_d >= share * s_1, by the scores the retriever gave, ties intact; `share` in (0, 1].
    Raises `ConfigError` for a share out of range, `InputError` for a best score that is not positive.

    **Source:** no paper; the decision rule that CLIR systems scored by AQWV use, turned into judgments.
    """

    rule: ClassVar[str] = "score_share"
    share: float = 0.5

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        if scores[0] <= 0:
            said = f"topic {topic_id}: the best score is {scores[0]:g}; a share of it means nothing,"
            raise InputError(f"{said} use relevance=top_k with this retrieval")
        return int((scores >= self.share * scores[0]).sum())
