"""What a retrieval engine is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Run, Topic


@runtime_checkable
class Retriever(Protocol):
    """Ranks a collection for every topic; a frozen dataclass whose fields are its configuration.

    It may declare its `kind`, a short name for columns (`MAP[dense]`) and sentences (default: the name of its class),
    and `lexical_model`, the model by which it matches words ("BM25"; default: not known).
    """

    @property
    def depth(self) -> int:
        """How many documents a topic's list holds at most."""

    @property
    def signature(self) -> str:
        """Engine, formula, parameters, analyser and every version that can move a score, `key:value` joined by `|`."""

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists in the rank order of `clirbench.types`; a topic that matches nothing has an empty list.

        Raises `InputError` for an empty collection (no document with a term).
        """


@dataclass(frozen=True)
class Search:
    """Texts to search for topics, all divided into documents alike; `pmap` runs the steps, `watch` counts them.

    `names`: those of the texts, where messages and the plan name them; `english`: the text is the English side.
    """

    topics: tuple[Topic, ...]
    document_map: DocumentMap
    pmap: Callable[..., Iterator[Any]]
    watch: Callable[[str, Iterator[Any], int], Iterator[Any]]
    texts: Sequence[Text] = ()
    names: Sequence[str] = ()
    english: bool = False

    def of_systems(self, texts: Mapping[str, Text]) -> "Search":
        """The same search in the texts of systems."""
        return replace(self, texts=list(texts.values()), names=tuple(texts))

    def of_english(self, text: Text) -> "Search":
        """The same search in the English side."""
        return replace(self, texts=[text], names=["(reference side)"], english=True)


@runtime_checkable
class Staged(Protocol):
    """A retriever that searches in several steps, each of which the store keeps: vectors, then lists."""

    def search(self, task: Search) -> Iterator[Any]:
        """The Run of every text, or why there is none."""
