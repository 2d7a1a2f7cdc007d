"""How much of their wording two texts share: Dice's coefficient of word 4-grams, from a sketch of each text.

    Dice = 2 |A and B| / (|A| + |B|), A and B the sets of word 4-grams within lines

A sketch holds the smallest hashes of a text's 4-grams: a sample that falls on the same 4-grams in every text. Words are
letters and digits between white space and ASCII punctuation, whatever the case of A to Z; each character of Chinese and
Japanese is a word. A line of fewer than four words is one gram.
**Source:** Broder 1997, "On the resemblance and containment of documents" (sketches of smallest hashes).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.corpora.base import Corpus
from clirbench.text import Text, TextLines
from clirbench.types import EMPTY, Doubles, Failure, Translation, distinct

Hashes = NDArray[np.uint64]

SIZE = 2000
"""Hashes of a sketch: the standard error of a Dice of .9 is .005, of .6 it is .011."""
LINES = 20_000
"""Lines of a text that are read, the first ones."""
FEWEST = 200
"""4-grams below which a text is compared with no other: a few short lines are alike by chance."""
NEAR, LEAST = 0.9, 0.6
"""The Dice of near-copies: `own_cut` of a collection, within these. A copy of a reference shares `NEAR`."""
SPREADS = 4
"""Normal standard deviations above the median pair, from which a pair stands out of its collection."""
FEWEST_TEXTS = 5
"""Fewer texts have too few pairs for a cut of their own; of fewer makers, none stands out of the others."""
EDITED, FEWEST_EVENED, UNSEEN = 0.4, 7, 0.01
"""The least Dice of a copy with edited words; the texts from which edits are seen; what no sketch tells from 0."""
HALF = 0.5
"""The share of a reference's lines that no real system has word for word; the most of 55 collections is .27."""
MANY, SIFTED, SLACK = 300, 500, 0.1
"""Above `MANY` texts, pairs are sifted by the `SIFTED` smallest hashes: four standard errors below a cut of .6."""
CELLS = 1_000_000
"""Pairs of texts that are compared at a time: some 30 MB."""
STEM = re.compile(r"(?P<stem>.*[^\W\d_].*?)(?:[-_.]run[-_.]?\d+|\.[^\W\d_]+)", re.IGNORECASE)
"""A name that ends in a run (`team_run2`) or a mode without numbers (`team.terms`); its stem is no number."""
CONFIRMED, ORDERS = 0.05, 999
"""The p-value up to which texts confirm names, and the permutations that it is of."""
MAKER = re.compile(r"[^\W\d_]+")
ANONYMOUS = ("online", "anonymous", "anon", "system", "model")
"""First words of names that name no maker."""
OWN, ABOVE = 4.0, 3.0
"""How far a system near the reference stands out: by wording that no peer has, and above what its peers predict."""
LARGEST = (1 << 64) - 1


def sketch(pieces: Iterator[bytes]) -> Hashes:
    """The `SIZE` smallest hashes, ascending, of the word 4-grams of whole lines; all of them where there are fewer."""
    kept = np.empty(0, dtype=np.uint64)
    for piece in pieces:
        # Most are far too large: what is likely to do is tried first.
        for most in (LARGEST // (len(piece) // (20 * SIZE) + 1), LARGEST):
            most = min(most, int(kept[-1])) if len(kept) == SIZE else most
            found = distinct(np.concatenate([kept, word_grams(piece, most)]))[:SIZE]
            if len(found) == SIZE:
                break
        kept = found
    return kept


def first_lines(text: Text) -> Iterator[bytes]:
    """The first `LINES` lines, in pieces of whole lines."""
    left = LINES
    for block in text.blocks():
        lines = block.count(b"\n")
        if lines > left:
            block = b"\n".join(block.split(b"\n", left)[:left]) + b"\n"
        yield block
        left -= lines
        if left <= 0:
            return


def word_grams(block: bytes, most: int = LARGEST) -> Hashes:
    """A hash, where it is at most `most`, for each word 4-gram within the lines of a block, and each shorter line."""
    from clirbench.systems.grams import gram_hashes

    return gram_hashes(block, most)


def dice(a: Hashes, b: Hashes, size: int = SIZE) -> float:
    """Dice's coefficient of two texts, exact where both have fewer than `size` 4-grams; 0 where one has none."""
    end = np.uint64(min(_end(a, size), _end(b, size)))
    a, b = (hashes[: np.searchsorted(hashes, end, side="right")] for hashes in (a, b))
    if not len(a) or not len(b):
        return 0.0
    return 2 * int(np.count_nonzero(a[np.minimum(np.searchsorted(a, b), len(a) - 1)] == b)) / (len(a) + len(b))


def dice_rows(sketches: Sequence[Hashes], size: int) -> Iterator[tuple[int, Doubles]]:
    """Row by row, `dice` of a text with each one after it: the row's number and its (n - 1 - number) coefficients.

    Computed in blocks of about `CELLS` coefficients, so that memory does not grow with the square of n.
    """
    from scipy.sparse import csr_array

    n = len(sketches)
    every, column = np.unique(np.concatenate(sketches), return_inverse=True)
    row = np.repeat(np.arange(n), [len(sketch) for sketch in sketches])
    held = csr_array((np.ones(len(row), dtype=np.float32), (row, column)), shape=(n, max(1, len(every))))
    ends = np.array([_end(sketch, size) for sketch in sketches], dtype=np.uint64)
    height = max(1, CELLS // n)
    for start in range(0, n, height):
        block = slice(start, start + height)
        both = (held[block] @ held[start:].T).toarray()
        ours = [_reached(sketch, ends[start:], end) for sketch, end in zip(sketches[block], ends[block], strict=True)]
        theirs = [
            _reached(sketch, ends[block], end) for sketch, end in zip(sketches[start:], ends[start:], strict=True)
        ]
        found = 2 * both.astype(np.float64) / np.maximum(1, np.stack(ours) + np.stack(theirs).T)
        yield from ((start + k, found[k, k + 1 :]) for k in range(len(found)))


def _end(hashes: Hashes, size: int) -> int:
    """The hash below which a sketch is complete."""
    return int(hashes[-1]) if len(hashes) >= size else LARGEST


def _reached(hashes: Hashes, ends: Hashes, own: np.uint64) -> NDArray[np.int32]:
    """How many hashes of a sketch are below the end of each of `ends` and below its own."""
    return np.searchsorted(hashes, np.minimum(ends, own), side="right").astype(np.int32)


def own_cut(shares: Doubles) -> float:
    """The Dice above which pairs stand out of a collection: its median + 4 * 1.4826 MAD, within [.6, .9].

    shares: of every pair of its texts. .9 where these are fewer than five texts.
    **Source:** ours; the factor 1.4826 makes the median absolute deviation (Hampel 1974) that of a normal spread.
    """
    if len(shares) < FEWEST_TEXTS * (FEWEST_TEXTS - 1) / 2:
        return NEAR
    middle = float(np.median(shares))
    return min(NEAR, max(LEAST, middle + SPREADS * 1.4826 * float(np.median(np.abs(shares - middle)))))


def similarity(sketches: Sequence[Hashes]) -> Doubles:
    """(n, n): Dice of every pair, 1 with itself."""
    found = np.eye(len(sketches))
    for i, row in dice_rows(sketches, SIZE):
        found[i, i + 1 :] = found[i + 1 :, i] = row
    return found


def evened(shares: Doubles) -> Doubles:
    """(n, n): Dice of every pair, had the text that is further from all texts lost no more words than the other.

    A copy in which words are edited shares less with its original, and less with every other text in the same
    proportion: D_ij exp |median over k of log(D_ik / D_jk)| takes this back, and is near 1 for it however many words
    are edited. `shares`: (n, n), Dice with 1 in the diagonal: the two texts' own places cancel in the median.
    **Source:** ours.
    """
    logs, found = np.log(np.maximum(shares, UNSEEN)), np.array(shares)
    for i in range(len(shares)):
        found[i] *= np.exp(np.abs(np.median(logs[i] - logs, axis=1)))
    return found


def edited(shares: Doubles) -> NDArray[np.bool_]:
    """(n, n): whether one text is the other with edited words: `shares` of at least .4, evened more than .9.

    Texts that share nothing with most others have no proportion to even; `shares` alone then says that they stand out.
    None of fewer than seven texts, where too few others say how far two texts are from them, or of more than 300.
    """
    if not FEWEST_EVENED <= len(shares) <= MANY:
        return np.zeros(shares.shape, dtype=np.bool_)
    apart = np.median(shares, axis=1) < UNSEEN
    return np.asarray((shares >= EDITED) & ((evened(shares) > NEAR) | (apart[:, None] & apart)))


def near_copies(
    sketches: Mapping[str, Hashes], cut: float, shares: Doubles | None = None
) -> dict[tuple[str, str], float]:
    """The Dice, estimated, of pairs above `cut` or `edited` that connect what is together, most alike first.

    A pair that others connect already is left out. `shares`: `similarity` of up to 300 sketches, where it is known.
    """
    names, many = list(sketches), len(sketches) > MANY
    pairs: list[tuple[float, int, int]] = []
    if many:
        for i, row in dice_rows([sketch[:SIFTED] for sketch in sketches.values()], SIFTED):
            alike = np.flatnonzero(row > cut - SLACK)
            pairs += zip((-row[alike]).tolist(), [i] * len(alike), (i + 1 + alike).tolist(), strict=True)
    elif names:
        shares = similarity(list(sketches.values())) if shares is None else shares
        first, second = np.nonzero(np.triu((shares > cut) | edited(shares), 1))
        pairs += zip((-shares[first, second]).tolist(), first.tolist(), second.tolist(), strict=True)
    group = [[i] for i in range(len(names))]
    found: dict[tuple[str, str], float] = {}
    for less, i, j in sorted(pairs):
        if group[i] is not group[j]:
            share = dice(sketches[names[i]], sketches[names[j]]) if many else -less
            if share > cut or not many:
                found[names[i], names[j]] = share
                fewer, more = sorted((group[i], group[j]), key=len)
                more += fewer
                for member in fewer:
                    group[member] = more
    return found


def stems(names: Sequence[str], shares: Doubles, *, seed: int = 0) -> dict[str, str]:
    """The stem of every name that shares one with another, where the texts confirm these stems; else nothing.

    shares: (n, n), Dice of every pair. They confirm it where systems of one stem share more than others do by a
    permutation of the systems, p at most .05; with one stem for all there is nothing to compare.
    """
    stem = [found["stem"] if (found := STEM.fullmatch(name)) else name for name in names]
    first, second = (np.array(part) for part in np.triu_indices(len(stem), 1))
    label = np.unique(stem, return_inverse=True)[1]
    within = label[first] == label[second]
    if not within.any() or within.all():  # also of one name
        return {}
    first, second = first[within], second[within]
    rng, more = np.random.default_rng([seed, len(stem)]), 1
    observed = shares[first, second].sum()
    for _ in range(ORDERS):
        order = rng.permutation(len(stem))
        more += bool(shares[order[first], order[second]].sum() >= observed - 1e-9)
    if more > CONFIRMED * (ORDERS + 1):
        return {}
    sizes = np.bincount(label)
    return {name: own for name, own, of in zip(names, stem, label.tolist(), strict=True) if sizes[of] > 1}


def makers(names: Sequence[str]) -> list[str]:
    """Who made each system: the first word of its name, or `system NAME` where that names nobody."""
    first = [match[0].casefold() if (match := MAKER.match(name)) else name for name in names]
    return [f"system {name}" if maker in ANONYMOUS else maker for maker, name in zip(first, names, strict=True)]


def near_reference(sketches: Sequence[Hashes], reference: Hashes, shares: Doubles, kin: NDArray[np.bool_]) -> list[int]:
    """The systems, by index, that repeat wording which only the reference has; those not named may do so too.

    Of the 4-grams that no peer has, the share that the reference has is above the others' by `OWN` robust standard
    errors, and so is the Dice with the reference by `ABOVE`, given the mean Dice with the peers. shares: (n, n), Dice
    of every pair; kin: (n, n), who is no peer (itself, one maker, near-copies).
    **Source:** ours (docs/data/memory-plan.yaml); the line is Theil 1950 and Sen 1968.
    """
    from scipy.sparse import csc_array

    end = np.uint64(min(_end(one, SIZE) for one in (*sketches, reference)))
    texts = [one[: np.searchsorted(one, end, side="right")] for one in (*sketches, reference)]
    if kin.all(axis=1).any():
        return []
    column = np.unique(np.concatenate(texts), return_inverse=True)[1]
    row = np.repeat(np.arange(len(texts)), sizes := np.array([len(one) for one in texts]))
    held = csc_array((np.ones(len(row), dtype=np.int8), (row, column)))
    n = len(sketches)
    own, told, near = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        mine = held[:, column[row == i]].toarray() > 0
        alone = ~mine[:-1][~kin[i]].any(axis=0)
        own[i], told[i] = alone.sum(), mine[-1][alone].sum()
        near[i] = 2 * mine[-1].sum() / max(1, sizes[i] + sizes[-1])
    peers = np.array([shares[i, ~kin[i]].mean() for i in range(n)])
    first, second = np.triu_indices(n, 1)
    apart = peers[first] - peers[second]
    rises = (near[first] - near[second])[apart != 0] / apart[apart != 0]
    above = near - peers * (np.median(rises) if len(rises) else 0.0)
    share, usual = told / np.maximum(1, own), np.median(told / np.maximum(1, own))
    stands = _robust_z(share, usual * (1 - usual) / np.maximum(1, own)) > OWN
    return np.flatnonzero(stands & (_robust_z(above, near * (1 - near) / np.maximum(1, sizes[:-1])) > ABOVE)).tolist()


def _robust_z(values: Doubles, variance: Doubles) -> Doubles:
    """Distances from the median, over the spread of most values (1.4826 MAD) and the sampling `variance` of each."""
    apart = values - np.median(values)
    return np.asarray(apart / np.sqrt((1.4826 * np.median(np.abs(apart))) ** 2 + variance + 1e-12))


@dataclass(frozen=True)
class References:
    """The texts that a system may copy: the test sets, or else the collections; the first `LINES` lines count.

    `searched`: the index of the one that is searched, where systems are compared by the text that is; else None.
    """

    texts: tuple[Text, ...]
    tested: bool
    searched: int | None = None

    @classmethod
    def of(cls, corpus: Corpus, translations: Sequence[Translation]) -> "References":
        """Those that the texts of these systems are compared with."""
        tested = bool(corpus.test) and any(t.test is not None for t in translations)
        english: tuple[Text, ...] = (corpus.english.text,) if corpus.has_english else ()
        if tested:
            english = english if corpus.crossed else ()
            english = (*(TextLines(lines[:LINES]) for lines in corpus.test.references), *english)
        alone = not tested or all(t.test == t.collection for t in translations)
        return cls(english, tested, (-1 if corpus.crossed else 0) if alone and english else None)

    def compared(self, translation: Translation) -> Text | None:
        """The text of a system that is compared."""
        return translation.test if self.tested else translation.collection

    @cached_property
    def lines(self) -> tuple[list[bytes], ...]:
        """The first lines of each reference."""
        return tuple(b"".join(first_lines(text)).split(b"\n")[:-1] for text in self.texts)


def worded(references: References, text: Text) -> dict[str, Any]:
    """The sketch of a text's wording, and the share of each reference's lines that it repeats."""
    pieces = list(first_lines(text))
    own = b"".join(pieces).split(b"\n")[:-1]
    repeated = []
    for lines in references.lines:
        same = sum(a == b and b.strip() != b"" for a, b in zip(own, lines, strict=False))
        repeated.append(same / max(1, sum(map(bool, map(bytes.strip, lines)))))
    return {"hashes": sketch(iter(pieces)), "repeated": repeated}


@dataclass(frozen=True)
class Resemblances:
    """What the systems' texts share: `near` connects systems of nearly one wording, and has the Dice of each pair.

    `copies`, `repeated`: the Dice of each system that copies a reference with it, and the share of lines that are the
    same. `cut`: the Dice above which two are near; `stems`: of names that the texts confirm, by system; `nearest`: the
    systems that stand out in nearness to the reference that is searched.
    """

    near: Mapping[tuple[str, str], float] = field(default_factory=dict)
    copies: Mapping[str, float] = field(default_factory=dict)
    repeated: Mapping[str, float] = field(default_factory=dict)
    cut: float = NEAR
    stems: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    nearest: tuple[str, ...] = ()


def resemblances(
    of_references: Sequence[Any], of_systems: Mapping[str, Any], *, searched: int | None = None, seed: int = 0
) -> Resemblances:
    """Compare every text with the others and with the references, by what `worded` gave of each.

    Copies of a reference are not compared with other systems. `searched`: as in `References`; `seed`: of the
    permutations that confirm stems.
    """
    if any(isinstance(one, Failure) for one in of_references):
        return Resemblances()
    known = {system: one for system, one in of_systems.items() if not isinstance(one, Failure)}
    ours = {system: one for system, one in known.items() if len(one["hashes"]) >= FEWEST}
    repeated = {system: max(one["repeated"], default=0.0) for system, one in ours.items()}
    copies = {}
    for system, one in ours.items():
        shared = max((dice(one["hashes"], theirs["hashes"]) for theirs in of_references), default=0.0)
        if shared >= NEAR or repeated[system] >= HALF:
            copies[system] = shared
    sketches = {system: one["hashes"] for system, one in ours.items() if system not in copies}
    # Of many texts, some evenly spaced ones tell what pairs of this collection share.
    names = list(sketches)[:: max(1, -(-len(sketches) // MANY))]
    shares = similarity([sketches[name] for name in names]) if len(names) > 1 else np.eye(len(names))
    cut = own_cut(shares[np.triu_indices(len(names), 1)])
    whole = len(names) == len(sketches)
    named, nearest = stems(names, shares, seed=seed) if whole else {}, tuple[str, ...]()
    by = np.array(makers(names))
    if whole and searched is not None and len(np.unique(by)) >= FEWEST_TEXTS:
        kin = (by[:, None] == by) | (shares > cut)
        found = near_reference(list(sketches.values()), of_references[searched]["hashes"], shares, kin)
        nearest = tuple(names[i] for i in found)
    return Resemblances(near_copies(sketches, cut, shares), copies, repeated, cut, named, nearest)
