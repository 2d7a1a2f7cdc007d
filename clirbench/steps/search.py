"""Which steps a retriever takes, each of which the store keeps: fused lists, the lists, vectors."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from clirbench.errors import ResourceError
from clirbench.retrieval.base import Retriever
from clirbench.retrieval.dense import Changeable, Dense, Encoder
from clirbench.retrieval.fusion import Fusion
from clirbench.retrieval.pyserini_index import PyseriniIndex
from clirbench.steps.encode import Encode, Probe
from clirbench.steps.fuse import Fuse
from clirbench.steps.nearest import Nearest
from clirbench.steps.retrieve import Retrieve
from clirbench.text import Text
from clirbench.types import DocumentMap, Failure, Floats, Topic


class Watched(Protocol):
    """Passes values through while it shows how many there were."""

    def __call__(self, title: str, values: Iterator[Any], total: int) -> Iterator[Any]: ...


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
    if isinstance(retriever, PyseriniIndex):
        texts, retriever = retriever.indexed(texts, names, english), retriever.lucene
    if isinstance(retriever, Fusion):
        each = [
            list(search(one, topics, document_map, texts, names, pmap, watch, english=english))
            for one in retriever.of.values()
        ]
        together = [next((run for run in runs if isinstance(run, Failure)), runs) for runs in zip(*each, strict=True)]
        return pmap(Fuse(document_map, retriever.k, retriever.depth), together, names)
    if isinstance(retriever, Dense):
        queries, probe = retriever.asked(topics), _checked_probe(retriever.encoder, pmap)
        encode = Encode(retriever.encoder, retriever.passage, retriever.passage_prefix, document_map, probe)
        vectors = list(watch("encoding", pmap(encode, texts, names), len(texts)))
        ids = tuple(topic.topic_id for topic in topics)
        step = Nearest(queries, ids, document_map, retriever.depth, english)
        return pmap(step, vectors, names)
    return pmap(Retrieve(retriever, topics, document_map, english), texts, names)


def _checked_probe(encoder: Encoder, pmap: Callable[..., Iterator[Any]]) -> Floats | None:
    """The kept vector of an encoder's probe text, which it still gives; None for one whose model cannot change.

    Raises `ResourceError` where it gives another, before anything is encoded.
    """
    if not isinstance(encoder, Changeable):
        return None
    (kept,) = pmap(Probe(), [encoder], ["(probe text)"])
    if isinstance(kept, Failure):
        raise ResourceError(kept.reason)
    encoder.check_probe(kept)
    vector: Floats = kept
    return vector
