"""Edit distances between two sequences of numbers: Levenshtein, bag of words, and block movement (CDER)."""

import numpy as np

from clirbench.metrics.compiled.jit import njit


@njit(cache=True, nogil=True)
def levenshtein(words, reference):  # type: ignore[no-untyped-def]
    """Fewest insertions, deletions and substitutions of single words."""
    row = np.arange(len(reference) + 1)
    for i in range(len(words)):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(len(reference)):
            above = row[j + 1]
            cost = diagonal if words[i] == reference[j] else diagonal + 1
            row[j + 1] = min(cost, above + 1, row[j] + 1)
            diagonal = above
    return row[len(reference)]


@njit(cache=True, nogil=True)
def bag_errors(words, reference):  # type: ignore[no-untyped-def]
    """The longer length less the words that both have, order ignored."""
    ours, theirs = np.sort(words), np.sort(reference)
    i, j, both = 0, 0, 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            both += 1
            i += 1
            j += 1
        elif ours[i] < theirs[j]:
            i += 1
        else:
            j += 1
    return max(len(ours), len(theirs)) - both


@njit(cache=True, nogil=True)
def block_edits(words, reference):  # type: ignore[no-untyped-def]
    """Fewest edits where a jump to any place in `words` costs 1; each reference word is covered exactly once.

    `row[i]` is the cheapest way to have covered the reference words so far and to stand behind word i.
    """
    n = len(words)
    row = np.ones(n + 1, dtype=np.int64)
    row[0] = 0
    following = np.empty(n + 1, dtype=np.int64)
    for j in range(len(reference)):
        cheapest = following[0] = row[0] + 1
        for i in range(1, n + 1):
            cost = row[i - 1] if words[i - 1] == reference[j] else row[i - 1] + 1
            following[i] = min(cost, row[i] + 1, following[i - 1] + 1)
            cheapest = min(cheapest, following[i])
        for i in range(n + 1):
            following[i] = min(following[i], cheapest + 1)
        row, following = following, row
    return row[n]


@njit(cache=True, nogil=True)
def errors(words, offsets, references, reference_offsets, kind):  # type: ignore[no-untyped-def]
    """Errors of each segment by Levenshtein distance (`kind` 0), bag of words (1) or block movement (2)."""
    out = np.empty(len(offsets) - 1, dtype=np.float64)
    for segment in range(len(out)):
        ours = words[offsets[segment] : offsets[segment + 1]]
        theirs = references[reference_offsets[segment] : reference_offsets[segment + 1]]
        if kind == 0:
            out[segment] = levenshtein(ours, theirs)
        elif kind == 1:
            out[segment] = bag_errors(ours, theirs)
        else:
            out[segment] = block_edits(ours, theirs)
    return out
