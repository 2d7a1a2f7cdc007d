"""The ranked lists of all systems by one retriever."""

from collections.abc import Iterator
from typing import Any

from clirbench.retrieval.base import Retriever, Search, Staged
from clirbench.steps.retrieve import Retrieve
from clirbench.types import DocumentMap, Topic


def search(retriever: Retriever, task: Search) -> Iterator[Any]:
    """The Run of every text, or why there is none."""
    if isinstance(retriever, Staged):
        return retriever.search(task)
    return task.pmap(Retrieve(retriever, task.topics, task.document_map, task.english), task.texts, task.names)


def readings(retriever: Retriever, topics: tuple[Topic, ...], document_map: DocumentMap) -> Iterator[tuple[Any, Any]]:
    """(what reads a text, the step in which it does)."""
    if isinstance(retriever, Staged):
        yield from retriever.readings(topics, document_map)
    else:
        yield retriever, Retrieve(retriever, topics, document_map)
