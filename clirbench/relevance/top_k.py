"""Pseudo-relevance: what the English side ranks first is relevant."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from clirbench.checks import whole_number
from clirbench.relevance.base import PSEUDO, best_ranked
from clirbench.types import Documents, Doubles, Need, Qrels, Run, Topic


@dataclass(frozen=True)
class TopK:
    """The first `k` documents of the English side's ranking are relevant (grade 1), whole tie groups together.

    Documents tied with the k-th, by the scores the retriever gave, are relevant too, as far as the list is deep. A
    topic that the English side does not match is left out. Raises `ConfigError` for k < 1.

    **Source:** Gowda et al., Macro-Average: Rare Types Are Important Too, NAACL 2021, section 3.3.2 (after Lignos et
    al. 2019).
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    k: int = 100

    def __post_init__(self) -> None:
        whole_number("relevance.k", self.k)

    @property
    def signature(self) -> str:
        return f"top{self.k}"

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        return best_ranked(ideal, topics, self._relevant)

    def _relevant(self, topic_id: str, scores: Doubles) -> int:
        last = scores[min(self.k, len(scores)) - 1]
        return int((scores >= last).sum())
