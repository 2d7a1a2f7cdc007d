"""The three inner loops of BM25 over bytes and postings, compiled; imported only when a run needs them.

What they compute, in words: `scan` gives every distinct chunk of bytes between white space a number; `gather`
walks those numbers and counts, for each document, its terms and how often it has each query term; `add_up`
sums a topic's term scores. The readable versions they are tested against are in tests/retrieval/test_kernel.py.
"""

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.compiled.jit import njit

Bytes = NDArray[np.uint8]
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Words = NDArray[np.uint64]
Words2 = NDArray[np.uint64]  # (chunks, 2)
Floats32 = NDArray[np.float32]
Floats64 = NDArray[np.float64]

END_OF_LINE = -1
SPACE = 32
PADDING = 32  # bytes of white space that must follow a block, so that eight bytes can be read at any place of it

_LOW = np.uint64(0x2121212121212121)
_HIGH_BITS = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE, _BYTE, _TOP, _LAST_BIT, _WORD = np.uint64(1), np.uint64(8), np.uint64(56), np.uint64(63), np.uint64(64)
_LONG = np.uint64(255)


@njit(cache=True, nogil=True)
def _low_bytes(eight: np.uint64) -> np.uint64:
    """The topmost bit of each of eight bytes that is 32 or less, and of some 33s behind one that is."""
    return (eight - _LOW) & ~eight & _HIGH_BITS


@njit(cache=True, nogil=True)
def _lowest(marks: np.uint64) -> int:
    """Which of eight bytes, 0 to 7, has the lowest marked bit."""
    below = ((((marks & (~marks + _ONE)) - _ONE) & _ONES) * _ONES) >> _TOP
    return int(below) - 1


@njit(cache=True, nogil=True)
def _slot(first: np.uint64, second: np.uint64) -> np.uint64:
    """A well mixed number of the two."""
    value = (first ^ (second * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))


@njit(cache=True, nogil=True)
def scan(
    block: Bytes,
    length: int,
    at: int,
    arena: Bytes,
    starts: Ints64,
    keys: Words2,
    table: Ints32,
    n_chunks: int,
    out: Ints32,
) -> tuple[int, int, int]:
    """Write the numbers of the chunks of `block` from byte `at` on to `out`, `END_OF_LINE` for each newline.

    The block's `length` bytes are followed by `PADDING` bytes of white space. Chunk i is
    `arena[starts[i]:starts[i + 1] - 1]`, followed by a space. `keys[i]` are two numbers: up to 15 bytes they hold
    the chunk itself and, in the topmost byte, its size; for a longer one its hash and the mark `_LONG`. `table` (its
    length a power of two, at most half full) is the open-addressed hash table of numbers + 1. New chunks are added.
    Stops at the end of the block or before a chunk for which `out` (a chunk and the newline behind it need two
    places), the arena or the table has no room left.
    Returns (the byte reached, how many numbers were written, how many chunks are known now).

    One function, because a call that hands arrays over costs more here than all it would do.
    """
    words = block.view(np.uint64)
    mask = np.uint64(len(table) - 1)
    most = min(len(table) // 2, len(keys))
    written = 0
    for index in range(at >> 3, (length >> 3) + 1):
        marks = _low_bytes(words[index])
        while marks != 0:
            end = index * 8 + _lowest(marks)
            marks &= marks - _ONE
            byte = block[end]
            if end < at or not (byte == SPACE or 9 <= byte <= 13):
                continue
            if written + 2 > len(out):
                return at, written, n_chunks
            size = end - at
            if size > 0:
                second = _LONG << _TOP
                if size < 16:  # eight bytes at any place are put together from two aligned words
                    shift = np.uint64(at & 7) * _BYTE
                    back = _LAST_BIT - shift
                    bits = np.uint64(size) * _BYTE
                    place = at >> 3
                    first = (words[place] >> shift) | ((words[place + 1] << back) << _ONE)
                    second = np.uint64(size) << _TOP
                    if size <= 8:
                        first &= _ALL >> (_WORD - bits)
                    else:
                        eight = (words[place + 1] >> shift) | ((words[place + 2] << back) << _ONE)
                        second |= eight & ((_ONE << (bits - _WORD)) - _ONE)
                else:
                    first = np.uint64(14695981039346656037)
                    for place in range(at, end):
                        first = (first ^ np.uint64(block[place])) * np.uint64(1099511628211)
                slot = _slot(first, second) & mask
                number = table[slot] - 1
                while number >= 0:
                    if keys[number, 0] == first and keys[number, 1] == second:
                        start = starts[number]
                        same = size < 16 or starts[number + 1] - 1 - start == size
                        if size >= 16:
                            for step in range(size if same else 0):
                                same &= block[at + step] == arena[start + step]
                        if same:
                            break
                    slot = (slot + _ONE) & mask
                    number = table[slot] - 1
                if number < 0:
                    start = starts[n_chunks]
                    if n_chunks == most or start + size + 1 > len(arena):
                        return at, written, n_chunks
                    for step in range(size):
                        arena[start + step] = block[at + step]
                    arena[start + size] = SPACE
                    number = n_chunks
                    n_chunks += 1
                    starts[n_chunks] = start + size + 1
                    keys[number, 0] = first
                    keys[number, 1] = second
                    table[slot] = number + 1
                out[written] = number
                written += 1
            if byte == 10:
                out[written] = END_OF_LINE
                written += 1
            at = end + 1
    return length, written, n_chunks


@njit(cache=True, nogil=True)
def refill(table: Ints32, keys: Words2, n_chunks: int) -> None:
    """Enter the first `n_chunks` chunks into an empty `table`."""
    mask = np.uint64(len(table) - 1)
    for number in range(n_chunks):
        slot = _slot(keys[number, 0], keys[number, 1]) & mask
        while table[slot] != 0:
            slot = (slot + _ONE) & mask
        table[slot] = number + 1


@njit(cache=True, nogil=True)
def gather(
    numbers: Ints32,
    at: int,
    n_terms: Ints32,
    hit_starts: Ints64,
    hits: Ints32,
    lines: Ints64,
    lengths: Ints32,
    state: Ints64,
    last_document: Ints32,
    last_posting: Ints64,
    frequencies: Ints32,
    documents: Ints32,
    terms: Ints32,
    counts: Ints32,
) -> int:
    """Count terms and query terms for each document; returns how many of `numbers` were taken.

    `n_terms[c]` is the number of terms in chunk c, or ~ that number (below 0) where it holds counted terms, which are
    `hits[hit_starts[c]:hit_starts[c + 1]]`.
    Document d is the next `lines[d]` lines; `lengths[d]` becomes its number of terms. `state` holds (document,
    lines it still takes, postings so far). A posting i says that `terms[i]` stands `counts[i]` times in
    `documents[i]`. `last_document[t]` is the newest document with term t and `frequencies[t]` the number of them;
    the terms below `len(last_posting)` have postings, `last_posting[t]` is the newest.
    Stops when the postings are full or when a line comes after the last document's (state[0] == len(lines)).
    """
    document, left, n_postings = state[0], state[1], state[2]
    taken = at
    length = lengths[document] if document < len(lines) else 0
    while taken < len(numbers) and document < len(lines):
        number = numbers[taken]
        if number == END_OF_LINE:
            left -= 1
            while left == 0:
                lengths[document] = length
                length = 0
                document += 1
                if document == len(lines):
                    break
                left = lines[document]
            taken += 1
            continue
        n = n_terms[number]
        if n < 0:
            n = ~n
            start = hit_starts[number]
            stop = hit_starts[number + 1]
            if n_postings + (stop - start) > len(documents):
                break
            for hit in range(start, stop):
                term = hits[hit]
                if last_document[term] != document:
                    last_document[term] = document
                    frequencies[term] += 1
                    if term < len(last_posting):
                        documents[n_postings] = document
                        terms[n_postings] = term
                        counts[n_postings] = 1
                        last_posting[term] = n_postings
                        n_postings += 1
                elif term < len(last_posting):
                    counts[last_posting[term]] += 1
        length += n
        taken += 1
    if document < len(lines):
        lengths[document] = length
    state[0], state[1], state[2] = document, left, n_postings
    return taken


@njit(cache=True, nogil=True)
def add_up(
    topic: Ints32,
    weights: Floats32,
    starts: Ints64,
    documents: Ints32,
    counts: Ints32,
    norms: Floats32,
    total: Floats64,
    found: Ints32,
) -> int:
    """Sum w - w / (1 + tf * norm), each a float32, as float64; returns the number of matched documents.

    `topic` are the topic's terms and `weights` their weights. The matched documents are written to `found`, their
    sums to `total`, which holds NaN everywhere before and must be set back to it for the documents found.
    """
    one = np.float32(1)
    n_found = 0
    for index in range(len(topic)):
        weight = weights[index]
        for posting in range(starts[topic[index]], starts[topic[index] + 1]):
            document = documents[posting]
            score = weight - weight / (one + np.float32(counts[posting]) * norms[document])
            if np.isnan(total[document]):
                found[n_found] = document
                n_found += 1
                total[document] = score
            else:
                total[document] += score
    return n_found
