"""Cutting code points into tokens, and numbering tokens by type.

The rules of mteval-v13a are regular expressions applied one after the other. What they do is to put a boundary on
both sides of some characters, so one pass that looks one character ahead and behind is enough:

1. a symbol (any ASCII punctuation but . , - ') stands alone;
2. a period or comma that follows a non-digit stands alone, where that non-digit is not itself a period or comma that
   this rule has just used (matches of a regular expression do not overlap: the second dot of `a..2` is not cut off
   by the first);
3. a period or comma before a non-digit stands alone;
4. a dash directly after a digit stands alone.

Line ends and beginnings count as white space. Tokens never contain Unicode white space.
"""

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.compiled.jit import njit

Codes = NDArray[np.uint32]
Offsets = NDArray[np.int64]
Numbers = NDArray[np.int32]

PLAIN, WHITE, SYMBOL, POINT, DASH, DIGIT = 0, 1, 2, 3, 4, 5
MTEVAL, EDGES = 1, 2  # the ways to cut of `clirbench.metrics.tokens`


def character_kinds() -> NDArray[np.uint8]:
    """The kind of every code point up to the last white space (U+3000); what lies above is `PLAIN`."""
    kinds = np.zeros(0x3001, dtype=np.uint8)
    kinds[[code for code in range(0x3001) if chr(code).isspace()]] = WHITE
    kinds[[ord(c) for c in '{|}~[\\]^_`!"#$%&()*+:;<=>?@/']] = SYMBOL
    kinds[[ord(c) for c in ".,"]] = POINT
    kinds[ord("-")] = DASH
    kinds[[ord(c) for c in "0123456789"]] = DIGIT
    return kinds


@njit(cache=True, nogil=True)
def kind_of(code, kinds):  # type: ignore[no-untyped-def]
    return kinds[code] if code < len(kinds) else PLAIN


@njit(cache=True, nogil=True)
def cut(codes, offsets, kinds, way):  # type: ignore[no-untyped-def]
    """Start and end of every token, and the first token of every line (one more entry than lines)."""
    size = len(codes) if way != EDGES else 2 * len(codes)
    starts = np.empty(size, dtype=np.int32)
    ends = np.empty(size, dtype=np.int32)
    first = np.zeros(len(offsets), dtype=np.int64)
    n = 0
    for line in range(len(offsets) - 1):
        if way == MTEVAL:
            n = cut_mteval(codes, offsets[line], offsets[line + 1], kinds, starts, ends, n)
        else:
            n = cut_white(codes, offsets[line], offsets[line + 1], kinds, way == EDGES, starts, ends, n)
        first[line + 1] = n
    return starts[:n].copy(), ends[:n].copy(), first


@njit(cache=True, nogil=True)
def cut_mteval(codes, begin, end, kinds, starts, ends, n):  # type: ignore[no-untyped-def]
    opened = -1
    used = False  # whether the character before is a period or comma that rule 2 has cut off
    before = WHITE
    for i in range(begin, end):
        kind = kind_of(codes[i], kinds)
        alone = False
        if kind == POINT:
            by_rule_2 = before != DIGIT and not (before == POINT and used)
            alone = by_rule_2 or i + 1 == end or kind_of(codes[i + 1], kinds) != DIGIT
            used = by_rule_2
        elif kind == SYMBOL or (kind == DASH and before == DIGIT):
            alone = True
        before = kind
        if (alone or kind == WHITE) and opened >= 0:
            starts[n], ends[n] = opened, i
            n += 1
            opened = -1
        if alone:
            starts[n], ends[n] = i, i + 1
            n += 1
        elif kind != WHITE and opened < 0:
            opened = i
    if opened >= 0:
        starts[n], ends[n] = opened, end
        n += 1
    return n


@njit(cache=True, nogil=True)
def is_ascii_punctuation(code):  # type: ignore[no-untyped-def]
    return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126


@njit(cache=True, nogil=True)
def cut_white(codes, begin, end, kinds, edges, starts, ends, n):  # type: ignore[no-untyped-def]
    """Words between white space; with `edges` ASCII punctuation is cut off a word's end, or else off its beginning."""
    opened = -1
    for i in range(begin, end + 1):
        if i < end and kind_of(codes[i], kinds) != WHITE:
            if opened < 0:
                opened = i
            continue
        if opened < 0:
            continue
        middle = opened
        if edges and i - opened > 1:
            if is_ascii_punctuation(codes[i - 1]):
                middle = i - 1
            elif is_ascii_punctuation(codes[opened]):
                middle = opened + 1
        if middle > opened:
            starts[n], ends[n] = opened, middle
            n += 1
        starts[n], ends[n] = middle, i
        n += 1
        opened = -1
    return n


@njit(cache=True, nogil=True)
def without_white(codes, offsets, kinds):  # type: ignore[no-untyped-def]
    """The code points that are no white space, and where each line begins among them."""
    kept = np.empty(len(codes), dtype=np.int32)
    first = np.zeros(len(offsets), dtype=np.int64)
    n = 0
    for line in range(len(offsets) - 1):
        for i in range(offsets[line], offsets[line + 1]):
            if kind_of(codes[i], kinds) != WHITE:
                kept[n] = codes[i]
                n += 1
        first[line + 1] = n
    return kept[:n].copy(), first


@njit(cache=True, nogil=True)
def hash_of(codes, start, end):  # type: ignore[no-untyped-def]
    value = np.uint64(14695981039346656037)
    for i in range(start, end):
        value = (value ^ np.uint64(codes[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))


@njit(cache=True, nogil=True)
def find(codes, start, end, value, type_codes, type_starts, hashes, slots):  # type: ignore[no-untyped-def]
    """The slot of a token: the one that holds its type, or the empty one where it belongs."""
    mask = np.uint64(len(slots) - 1)
    at = value & mask
    while slots[at] >= 0:
        known = slots[at]
        if hashes[known] == value and type_starts[known + 1] - type_starts[known] == end - start:
            same = True
            for i in range(end - start):
                if codes[start + i] != type_codes[type_starts[known] + i]:
                    same = False
                    break
            if same:
                return at
        at = (at + np.uint64(1)) & mask
    return at


@njit(cache=True, nogil=True)
def number_types(codes, starts, ends, at, numbers, known, n_known, table, n_types):  # type: ignore[no-untyped-def]
    """Write the type number of every token from `at` on to `numbers`: known types keep theirs, new ones follow.

    Both tables are (codes, starts, hashes, slots): type t is `codes[starts[t]:starts[t + 1]]`, and `slots`, its length
    a power of two, is the open-addressed hash table of type numbers. `table` has `n_types` types, those that are not
    in `known`, in order of first occurrence, and takes up new ones. Stops before a token for which it has no room.
    Returns (the token reached, how many types `table` has now).
    """
    known_codes, known_starts, known_hashes, known_slots = known
    type_codes, type_starts, hashes, slots = table
    for token in range(at, len(starts)):
        start, end = starts[token], ends[token]
        value = hash_of(codes, start, end)
        if n_known:
            slot = find(codes, start, end, value, known_codes, known_starts, known_hashes, known_slots)
            if known_slots[slot] >= 0:
                numbers[token] = known_slots[slot]
                continue
        slot = find(codes, start, end, value, type_codes, type_starts, hashes, slots)
        if slots[slot] < 0:
            first = type_starts[n_types]
            if n_types == len(hashes) or first + end - start > len(type_codes):
                return token, n_types
            for i in range(end - start):
                type_codes[first + i] = codes[start + i]
            type_starts[n_types + 1] = first + end - start
            hashes[n_types] = value
            slots[slot] = n_types
            n_types += 1
        numbers[token] = n_known + slots[slot]
    return len(starts), n_types


@njit(cache=True, nogil=True)
def refill(slots, hashes, n_types):  # type: ignore[no-untyped-def]
    """Enter all types into empty, larger slots."""
    mask = np.uint64(len(slots) - 1)
    for number in range(n_types):
        at = hashes[number] & mask
        while slots[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = number
