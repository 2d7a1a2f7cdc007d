"""Pseudo-relevance by score: documents that come near the best one."""

from collections.abc import Sequence
from dataclasses import dataclass

from clirbench.checks import number
from clirbench.errors import InputError
from clirbench.types import Documents, Qrels, Run, Topic


@dataclass(frozen=True)
class ScoreShare:
    """Documents with at least `share` of the topic's best score are relevant (grade 1).

    relevant: s_d >= share * s_1, by the scores the retriever gave, ties intact; `share` in (0, 1]. The rule reaches
    as far as the list is deep. A topic that the English side does not match is left out. Raises `ConfigError` for a
    share out of range, `InputError` for a best score that is not positive.

    **Source:** no paper; the decision rule that CLIR systems scored by AQWV use, turned into judgments.
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        number("relevance.share", self.share, above=0, most=1)

    @property
    def signature(self) -> str:
        return f"score_share{self.share:g}"

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        grades: dict[str, dict[str, int]] = {}
        for topic in topics:
            scores = ideal.values(topic.topic_id, tied=True).astype(float)
            if not len(scores):
                continue
            if scores[0] <= 0:
                raise InputError(
                    f"topic {topic.topic_id}: the best score is {scores[0]:g}; a share of it means nothing, "
                    "use relevance=top_k with this retrieval"
                )
            relevant = int((scores >= self.share * scores[0]).sum())
            grades[topic.topic_id] = dict.fromkeys(ideal.ranking(topic.topic_id)[:relevant], 1)
        return Qrels(grades)
