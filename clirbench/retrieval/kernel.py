"""The three inner loops of BM25 over bytes and postings, compiled; imported only when a run needs them.

What they compute, in words: `scan` gives every distinct chunk of bytes between white space a number; `gather`
walks those numbers and counts, for each document, its terms and how often each query term stands in it; `add_up`
sums a topic's term scores. The readable versions they are held against stand in tests/retrieval/test_kernel.py.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Floats32 = NDArray[np.float32]
Floats64 = NDArray[np.float64]

END_OF_LINE = -1
SPACE = 32


@njit(cache=True)
def scan(
    block: Bytes,
    at: int,
    arena: Bytes,
    starts: Ints64,
    hashes: Hashes,
    table: Ints32,
    n_chunks: int,
    out: Ints32,
) -> tuple[int, int, int]:
    """Write the numbers of the chunks of `block` from byte `at` on to `out`, `END_OF_LINE` for each newline.

    Chunk i is `arena[starts[i]:starts[i + 1] - 1]`, followed by a space; `hashes[i]` is its hash and `table` (its
    length a power of two, at most half full) the open-addressed hash table of numbers + 1. New chunks are added.
    Stops at the end of the block or before a chunk for which `out`, the arena or the table has no room left.
    Returns (the byte reached, how many numbers were written, how many chunks are known now).
    """
    length = len(block)
    mask = np.uint64(len(table) - 1)
    most = min(len(table) // 2, len(hashes))
    written = 0
    while at < length:
        if written == len(out):
            break
        byte = block[at]
        if byte == SPACE or (9 <= byte <= 13):
            if byte == 10:
                out[written] = END_OF_LINE
                written += 1
            at += 1
            continue
        end = at
        value = np.uint64(14695981039346656037)
        while end < length:
            byte = block[end]
            if byte <= SPACE and (byte == SPACE or (9 <= byte <= 13)):
                break
            value = (value ^ np.uint64(byte)) * np.uint64(1099511628211)
            end += 1
        value ^= value >> np.uint64(29)
        slot = value & mask
        while True:
            number = table[slot] - 1
            if number < 0:
                break
            if hashes[number] == value:
                start = starts[number]
                same = starts[number + 1] - 1 - start == end - at
                step = 0
                while same and step < end - at:
                    same = arena[start + step] == block[at + step]
                    step += 1
                if same:
                    break
            slot = (slot + np.uint64(1)) & mask
        if number < 0:
            start = starts[n_chunks]
            if n_chunks == most or start + (end - at) + 1 > len(arena):
                break
            number = n_chunks
            n_chunks += 1
            arena[start : start + (end - at)] = block[at:end]
            arena[start + (end - at)] = SPACE
            starts[n_chunks] = start + (end - at) + 1
            hashes[number] = value
            table[slot] = number + 1
        out[written] = number
        written += 1
        at = end
    return at, written, n_chunks


@njit(cache=True)
def refill(table: Ints32, hashes: Hashes, n_chunks: int) -> None:
    """Enter the first `n_chunks` chunks into an empty `table`."""
    mask = np.uint64(len(table) - 1)
    for number in range(n_chunks):
        slot = hashes[number] & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number + 1


@njit(cache=True)
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

    `n_terms[c]` is the number of terms in chunk c and `hits[hit_starts[c]:hit_starts[c + 1]]` its counted terms.
    Document d is the next `lines[d]` lines; `lengths[d]` becomes its number of terms. `state` holds (document,
    lines it still takes, postings so far). A posting i says that `terms[i]` stands `counts[i]` times in
    `documents[i]`. `last_document[t]` is the newest document with term t and `frequencies[t]` the number of them;
    the terms below `len(last_posting)` have postings, `last_posting[t]` is the newest.
    Stops when the postings are full or when a line comes after the last document's (state[0] == len(lines)).
    """
    document, left, n_postings = state[0], state[1], state[2]
    taken = at
    while taken < len(numbers) and document < len(lines):
        number = numbers[taken]
        if number == END_OF_LINE:
            left -= 1
            while left == 0:
                document += 1
                if document == len(lines):
                    break
                left = lines[document]
            taken += 1
            continue
        start = hit_starts[number]
        stop = hit_starts[number + 1]
        if n_postings + (stop - start) > len(documents):
            break
        lengths[document] += n_terms[number]
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
        taken += 1
    state[0], state[1], state[2] = document, left, n_postings
    return taken


@njit(cache=True)
def by_term(documents: Ints32, terms: Ints32, counts: Ints32, starts: Ints64) -> tuple[Ints32, Ints32]:
    """Documents and counts of the postings put in order of term; those of term t begin at `starts[t]`."""
    ends = starts.copy()
    sorted_documents = np.empty_like(documents)
    sorted_counts = np.empty_like(counts)
    for posting in range(len(terms)):
        place = ends[terms[posting]]
        ends[terms[posting]] = place + 1
        sorted_documents[place] = documents[posting]
        sorted_counts[place] = counts[posting]
    return sorted_documents, sorted_counts


@njit(cache=True)
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
