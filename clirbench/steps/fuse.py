"""A system's ranked lists, from those of several retrievers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from clirbench.later import Later, opened
from clirbench.retrieval.fusion import fused
from clirbench.types import DocumentMap, Run


@dataclass(frozen=True)
class Fuse:
    """Several retrievers' Runs of one text -> one Run, by reciprocal rank fusion."""

    bulky: ClassVar[bool] = True
    document_map: DocumentMap
    k: float
    depth: int

    def __call__(self, item: Sequence[Run | Later[Run]]) -> Run:
        return fused([opened(run) for run in item], self.document_map, self.k, self.depth)
