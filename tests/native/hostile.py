"""What compiled loops are given to show that they touch no memory but their own: truth about sizes, and nothing else.

`python tests/native/hostile.py LIBRARY CALLS` gives it to a library, as one with sanitizers.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from clirbench.native import library

Rng = np.random.Generator
EDGES = np.array([-(2**31), -1, 0, 1, 2, 3, 255, 2**31 - 1])


def numbers(rng: Rng, n: int, most: int = 9, kind: Any = np.int32) -> Any:
    """Numbers from 0 to most; now and then one that is not."""
    found = rng.integers(0, most + 1, n)
    if rng.random() < 0.2:
        found[rng.random(n) < 0.1] = rng.choice(EDGES)
    return found.astype(kind)


def offsets(rng: Rng, parts: int, n: int, kind: Any = np.int64) -> Any:
    """Offsets of parts within n, ascending; now and then not."""
    found = np.sort(rng.integers(0, n + 1, parts + 1))
    return numbers(rng, parts + 1, n, kind) if rng.random() < 0.2 else found.astype(kind)


def shape(rng: Rng, width: int) -> tuple[Any, int, int]:
    """Numbers of symbols, an order and bits, most often such as fit."""
    bits = int(rng.integers(1, 8))
    ids = np.maximum(1, numbers(rng, int(rng.integers(1, 9)), (1 << bits) - 1))
    return ids, int(rng.integers(0, width // bits + 2)), int(rng.choice([bits, bits, bits, 0, 31, 40]))


def arguments(rng: Rng, name: str) -> Sequence[Any]:
    """What `LOOPS` says that a loop takes."""
    n, parts, few = (int(rng.integers(0, most)) for most in (60, 6, 4))
    symbols, lines = numbers(rng, n), offsets(rng, parts, n)
    width = 128 if name.endswith("128") else 64
    ids, order, bits = shape(rng, width)
    keys = rng.integers(0, 1 << 62, (n, width // 64)).astype(np.uint64)
    room, words = np.empty(3 * n + 3), 1 << int(rng.integers(0, 5))
    match name.partition("_of_")[0]:
        case "sorted_keys":
            out = np.empty_like(keys), np.empty(parts + 1, dtype=np.int64)
            return symbols, n, offsets(rng, parts * few, n), parts, few, ids, len(ids), order, bits, *out
        case "count_matches":
            out = np.empty((parts, max(order, 1)))
            given = (ids, len(ids), order, bits, np.sort(keys, axis=0), n, offsets(rng, parts, n), out)
            return symbols, n, lines, parts, few, *given
        case "count_types":
            out = np.empty(6 * n + 1), np.empty(6 * n + 1, dtype=np.int32), np.empty(parts + 1, dtype=np.int32)
            return symbols, n, lines, numbers(rng, n), n, offsets(rng, parts, n), parts, *out
        case "without_white":
            out = np.empty(n + 1, dtype=np.int32), np.empty(parts + 1, dtype=np.int64)
            return symbols.view(np.uint32), n, lines, parts, numbers(rng, 5, 6, np.uint8), 5, 1, *out
        case "number_words":
            slots, of = numbers(rng, words, parts + 1) - 1, numbers(rng, 1, parts, np.int64)
            begins, ends = numbers(rng, few, n), numbers(rng, few, n)
            text, out = symbols.view(np.uint32), np.empty(few, dtype=np.int32)
            return text, n, begins, ends, few, text.copy(), n, lines, parts, 7, slots, words, of, out
        case "rank_topics":
            lists, order, depth = offsets(rng, few, 9), numbers(rng, 9, 8), int(rng.integers(-1, 9))
            asked = numbers(rng, 9, max(parts - 1, 0)), rng.random(9).astype(np.float32), 9
            norms, most = rng.random(9).astype(np.float32), int(rng.integers(0, 30))
            held = lines, parts, numbers(rng, n, 8), numbers(rng, n), n, norms, order, rng.permutation(order), 9
            out = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.float32), most
            return lists, few, *asked, *held, depth, *out, np.empty(few, dtype=np.int64), np.empty(few, dtype=np.int64)
        case "overlaps":
            sides = [
                (numbers(rng, n, 8), *(numbers(rng, few, n // 2, np.int64) + more for more in (0, n // 2)), n)
                for _ in range(2)
            ]
            depth, ordinal = int(rng.integers(0, 20)), numbers(rng, 9, 9, np.int64)
            return *sides[0], ordinal, 9, *sides[1], 9, few, 0.9, rng.random(depth), depth, np.empty(few)
        case "resampled":
            draws, weights = numbers(rng, 9 * few, 255, np.uint8), rng.random(9 * few)
            drawn = (draws, None) if rng.random() < 0.5 else (None, weights)
            counts, starts = numbers(rng, n, 3, np.float64), offsets(rng, 3 * parts, n, np.int32)
            return starts, 3 * parts, symbols, counts, n, *drawn, 9, few, 1.0, 1.0, few % 2, room[:few]
        case "gram_hashes":
            text, plain = numbers(rng, n, 255, np.uint8), numbers(rng, 256, 255, np.uint8)
            return text, n, plain, np.array([1 << 62], dtype=np.uint64), np.empty(n, dtype=np.uint64)
        case "run_lines":
            text, topics, docs = numbers(rng, n, 255, np.uint8), offsets(rng, few, n), offsets(rng, 9, n)
            ranked = offsets(rng, few, n), numbers(rng, n, 8), rng.random(n).astype(np.float32) + 1, n
            lines = np.empty(int(rng.integers(0, 9999)), dtype=np.uint8)
            return text, n, topics, few, text, n, docs, 9, *ranked, text, n, lines, len(lines)
    raise AssertionError(f"{name} is given nothing hostile")


NAMES = [
    name + width
    for name in library.LOOPS
    for width in (("_of_64", "_of_128") if name in ("sorted_keys", "count_matches") else ("",))
]


def give(calls: int, seed: int = 0) -> dict[str, tuple[int, int]]:
    """By loop, how many calls were taken and how many refused."""
    rng, done = np.random.default_rng(seed), {}
    for name in NAMES:
        loop: Callable[..., int] | None = library.compiled(name)
        assert loop is not None
        taken = 0
        for _ in range(calls):
            with suppress(ValueError):
                taken += loop(*arguments(rng, name)) >= 0
        done[name] = (taken, calls - taken)
    return done


if __name__ == "__main__":
    loaded = ctypes.CDLL(sys.argv[1])
    library.library = lambda: loaded  # type: ignore[assignment]
    print(give(int(sys.argv[2])))
