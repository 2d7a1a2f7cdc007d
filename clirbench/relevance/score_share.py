"""Pseudo-relevance by score: documents that come near the best one."""

from dataclasses import dataclass

from clirbench.checks import number
from clirbench.errors import InputError
from clirbench.relevance.base import BestRanked
from clirbench.types import Doubles


@dataclass(frozen=True)
class ScoreShare(BestRanked):
    """Documents with at least `share` of the topic's best score are relevant (grade 1).

    relevant: s_d >= share * s_1, by the scores the retriever gave, ties intact; `share` in (0, 1].
    Raises `ConfigError` for a share out of range, `InputError` for a best score that is not positive.

    **Source:** no paper; the decision rule that CLIR systems scored by AQWV use, turned into judgments.
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        number("relevance.share", self.share, above=0, most=1)

    @property
    def kind(self) -> str:
        return f"score_share{self.share:g}"

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        if scores[0] <= 0:
            raise InputError(
                f"topic {topic_id}: the best score is {scores[0]:g}; a share of it means nothing, "
                "use relevance=top_k with this retrieval"
            )
        return int((scores >= self.share * scores[0]).sum())
