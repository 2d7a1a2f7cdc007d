"""Pseudo-relevance by share: the first part of what a topic matches, however much that is."""

from dataclasses import dataclass
from math import ceil

from clirbench.checks import number
from clirbench.relevance.base import BestRanked
from clirbench.types import Doubles


@dataclass(frozen=True)
class TopShare(BestRanked):
    """The first ceil(`share` * matched) documents of the English side's ranking are relevant (grade 1), at least one.

    matched: how many documents the English side matches for this topic; `share` in (0, 1]. Documents tied with the
    last one, by the scores the retriever gave, are relevant too. Raises `ConfigError` for a share out of range.

    **Source:** no paper; Gowda et al. 2021, section 3.3.2, with a cut that small collections can bear.
    """

    share: float = 0.2

    def __post_init__(self) -> None:
        number("relevance.share", self.share, above=0, most=1)

    @property
    def kind(self) -> str:
        return f"top_share{self.share:g}"

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        # 1e-9: .2 * 15 is a little more than 3.
        last = scores[min(max(1, ceil(self.share * matched - 1e-9)), len(scores)) - 1]
        return int((scores >= last).sum())
