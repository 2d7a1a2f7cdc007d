"""The ranked lists of all systems by one retriever."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clirbench.retrieval.base import Retriever, Staged, Watched
from clirbench.steps.retrieve import Retrieve
from clirbench.text import Text
from clirbench.types import DocumentMap, Topic


def search(
    retriever: Retriever,
    topics: tuple[Topic, ...],
    document_map: DocumentMap,
    texts: Sequence[Text],
    names: Sequence[str],
    pmap: Callable[..., Iterator[Any]],
    watch: Watched,
    *,
    english: bool = False,
) -> Iterator[Any]:
    """The Run of every text, or why there is none."""
    if isinstance(retriever, Staged):
        return retriever.search(topics, document_map, texts, names, pmap, watch, english=english)
    return pmap(Retrieve(retriever, topics, document_map, english), texts, names)


def readings(retriever: Retriever, topics: tuple[Topic, ...], document_map: DocumentMap) -> Iterator[tuple[Any, Any]]:
    """(what reads a text, the step in which it does)."""
    if isinstance(retriever, Staged):
        yield from retriever.readings(topics, document_map)
    else:
        yield retriever, Retrieve(retriever, topics, document_map)
