"""A text's vectors, whatever is asked of them: more topics, or another depth, encode nothing again."""

from dataclasses import dataclass, field
from typing import ClassVar

from clirbench.retrieval.dense import Changeable, Encoder, Vectors, vectors
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Floats


@dataclass(frozen=True)
class Probe:
    """An encoder -> the vector of its probe text, kept with the first vectors.

    In this module, because its code is then in the key of exactly those vectors.
    """

    def releases_gil(self, encoder: Changeable) -> bool:
        return getattr(encoder, "releases_gil", False)

    def __call__(self, encoder: Changeable) -> Floats:
        return encoder.probe()


@dataclass(frozen=True)
class Encode:
    """One system's copy of the collection -> the vectors of its passages of at most so many words.

    `probe`: what an encoder whose model may change must still give for its probe text, else the vectors are not kept.
    """

    bulky: ClassVar[bool] = True
    encoder: Encoder
    words: int
    prefix: str
    document_map: DocumentMap
    probe: Floats | None = field(default=None, compare=False)

    def cost(self, text: Text) -> float:
        return 20 * text.size  # dear: the engine's costs are those of counting words

    def releases_gil(self, text: Text) -> bool:
        return getattr(self.encoder, "releases_gil", False)

    def __call__(self, text: Text) -> Vectors:
        found = vectors(self.encoder, Documents(text, self.document_map), self.words, self.prefix)
        if self.probe is not None and isinstance(self.encoder, Changeable):
            self.encoder.check_probe(self.probe)
        return found
