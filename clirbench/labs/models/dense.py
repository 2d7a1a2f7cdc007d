"""Dense retrieval: documents and topics as vectors, ranked by their exact inner product."""

import atexit
import hashlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
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
LINE = "line"
"""As `passage`: each line of a document."""
DESCRIBED = {
    "encode_static": "encoder static: sums of word vectors, no neural network",
    "encode_onnx": "a neural network",
    "encode_use": "a multilingual neural network",
    "hf": "a neural network",
}
"""What reports call the encoders of our scripts."""
KEPT_AT_ONCE = 512  # lines whose vectors are written at once: what a killed run loses
LOG = logging.getLogger(__name__)


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

    It is started once in each process that encodes, and ends with that. `cache`: a folder in which the vector of each
    line is kept as soon as it is there, for every text that has the line (null: not kept). Raises `ResourceError` where
    it fails or writes no vectors.
    """

    alone: ClassVar[bool] = True
    program: Program
    cache: str | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        return self.program.signature

    @property
    def described(self) -> str:
        """Its name in reports."""
        return DESCRIBED.get(self.program.name, self.program.name)

    @property
    def fingerprint(self) -> str:
        """What it is in keys: no path, whatever its command names."""
        return self.signature

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) float32."""
        with _LOCK:
            kept = LineVectors.of(self.cache, self.signature) if self.cache else None
            rows = kept.find(texts) if kept else {}
            missing = [text for text in dict.fromkeys(texts) if text not in rows]
            for some in (missing[at : at + KEPT_AT_ONCE] for at in range(0, len(missing), KEPT_AT_ONCE)):
                made = dict(zip(some, self._asked(some), strict=True))
                if kept:
                    kept.put(made)
                rows |= made
        refuse_other_lengths(*map(len, rows.values()))
        return np.stack([rows[text] for text in texts]) if texts else np.empty((0, 1), dtype=np.float32)

    def _asked(self, texts: Sequence[str]) -> list[Floats]:
        try:
            return [_vector(self.program.name, line) for line in _running(self.program).ask(texts)]
        except BaseException:
            release()
            raise


@dataclass(frozen=True)
class LineVectors:
    """Vectors by line, in a file of SQLite that several runs may read and write; what is damaged is made again."""

    path: Path

    @classmethod
    def of(cls, cache: str, signature: str) -> "LineVectors":
        """Those of one encoder."""
        return cls(Path(cache) / "vectors" / f"{hashlib.sha256(signature.encode()).hexdigest()[:32]}.sqlite")

    def find(self, texts: Sequence[str]) -> dict[str, Floats]:
        """The vectors of the texts that have one."""
        keys = {_line_key(text): text for text in texts}
        wanted = "SELECT line, vector FROM vectors WHERE line = ?"
        rows = self._run(lambda file: [row for key in keys for row in file.execute(wanted, (key,))])
        whole = ((key, kept[SUM:]) for key, kept in rows if _line_sum(key, kept[SUM:]) == kept[:SUM])
        return {keys[key]: np.frombuffer(vector, dtype="<f4") for key, vector in whole}

    def put(self, rows: Mapping[str, Floats]) -> None:
        """Keep vectors, all or none of them; where that cannot be, the run goes on and a message says so."""
        held = [(_line_key(text), row.astype("<f4").tobytes()) for text, row in rows.items()]
        values = [(key, _line_sum(key, content) + content) for key, content in held]
        self._run(lambda file: file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", values).fetchall())

    def _run(self, work: Callable[[sqlite3.Connection], list[Any]]) -> list[Any]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=60)) as file, file:
                file.execute("CREATE TABLE IF NOT EXISTS vectors (line BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
                return work(file)
        except (OSError, sqlite3.Error) as error:
            LOG.warning("%s: vectors of lines are not kept (%s)", self.path, error)
            return []


SUM = 8  # bytes of the sum in front of a vector


def _line_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _line_sum(key: bytes, content: bytes) -> bytes:
    return hashlib.sha256(key + content).digest()[:SUM]


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


def encoder(
    script: str = "encode_static", folder: str | None = None, cache: str | None = None, **settings: Any
) -> ProgramEncoder:
    """A preset of `retrieval/encoder` that runs a model on this machine: a script of ours."""
    one_of("script", script, ("encode_static", "encode_onnx", "encode_use", "hf"))
    if script != "encode_use":
        settings["model" if script == "hf" else "folder"] = folder
    return ProgramEncoder(preset(script, **settings), cache)


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

    `kind`: its short name in columns. `passage`: white-space separated words in a passage at most; 0: a document is one
    passage; "line": each of its lines is. `query_prefix`,
    `passage_prefix`: what the encoder wants before each topic and passage ("query: "). `depth` (1 and above):
    the documents a list holds at most. Every document that has a vector matches every topic that has one; the others
    are not ranked. Weights of a topic's parts are not used. Ties are broken by doc_id.

    **Source:** Z. Dai, J. Callan (2019), Deeper Text Understanding for IR with Contextual Neural Language Modeling
    (MaxP: a document is as good as its best passage).
    """

    encoder: Encoder = field(default_factory=encoder)
    passage: int | str = 150
    query_prefix: str = ""
    passage_prefix: str = ""
    depth: int = 1000
    kind: str = "dense"

    def __post_init__(self) -> None:
        if self.passage != LINE:
            whole_number("retrieval.passage", self.passage, least=0)
        whole_number("retrieval.depth", self.depth)

    @property
    def described(self) -> str:
        """Its name in reports, with what encodes: "dense (encoder static: ...)"."""
        return f"{self.kind} ({getattr(self.encoder, 'described', 'vectors')})"

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
        passages = self.encoder, self.passage, self.passage_prefix, task.document_map
        topic_ids = tuple(topic.topic_id for topic in task.topics)
        nearest = Nearest(queries, topic_ids, task.document_map, self.depth, task.english)
        if getattr(self.encoder, "cache", None):  # by line: not a second time by text
            return task.pmap(EncodeAndRank(*passages, nearest), task.texts, task.names)
        vectors = list(task.watch("encoding", task.pmap(Encode(*passages), task.texts, task.names), len(task.texts)))
        return task.pmap(nearest, vectors, task.names)

    def asked(self, topics: Sequence[Topic]) -> Vectors:
        """The vectors of topics, in which a topic is a `document` of one passage."""
        texts = [" ".join(text for text, weight in topic.parts if weight > 0) for topic in topics]
        return _rows(self.encoder, list(enumerate(texts)), self.query_prefix)


def vectors(encoder: Encoder, documents: Documents, words: int | str, prefix: str = "") -> Vectors:
    """The vectors of every document's passages of at most `words` words (0: the whole document; "line": its lines)."""
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


def _passages(documents: Documents, words: int | str) -> Iterator[tuple[int, str]]:
    for ordinal, document in enumerate(documents):
        parts = document.text.split("\n") if isinstance(words, str) else [document.text]
        if not isinstance(words, str) and 0 < words < len(split := document.text.split()):
            parts = [" ".join(split[at : at + words]) for at in range(0, len(split), words)]
        yield from ((ordinal, part) for part in parts)


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
    words: int | str
    prefix: str
    document_map: DocumentMap

    @property
    def alone(self) -> bool:
        return getattr(self.encoder, "alone", False)

    def cost(self, text: Text) -> float:
        return 20 * text.size  # dear: the engine's costs are those of counting words

    def __call__(self, text: Text) -> Any:
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


@dataclass(frozen=True)
class EncodeAndRank(Encode):
    """One system's copy of the collection -> the Run, where vectors are kept by line and not by text."""

    nearest: Nearest

    def __call__(self, text: Text) -> Run:
        return self.nearest(super().__call__(text))
