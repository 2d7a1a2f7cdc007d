"""A system's ranked lists, from the vectors of its copy of the collection."""

from dataclasses import dataclass
from typing import ClassVar

from clirbench.errors import EmptyCollection
from clirbench.later import Later, opened
from clirbench.retrieval.dense import Vectors, nearest
from clirbench.types import DocumentMap, Run


@dataclass(frozen=True)
class Nearest:
    """Vectors -> the Run of topics whose vectors these are; no vectors match nothing, of the English side an error."""

    bulky: ClassVar[bool] = True
    queries: Vectors
    topic_ids: tuple[str, ...]
    document_map: DocumentMap
    depth: int
    english: bool = False

    def __call__(self, item: Vectors | Later[Vectors]) -> Run:
        passages = opened(item)
        if self.english and not len(passages):
            raise EmptyCollection("the English side is empty: none of its documents has a vector")
        return nearest(self.queries, self.topic_ids, passages, self.document_map, self.depth)
