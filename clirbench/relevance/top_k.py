"""Pseudo-relevance: what the English side ranks first is relevant."""

from dataclasses import dataclass

from clirbench.checks import whole_number
from clirbench.relevance.base import BestRanked
from clirbench.types import Doubles


@dataclass(frozen=True)
class TopK(BestRanked):
    """The first `k` documents of the English side's ranking are relevant (grade 1), whole tie groups together.

    Documents tied with the k-th, by the scores the retriever gave, are relevant too. Raises `ConfigError` for k < 1.

    **Source:** Gowda et al., Macro-Average: Rare Types Are Important Too, NAACL 2021, section 3.3.2 (after Lignos et
    al. 2019).
    """

    k: int = 100

    def __post_init__(self) -> None:
        whole_number("relevance.k", self.k)

    @property
    def kind(self) -> str:
        return f"top{self.k}"

    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        last = scores[min(self.k, len(scores)) - 1]
        return int((scores >= last).sum())
