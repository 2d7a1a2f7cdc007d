"""What metrics count, without a loop in Python: tokens, n-gram matches, types, resamples.

Each function is written in numpy, which says what it computes; where the compiled library is there
(`clirbench.native.library`), its loop gives the same bytes sooner.

*N-grams*: from each position of a line on, symbols are packed into a key, the first one highest, as many as fit.
Sorted, equal n-grams of every order lie beside each other, those of the hypothesis and of its references together.

*Tokens*: the rules of mteval-v13a are regular expressions applied one after the other. What they do is to put a
boundary on both sides of some characters, which depend on the character before and behind alone:

1. a symbol (any ASCII punctuation but . , - ') stands alone;
2. a period or comma that follows a non-digit stands alone, where that non-digit is not itself a period or comma that
   this rule has just used (matches of a regular expression do not overlap: the second dot of `a..2` is not cut off
   by the first): of a run of them, every other one;
3. a period or comma before a non-digit stands alone;
4. a dash directly after a digit stands alone.

Line ends and beginnings count as white space. Tokens never contain Unicode white space.
"""

import secrets
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import count, islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clirbench.native.library import compiled
from clirbench.types import Codes, Doubles, Ints, Ints32, distinct

Flags = NDArray[np.bool_]

PLAIN, WHITE, SYMBOL, POINT, DASH, DIGIT, MARK = range(7)
"""Kinds of characters; a mark is the ASCII punctuation that stands alone by no rule."""
MTEVAL, EDGES = 1, 2  # the ways to cut of `clirbench.metrics.tokens`
SEGMENTS = 128
"""Segments whose n-grams are sorted at a time: their arrays stay in the processor's cache."""
SAMPLES = 128
"""Resamples whose sums are made at a time."""


class Ngrams(NamedTuple):
    """References by their symbols: line r * segments + s of `offsets` is reference r of segment s.

    ids: of each symbol of the references a number from 1, and at the end one more for all other symbols.
    keys: where compiled loops are used, sorted keys of each segment's references, and where a segment's begin.
    """

    symbols: Ints32
    offsets: Ints
    n_references: int
    order: int
    ids: Ints32
    keys: tuple[NDArray[np.uint64], Ints] | None

    @property
    def bits(self) -> int:
        """Of one symbol's number."""
        return int(self.ids[-1]).bit_length()

    def compiled(self, name: str) -> tuple[Any, int]:
        """A compiled loop for keys of the highest order, and their words of 64 bits; None where two do not hold one."""
        bits = self.order * self.bits + (self.n_references - 1).bit_length()
        loop = compiled(f"{name}_of_{64 if bits <= 64 else 128}") if self.order > 0 and bits <= 128 else None
        return loop, 1 if bits <= 64 else 2


def ngrams(symbols: Ints32, offsets: Ints, n_references: int, order: int) -> Ngrams:
    """References, ready to be counted against."""
    used = distinct(symbols)
    ids = np.full(int(used[-1]) + 2 if len(used) else 1, len(used) + 1, dtype=np.int32)
    ids[used] = np.arange(1, len(used) + 1)
    made, segments = Ngrams(symbols, offsets, n_references, order, ids, None), (len(offsets) - 1) // n_references
    sort, words = made.compiled("sorted_keys")
    if sort is None:
        return made
    keys, starts = np.empty((len(symbols), words), dtype=np.uint64), np.empty(segments + 1, dtype=np.int64)
    sort(symbols, len(symbols), offsets, segments, n_references, ids, len(ids), order, made.bits, keys, starts)
    return made._replace(keys=(keys, starts))


def count_matches(symbols: Ints32, offsets: Ints, references: Ngrams) -> Doubles:
    """Clipped matches of orders 1 to N: (segments, N).

    An n-gram counts as often as in the reference that has it most often.
    """
    ids, order, (count, _) = references.ids, references.order, references.compiled("count_matches")
    if count is None or references.keys is None:
        parts = [_matches(symbols, offsets, references, begin) for begin in range(0, len(offsets) - 1, SEGMENTS)]
        return np.concatenate([np.empty((0, order)), *parts])
    keys, starts = references.keys
    matches = np.empty((len(offsets) - 1, order))
    count(
        symbols, len(symbols), offsets, len(matches), references.n_references, ids, len(ids), order, references.bits,
        keys, len(keys), starts, matches,
    )  # fmt: skip
    return matches


def _matches(symbols: Ints32, offsets: Ints, references: Ngrams, begin: int) -> Doubles:
    """`count_matches` of `SEGMENTS` from `begin` on: their keys are sorted, in as many stages as the order takes."""
    order, bits, sides = references.order, references.bits, references.n_references + 1
    firsts = range(begin, len(references.offsets) - 1, len(offsets) - 1)
    segments = min(SEGMENTS, len(offsets) - 1 - begin)
    parts = [(references.symbols, references.offsets[first : first + segments + 1]) for first in firsts]
    parts.append((symbols, offsets[begin : begin + segments + 1]))
    matches, low = np.zeros((segments, order)), sides.bit_length()
    lengths = np.concatenate([np.diff(places) for _, places in parts])
    line, group = (np.repeat(of, lengths) for of in (np.arange(len(lengths)), np.tile(np.arange(segments), sides)))
    side = np.repeat(np.repeat(np.arange(sides), segments), lengths)
    # Zeros follow each line, so that no n-gram reaches into the next one.
    places = np.arange(len(line)) + order * line
    numbers = np.zeros(len(line) + order * (len(lengths) + 1), dtype=np.int64)
    texts = [text[held[0] : held[-1]] for text, held in parts]
    numbers[places] = references.ids.take(np.concatenate(texts), mode="clip")
    segment_of, done = np.arange(segments), 0
    while done < order and len(line):
        fit = min(order - done, (63 - low - len(segment_of).bit_length()) // bits)
        packed = np.zeros(len(numbers) - order, dtype=np.int64)
        for ahead in range(done, done + fit):
            packed = packed << bits | numbers[ahead : ahead + len(packed)]
        keys = group << bits * fit | packed[places]
        ordered = np.sort(keys << low | side)
        counted = [np.cumsum(ordered & (1 << low) - 1 == s) for s in range(sides)]
        differ = np.append(ordered[1:] ^ ordered[:-1], np.int64(2**62))  # from the next key
        last = np.arange(len(ordered))
        for longer in reversed(range(done, done + fit)):
            shift = low + bits * (done + fit - 1 - longer)
            last = last[np.flatnonzero(differ[last] >> shift)]  # where the n-grams of an order end
            counts = [np.diff(ends[last], prepend=0) for ends in counted]
            grams = ordered[last] >> shift
            found = np.minimum(np.maximum.reduce(counts[:-1]), counts[-1]) * (grams & (1 << bits) - 1 > 0)
            begins = np.searchsorted(segment_of[grams >> bits * (longer + 1 - done)], np.arange(segments + 1))
            matches[:, longer] = np.diff(np.append(0, np.cumsum(found))[begins])
        done += fit
        if done < order:
            kept, group = np.unique(keys, return_inverse=True)
            segment_of = segment_of[kept >> bits * fit]
    return matches


def count_types(ours: Ints32, offsets: Ints, theirs: Ints32, their_offsets: Ints) -> tuple[Any, Any, Any]:
    """REFS, PREDS and MATCH (columns 3t, 3t + 1, 3t + 2 of type t) of each segment: parts of a CSR matrix of non-zeros.

    values (non-zeros), float64; columns (non-zeros) and the begin of each row (segments + 1), int32.
    """
    segments, n = len(offsets) - 1, len(ours) + len(theirs)
    if (count := compiled("count_types")) is not None:
        values, columns = np.empty(3 * n), np.empty(3 * n, dtype=np.int32)
        begins = np.empty(segments + 1, dtype=np.int32)
        used = count(
            ours, len(ours), offsets, theirs, len(theirs), their_offsets, segments, values, columns, begins
        )  # fmt: skip
        return values[:used], columns[:used], begins  # what was never written takes no memory
    segment = np.concatenate([np.repeat(np.arange(segments), np.diff(o)) for o in (offsets, their_offsets)])
    types = np.concatenate([ours, theirs]).astype(np.int64)
    n_types = int(types.max(initial=0)) + 1
    keys = np.sort((segment * n_types + types) * 2 + (np.arange(n) < len(ours)))
    first = np.flatnonzero(np.concatenate([[True] * bool(n), keys[1:] >> 1 != keys[:-1] >> 1]))
    bounds = np.append(first, n)
    preds = np.diff(np.concatenate([[0], np.cumsum(keys & 1)])[bounds])
    refs = np.diff(bounds) - preds
    counts = np.column_stack([refs, preds, np.minimum(refs, preds)])
    held, (row, kind) = counts > 0, np.divmod(keys[first] >> 1, n_types)
    rows = np.concatenate([[0], np.cumsum(np.bincount(row, held.sum(axis=1), segments))]).astype(np.int32)
    return counts[held].astype(np.float64), (3 * kind[:, None] + np.arange(3))[held].astype(np.int32), rows


def resampled(by_type: Any, weights: Doubles, beta: float, k: float, micro: bool) -> Doubles:
    """Scores of MacroF or MicroF of every resample, 0-100: `macrof.average_types` of them all.

    by_type: the statistics as a CSC matrix (segments, 3 * types); weights: (samples, segments), how often each sample
    holds each segment; `beta` squared. Returns (samples,). Types are added in their order.
    """
    samples, n_columns = len(weights), by_type.shape[1]
    if (score := compiled("resampled")) is not None and by_type.indptr.dtype == np.int32:
        scores, draws = np.empty(samples), None
        if np.array_equal(small := weights.astype(np.uint8), weights):
            draws = np.ascontiguousarray(small.T)  # what is read again and again stays small
        held = None if draws is not None else np.ascontiguousarray(weights.T, dtype=np.float64)
        score(
            by_type.indptr, n_columns, by_type.indices, by_type.data, len(by_type.data), draws, held,
            by_type.shape[0], samples, beta, k, micro, scores,
        )  # fmt: skip
        return scores
    parts, found = [by_type[:, part::3].T.tocsr() for part in range(3)], []
    for begin in range(0, samples, SAMPLES):
        drawn = np.ascontiguousarray(weights[begin : begin + SAMPLES].T, dtype=np.float64)
        refs, preds, match = (part @ drawn for part in parts)
        weight = np.where(refs + preds > 0, refs + k if micro else 1.0, 0.0)
        scores = weight * (1 + beta) * match / np.where(match > 0, preds + beta * refs, 1.0)
        nothing = np.zeros((1, drawn.shape[1]))
        above, below = (np.add.accumulate(np.vstack([nothing, terms]))[-1] for terms in (scores, weight))
        found.append(100.0 * above / np.where(below > 0, below, 1.0))
    return np.concatenate([np.empty(0), *found])


def numbering(known: Mapping[Any, int]) -> defaultdict[Any, int]:
    """Ints32 of types by what they are: those known, and the next number for each one that is asked for first."""
    return defaultdict(count(len(known)).__next__, known)


class Words:
    """Words and their numbers, in the order in which they come first; those of `known` come before."""

    def __init__(self, known: "Words | None" = None) -> None:
        self._number, self._seed = compiled("number_words"), secrets.randbits(63)  # no text can make words share slots
        self._named: defaultdict[str, int] = numbering(known._named if known else {})  # where no loop is compiled
        self._n = np.zeros(1, dtype=np.int64)
        self._codes, self._offsets = np.empty(0, dtype=np.uint32), self._n
        if self._number is not None:
            self._grow(*known._held() if known else self._held())

    def __len__(self) -> int:
        return len(self._named) or int(self._n[0])

    def names(self, first: int = 0) -> list[str]:
        """The words from a number on."""
        if self._named:
            return [*islice(self._named, first, None)]
        codes, offsets = self._held()
        text = codes[offsets[first] :].tobytes().decode("utf-32-le", "surrogatepass")
        return [text[a:b] for a, b in pairwise((offsets[first:] - offsets[first]).tolist())]

    def numbers(self, codes: Codes, starts: Ints32, ends: Ints32) -> Ints32:
        """The number of the word that each token is; a token that is none becomes the next word."""
        if self._number is None:
            text = codes.tobytes().decode("utf-32-le", "surrogatepass")
            cut_out = (text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True))
            return np.fromiter(map(self._named.__getitem__, cut_out), np.int32, len(starts))
        found, done = np.empty(len(starts), dtype=np.int32), 0
        while done < len(starts):
            done += self._number(
                codes, len(codes), starts[done:], ends[done:], len(starts) - done, self._codes, len(self._codes),
                self._offsets, len(self._offsets) - 1, self._seed, self._slots, len(self._slots), self._n, found[done:],
            )  # fmt: skip
            if done < len(starts):
                self._grow(*self._held(), int(ends[done] - starts[done]))
        return found

    def _held(self) -> tuple[Codes, Ints]:
        offsets = self._offsets[: self._n[0] + 1]
        return self._codes[: offsets[-1]], offsets

    def _grow(self, codes: Codes, offsets: Ints, longest: int = 0) -> None:
        """Take over these words, with room for twice as many and for one of this length."""
        self._codes, self._n = np.empty(2 * len(codes) + longest + 8, dtype=np.uint32), np.zeros(1, dtype=np.int64)
        self._offsets = np.zeros(2 * len(offsets) + 8, dtype=np.int64)
        self._slots = np.full(1 << len(self._offsets).bit_length() + 1, -1, dtype=np.int32)
        places = offsets.astype(np.int32)
        self.numbers(codes, places[:-1], places[1:])


@cache
def kinds() -> NDArray[np.uint8]:
    """The kind of every code point up to the last white space (U+3000), and of the next one, which stands for all."""
    kinds = np.zeros(0x3002, dtype=np.uint8)
    kinds[[code for code in range(0x3001) if chr(code).isspace()]] = WHITE
    kinds[[ord(c) for c in '{|}~[\\]^_`!"#$%&()*+:;<=>?@/']] = SYMBOL
    kinds[[ord(c) for c in ".,"]] = POINT
    kinds[ord("-")] = DASH
    kinds[ord("'")] = MARK
    kinds[[ord(c) for c in "0123456789"]] = DIGIT
    return kinds


def without_white(codes: Codes, offsets: Ints) -> tuple[Ints32, Ints]:
    """The code points that are no white space, and where each line begins among them."""
    if (keep := compiled("without_white")) is not None:
        out, first = np.empty(len(codes) + 1, dtype=np.int32), np.empty(len(offsets), dtype=np.int64)
        n = keep(codes, len(codes), offsets, len(offsets) - 1, kinds(), len(kinds()), WHITE, out, first)
        return out[:n].copy(), first
    kept = kinds().take(codes, mode="clip") != WHITE
    return codes[kept].astype(np.int32), np.concatenate([[0], np.cumsum(kept)])[offsets]


def cut(codes: Codes, offsets: Ints, way: int) -> tuple[Ints32, Ints32, Ints]:
    """Start and end of every token, and the first token of every line (one more entry than lines)."""
    kind = kinds().take(codes, mode="clip")
    opens = np.zeros(len(kind) + 1, dtype=np.bool_)
    opens[offsets] = True  # before the first character of a line
    inside = kind != WHITE
    alone = _alone(kind, opens) if way == MTEVAL else np.zeros(len(kind), dtype=np.bool_)
    edge = opens.copy()  # whether there is a boundary before a character
    edge[:-1] |= alone
    edge[1:] |= alone
    edge[1:-1] |= inside[1:] != inside[:-1]
    if way == EDGES:
        edge |= _edges(kind, edge, inside)
    starts = np.flatnonzero(edge[:-1] & inside)
    ends = np.flatnonzero(edge[1:] & inside) + 1
    return starts.astype(np.int32), ends.astype(np.int32), np.searchsorted(starts, offsets)


def _alone(kind: NDArray[np.uint8], opens: Flags) -> Flags:
    """The characters that stand alone by the rules of mteval-v13a; `opens`: whether a line begins at a character."""
    alone: Flags = kind == SYMBOL
    digit = np.concatenate([[False], kind == DIGIT, [False]])
    dashes = np.flatnonzero(kind == DASH)
    alone[dashes] = digit[dashes] & ~opens[dashes]
    points = np.flatnonzero(kind == POINT)
    first = np.concatenate([[True], np.diff(points) > 1]) | opens[points] if len(points) else points > 0
    begin = np.maximum.accumulate(np.where(first, points, 0))
    odd = (points - begin + (digit[begin] & ~opens[begin])) % 2 == 1
    alone[points] = ~odd | opens[points + 1] | ~digit[points + 2]
    return alone


def _edges(kind: NDArray[np.uint8], edge: Flags, inside: Flags) -> Flags:
    """Boundaries before ASCII punctuation at a word's end, or else after it at the word's beginning."""
    mark = kind >= SYMBOL
    mark &= kind != DIGIT
    starts, lasts = np.flatnonzero(edge[:-1] & inside), np.flatnonzero(edge[1:] & inside)
    long = starts < lasts
    found = np.zeros_like(edge)
    found[lasts[long & mark[lasts]]] = True
    found[starts[long & ~mark[lasts] & mark[starts]] + 1] = True
    return found
