"""Each distinct chunk of text between white space is analysed once, for all systems of a run."""

import threading
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.retrieval.analyzers.base import Analyzer

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

    def twin(self) -> "KnownChunks":
        """Another that knows the same chunks, and learns new ones by itself."""
        with self.lock:
            twin = copy(self)
            for name, held in vars(self).items():
                if isinstance(held, np.ndarray | dict):
                    setattr(twin, name, held.copy())
        twin.lock = threading.Lock()
        return twin

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
            self.hits = longer(self.hits)
        self.hits[self._n_hits : self._n_hits + len(hits)] = hits
        self._n_hits += len(hits)

    def _grow(self, n_bytes: int) -> None:
        """Make room for more chunks where there is none; the next one may have `n_bytes` bytes."""
        from clirbench.retrieval import kernel

        if len(self._arena) - self._starts[self.n_chunks] <= n_bytes:
            self._arena = longer(self._arena)
        if self.n_chunks == len(self._keys):
            self._keys = longer(self._keys)
            self.n_terms = longer(self.n_terms)
            self._starts = longer(self._starts)
            self.hit_starts = longer(self.hit_starts)
        if 2 * self.n_chunks >= len(self._table):
            self._table = np.zeros(2 * len(self._table), dtype=np.int32)
            kernel.refill(self._table, self._keys, self.n_chunks)


def longer(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of `array` with twice the room."""
    longer = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


@lru_cache(maxsize=2)
def _first(analyzer: Analyzer, terms: tuple[str, ...], every: bool) -> KnownChunks:
    return KnownChunks(analyzer, terms, every)


class _OfThread(threading.local):
    """Each thread's own twin of what is known."""

    def __init__(self) -> None:
        self.twin = lru_cache(maxsize=2)(KnownChunks.twin)


_OF_THREAD = _OfThread()


def known_chunks(analyzer: Analyzer, terms: tuple[str, ...], every: bool) -> KnownChunks:
    """What is known of chunks for these query terms, kept alive between the collections that one process searches.

    Threads each have their own, so that none waits for another; they begin with what the main thread has learnt.
    """
    first = _first(analyzer, terms, every)
    return first if threading.current_thread() is threading.main_thread() else _OF_THREAD.twin(first)
