"""One pass over a collection: the length of every document and the postings of the query terms alone.

Each distinct chunk of text between white space is analysed once, for all systems of a run.

What every engine does alike: parameters are checked, topics become weighted terms, nothing to search is an error.
"""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from clirbench.checks import number, whole_number
from clirbench.errors import AlignmentError, EmptyCollection, InputError
from clirbench.metrics.tokens import SPLIT, Types
from clirbench.retrieval.analyzers import Analyzer
from clirbench.text import invalid_utf8
from clirbench.types import Documents, Doubles, Floats, Ints, Run, Topic, rank_order

TermScores = tuple[Ints, Doubles]


@dataclass(frozen=True)
class Query:
    """A topic's terms in the order they are first read, each with its weight (its qtf)."""

    topic_id: str
    weights: dict[str, float]


def query(topic: Topic, analyzer: Analyzer) -> Query:
    """qtf(t) = sum over the topic's parts of the part's weight times the occurrences of t in it.

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
    return Query(topic.topic_id, weights)


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


def combine(documents: Documents, queries: Sequence[Query], scores_of: Callable[[str], TermScores], depth: int) -> Run:
    """Run from what an engine says of single terms: `scores_of(term)` is (ordinals of the documents, their scores).

    Scores are weighted by qtf, summed in float64 and cast to float32.
    """
    by_term = {term: scores_of(term) for term in dict.fromkeys(term for one in queries for term in one.weights)}
    ranked: list[tuple[str, Ints, Floats]] = []
    n_matched: list[int] = []
    for one in queries:
        total = np.zeros(len(documents))
        matches = np.zeros(len(documents), dtype=bool)
        for term, weight in one.weights.items():
            matched, scores = by_term[term]
            total[matched] += weight * scores
            matches[matched] = True
        found = np.flatnonzero(matches)
        sums = total[found].astype(np.float32)
        order = rank_order(sums, documents.map.id_rank[found], depth)
        ranked.append((one.topic_id, found[order], sums[order]))
        n_matched.append(len(found))
    unmatched = [[term for term in one.weights if not len(by_term[term][0])] for one in queries]
    return Run.build(documents.map, ranked, unmatched=unmatched, n_matched=n_matched)


Ints32 = NDArray[np.int32]

FORGET_BEYOND = 16 << 20  # bytes of distinct chunks after which all are forgotten, so that memory stays bounded
NEWLINE = ord("\n")
KINDS = np.array([byte in b" \t\n\v\f\r" for byte in range(33)], dtype=np.uint8)
"""Which bytes are white space, the kind 1 of `compiled.tokens`; all above are none."""


class KnownChunks:
    """The chunks seen so far: how many terms each has, and which of them count.

    Terms are numbered: the query terms first, in the order given, then, with `every=True`, all others as they come.
    Chunk c has `n_terms[c]` terms; those that are numbered are `hits[hit_starts[c]:hit_starts[c + 1]]`.
    """

    def __init__(self, analyzer: Analyzer, terms: tuple[str, ...], every: bool) -> None:
        self.analyzer = analyzer
        self.every = every
        self.lock = threading.Lock()  # one pass at a time: chunks are numbered and analysed in turn
        self.n_analyses = 0
        self.numbers = {term: number for number, term in enumerate(terms)}
        self._clear()

    def _clear(self) -> None:
        self._types = Types(None, np.uint8)
        self.n_terms = np.empty(0, dtype=np.int32)
        self.hit_starts = np.zeros(1, dtype=np.int64)
        self.hits = np.empty(0, dtype=np.int32)

    @property
    def n_chunks(self) -> int:
        return self._types.n

    def chunks(self, block: bytes) -> tuple[Ints32, Ints]:
        """The numbers of the chunks of whole lines, and where each line begins among them (one more entry than lines).

        Raises UnicodeDecodeError for bytes that are not UTF-8.
        """
        from clirbench.metrics.compiled import cut

        if self._types.table[1][self.n_chunks] > FORGET_BEYOND:
            self._clear()
        codes = np.frombuffer(block, dtype=np.uint8)
        lines = np.append(0, np.flatnonzero(codes == NEWLINE) + 1)
        starts, ends, first = cut(codes, lines, KINDS, SPLIT)
        known = self.n_chunks
        try:
            numbers = self._types.numbered(codes, starts, ends)
            if self.n_chunks > known:
                self._analyse(known)
        except BaseException:  # chunks that were entered but not analysed must not be found again
            self._clear()
            raise
        return numbers, first

    def _analyse(self, known: int) -> None:
        """Fill in what the chunks from `known` on consist of."""
        codes, starts, *_ = self._types.table
        bounds = starts[known : self.n_chunks + 1]
        region = codes[bounds[0] : bounds[-1]].tobytes()
        lengths: list[int] = []
        ends: list[int] = []
        hits: list[int] = []
        numbers, terms_of = self.numbers, self.analyzer.terms
        for start, end in pairwise((bounds - bounds[0]).tolist()):
            terms = terms_of(region[start:end].decode("utf-8"))
            for term in terms:
                if term in numbers:
                    hits.append(numbers[term])
                elif self.every:
                    numbers[term] = len(numbers)
                    hits.append(numbers[term])
            lengths.append(len(terms))
            ends.append(len(hits))
        self.n_analyses += len(lengths)
        self.n_terms = np.append(self.n_terms, np.array(lengths, dtype=np.int32))
        self.hit_starts = np.append(self.hit_starts, np.array(ends) + len(self.hits))
        self.hits = np.append(self.hits, np.array(hits, dtype=np.int32))

    def numbered_terms(self, chunks: Ints32) -> tuple[Ints32, Ints]:
        """(hits,) twice: the numbered terms of these chunks in turn, and in which of them each stands."""
        begins, n_hits = self.hit_starts[chunks], self.hit_starts[chunks + 1] - self.hit_starts[chunks]
        holding = np.flatnonzero(n_hits)
        begins, n_hits = begins[holding], n_hits[holding]
        places = np.repeat(begins - np.cumsum(n_hits) + n_hits, n_hits) + np.arange(n_hits.sum())
        return self.hits[places], np.repeat(holding, n_hits)


@lru_cache(maxsize=2)
def known_chunks(analyzer: Analyzer, terms: tuple[str, ...], every: bool) -> KnownChunks:
    """What is known of chunks for these query terms, kept alive between the collections that one process searches."""
    return KnownChunks(analyzer, terms, every)


@dataclass(frozen=True, eq=False)
class Postings:
    """What BM25 needs to know of a collection for given query terms.

    `lengths[d]` is the number of terms in document d. Query term t stands `counts[i]` times in `documents[i]` for
    i from `starts[t]` to `starts[t + 1]`, in the order of the collection. `frequencies` are the document
    frequencies of the query terms, then, where every term was asked for, those of all others. `numbers` has the number
    of each of these terms.
    """

    numbers: Mapping[str, int]
    lengths: Ints32
    starts: Ints
    documents: Ints32
    counts: Ints32
    frequencies: Ints


def postings(documents: Documents, analyzer: Analyzer, terms: Sequence[str], *, every: bool = False) -> Postings:
    """Read `documents` once, block by block.

    Raises `InputError` for bytes that are not UTF-8 and for a collection without a single term, `AlignmentError`
    where the text has not as many lines as the map says.
    """
    known = known_chunks(analyzer, tuple(terms), every)
    n = len(documents)
    document_of = np.repeat(np.arange(n, dtype=np.int32), documents.map.lengths)
    lengths = np.zeros(n, dtype=np.int32)
    # A posting is term * n + document: sorted, they are in order of term.
    keys, counts = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    line = 0
    with known.lock:
        for number, block in enumerate(documents.text.blocks()):
            try:
                chunks, first = known.chunks(block)
            except UnicodeDecodeError:
                raise _utf8_error(documents, number) from None
            of_lines = document_of[line : line + len(first) - 1]
            line += len(first) - 1
            document = np.repeat(of_lines, np.diff(first)[: len(of_lines)])
            if not len(document):
                continue
            chunks = chunks[: len(document)]
            held = np.bincount(document - document[0], known.n_terms[chunks])
            lengths[document[0] : document[0] + len(held)] += held.astype(np.int32)
            hits, places = known.numbered_terms(chunks)
            found, times = np.unique(hits * np.int64(n) + document[places], return_counts=True)
            keys.append(found)
            counts.append(times.astype(np.int32))
        n_numbered = len(known.numbers)
    if line != documents.map.n_lines:
        raise AlignmentError(
            f"{documents.text.where}: {line} lines, but its {n} documents have {documents.map.n_lines}"
        )
    if not lengths.any():
        raise empty_collection(documents)
    return _sorted(np.concatenate(keys), np.concatenate(counts), known.numbers, lengths, len(terms), n_numbered)


def _sorted(
    keys: Ints, counts: Ints32, numbers: Mapping[str, int], lengths: Ints32, n_terms: int, n_numbered: int
) -> Postings:
    """The postings of the first `n_terms` terms; a document that two blocks share has two, which are added up."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.add.reduceat(counts[order], begins) if len(begins) else counts
    found, of = np.divmod(keys[begins], len(lengths))
    frequencies = np.bincount(found, minlength=n_numbered)
    starts = np.append(0, np.cumsum(frequencies[:n_terms]))
    return Postings(
        numbers, lengths, starts, of[: starts[-1]].astype(np.int32), counts[: starts[-1]].astype(np.int32), frequencies
    )


def _utf8_error(documents: Documents, number: int) -> InputError:
    """The error for the first byte that is not UTF-8, in block `number` of the text."""
    n_lines = 0
    for block in islice(documents.text.blocks(), number):
        n_lines += block.count(b"\n")
    block = next(islice(documents.text.blocks(), number, None))
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        return invalid_utf8(documents.text.where, b"\n" * n_lines + block, n_lines + error.start)
    return InputError(f"{documents.text.where}: changed while it was read")
