"""Edit distances between two sequences of numbers: Levenshtein, and with block movement (CDER)."""

import numpy as np

from clirbench.metrics.compiled.jit import njit


@njit(cache=True, nogil=True)
def edits(words, reference, jumps):  # type: ignore[no-untyped-def]
    """Fewest insertions, deletions and substitutions of words; with `jumps`, a jump to any place in `words` costs 1.

    `row[i]` is the cheapest way to have covered the reference words so far and to stand behind word i. With jumps each
    reference word is covered exactly once, words any number of times.
    """
    row = np.arange(len(words) + 1)
    if jumps:
        row = np.minimum(row, 1)
    following = np.empty_like(row)
    for j in range(len(reference)):
        following[0] = row[0] + 1
        for i in range(1, len(words) + 1):
            cost = row[i - 1] if words[i - 1] == reference[j] else row[i - 1] + 1
            following[i] = min(cost, row[i] + 1, following[i - 1] + 1)
        if jumps:
            following = np.minimum(following, following.min() + 1)
        row, following = following, row
    return row[len(words)]


@njit(cache=True, nogil=True)
def errors(words, offsets, references, reference_offsets, jumps):  # type: ignore[no-untyped-def]
    """The edits of each segment."""
    out = np.empty(len(offsets) - 1, dtype=np.float64)
    for segment in range(len(out)):
        ours = words[offsets[segment] : offsets[segment + 1]]
        theirs = references[reference_offsets[segment] : reference_offsets[segment + 1]]
        out[segment] = edits(ours, theirs, jumps)
    return out
