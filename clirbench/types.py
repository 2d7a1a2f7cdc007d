"""The nouns of the line, and the one rank order.

Rank order: score descending, then doc_id ascending as a string (by code point, which is also UTF-8 byte order);
only documents that match a term. A `Run` is stored in that order with strictly falling float32 scores, because
trec_eval keeps float32 and breaks ties by doc_id DESCENDING: only so does every tool see one order. The scores as
the retriever gave them are kept beside (`Run.tied`): equal values there are ties.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import AlignmentError, InputError, raise_all
from clirbench.text import Numbers, Text, TextLines, decoded

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Codes = NDArray[np.uint32]
Number = TypeVar("Number", bound=np.generic)

EMPTY: Mapping[Any, Any] = MappingProxyType({})
Need: TypeAlias = Literal["english", "grades", "all topics"]
"""What a measure or a source of relevance may need of a run: an English side, judgments with grades above 1, judged
topics without a relevant document."""
Judge: TypeAlias = Literal["people", "known_items", "model", "made", "pseudo-relevance", "unknown"]
"""Judgments: of people; the topics' known items; a model (an LLM); made with the documents; the English ranking."""
JUDGES: tuple[Judge, ...] = ("people", "known_items", "model", "made")  # of judgments that are read
UNKNOWN: Judge = "unknown"
"""Also of every fact that a component does not declare."""


@dataclass(frozen=True)
class Document:
    """One searchable document."""

    doc_id: str
    text: str


@dataclass(frozen=True)
class Topic:
    """One information need: weighted texts, in the order they are read (most often one text of weight 1)."""

    topic_id: str
    parts: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, topic_id: str, text: str) -> "Topic":
        return cls(topic_id, ((text, 1.0),))

    @property
    def text(self) -> str:
        return " ".join(text for text, _ in self.parts)


@dataclass(frozen=True, eq=False)
class DocumentMap:
    """Which lines make which document: `lengths[i]` consecutive lines are document `doc_ids[i]`.

    One map serves the English side and every system's copy of a collection, so what depends on the ids alone
    (`id_rank`) is computed once.
    """

    doc_ids: Sequence[str]
    lengths: Ints

    @classmethod
    def blocks_of(cls, n_lines: int, size: int = 1) -> "DocumentMap":
        """`size` consecutive lines are one document, the last may be shorter; ids are zero-padded 1-based numbers."""
        n_documents = -(-n_lines // size)
        lengths = np.full(n_documents, size, dtype=np.int64)
        if n_lines % size:
            lengths[-1] = n_lines % size
        return cls(Numbers(n_documents), lengths)

    def __len__(self) -> int:
        return len(self.doc_ids)

    @property
    def n_lines(self) -> int:
        return int(self.lengths.sum())

    @cached_property
    def starts(self) -> Ints:
        """First line (0-based) of each document, and one past the last line: n + 1 values."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.lengths)])

    @cached_property
    def id_rank(self) -> Ints:
        """Position of each doc_id among all doc_ids sorted as strings."""
        if isinstance(self.doc_ids, Numbers):
            return np.arange(len(self.doc_ids))
        order = sorted(range(len(self.doc_ids)), key=self.doc_ids.__getitem__)
        return np.asarray(np.argsort(order), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Documents:
    """A searched collection: where its text is and which lines make which document; streams, holds no text."""

    text: Text
    map: DocumentMap

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Documents":
        """A collection held in memory (tests, small collections)."""
        held = tuple(documents)
        ids = tuple(document.doc_id for document in held)
        text = TextLines(tuple(document.text for document in held))
        return cls(text, DocumentMap(ids, np.ones(len(held), dtype=np.int64)))

    def __len__(self) -> int:
        return len(self.map)

    def __iter__(self) -> Iterator[Document]:
        """Documents in file order, lines joined by newlines; bytes that are not UTF-8 raise `InputError`.

        Raises `AlignmentError` where the text has not as many lines as the map says.
        """
        lines = self.lines()
        for doc_id, length in zip(self.map.doc_ids, self.map.lengths.tolist(), strict=True):
            held = list(islice(lines, length))
            if len(held) < length:
                raise AlignmentError(f"{self.text.where}: fewer lines than its {len(self)} documents have")
            yield Document(doc_id, "\n".join(held))
        if next(lines, None) is not None:
            raise AlignmentError(f"{self.text.where}: more lines than its {len(self)} documents have")

    def lines(self) -> Iterator[str]:
        """The lines, decoded block by block."""
        for _, _, block in decoded(self.text.blocks(), self.text.where):
            yield from block.split("\n")[:-1]


@dataclass(frozen=True)
class TestSet:
    """What MT metrics are computed on: one or more reference translations, and the source where it is known.

    `references[r][i]` is line i of reference r; all have the same number of lines (tuples, or `files.lines.Lines`).
    Hashable, so that a metric can analyse its references once per run (`functools.lru_cache`).
    """

    __test__ = False  # pytest: a noun, not a class of tests

    references: tuple[Sequence[str], ...]
    source: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.references[0])

    def part(self, lines: slice) -> "TestSet":
        """The test set of these lines alone."""
        source = None if self.source is None else self.source[lines]
        return TestSet(tuple(reference[lines] for reference in self.references), source)

    @cached_property
    def _hash(self) -> int:
        return hash((self.references, self.source))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class Translation:
    """What one MT system wrote: its translation of the test set, of the collection, or both, and its metadata."""

    system: str
    test: Text | None
    collection: Text | None
    metadata: Mapping[str, str] = field(default_factory=lambda: EMPTY, hash=False)
    pending: str = ""
    left_out: str = ""
    """`pending`: why it has no texts yet, a file is still written; `left_out`: why it does not count, it is empty."""
    maker: "Maker | None" = None
    """What makes its texts, where they are still to be made; reading them before that is an error."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, by absolute path, that its texts are read from."""
        texts = (text for text in (self.test, self.collection) if text is not None)
        return tuple(dict.fromkeys(file.absolute() for text in texts for file in text.files))


class Maker(Protocol):
    """Makes texts by work that takes time, and keeps them below the cache: of the systems whose `maker` it is."""

    def make(
        self, translations: Sequence[Translation], watch: Callable[..., Iterable[object]],
        plan: Callable[[Iterable[tuple[str, str, str]]], None], pmap: Callable[..., Iterator[str]] | None,
    ) -> tuple[tuple[Translation, ...], dict[str, str]]:  # fmt: skip
        """Make what is missing; the systems, failed ones without texts and with a note each. Raises where all failed.

        `watch(title, values, total)` shows how far it is. `plan` is told (system, file below the cache, why it failed
        or "") of every file that is needed. `pmap`: an engine's; None: in this process.
        """

    def files(self, translations: Sequence[Translation]) -> Iterable[tuple[str, str]]:
        """(system, file below the cache) of all that they need; a name changes with what the file is made from."""

    def notes(self, translations: Sequence[Translation]) -> Iterable[str]:
        """What a reader must know of the texts, all made."""


@dataclass(frozen=True)
class Qrels:
    """Relevance judgments: grade by document by topic; a grade above 0 is relevant. Topics keep their order."""

    grades: Mapping[str, Mapping[str, int]]

    @property
    def topic_ids(self) -> tuple[str, ...]:
        return tuple(self.grades)

    def only(self, topic_ids: Iterable[str]) -> "Qrels":
        return Qrels({topic_id: self.grades[topic_id] for topic_id in topic_ids})


@dataclass(frozen=True, eq=False)
class Run:
    """Ranked lists, one for each topic, in the one rank order (see the module's docstring).

    `doc_ids` are the ids that occur; topic t's list is `documents[offsets[t]:offsets[t + 1]]` (ordinals into
    `doc_ids`) with `scores` (strictly falling float32) and `tied` (float32 as the retriever gave them, ties intact).
    `n_matched[t]` is the number of documents that match topic t at all, which the list's depth may have cut.
    """

    topic_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    offsets: Ints
    documents: Ints32
    scores: Floats
    tied: Floats
    n_matched: Ints

    @classmethod
    def build(
        cls,
        document_map: DocumentMap,
        ranked: Sequence[tuple[str, Ints, Floats]],
        n_matched: Sequence[int] | None = None,
    ) -> "Run":
        """A Run from (topic_id, ordinals into the map, scores) already in rank order (see `rank_order`)."""
        offsets = np.cumsum([0, *(len(ordinals) for _, ordinals, _ in ranked)], dtype=np.int64)
        none = np.empty(0, dtype=np.int64)
        everything = np.concatenate([none, *(ordinals for _, ordinals, _ in ranked)]).astype(np.int64)
        tied = np.concatenate([none, *(scores for _, _, scores in ranked)]).astype(np.float32)
        matched = np.diff(offsets) if n_matched is None else np.asarray(n_matched, dtype=np.int64)
        return cls.joined(
            document_map, tuple(topic_id for topic_id, _, _ in ranked), offsets, everything, tied, matched
        )

    @classmethod
    def joined(
        cls,
        document_map: DocumentMap,
        topic_ids: tuple[str, ...],
        offsets: Ints,
        ordinals: Ints | Ints32,
        tied: Floats,
        n_matched: Ints,
    ) -> "Run":
        """The same from lists that follow each other: topic t's is `ordinals[offsets[t]:offsets[t + 1]]`."""
        occurs = np.zeros(len(document_map.doc_ids), dtype=bool)
        occurs[ordinals] = True
        compact = (np.cumsum(occurs) - 1)[ordinals].astype(np.int32)
        found, names = np.flatnonzero(occurs).tolist(), document_map.doc_ids
        doc_ids = tuple(map((names[:] if 2 * len(found) > len(names) else names).__getitem__, found))
        return cls(topic_ids, doc_ids, offsets, compact, strictly_falling(tied, offsets), tied, n_matched)

    @classmethod
    def of(cls, scores: Mapping[str, Mapping[str, float]]) -> "Run":
        """A Run from `{topic_id: {doc_id: score}}` in any order; non-finite scores raise `InputError`."""
        doc_ids = tuple(sorted({doc_id for ranked in scores.values() for doc_id in ranked}))
        position = {doc_id: i for i, doc_id in enumerate(doc_ids)}
        map_ = DocumentMap(doc_ids, np.ones(len(doc_ids), dtype=np.int64))
        ranked: list[tuple[str, Ints, Floats]] = []
        for topic_id, by_document in scores.items():
            ordinals = np.fromiter((position[doc_id] for doc_id in by_document), dtype=np.int64)
            values = np.fromiter(by_document.values(), dtype=np.float64)
            if not np.isfinite(values).all():
                raise InputError(f"topic {topic_id}: a score is not a finite number")
            order = np.lexsort((ordinals, -values))
            ranked.append((topic_id, ordinals[order], values[order].astype(np.float32)))
        return cls.build(map_, ranked)

    def __len__(self) -> int:
        return len(self.topic_ids)

    @cached_property
    def position(self) -> Mapping[str, int]:
        return {topic_id: i for i, topic_id in enumerate(self.topic_ids)}

    def _of_topic(self, topic_id: str, values: NDArray[Number]) -> NDArray[Number]:
        at = self.position.get(topic_id)
        return values[:0] if at is None else values[self.offsets[at] : self.offsets[at + 1]]

    def parts(self, topic_ids: Sequence[str]) -> tuple[Ints, Ints]:
        """Where each topic's list begins and ends; at 0 where it has none."""
        at = np.array([self.position.get(topic_id, -1) for topic_id in topic_ids], dtype=np.int64)
        begins, ends = (np.where(at >= 0, self.offsets[at + after], 0) for after in (0, 1))
        return begins, ends

    def ranking(self, topic_id: str) -> tuple[str, ...]:
        """The doc_ids of a topic in rank order; empty where the topic retrieved nothing or is not in the run."""
        return tuple(map(self.doc_ids.__getitem__, self._of_topic(topic_id, self.documents).tolist()))

    def values(self, topic_id: str, *, tied: bool = False) -> Floats:
        """The scores of a topic in rank order: strictly falling, or as the retriever gave them (`tied`)."""
        return self._of_topic(topic_id, self.tied if tied else self.scores)


@dataclass(frozen=True, eq=False)
class Judged:
    """What a system's run is scored against: the judgments of all judged topics, and the English side's own run.

    Without an English side `ideal` has no topic at all. A topic may have no relevant document: measures that count
    false alarms score it, the others take `with_relevant`.
    `n_documents` is the size of the searched collection, which rates of false alarms need; 0 where it is not known.
    """

    qrels: Qrels
    ideal: Run
    n_documents: int = 0

    @property
    def topic_ids(self) -> tuple[str, ...]:
        return self.qrels.topic_ids

    @cached_property
    def with_relevant(self) -> "Judged":
        """The same for the topics that have a relevant document (a grade above 0)."""
        relevant = [t for t, grades in self.qrels.grades.items() if any(grade > 0 for grade in grades.values())]
        if len(relevant) == len(self.topic_ids):
            return self
        return Judged(self.qrels.only(relevant), self.ideal, self.n_documents)


def rank_order(scores: Floats, id_rank: Ints, depth: int) -> Ints:
    """Indices of the first `depth` documents in rank order: score descending, then id_rank ascending.

    `scores` and `id_rank` are aligned (one entry for each matched document). Selection first, so that the sort
    touches only what can be among the first `depth`: every document tied with the last one takes part in it.
    """
    if len(scores) > depth:
        threshold = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        kept = np.flatnonzero(scores >= threshold)
        return np.asarray(kept[np.lexsort((id_rank[kept], -scores[kept]))][:depth], dtype=np.int64)
    return np.asarray(np.lexsort((id_rank, -scores)), dtype=np.int64)


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """The values, each once, ascending: `np.unique`, which for many takes ten times as long."""
    ordered = np.sort(values, axis=None)
    return np.asarray(ordered[np.diff(ordered, prepend=ordered[:1] + 1) != 0])


def strictly_falling(scores: Floats, offsets: Ints) -> Floats:
    """`s[i] = min(s[i], nextafter(s[i-1], -inf))` in each list of falling float32 scores, from one offset to the next.

    Finite float32 values, read as integers in order of value, differ by 1 where they are neighbours; so the
    recurrence is `k[i] = min(k[i], k[i-1] - 1)`, a running minimum of `k[i] + i` less `i`. A list is moved below the
    one before it by more than two values can differ, so that each list has its own minimum.
    """
    bits = np.ascontiguousarray(scores, dtype=np.float32).view(np.int32).astype(np.int64)
    keys = np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))
    lengths = np.diff(offsets)
    steps = np.arange(len(keys)) - np.repeat(np.arange(len(lengths)) << 33, lengths)
    falling = np.minimum.accumulate(keys + steps) - steps if len(keys) else keys
    back = np.where(falling >= 0, falling, -falling | 0x80000000).astype(np.uint32)
    return back.view(np.float32)


Name = TypeVar("Name")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """Stands for the result of a step that could not be computed for one item; `reason` is for the user."""

    reason: str


def split_failures(results: Mapping[Name, "Result | Failure"]) -> tuple[dict[Name, Result], dict[Name, Failure]]:
    """The results that there are, and the failures; raises `InputError` where there are failures alone."""
    good = {name: result for name, result in results.items() if not isinstance(result, Failure)}
    failed = {name: result for name, result in results.items() if isinstance(result, Failure)}
    if failed and not good:
        reasons = dict.fromkeys(failure.reason for failure in failed.values())
        raise_all([InputError(reason) for reason in reasons])
    return good, failed


def by_key(pairs: Iterable[tuple[Name, Result]]) -> dict[Name, list[Result]]:
    """The values of each key, keys in the order in which they come first."""
    found: dict[Name, list[Result]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
