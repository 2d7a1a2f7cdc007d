"""Random signs: exchanges of the items of two systems, exact for few items."""

from collections.abc import Iterator

import numpy as np

from clirbench.types import Doubles

EXACT = 14
HELD = 1 << 22
"""Numbers that a block of patterns, or the items of some pairs, may have."""


def sign_blocks(k: int, samples: int, seed: int) -> Iterator[Doubles]:
    """(patterns, k) of 1 (kept) and 0 (exchanged), some at a time; the very first keeps everything.

    All 2^k for k <= 14, else the observed one and `samples` at random: the coins that sacreBLEU tosses from this seed.
    """
    if k <= EXACT:
        yield ((np.arange(2**k)[:, None] >> np.arange(k)) & 1 ^ 1).astype(np.float64)
        return
    yield np.ones((1, k))
    rng = np.random.default_rng(seed)
    rows = max(32, HELD // k // 32 * 32)  # whole words of 32 coins, so that blocks toss what one call would
    for at in range(0, samples, rows):
        yield rng.integers(2, size=(min(rows, samples - at), k), dtype=np.bool_).astype(np.float64)


def mean_difference_p(d: Doubles, *, sides: int = 2, samples: int = 9999, seed: int = 0) -> float:
    """P(a mean of differences with random signs reaches the observed one); `d`: (items,), finite.

    Two-sided by magnitude, or one-sided (`sides=1`: greater). Ties count; the observed signs are one pattern, so the
    p-value is never 0. Exact for up to 14 items that differ. **Source:** Fisher 1935; Phipson and Smyth 2010 (+ 1).
    """
    d = d[d != 0]
    if not len(d):
        return 1.0
    sums = np.concatenate([(2 * keep - 1) @ d for keep in sign_blocks(len(d), samples, seed)])
    values = np.abs(sums) if sides == 2 else sums
    return float((values >= values[0] - 1e-9 * np.abs(sums).max()).mean())
