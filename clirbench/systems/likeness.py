"""How much of their wording two texts share: Dice's coefficient of word 4-grams, from a sketch of each text.

    Dice = 2 |A and B| / (|A| + |B|), A and B the sets of word 4-grams within lines

A sketch holds the smallest hashes of a text's 4-grams: a sample that falls on the same 4-grams in every text. Words are
letters and digits between white space and ASCII punctuation, whatever the case of A to Z; each character of Chinese and
Japanese is a word. A line of fewer than four words is one gram.
**Source:** Broder 1997, "On the resemblance and containment of documents" (sketches of smallest hashes).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clirbench.text import Text
from clirbench.types import Doubles

Hashes = NDArray[np.uint64]

SIZE = 2000
"""Hashes of a sketch: the standard error of a Dice of .9 is .005."""
LINES = 20_000
"""Lines of a text that are read, the first ones."""
FEWEST = 200
"""4-grams below which a text is compared with no other: a few short lines are alike by chance."""
NEAR = 0.9
MANY, SIFTED, SLACK = 200, 200, 0.1
"""Above `MANY` texts, pairs are sifted by the `SIFTED` smallest hashes: five standard errors below `NEAR`."""
LARGEST = (1 << 64) - 1


def sketch(pieces: Iterator[bytes]) -> Hashes:
    """The `SIZE` smallest hashes, ascending, of the word 4-grams of whole lines; all of them where there are fewer."""
    kept = np.empty(0, dtype=np.uint64)
    for piece in pieces:
        # Most are far too large: what is likely to do is tried first.
        for most in (LARGEST // (len(piece) // (20 * SIZE) + 1), LARGEST):
            most = min(most, int(kept[-1])) if len(kept) == SIZE else most
            found = np.unique(np.concatenate([kept, word_grams(piece, most)]))[:SIZE]
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
    from clirbench.systems.grams import PLAIN, gram_hashes

    out = np.empty(len(block) // 2 + 1, dtype=np.uint64)
    return out[: gram_hashes(np.frombuffer(block, dtype=np.uint8), PLAIN, np.uint64(most), out)]


def dice(a: Hashes, b: Hashes, size: int = SIZE) -> float:
    """Dice's coefficient of two texts, exact where both have fewer than `size` 4-grams; 0 where one has none."""
    return float(dice_matrix([a, b], size)[0, 1])


def dice_matrix(sketches: Sequence[Hashes], size: int = SIZE) -> Doubles:
    """(n, n): Dice's coefficient of every pair, from the hashes below which both sketches are complete."""
    from scipy.sparse import csr_array

    every, column = np.unique(np.concatenate(sketches), return_inverse=True)
    lengths = np.array([len(sketch) for sketch in sketches])
    row = np.repeat(np.arange(len(sketches)), lengths)
    held = csr_array((np.ones(len(row)), (row, column)), shape=(len(sketches), max(1, len(every))))
    ends = np.array([s[-1] if len(s) >= size else LARGEST for s in sketches], dtype=np.uint64)
    pairs = zip(sketches, ends, strict=True)
    reached = np.stack([np.searchsorted(hashes, np.minimum(ends, end), side="right") for hashes, end in pairs])
    return np.asarray(2 * (held @ held.T).toarray() / np.maximum(1, reached + reached.T))


@dataclass(frozen=True)
class NearCopy:
    """Two systems whose texts share nearly all their wording; `dice`: estimated."""

    first: str
    second: str
    dice: float


def near_copies(sketches: dict[str, Hashes]) -> tuple[NearCopy, ...]:
    """Pairs with a Dice of at least `NEAR` that connect what is together, those that share most first.

    A pair that others connect already is left out. Texts of fewer than `FEWEST` 4-grams take no part.
    """
    names = [name for name, hashes in sketches.items() if len(hashes) >= FEWEST]
    if len(names) < 2:
        return ()
    many = len(names) > MANY
    size = SIFTED if many else SIZE
    rough = dice_matrix([sketches[name][:size] for name in names], size)
    rows, columns = np.nonzero(np.triu(rough >= NEAR - SLACK * many, 1))
    order = np.argsort(-rough[rows, columns], kind="stable")
    group = list(range(len(names)))
    found = []
    for i, j in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if group[i] != group[j]:
            share = dice(sketches[names[i]], sketches[names[j]]) if many else float(rough[i, j])
            if share >= NEAR:
                found.append(NearCopy(names[i], names[j], share))
                group = [group[i] if g == group[j] else g for g in group]
    return tuple(found)
