"""The edits of TER: a beam edit distance, and greedy shifts of blocks that lower it.

Follows Tercom's search as sacreBLEU documents it. Segments are short, so rows are whole arrays of the beam's width;
what makes it fast is that a shifted hypothesis shares the rows of its unchanged beginning with the unshifted one,
and is given up as soon as no cell of a row can lead to a distance low enough to be chosen.
"""

import math

import numpy as np

from clirbench.metrics.compiled.jit import njit

BEAM = 25
MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
FAR = np.int32(1 << 29)
KEEP, SUBSTITUTE, DELETE, INSERT = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def beam_width(n, m):  # type: ignore[no-untyped-def]
    ratio = m / n if n else 1.0
    return math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM


@njit(cache=True, nogil=True)
def row_range(i, n, m, beam):  # type: ignore[no-untyped-def]
    """First cell and one past the last cell of row i: the beam around the diagonal; row 0 and the last end at m."""
    if i == 0:
        return 0, m + 1
    diagonal = math.floor(i * (m / n))
    return max(0, diagonal - beam), m + 1 if i == n else min(m + 1, diagonal + beam)


@njit(cache=True, nogil=True)
def fill_row(word, reference, above, above_low, above_high, row, low, high, operations, traced):  # type: ignore[no-untyped-def]
    """Costs of row i from the row above (each stored from its own first cell on), and with `traced` the operations.

    On equal costs keeping or substituting wins, then deletion, then insertion.
    """
    left = FAR
    for j in range(low, high):
        best, operation = FAR, KEEP
        if j == 0:
            best, operation = above[0] + 1, DELETE
        else:
            if above_low <= j - 1 < above_high:
                same = word == reference[j - 1]
                best = above[j - 1 - above_low] + (0 if same else 1)
                operation = KEEP if same else SUBSTITUTE
            if above_low <= j < above_high and above[j - above_low] + 1 < best:
                best, operation = above[j - above_low] + 1, DELETE
            if left + 1 < best:
                best, operation = left + 1, INSERT
        row[j - low] = best
        if traced:
            operations[j - low] = operation
        left = best


@njit(cache=True, nogil=True)
def distance(words, reference, first_row, costs, operations, beam):  # type: ignore[no-untyped-def]
    """Edit distance of `words` to the reference; fills rows 1 to n of costs and operations."""
    n, m = len(words), len(reference)
    above, above_low, above_high = first_row, 0, m + 1
    for i in range(1, n + 1):
        low, high = row_range(i, n, m, beam)
        fill_row(words[i - 1], reference, above, above_low, above_high, costs[i], low, high, operations[i], True)
        above, above_low, above_high = costs[i], low, high
    return above[m - above_low]


@njit(cache=True, nogil=True)
def shifted_distance(words, shifted, reference, first_row, costs, spare, unused, beam, limit):  # type: ignore[no-untyped-def]
    """Edit distance of `shifted` where it is at most `limit`, else some number above it.

    Rows of the beginning that it shares with `words` are read from `costs`.
    """
    n, m = len(words), len(reference)
    shared = 0
    while shared < n and words[shared] == shifted[shared]:
        shared += 1
    above = costs[shared] if shared else first_row
    above_low, above_high = row_range(shared, n, m, beam)
    for i in range(shared + 1, n + 1):
        low, high = row_range(i, n, m, beam)
        row = spare[i % 2]
        fill_row(shifted[i - 1], reference, above, above_low, above_high, row, low, high, unused, False)
        reachable = FAR
        for j in range(low, high):
            reachable = min(reachable, row[j - low] + abs((n - i) - (m - j)))
        if reachable > limit:
            return reachable
        above, above_low, above_high = row, low, high
    return above[m - above_low]


@njit(cache=True, nogil=True)
def align(n, m, operations, beam, aligned, reference_errors, word_errors):  # type: ignore[no-untyped-def]
    """Reads the operations back: the word before or at which each reference word stands, and sums of errors so far.

    `reference_errors[j]` and `word_errors[i]` count the errors among the first j and i words.
    """
    i, j = n, m
    while i > 0 or j > 0:
        operation = INSERT
        if i:
            operation = operations[i, j - row_range(i, n, m, beam)[0]]
        error = 0 if operation == KEEP else 1
        if operation == INSERT:
            j -= 1
            aligned[j] = i - 1
            reference_errors[j + 1] = error
        elif operation == DELETE:
            i -= 1
            word_errors[i + 1] = error
        else:
            i -= 1
            j -= 1
            aligned[j] = i
            reference_errors[j + 1] = error
            word_errors[i + 1] = error
    reference_errors[0] = 0
    word_errors[0] = 0
    for k in range(m):
        reference_errors[k + 1] += reference_errors[k]
    for k in range(n):
        word_errors[k + 1] += word_errors[k]


@njit(cache=True, nogil=True)
def move(words, start, length, target, moved):  # type: ignore[no-untyped-def]
    """Writes to `moved` the words with the block at `start` moved to stand before position `target`."""
    n = len(words)
    first, second, third = start, start + length, target
    if target < start:
        first, second, third = target, start, start + length
    elif target <= start + length:
        third = min(n, length + target)  # a target inside the block counts positions behind it
    moved[:first] = words[:first]
    at = first + third - second
    moved[first:at] = words[second:third]
    moved[at:third] = words[first:second]
    moved[third:n] = words[third:n]


@njit(cache=True, nogil=True)
def best_shift(words, reference, before, tried, aligned, wrong_reference, wrong, rows, moved, best):  # type: ignore[no-untyped-def]
    """The shift that lowers the distance most, written to `best`: (gain, shifts tried so far); gain 0 for none.

    `rows` is what `shifted_distance` works on. Among equal gains the longest block wins, then the one that starts
    first, then the first target.
    """
    n = len(words)
    first_row, costs, spare, unused, beam = rows
    m = len(reference)
    gain, best_length, best_start, best_target = 0, 0, 0, 0
    for start in range(n):
        for at in range(max(0, start - MAX_SHIFT_DISTANCE), min(m, start + MAX_SHIFT_DISTANCE + 1)):
            length = 0
            while (
                length < MAX_SHIFT_SIZE
                and start + length < n
                and at + length < m
                and words[start + length] == reference[at + length]
            ):
                length += 1
                if wrong[start + length] == wrong[start] or wrong_reference[at + length] == wrong_reference[at]:
                    continue
                if start <= aligned[at] < start + length:
                    continue
                last = -1
                for offset in range(-1, length):
                    target = 0 if at + offset == -1 else aligned[at + offset] + 1
                    if target == last:
                        continue
                    last = target
                    tried += 1
                    move(words, start, length, target, moved)
                    limit = before - max(gain, 1)
                    gained = before - shifted_distance(
                        words, moved, reference, first_row, costs, spare, unused, beam, limit
                    )
                    if gained <= 0 or gained < gain:
                        continue
                    if gained == gain:
                        if length < best_length:
                            continue
                        if length == best_length and (start, target) >= (best_start, best_target):
                            continue
                    gain, best_length, best_start, best_target = gained, length, start, target
                    best[:] = moved
                if tried >= MAX_CANDIDATES:
                    return gain, tried
    return gain, tried


@njit(cache=True, nogil=True)
def edits(words, reference):  # type: ignore[no-untyped-def]
    """Shifts plus edit distance after them; a reference without words takes a deletion for each word."""
    n, m = len(words), len(reference)
    if n == 0 or m == 0:
        return n + m
    beam = beam_width(n, m)
    width = min(m + 1, 2 * beam + 2)
    first_row = np.arange(m + 1).astype(np.int32)
    costs = np.empty((n + 1, width), dtype=np.int32)
    operations = np.empty((n + 1, width), dtype=np.int8)
    rows = (first_row, costs, np.empty((2, width), dtype=np.int32), np.empty(0, dtype=np.int8), beam)
    aligned = np.empty(m, dtype=np.int32)
    wrong_reference = np.empty(m + 1, dtype=np.int32)
    wrong = np.empty(n + 1, dtype=np.int32)
    words = words.copy()
    moved = np.empty_like(words)
    best = np.empty_like(words)
    shifts, tried = 0, 0
    while True:
        before = distance(words, reference, first_row, costs, operations, beam)
        align(n, m, operations, beam, aligned, wrong_reference, wrong)
        gain, tried = best_shift(words, reference, before, tried, aligned, wrong_reference, wrong, rows, moved, best)
        if tried >= MAX_CANDIDATES or gain <= 0:
            return shifts + before
        shifts += 1
        words[:] = best


@njit(cache=True, nogil=True)
def count_edits(words, offsets, references, reference_offsets):  # type: ignore[no-untyped-def]
    """Edits of each segment against one reference."""
    out = np.empty(len(offsets) - 1, dtype=np.float64)
    for segment in range(len(out)):
        out[segment] = edits(
            words[offsets[segment] : offsets[segment + 1]],
            references[reference_offsets[segment] : reference_offsets[segment + 1]],
        )
    return out
