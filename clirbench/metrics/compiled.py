"""What metrics compute in compiled loops: where tokens begin and end, n-gram matches, counts of types.

All of clirbench imports numba's `njit` from here, so that no file of the current folder configures it: numba reads
`.numba_config.yaml` there when it is loaded and before each compilation, and the file can name the folder of numba's
cache, which is unpickled. Its environment variables (`NUMBA_*`) are the user's, and count.

*N-grams*: those of a segment's references are in one hash table, linked as a trie: the key of an n-gram is (the slot of
its first n - 1 symbols, its last symbol), so a key is exact however long the n-gram is. A hypothesis walks from each
position down the trie and stops at the first order that no reference has. Matches are clipped by counting how often
each slot has been used.

*Tokens*: the rules of mteval-v13a are regular expressions applied one after the other. What they do is to put a
boundary on both sides of some characters, so one pass that looks one character ahead and behind is enough:

1. a symbol (any ASCII punctuation but . , - ') stands alone;
2. a period or comma that follows a non-digit stands alone, where that non-digit is not itself a period or comma that
   this rule has just used (matches of a regular expression do not overlap: the second dot of `a..2` is not cut off
   by the first);
3. a period or comma before a non-digit stands alone;
4. a dash directly after a digit stands alone.

Line ends and beginnings count as white space. Tokens never contain Unicode white space.
"""

import os
from functools import cache

import numpy as np
from numpy.typing import NDArray

_is_file = os.path.isfile
os.path.isfile = lambda path: path != ".numba_config.yaml" and _is_file(path)  # while numba is loaded
try:
    from numba import njit as njit
    from numba.core import config
finally:
    os.path.isfile = _is_file
config._config_fname = os.devnull  # before each compilation, and where numba was loaded before
config.reload_config()  # type: ignore[no-untyped-call]


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


PLAIN, WHITE, SYMBOL, POINT, DASH, DIGIT = 0, 1, 2, 3, 4, 5
MTEVAL, EDGES = 1, 2  # the ways to cut of `clirbench.metrics.tokens`


@cache
def kinds() -> NDArray[np.uint8]:
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
def add_up(topic, weights, starts, documents, counts, norms, total, found):  # type: ignore[no-untyped-def]
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
