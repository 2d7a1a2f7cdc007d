"""The information of every n-gram of the references, in the tables of the core's compiled n-grams."""

import numpy as np

from clirbench.metrics.compiled.jit import njit
from clirbench.metrics.compiled.ngrams import EMPTY, n_grams, slot_of


@njit(cache=True, nogil=True)
def build_information(symbols, offsets, order):  # type: ignore[no-untyped-def]
    """One table of all n-grams of all lines, and the information of each in bits.

    The information of an n-gram is log2 of (count of its first n - 1 symbols / its own count), of a single symbol
    log2 of (number of all symbols / its count).
    """
    total = 0
    for line in range(len(offsets) - 1):
        total += n_grams(offsets[line + 1] - offsets[line], order)
    size = total + total // 2 + 2
    keys = np.full(size, EMPTY, dtype=np.int64)
    counts = np.zeros(size, dtype=np.int64)
    for line in range(len(offsets) - 1):
        for i in range(offsets[line], offsets[line + 1]):
            parent = np.int64(-1)
            for j in range(i, min(i + order, offsets[line + 1])):
                slot, key = slot_of(keys, 0, size, parent, symbols[j])
                keys[slot] = key
                counts[slot] += 1
                parent = slot
    information = np.zeros(size, dtype=np.float64)
    for slot in range(size):
        if counts[slot]:
            parent = (keys[slot] >> np.int64(32)) - 1
            above = counts[parent] if parent >= 0 else len(symbols)
            information[slot] = np.log2(above / counts[slot])
    return keys, information
