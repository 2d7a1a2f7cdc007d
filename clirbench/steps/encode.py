"""A text's vectors, whatever is asked of them: more topics, or another depth, encode nothing again."""

from dataclasses import dataclass
from typing import ClassVar

from clirbench.retrieval.dense import Encoder, Vectors, vectors
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents


@dataclass(frozen=True)
class Encode:
    """One system's copy of the collection -> the vectors of its passages of at most so many words."""

    bulky: ClassVar[bool] = True
    encoder: Encoder
    words: int
    prefix: str
    document_map: DocumentMap

    def cost(self, text: Text) -> float:
        return 20 * text.size  # dear: the engine's costs are those of counting words

    def releases_gil(self, text: Text) -> bool:
        return getattr(self.encoder, "releases_gil", False)

    def __call__(self, text: Text) -> Vectors:
        return vectors(self.encoder, Documents(text, self.document_map), self.words, self.prefix)
