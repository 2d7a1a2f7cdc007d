"""A system's ranked lists."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.errors import EmptyCollection
from clirbench.retrieval.base import Retriever
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Run, Topic


@dataclass(frozen=True)
class Retrieve:
    """One system's copy of the collection -> its Run.

    A copy in which no document has a term (the first checkpoint of a sweep may write nothing) matches no topic, and
    so scores 0 everywhere; of the English side (`english`) that is an error: nothing could be judged.
    """

    bulky: ClassVar[bool] = True
    retriever: Retriever
    topics: tuple[Topic, ...]
    document_map: DocumentMap
    english: bool = False

    def __call__(self, text: Text) -> Run:
        try:
            return self.retriever.rank(Documents(text, self.document_map), self.topics)
        except EmptyCollection:
            if self.english:
                raise
            nothing = np.empty(0, dtype=np.int64)
            return Run.build(
                self.document_map, [(topic.topic_id, nothing, nothing.astype(np.float32)) for topic in self.topics]
            )
