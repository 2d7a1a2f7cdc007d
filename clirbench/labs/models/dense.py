"""Dense retrieval: documents and topics as vectors, ranked by their exact inner product."""

import atexit
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clirbench.checks import one_of, whole_number
from clirbench.errors import EmptyCollection, ResourceError, shorten
from clirbench.labs.models.program import Child, Program, preset
from clirbench.later import load_value
from clirbench.retrieval.base import Search
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Floats, Ints, Run, Topic, rank_order

Vectors = NDArray[Any]
"""One row a passage: `document`, the ordinal of its document (rising), and `vector`, of length 1."""

GRID = 2.0**22
"""Parts of 1 that a component is rounded to: products are multiples of 2^-44, and sums in float64 exact."""
AT_ONCE = 1 << 14  # passages that are encoded, or multiplied, in one go
SCORES = 1 << 25  # scores that are held at once: 128 MB


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors; a frozen dataclass."""

    @property
    def signature(self) -> str:
        """The model by its content, and every version that can move a number."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions): a row for each text, of any length; all 0 for a text that holds nothing."""


@dataclass(frozen=True)
class ProgramEncoder:
    """A program that writes a vector for each text, as a list of JSON numbers, and answers at an empty line.

    It is started once in each process that encodes, and ends with that. Raises `ResourceError` where it fails or
    writes no vectors.
    """

    alone: ClassVar[bool] = True
    program: Program

    @property
    def signature(self) -> str:
        return self.program.signature

    @property
    def fingerprint(self) -> str:
        """What it is in keys: no path, whatever its command names."""
        return self.signature

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) float32."""
        with _LOCK:
            child = _running(self.program)
            try:
                rows = [_vector(self.program.name, line) for line in child.ask(texts)] if texts else []
            except BaseException:
                release()
                raise
        refuse_other_lengths(*map(len, rows))
        return np.stack(rows) if rows else np.empty((0, 1), dtype=np.float32)


_LOCK = threading.Lock()  # a program answers one thread at a time: it takes all cores, or the GPU, by itself
_RUNNING: dict[tuple[int, str], tuple[ExitStack, Child]] = {}


def _running(program: Program) -> Child:
    key = os.getpid(), program.signature
    if key not in _RUNNING:
        release()
        stack = ExitStack()
        _RUNNING[key] = stack, stack.enter_context(program.started())
    return _RUNNING[key][1]


@atexit.register
def release() -> None:
    """End the programs that this process started."""
    for key in [key for key in _RUNNING if key[0] == os.getpid()]:
        _RUNNING.pop(key)[0].close()


def _vector(name: str, line: str) -> Floats:
    try:
        values = np.asarray(json.loads(line))
    except (ValueError, RecursionError):
        values = np.empty(0, dtype=object)
    with np.errstate(over="ignore"):  # what is beyond a float32 is not finite, which is refused
        if values.ndim != 1 or values.dtype.kind not in "if" or not np.isfinite(row := values.astype(np.float32)).all():
            raise ResourceError(f"{name}: {shorten(line, 60)!r} is no vector; a list of finite numbers was expected")
    vector: Floats = row
    return vector


def encoder(script: str = "encode_static", folder: str | None = None, **settings: Any) -> ProgramEncoder:
    """A preset of `retrieval/encoder` that runs a model on this machine: a script of ours."""
    one_of("script", script, ("encode_static", "hf"))
    settings["model" if script == "hf" else "folder"] = folder
    return ProgramEncoder(preset(script, **settings))


def server(**settings: Any) -> ProgramEncoder:
    """`retrieval/encoder=openai`: `settings` are those of scripts/openai.py."""
    return ProgramEncoder(preset("openai", "server", **settings))


def program_encoder(**settings: Any) -> ProgramEncoder:
    """`retrieval/encoder=program`: one `Program`."""
    return ProgramEncoder(Program(**settings))


@dataclass(frozen=True)
class Dense:
    """Ranks by the cosine of the topic's vector and the document's: the highest of its passages'.

    score(q, d) = max over passages p of d of <v(q), v(p)>, in [-1, 1], higher is better. Components are rounded to
    multiples of 2^-22, so that inner products are exact in any order of summation; equal vectors tie on every machine.

    `passage`: white-space separated words in a passage at most; 0: a document is one passage. `query_prefix`,
    `passage_prefix`: what the encoder wants before each topic and passage ("query: "). `depth` (1 and above):
    the documents a list holds at most. Every document that has a vector matches every topic that has one; the others
    are not ranked. Weights of a topic's parts are not used. Ties are broken by doc_id.

    **Source:** Z. Dai, J. Callan (2019), Deeper Text Understanding for IR with Contextual Neural Language Modeling
    (MaxP: a document is as good as its best passage).
    """

    kind: ClassVar[str] = "dense"
    encoder: Encoder = field(default_factory=encoder)
    passage: int = 150
    query_prefix: str = ""
    passage_prefix: str = ""
    depth: int = 1000

    def __post_init__(self) -> None:
        whole_number("retrieval.passage", self.passage, least=0)
        whole_number("retrieval.depth", self.depth)

    @property
    def signature(self) -> str:
        said = {"q": self.query_prefix, "p": self.passage_prefix}
        prefixes = "".join(f"|{key}:{prefix}" for key, prefix in said.items() if prefix)
        return (
            f"{self.kind}:{self.encoder.signature}|passage:{self.passage or 'document'}{prefixes}|pool:max|sim:cosine"
            f"|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `EmptyCollection` where no document has a vector."""
        found = vectors(self.encoder, documents, self.passage, self.passage_prefix)
        if not len(found):
            raise EmptyCollection(f"{documents.text.where}: the collection is empty: no document has a vector")
        return nearest_documents(self.asked(topics), [t.topic_id for t in topics], found, documents.map, self.depth)

    def search(self, task: Search) -> Iterator[Any]:
        queries = self.asked(task.topics)
        release()  # an engine may encode in another process
        encode = Encode(self.encoder, self.passage, self.passage_prefix, task.document_map)
        vectors = list(task.watch("encoding", task.pmap(encode, task.texts, task.names), len(task.texts)))
        ids = tuple(topic.topic_id for topic in task.topics)
        return task.pmap(Nearest(queries, ids, task.document_map, self.depth, task.english), vectors, task.names)

    def asked(self, topics: Sequence[Topic]) -> Vectors:
        """The vectors of topics, in which a topic is a `document` of one passage."""
        texts = [" ".join(text for text, weight in topic.parts if weight > 0) for topic in topics]
        return _rows(self.encoder, list(enumerate(texts)), self.query_prefix)


def vectors(encoder: Encoder, documents: Documents, words: int, prefix: str = "") -> Vectors:
    """The vectors of every document's passages of at most `words` words (0: of the whole document)."""
    passages = _passages(documents, words)
    parts = [_rows(encoder, some, prefix) for some in iter(lambda: list(islice(passages, AT_ONCE)), [])]
    full = [part for part in parts if len(part)]
    refuse_other_lengths(*(part["vector"].shape[1] for part in full))
    return np.concatenate(full) if full else np.empty(0, dtype=[("document", "<i4"), ("vector", "<f4", (1,))])


def refuse_other_lengths(*lengths: int) -> None:
    """Raise `ResourceError` where vectors have another number of dimensions than the first ones."""
    if len(known := list(dict.fromkeys(lengths))) > 1:
        raise ResourceError(
            f"the encoder gave vectors of {known[0]} dimensions, then of {known[1]}, which cannot be compared; did "
            "its model change? Encode all texts again: retrieval.encoder.version=TEXT, any new text"
        )


def _passages(documents: Documents, words: int) -> Iterator[tuple[int, str]]:
    for ordinal, document in enumerate(documents):
        split = document.text.split() if words else []
        if len(split) <= words:
            yield ordinal, document.text
        else:
            yield from ((ordinal, " ".join(split[at : at + words])) for at in range(0, len(split), words))


def _rows(encoder: Encoder, passages: Sequence[tuple[int, str]], prefix: str) -> Vectors:
    """A row for each passage that is not nothing; equal texts are encoded once."""
    full = [(ordinal, prefix + text) for ordinal, text in passages if text.strip()]
    number = {text: at for at, text in enumerate(dict.fromkeys(text for _, text in full))}
    found = encoder.encode(list(number)).astype(np.float64)
    lengths = np.linalg.norm(found, axis=1)
    unit = np.rint(found / np.where(lengths > 0, lengths, 1)[:, None] * GRID) / GRID
    kept = [(ordinal, number[text]) for ordinal, text in full if lengths[number[text]] > 0]
    rows = np.empty(len(kept), dtype=[("document", "<i4"), ("vector", "<f4", (found.shape[1],))])
    rows["document"] = [ordinal for ordinal, _ in kept]
    rows["vector"] = unit[[at for _, at in kept]]
    return rows


def nearest_documents(
    queries: Vectors, topic_ids: Sequence[str], passages: Vectors, document_map: DocumentMap, depth: int
) -> Run:
    """The Run of topics over a collection, both as vectors; memory is bounded by `SCORES` beside the vectors."""
    refuse_other_lengths(*(part["vector"].shape[1] for part in (queries, passages) if len(part)))
    nothing = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    ranked: list[tuple[Ints, Floats]] = [nothing] * len(topic_ids)
    present, firsts = np.unique(passages["document"], return_index=True)
    id_rank = document_map.id_rank[present]
    together = max(1, SCORES // max(1, len(passages)))
    for first in range(0, len(queries) if len(passages) else 0, together):
        some = queries[first : first + together]
        wanted = some["vector"].astype(np.float64)
        scores = np.empty((len(some), len(passages)), dtype=np.float32)
        for at in range(0, len(passages), AT_ONCE):
            block = passages["vector"][at : at + AT_ONCE].astype(np.float64)
            scores[:, at : at + AT_ONCE] = wanted @ block.T
        if len(present) < len(passages):
            scores = np.maximum.reduceat(scores, firsts, axis=1)
        for topic, row in zip(some["document"].tolist(), scores, strict=True):
            order = rank_order(row, id_rank, depth)
            ranked[topic] = present[order].astype(np.int64), row[order]
    matched = set(queries["document"].tolist())
    return Run.build(
        document_map,
        [(topic_id, *one) for topic_id, one in zip(topic_ids, ranked, strict=True)],
        n_matched=[len(present) if topic in matched else 0 for topic in range(len(topic_ids))],
    )


@dataclass(frozen=True)
class Encode:
    """One system's copy of the collection -> the vectors of its passages of at most `words` words."""

    bulky: ClassVar[bool] = True
    encoder: Encoder
    words: int
    prefix: str
    document_map: DocumentMap

    @property
    def alone(self) -> bool:
        return getattr(self.encoder, "alone", False)

    def cost(self, text: Text) -> float:
        return 20 * text.size  # dear: the engine's costs are those of counting words

    def __call__(self, text: Text) -> Vectors:
        return vectors(self.encoder, Documents(text, self.document_map), self.words, self.prefix)


@dataclass(frozen=True)
class Nearest:
    """Vectors -> the Run of topics whose vectors these are; no vectors match nothing, of the English side an error."""

    bulky: ClassVar[bool] = True
    queries: Vectors
    topic_ids: tuple[str, ...]
    document_map: DocumentMap
    depth: int
    english: bool = False

    def __call__(self, item: Any) -> Run:
        passages = load_value(item)
        if self.english and not len(passages):
            raise EmptyCollection("the reference side is empty: none of its documents has a vector")
        return nearest_documents(self.queries, self.topic_ids, passages, self.document_map, self.depth)
