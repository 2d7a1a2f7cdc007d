"""Clipped n-gram matches of all orders at once; counts of word types.

The n-grams of a segment's references are in one hash table a segment, linked as a trie: the key of an n-gram is
(the slot of its first n - 1 symbols, its last symbol), so a key is exact however long the n-gram is. A hypothesis
walks from each position down the trie and stops at the first order that no reference has. Matches are clipped by
counting how often each slot has been used.
"""

import numpy as np

from clirbench.metrics.compiled.jit import njit

EMPTY = np.int64(-1)


@njit(cache=True, nogil=True)
def slot_of(keys, begin, size, parent, symbol):  # type: ignore[no-untyped-def]
    """The slot (relative to `begin`) that holds the key, or the empty one where it belongs."""
    key = ((np.int64(parent) + 1) << np.int64(32)) | np.int64(symbol)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    slot = np.int64(((mixed & np.uint64(0xFFFFFFFF)) * np.uint64(size)) >> np.uint64(32))
    while keys[begin + slot] != -1 and keys[begin + slot] != key:
        slot += 1
        if slot == size:
            slot = np.int64(0)
    return slot, key


@njit(cache=True, nogil=True)
def n_grams(length, order):  # type: ignore[no-untyped-def]
    """How many n-grams of orders 1..order a sequence has."""
    total = 0
    for n in range(1, order + 1):
        total += max(0, length - n + 1)
    return total


@njit(cache=True, nogil=True)
def build_tables(symbols, offsets, n_references, order):  # type: ignore[no-untyped-def]
    """The tables of all segments; line r * segments + s is reference r of segment s.

    Returns where each segment's table begins, the keys, and of each n-gram the count in the reference that has it
    most often.
    """
    n_segments = (len(offsets) - 1) // n_references
    begins = np.zeros(n_segments + 1, dtype=np.int64)
    for segment in range(n_segments):
        total = 0
        for reference in range(n_references):
            line = reference * n_segments + segment
            total += n_grams(offsets[line + 1] - offsets[line], order)
        begins[segment + 1] = begins[segment] + total + total // 2 + 2
    keys = np.full(begins[-1], EMPTY, dtype=np.int64)
    counts = np.zeros(begins[-1], dtype=np.int32)
    here = np.zeros(begins[-1] if n_references > 1 else 0, dtype=np.int32)
    for segment in range(n_segments):
        begin = begins[segment]
        size = begins[segment + 1] - begin
        for reference in range(n_references):
            line = reference * n_segments + segment
            if reference:
                here[begin : begin + size] = 0
            for i in range(offsets[line], offsets[line + 1]):
                parent = np.int64(-1)
                for j in range(i, min(i + order, offsets[line + 1])):
                    slot, key = slot_of(keys, begin, size, parent, symbols[j])
                    keys[begin + slot] = key
                    if reference == 0:
                        counts[begin + slot] += 1
                    else:
                        here[begin + slot] += 1
                        counts[begin + slot] = max(counts[begin + slot], here[begin + slot])
                    parent = slot
    return begins, keys, counts


@njit(cache=True, nogil=True)
def count_matches(symbols, offsets, order, begins, keys, counts):  # type: ignore[no-untyped-def]
    """Clipped matches of orders 1..order, one row a segment."""
    n_segments = len(offsets) - 1
    matches = np.zeros((n_segments, order), dtype=np.float64)
    widest = 0
    for segment in range(n_segments):
        widest = max(widest, begins[segment + 1] - begins[segment])
    used = np.zeros(widest, dtype=np.int32)
    for segment in range(n_segments):
        begin = begins[segment]
        size = begins[segment + 1] - begin
        used[:size] = 0
        end = offsets[segment + 1]
        for i in range(offsets[segment], end):
            parent = np.int64(-1)
            for j in range(i, min(i + order, end)):
                slot, _key = slot_of(keys, begin, size, parent, symbols[j])
                if keys[begin + slot] == -1:
                    break
                if used[slot] < counts[begin + slot]:
                    used[slot] += 1
                    matches[segment, j - i] += 1
                parent = slot
    return matches


@njit(cache=True, nogil=True)
def count_types(hypothesis, hypothesis_offsets, reference, reference_offsets, n_types):  # type: ignore[no-untyped-def]
    """REFS, PREDS and MATCH (columns 3t, 3t + 1, 3t + 2 of type t) of each segment, as a CSR matrix of non-zeros."""
    n_segments = len(hypothesis_offsets) - 1
    bound = 3 * (len(hypothesis) + len(reference))
    columns = np.empty(bound, dtype=np.int32)
    values = np.empty(bound, dtype=np.float64)
    begins = np.zeros(n_segments + 1, dtype=np.int32)
    refs = np.zeros(n_types, dtype=np.int32)
    preds = np.zeros(n_types, dtype=np.int32)
    seen = np.empty(n_types, dtype=np.int32)
    n = 0
    for segment in range(n_segments):
        n_seen = 0
        for i in range(reference_offsets[segment], reference_offsets[segment + 1]):
            kind = reference[i]
            if refs[kind] == 0:
                seen[n_seen] = kind
                n_seen += 1
            refs[kind] += 1
        for i in range(hypothesis_offsets[segment], hypothesis_offsets[segment + 1]):
            kind = hypothesis[i]
            if refs[kind] == 0 and preds[kind] == 0:
                seen[n_seen] = kind
                n_seen += 1
            preds[kind] += 1
        seen[:n_seen].sort()
        for i in range(n_seen):
            kind = seen[i]
            for offset, count in enumerate((refs[kind], preds[kind], min(refs[kind], preds[kind]))):
                if count:
                    columns[n] = 3 * kind + offset
                    values[n] = count
                    n += 1
            refs[kind] = 0
            preds[kind] = 0
        begins[segment + 1] = n
    return values[:n], columns[:n], begins  # what was never written takes no memory


@njit(cache=True, nogil=True)
def resampled_f(starts, segments, counts, weights, beta, k, micro):  # type: ignore[no-untyped-def]
    """Scores of MacroF or MicroF of every resample, 0-100, one pass over the types: `macrof.average_types` of them all.

    `starts`, `segments`, `counts`: the statistics by column (CSC); `weights`: (segments, samples), how often each
    sample holds each segment; `beta` squared. Returns (samples,).
    """
    samples = weights.shape[1]
    above, below, totals = np.zeros(samples), np.zeros(samples), np.empty((3, samples))
    for t in range((len(starts) - 1) // 3):
        totals[:] = 0.0
        for part in range(3):
            total = totals[part]
            for at in range(starts[3 * t + part], starts[3 * t + part + 1]):
                row = weights[segments[at]]
                count = counts[at]
                for r in range(samples):
                    total[r] += count * row[r]
        refs, preds, match = totals[0], totals[1], totals[2]
        for r in range(samples):
            weight = (refs[r] + k if micro else 1.0) if refs[r] + preds[r] > 0 else 0.0
            # Not branching: fast.
            possible = preds[r] + beta * refs[r] if match[r] > 0 else 1.0
            above[r] += weight * (1 + beta) * match[r] / possible
            below[r] += weight
    return 100.0 * above / np.where(below > 0, below, 1.0)
