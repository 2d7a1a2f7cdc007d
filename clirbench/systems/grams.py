"""Hashes of word 4-grams, what `likeness` compares texts by.

Words are letters and digits between white space and ASCII punctuation, whatever the case of A to Z. Each character from
U+3000 to U+9FFF is a word. The readable form is in tests/systems/test_likeness.py.
"""

import numpy as np
from numpy.typing import NDArray

from clirbench.native.library import compiled

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

ORDER = 4
NEWLINE, WHITE = ord("\n"), ord(" ")
PLAIN = np.array(
    [ord(chr(b).lower()) if chr(b).isalnum() or b in b"\n_" else WHITE for b in range(128)] + list(range(128, 256)),
    dtype=np.uint8,
)
"""Every byte as it is compared."""
FIRST, PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a
STEP = np.uint64(0xD6E8FEB86659FD93)


def gram_hashes(block: bytes, most: int) -> Hashes:
    """The hash, if it is at most `most`, of every 4-gram within a line, and of every line of one to three words.

    `block`: whole lines.
    """
    raw = np.frombuffer(block, dtype=np.uint8)
    if (hashes := compiled("gram_hashes")) is not None:
        out = np.empty(len(raw) + 1, dtype=np.uint64)
        return out[: hashes(raw, len(raw), PLAIN, np.array([most], dtype=np.uint64), out)].copy()
    plain = np.append(PLAIN[raw], np.full(3, NEWLINE, dtype=np.uint8))  # what looks ahead sees no word there
    starts, lengths = _words(plain, len(raw))
    words, line = _hashed(plain, starts, lengths), np.cumsum(plain == NEWLINE)[starts]
    place = np.arange(len(words)) - np.searchsorted(line, line)
    value = np.zeros(len(words), dtype=np.uint64)
    for back in reversed(range(ORDER)):
        value = value * STEP + np.where(place >= back, np.roll(words, back), np.uint64(0))
    last = np.append(line, block.count(b"\n"))[1:] > line  # of a line that ended
    value = _mixed(value)
    return value[((place >= ORDER - 1) | last) & (value <= np.uint64(most))]


def _words(plain: Bytes, n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where words begin among the first `n` bytes, and how long they are; an ideograph has three bytes."""
    white, lead = (plain == WHITE) | (plain == NEWLINE), (plain >= 0xE3) & (plain <= 0xE9)
    within = ~white & ~lead
    begins = lead | (within & np.append(True, white[:-1]))
    begins[3:] |= lead[:-3] & within[1:-2] & within[2:-1] & within[3:]
    starts = np.flatnonzero(begins)
    stops = np.flatnonzero(begins | white)
    ends = stops[np.searchsorted(stops, starts, side="right")] if len(starts) else starts
    whole = (ends < n) | (lead[starts] & (ends - starts == 3))
    return starts[whole], (ends - starts)[whole]


def _hashed(plain: Bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> Hashes:
    """The hash of each word, byte after byte of all that are as long."""
    longest_first = np.argsort(-lengths, kind="stable")
    starts, left = starts[longest_first], np.bincount(lengths) if len(lengths) else np.zeros(1, dtype=np.int64)
    value = np.full(len(starts), FIRST)
    for at, n in enumerate((len(starts) - np.cumsum(left))[:-1].tolist()):
        value[:n] = (value[:n] ^ plain[starts[:n] + at]) * PRIME
    hashes = np.empty_like(value)
    hashes[longest_first] = _mixed(value)
    return hashes


def _mixed(value: Hashes) -> Hashes:
    """The value spread evenly over 64 bits (the finalizer of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
