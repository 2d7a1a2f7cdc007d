"""Random exchanges between two metrics, all pairs of metrics at once with the same random swaps.

Every function yields ((metric_a, metric_b), (swapped, exhaustive)): `swapped` is (samples, 2, systems), the system
values of both metrics after each exchange, the first one unswapped; `exhaustive` says that all exchanges are there
exactly once (the first included), so that shares are exact.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from clirbench.types import Doubles

Swapped = tuple[tuple[str, str], tuple[Doubles, bool]]
EXHAUSTIVE = 14  # systems: all 16,384 exchanges


def swapped_systems(scores: Mapping[str, Doubles], samples: int, rng: np.random.Generator) -> Iterator[Swapped]:
    """Whole systems change sides; scores (systems,) are standardised first. All exchanges up to 14 systems."""
    n = len(next(iter(scores.values())))
    exhaustive = n <= EXHAUSTIVE
    if exhaustive:
        swap = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    else:
        swap = rng.integers(2, size=(samples + 1, n))
        swap[0] = 0
    standard = {name: (column - column.mean()) / (column.std() or 1.0) for name, column in scores.items()}
    for a, b in combinations(standard, 2):
        kept, other = np.where(swap, standard[b], standard[a]), np.where(swap, standard[a], standard[b])
        yield (a, b), (np.stack([kept, other], axis=1), exhaustive)


def swapped_inputs(values: Mapping[str, Doubles], samples: int, rng: np.random.Generator) -> Iterator[Swapped]:
    """Whole segments change sides, for all systems; values (systems, segments) are standardised already."""
    for _, held in _same_items(values).items():
        segments = next(iter(held.values())).shape[1]
        swap = _coins(samples, segments, rng)
        moved = {name: swap @ column.T / segments for name, column in held.items()}
        yield from _exchanged({name: column.mean(axis=1) for name, column in held.items()}, moved)


def swapped_both(values: Mapping[str, Doubles], samples: int, rng: np.random.Generator) -> Iterator[Swapped]:
    """Every value of a system and a segment changes sides by itself; values (systems, segments)."""
    for held in _same_items(values).values():
        names = list(held)
        systems, segments = held[names[0]].shape
        moved = {name: np.empty((samples + 1, systems)) for name in names}
        for system in range(systems):
            sums = _coins(samples, segments, rng) @ np.stack([held[name][system] for name in names], axis=1)
            for at, name in enumerate(names):
                moved[name][:, system] = sums[:, at] / segments
        yield from _exchanged({name: column.mean(axis=1) for name, column in held.items()}, moved)


def _exchanged(means: Mapping[str, Doubles], moved: Mapping[str, Doubles]) -> Iterator[Swapped]:
    """What each metric gives away, the other receives: `moved` (samples + 1, systems) of the means (systems,)."""
    for a, b in combinations(means, 2):
        given = moved[b] - moved[a]
        yield (a, b), (np.stack([means[a] + given, means[b] - given], axis=1), False)


def _same_items(values: Mapping[str, Doubles]) -> dict[int, dict[str, Doubles]]:
    """Metrics by their number of segments: only items that are the same can be exchanged."""
    found: dict[int, dict[str, Doubles]] = {}
    for name, held in values.items():
        found.setdefault(held.shape[1], {})[name] = held
    return found


def _coins(samples: int, n: int, rng: np.random.Generator) -> Doubles:
    """(samples + 1, n) of 0 and 1; the first row is all 0."""
    width = -(-n // 8)
    raw = np.frombuffer(rng.bytes(samples * width), dtype=np.uint8).reshape(samples, width)
    coins = np.zeros((samples + 1, n))
    coins[1:] = np.unpackbits(raw, axis=1)[:, :n]
    return coins
