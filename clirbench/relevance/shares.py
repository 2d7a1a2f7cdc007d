"""Pseudo-relevance by share: the first part of what a topic matches, or documents that come near the best one."""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from clirbench.checks import number
from clirbench.errors import InputError
from clirbench.relevance.base import BestRanked
from clirbench.types import Doubles


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
        last = scores[min(max(1, ceil(self.share * matched - 1e-9)), len(scores)) - 1]
        return int((scores >= last).sum())


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
            raise InputError(
                f"topic {topic_id}: the best score is {scores[0]:g}; a share of it means nothing, "
                "use relevance=top_k with this retrieval"
            )
        return int((scores >= self.share * scores[0]).sum())
