"""Topics made from the English side, whose every word is analysed for that."""

from dataclasses import astuple, dataclass
from typing import Any

from clirbench.text import Text
from clirbench.topics.base import TopicSource
from clirbench.types import DocumentMap, Documents


@dataclass(frozen=True)
class MakeTopics:
    """(text, document map) of the English side -> the fields of every `Topic` that `source` makes of it."""

    source: TopicSource

    def __call__(self, item: tuple[Text, DocumentMap]) -> list[tuple[Any, ...]]:
        return [astuple(topic) for topic in self.source.topics(Documents(*item))]
