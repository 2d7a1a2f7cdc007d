"""Hashes of word 4-grams, compiled: the one loop over bytes of `likeness`; imported only when texts are compared.

Words are letters and digits between white space and ASCII punctuation, whatever the case of A to Z. Each character from
U+3000 to U+9FFF is a word. The readable form is in tests/systems/test_likeness.py.
"""

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.compiled import njit

Hashes = NDArray[np.uint64]

ORDER = 4
NEWLINE, WHITE = ord("\n"), ord(" ")
PLAIN = np.array(
    [ord(chr(b).lower()) if chr(b).isalnum() or b in b"\n_" else WHITE for b in range(128)] + list(range(128, 256)),
    dtype=np.uint8,
)
"""Every byte as it is compared."""
_FIRST, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)
_STEP = np.uint64(0xD6E8FEB86659FD93)


@njit(cache=True, nogil=True)
def _mixed(value):  # type: ignore[no-untyped-def]
    """The value spread evenly over 64 bits (the finalizer of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit(cache=True, nogil=True)
def _written(words, count, most, out, written):  # type: ignore[no-untyped-def]
    """Append the hash of the last four of a line's words, or of all where they are fewer."""
    value = np.uint64(0)
    for place in range(max(0, count - ORDER), count):
        value = value * _STEP + words[place % ORDER]
    value = _mixed(value)
    if value <= most:
        out[written] = value
        return written + 1
    return written


@njit(cache=True, nogil=True)
def gram_hashes(block, plain, most, out):  # type: ignore[no-untyped-def]
    """Write the hash, if it is at most `most`, of every 4-gram within a line, and of every line of one to three words.

    `block`: whole lines; `out`: room for half as many hashes as bytes. Returns how many were written.
    """
    words = np.zeros(ORDER, dtype=np.uint64)
    written = count = left = 0  # count: words of this line; left: bytes that an ideograph still has
    inside = False
    value = _FIRST
    for raw in block:
        byte = plain[raw]
        white = byte in (WHITE, NEWLINE)
        lead = 0xE3 <= byte <= 0xE9
        if inside and (white or lead):
            words[count % ORDER] = _mixed(value)
            count += 1
            inside = False
            if count >= ORDER:
                written = _written(words, count, most, out, written)
        if byte == NEWLINE:
            if 0 < count < ORDER:
                written = _written(words, count, most, out, written)
            count = 0
        if white:
            continue
        if not inside:
            inside, value = True, _FIRST
            left = 3 if lead else -1
        value = (value ^ np.uint64(byte)) * _PRIME
        left -= 1
        if left == 0:
            words[count % ORDER] = _mixed(value)
            count += 1
            inside = False
            if count >= ORDER:
                written = _written(words, count, most, out, written)
    return written
