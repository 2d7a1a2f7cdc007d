"""One pass over a collection: the length of every document and the postings of the query terms alone.

Each distinct chunk of text between white space is analysed once, for all systems of a run.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import AlignmentError, InputError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.queries import empty_collection
from clirbench.text import invalid_utf8
from clirbench.types import Documents, Ints

Ints32 = NDArray[np.int32]

AT_ONCE = 1 << 17  # chunks that are numbered before they are counted: their numbers stay in the processor's cache
FORGET_BEYOND = 16 << 20  # bytes of distinct chunks after which all are forgotten, so that memory stays bounded


class KnownChunks:
    """The chunks seen so far: how many terms each has, and which of them count.

    Terms are numbered: the query terms first, in the order given, then, with `every=True`, all others as they come.
    `n_terms[c]` is the number of terms in chunk c, or ~ that number where some are numbered: these are
    `hits[hit_starts[c]:hit_starts[c + 1]]`.
    """

    def __init__(self, analyzer: Analyzer, terms: tuple[str, ...], every: bool) -> None:
        self.analyzer = analyzer
        self.every = every
        self.lock = threading.Lock()  # one pass at a time: chunks are numbered and analysed in turn
        self.n_analyses = 0
        self.numbers = {term: number for number, term in enumerate(terms)}
        self._clear()

    def _clear(self) -> None:
        self.n_chunks = 0
        self._n_hits = 0
        self._arena = np.empty(4 << 20, dtype=np.uint8)
        self._starts = np.zeros((1 << 17) + 1, dtype=np.int64)
        self._keys = np.empty((1 << 17, 2), dtype=np.uint64)
        self._table = np.zeros(1 << 18, dtype=np.int32)
        self.n_terms = np.empty(1 << 17, dtype=np.int32)
        self.hit_starts = np.zeros((1 << 17) + 1, dtype=np.int64)
        self.hits = np.empty(1 << 15, dtype=np.int32)

    @property
    def n_numbered(self) -> int:
        return len(self.numbers)

    def forget_if_large(self) -> None:
        """Between two blocks: start over where the chunks take more than `FORGET_BEYOND` bytes."""
        if self._starts[self.n_chunks] > FORGET_BEYOND:
            self._clear()

    def chunks(self, block: NDArray[np.uint8], length: int, at: int, out: NDArray[np.int32]) -> tuple[int, int]:
        """Number the chunks of `block` from byte `at` on into `out`: (the byte reached, how many numbers).

        The block's `length` bytes are followed by `kernel.PADDING` bytes of white space. Raises UnicodeDecodeError for
        bytes that are not UTF-8.
        """
        from clirbench.retrieval import kernel

        known = self.n_chunks
        reached, written, self.n_chunks = kernel.scan(
            block, length, at, self._arena, self._starts, self._keys, self._table, known, out
        )
        try:
            if self.n_chunks > known:
                self._analyse(known)
        except BaseException:  # chunks that were entered but not analysed must not be found again
            self._clear()
            raise
        if written + 2 <= len(out) and reached < length:
            self._grow(length - reached)
        return reached, written

    def _analyse(self, known: int) -> None:
        """Fill in what the chunks from `known` on consist of."""
        region = self._arena[self._starts[known] : self._starts[self.n_chunks] - 1]
        chunks = region.tobytes().decode("utf-8").split(" ")
        lengths: list[int] = []
        ends: list[int] = []
        hits: list[int] = []
        numbers, terms_of = self.numbers, self.analyzer.terms
        for chunk in chunks:
            terms = terms_of(chunk)
            before = len(hits)
            for term in terms:
                if term in numbers:
                    hits.append(numbers[term])
                elif self.every:
                    numbers[term] = len(numbers)
                    hits.append(numbers[term])
            lengths.append(len(terms) if len(hits) == before else ~len(terms))
            ends.append(len(hits))
        self.n_analyses += len(chunks)
        self.n_terms[known : self.n_chunks] = lengths
        self.hit_starts[known + 1 : self.n_chunks + 1] = np.asarray(ends) + self._n_hits
        while len(self.hits) < self._n_hits + len(hits):
            self.hits = _longer(self.hits)
        self.hits[self._n_hits : self._n_hits + len(hits)] = hits
        self._n_hits += len(hits)

    def _grow(self, n_bytes: int) -> None:
        """Make room for more chunks where there is none; the next one may have `n_bytes` bytes."""
        from clirbench.retrieval import kernel

        if len(self._arena) - self._starts[self.n_chunks] <= n_bytes:
            self._arena = _longer(self._arena)
        if self.n_chunks == len(self._keys):
            self._keys = _longer(self._keys)
            self.n_terms = _longer(self.n_terms)
            self._starts = _longer(self._starts)
            self.hit_starts = _longer(self.hit_starts)
        if 2 * self.n_chunks >= len(self._table):
            self._table = np.zeros(2 * len(self._table), dtype=np.int32)
            kernel.refill(self._table, self._keys, self.n_chunks)


def _longer(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of `array` with twice the room."""
    longer = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


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
    with known.lock:
        pass_ = _Pass(known, documents, len(terms))
        for number, block in enumerate(documents.text.blocks()):
            try:
                pass_.count(block)
            except UnicodeDecodeError:
                raise _utf8_error(documents, number) from None
    if not pass_.complete:
        n_lines = sum(block.count(b"\n") for block in documents.text.blocks())
        raise AlignmentError(
            f"{documents.text.where}: {n_lines} lines, but its {len(documents)} documents have {documents.map.n_lines}"
        )
    if not pass_.lengths.any():
        raise empty_collection(documents)
    return pass_.finish()


class _Pass:
    """The state of one pass: the growing arrays that the compiled loop fills."""

    def __init__(self, known: KnownChunks, documents: Documents, n_query_terms: int) -> None:
        self.known = known
        self.lines = documents.map.lengths.astype(np.int64, copy=False)
        self.lengths = np.zeros(len(documents), dtype=np.int32)
        first = int(np.argmax(self.lines > 0)) if self.lines.any() else len(self.lines)
        left = int(self.lines[first]) if first < len(self.lines) else 0
        self.state = np.array([first, left, 0], dtype=np.int64)
        self.last_posting = np.empty(n_query_terms, dtype=np.int64)
        self.last_document = np.full(known.n_numbered, -1, dtype=np.int32)
        self.frequencies = np.zeros(known.n_numbered, dtype=np.int32)
        self.documents, self.terms, self.counts = (np.empty(1 << 16, dtype=np.int32) for _ in range(3))
        self.numbers = np.empty(AT_ONCE, dtype=np.int32)
        self.block = np.empty(0, dtype=np.uint8)
        self.too_many_lines = False

    @property
    def complete(self) -> bool:
        """Whether the text has had as many lines as the documents have together."""
        return not self.too_many_lines and int(self.state[0]) == len(self.lines)

    def count(self, block: bytes) -> None:
        """Count the terms of one block of whole lines."""
        from clirbench.retrieval import kernel

        room = -(-(len(block) + kernel.PADDING) // 8) * 8
        if len(self.block) < room:
            self.block = np.empty(room, dtype=np.uint8)
        self.block[: len(block)] = np.frombuffer(block, dtype=np.uint8)
        self.block[len(block) :] = kernel.SPACE
        self.known.forget_if_large()
        at = 0
        while at < len(block):
            at, written = self.known.chunks(self.block, len(block), at, self.numbers)
            self._gather(self.numbers[:written])

    def _gather(self, numbers: Ints32) -> None:
        from clirbench.retrieval import kernel

        known = self.known
        new = known.n_numbered - len(self.frequencies)
        if new:
            self.last_document = np.append(self.last_document, np.full(new, -1, dtype=np.int32))
            self.frequencies = np.append(self.frequencies, np.zeros(new, dtype=np.int32))
        taken = 0
        while taken < len(numbers) and not self.too_many_lines:
            taken = kernel.gather(
                numbers, taken, known.n_terms, known.hit_starts, known.hits, self.lines, self.lengths, self.state,
                self.last_document, self.last_posting, self.frequencies, self.documents, self.terms, self.counts,
            )  # fmt: skip
            if taken < len(numbers) and self.state[0] == len(self.lines):
                self.too_many_lines = True
            elif taken < len(numbers):  # the postings are full
                self.documents, self.terms, self.counts = map(_longer, (self.documents, self.terms, self.counts))

    def finish(self) -> Postings:
        """The postings in order of term."""
        n_terms, n_postings = len(self.last_posting), int(self.state[2])
        starts = np.zeros(n_terms + 1, dtype=np.int64)
        np.cumsum(self.frequencies[:n_terms], out=starts[1:])
        terms = self.terms[:n_postings]  # in 16 bits they are sorted by counting
        order = np.argsort(terms.astype(np.uint16) if n_terms < 1 << 16 else terms, kind="stable")
        documents, counts = self.documents[order], self.counts[order]
        return Postings(self.known.numbers, self.lengths, starts, documents, counts, self.frequencies.astype(np.int64))


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
