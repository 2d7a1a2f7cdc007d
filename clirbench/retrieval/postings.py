"""One pass over a collection: the length of every document and the postings of the query terms alone.

Each distinct chunk of text between white space is analysed once, for all systems of a run. And what every engine does
alike: parameters are checked, topics become weighted terms, nothing to search is an error.
"""

import math
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from clirbench.checks import number, whole_number
from clirbench.errors import AlignmentError, EmptyCollection, InputError
from clirbench.files.lines import Spool
from clirbench.metrics.kernels import Words, numbering
from clirbench.retrieval.analyzers import Analyzer
from clirbench.text import decoded
from clirbench.types import Documents, Ints, Ints32, Topic

ROWS = 12 << 18  # bytes of rows (document, term, count) that are put in order at a time: whole rows
FORGET_BEYOND = 16 << 20  # bytes of distinct chunks after which all are forgotten, so that memory stays bounded


@dataclass(frozen=True, eq=False)
class Postings:
    """What BM25 needs to know of a collection for given query terms.

    `lengths[d]` is the number of terms in document d. Query term t stands `counts[i]` times in `documents[i]` for
    i from `starts[t]` to `starts[t + 1]`, in the order of the collection.
    """

    lengths: Ints32
    starts: Ints
    documents: Ints32
    counts: Ints32


def postings(documents: Documents, analyzer: Analyzer, terms: Sequence[str]) -> Postings:
    """Read `documents` once, block by block.

    Raises `InputError` for bytes that are not UTF-8 and for a collection without a single term, `AlignmentError`
    where the text has not as many lines as the map says.
    """
    asked = asked_terms(analyzer, tuple(terms))
    known, kept = asked.known, Spool()
    lengths, frequencies = np.zeros(len(documents), dtype=np.int32), np.zeros(len(terms), dtype=np.int64)

    def occurrences() -> Iterator[tuple[Ints32, Ints32]]:
        for chunks, document in known.read(documents, documents.map.lengths):
            count_into(lengths, document, known.n_terms(chunks))
            numbers, places = asked.hits().of(chunks)
            yield document[places], numbers

    with known.lock:
        for found in each_once(occurrences()):
            frequencies += np.bincount(found[1], minlength=len(terms))
            kept.write(np.stack(found, axis=1))
    if not lengths.any():
        raise empty_collection(documents)
    starts = np.append(0, np.cumsum(frequencies))
    placed, free = np.empty((2, starts[-1]), dtype=np.int32), starts[:-1].copy()  # free: the next place of each term
    for begin in range(0, kept.length, ROWS):
        rows = np.frombuffer(kept.read(begin, min(begin + ROWS, kept.length)), dtype=np.int32).reshape(-1, 3)
        # Numbers of 16 bits are in order in a tenth of the time.
        rows = rows[np.argsort(rows[:, 1].astype(np.min_scalar_type(len(terms))), kind="stable")]
        n = np.bincount(rows[:, 1], minlength=len(terms))
        placed[:, np.repeat(free - np.cumsum(n) + n, n) + np.arange(len(rows))] = rows[:, ::2].T
        free += n
    return Postings(lengths, starts, *placed)


def each_once(found: Iterable[tuple[Ints32, Ints32]]) -> Iterator[tuple[Ints32, Ints32, Ints32]]:
    """Each unit, each of its terms, and how often it has the term, in the order of units.

    `found`: every occurrence, as ascending units below 2^31 - 1 and their terms, in blocks.
    """
    left = np.empty(0, dtype=np.int64)  # of the last unit, which may go on in the next block
    beyond = np.full(1, 2**31 - 1, dtype=np.int32)
    for unit, terms in chain(found, [(beyond, beyond)]):
        keys = np.append(left, unit.astype(np.int64) << 32 | terms)
        end = np.searchsorted(keys, keys[-1] >> 32 << 32) if len(keys) else 0
        left = keys[end:]
        keys, counts = np.unique(keys[:end], return_counts=True)
        yield (keys >> 32).astype(np.int32), keys.astype(np.int32), counts.astype(np.int32)


def count_into(counts: Ints32, unit: Ints32, held: Ints | None = None) -> None:
    """Add to `counts` what ascending units hold: one each, or so much."""
    if len(unit):
        found = np.bincount(unit - unit[0], held)
        counts[unit[0] : unit[0] + len(found)] += found.astype(np.int32)


class Hits(NamedTuple):
    """Terms of chunks by number: those of chunk c are `numbers[starts[c]:starts[c + 1]]`."""

    numbers: Ints32 = np.empty(0, dtype=np.int32)
    starts: Ints = np.zeros(1, dtype=np.int64)

    def of(self, chunks: Ints32) -> tuple[Ints32, Ints]:
        """(terms,) twice: the terms of these chunks in turn, and in which of them each stands."""
        n = self.starts[chunks + 1] - self.starts[chunks]
        holding = np.flatnonzero(n > 0)
        begins, n = self.starts[chunks[holding]], n[holding]
        places = np.repeat(begins - np.cumsum(n) + n, n) + np.arange(n.sum())
        return self.numbers[places], np.repeat(holding, n)

    def more(self, numbers: Ints32, ends: Ints) -> "Hits":
        """With the terms of further chunks, which end there among them."""
        joined = np.append(self.numbers, numbers), np.append(self.starts, ends + len(self.numbers))
        return Hits(*joined)


class KnownChunks:
    """The chunks seen so far with their terms, whose `numbers` go with them unless they are `lasting`."""

    def __init__(self, terms_of: Callable[[str], Collection[str]], lasting: bool = True) -> None:
        self.terms_of, self.lasting = terms_of, lasting
        self.lock = threading.Lock()  # one pass at a time: chunks are numbered and analysed in turn
        self.numbers = numbering({})
        self.n_clearings = 0
        self._clear()

    def _clear(self) -> None:
        self._words, self._n_bytes = Words(), 0
        self._last: tuple[bytes, Ints32, Ints] | None = None  # each kind of topics reads a text again
        self.n_clearings += 1
        self.hits = Hits()
        if not self.lasting:
            self.numbers = numbering({})

    @property
    def n_chunks(self) -> int:
        return len(self._words)

    def read(self, documents: Documents, lengths: Ints) -> Iterator[tuple[Ints32, Ints32]]:
        """The chunks of a text block by block, and in which unit each is, of as many lines as `lengths` has.

        Raises what `postings` raises.
        """
        unit_of, line = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), 0
        for block in documents.text.blocks():
            try:
                chunks, first = self.chunks(block)
            except UnicodeDecodeError:
                deque(decoded(documents.text.blocks(), documents.text.where), 0)  # raises for the line and the byte
                raise InputError(f"{documents.text.where}: changed while it was read") from None
            of_lines = unit_of[line : line + len(first) - 1]
            line += len(first) - 1
            unit = np.repeat(of_lines, np.diff(first)[: len(of_lines)])
            if len(unit):
                yield chunks[: len(unit)], unit
        if line != len(unit_of):
            said = f"{line} lines, but its {len(documents)} documents have {len(unit_of)}"
            raise AlignmentError(f"{documents.text.where}: {said}")

    def distinct(self, documents: Documents, lengths: Ints) -> Iterator[tuple[Ints32, Ints32]]:
        """Each unit and each of its terms, by number, once, in the order of units; as of `read`."""
        read = ((unit, self.hits.of(chunks)) for chunks, unit in self.read(documents, lengths))
        yield from (found[:2] for found in each_once((unit[places], numbers) for unit, (numbers, places) in read))

    def n_terms(self, chunks: Ints32) -> Ints:
        """How many terms each of these has."""
        return self.hits.starts[chunks + 1] - self.hits.starts[chunks]

    def chunks(self, block: bytes) -> tuple[Ints32, Ints]:
        """The numbers of the chunks of whole lines, and where each line begins among them (one more entry than lines).

        Raises UnicodeDecodeError for bytes that are not UTF-8.
        """
        if self._n_bytes > FORGET_BEYOND:
            self._clear()
        if self._last and block is self._last[0]:
            return self._last[1:]
        codes = np.frombuffer(block, dtype=np.uint8)
        inside = np.concatenate([[False], (codes != ord(" ")) & (codes - np.uint8(ord("\t")) > 4), [False]])
        edges = np.flatnonzero(inside[1:] != inside[:-1]).astype(np.int32)
        starts, ends = edges[::2].copy(), edges[1::2].copy()
        first = np.append(0, np.searchsorted(starts, np.flatnonzero(codes == ord("\n"))))
        known = self.n_chunks
        try:
            numbers = self._words.numbers(codes.astype(np.uint32), starts, ends)
            if self.n_chunks > known:
                self._analyse(known)
        except BaseException:  # chunks that were entered but not analysed must not be found again
            self._clear()
            raise
        self._last = block, numbers, first
        return numbers, first

    def _analyse(self, known: int) -> None:
        """Fill in what the chunks from `known` on consist of."""
        ends: list[int] = []
        found: list[int] = []
        joined = "\n".join(self._words.names(known)).encode("latin-1")  # of bytes, a letter each
        for chunk in joined.decode("utf-8").split("\n"):
            found += map(self.numbers.__getitem__, self.terms_of(chunk))
            ends.append(len(found))
        self._n_bytes += len(joined)
        self.hits = self.hits.more(np.array(found, dtype=np.int32), np.array(ends))


class Asked:
    """The terms of a query among those of known chunks; term t of the query has number t."""

    def __init__(self, known: KnownChunks, terms: tuple[str, ...]) -> None:
        self.known, self._wanted = known, terms
        self._hits, self._cleared = Hits(), 0

    def hits(self) -> Hits:
        """The terms of the query in every chunk that is known now."""
        known = self.known
        if self._cleared != known.n_clearings:
            self._hits, self._cleared = Hits(), known.n_clearings
        seen, starts = len(self._hits.starts) - 1, known.hits.starts
        if seen < len(starts) - 1:
            number_of = np.full(len(known.numbers) + 1, -1, dtype=np.int32)  # the last is that of unknown terms
            number_of[[known.numbers.get(term, -1) for term in self._wanted]] = np.arange(len(self._wanted))
            numbers = number_of[known.hits.numbers[starts[seen] :]]
            ends = np.append(0, np.cumsum(numbers >= 0))[starts[seen + 1 :] - starts[seen]]
            self._hits = self._hits.more(numbers[numbers >= 0], ends)
        return self._hits


@lru_cache(maxsize=2)
def known_chunks(analyzer: Analyzer) -> KnownChunks:
    """What is known of chunks, kept alive between the collections that one process searches."""
    return KnownChunks(analyzer.terms, lasting=False)


@lru_cache(maxsize=4)
def asked_terms(analyzer: Analyzer, terms: tuple[str, ...]) -> Asked:
    """The terms of a query; several kinds of topics share what is known of chunks."""
    return Asked(known_chunks(analyzer), terms)


def query(topic: Topic, analyzer: Analyzer) -> dict[str, float]:
    """A topic's terms in the order they are first read, each with its weight.

    qtf(t) = sum over the topic's parts of the part's weight times the occurrences of t in it.

    With weights of 1 that is how often the term is repeated. A part of weight 0 is left out; one that
    is negative or not finite raises `InputError`.
    """
    weights: dict[str, float] = {}
    if not all(math.isfinite(weight) and weight >= 0 for _, weight in topic.parts):
        raise InputError(f"topic {topic.topic_id}: the weight of a part must be a number of 0 or above")
    for text, weight in topic.parts:
        if weight != 0:
            for term in analyzer.terms(text):
                weights[term] = weights.get(term, 0.0) + weight
    return weights


def check_parameters(k1: float, b: float, depth: int) -> None:
    """Raise `ConfigError` for what no BM25 can be computed with."""
    number("retrieval.k1", k1, least=0)
    number("retrieval.b", b, least=0, most=1)
    whole_number("retrieval.depth", depth)


def empty_collection(documents: Documents) -> EmptyCollection:
    """The error for a collection in which no document has a term."""
    return EmptyCollection(
        f"{documents.text.where}: the collection is empty: none of its {len(documents)} documents has a term"
    )
