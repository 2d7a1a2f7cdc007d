"""Scores of two systems after a random exchange of their segments or topics."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.metrics.base import Typed
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import weighted_scores
from clirbench.types import Doubles

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def shuffled_scores(
    evidence: Evidence, column: str, pair: tuple[int, int], samples: int, seed: int
) -> tuple[Doubles, Doubles] | str:
    """Both systems' scores (samples,) after each exchange; or why there are none.

    The coins are those that sacreBLEU tosses from this seed: where one is 1, the first keeps its item.
    """
    return exchanged_scores(evidence, column, pair, _sacrebleu_coins(samples, _items(evidence, column, pair), seed))


def _items(evidence: Evidence, column: str, pair: tuple[int, int]) -> int:
    return evidence.topics(column) or int(evidence.statistics[column, evidence.systems[pair[0]]].shape[0])


def exchanged_scores(
    evidence: Evidence, column: str, pair: tuple[int, int], keep: Doubles
) -> tuple[Doubles, Doubles] | str:
    """Both systems' scores (patterns,) where `keep` (patterns, items) is 1 an item stays, where 0 it changes sides."""
    if column in evidence.per_topic:
        return _exchanged_topics(evidence, column, pair, keep.astype(bool))
    first, second = (evidence.statistics[column, evidence.systems[i]] for i in pair)
    metric = evidence.metrics[column]
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        moved = keep @ first - keep @ second
        return (
            evidence.sign(column) * np.asarray(metric.score(second.sum(axis=0) + moved)),
            evidence.sign(column) * np.asarray(metric.score(first.sum(axis=0) - moved)),
        )
    if isinstance(metric, Typed):
        names = [evidence.types.get((column, evidence.systems[i])) for i in pair]
        if names[0] is None or names[1] is None:
            return "exchanging segments of a type average needs the names of the types"
        first, second = aligned_types(first, names[0], second, names[1], metric.width)  # type: ignore[arg-type]
    from scipy.sparse import csr_array, vstack

    both = csr_array(vstack([csr_array(first), csr_array(second)]))
    kept, swapped = np.hstack([keep, 1 - keep]), np.hstack([1 - keep, keep])
    return (
        evidence.sign(column) * weighted_scores(metric, both, kept),
        evidence.sign(column) * weighted_scores(metric, both, swapped),
    )


def aligned_types(
    first: "csr_array[Any]",
    first_names: tuple[str, ...],
    second: "csr_array[Any]",
    second_names: tuple[str, ...],
    width: int,
) -> "tuple[csr_array[Any], csr_array[Any]]":
    """Both systems' statistics with the same type in the same `width` columns.

    Each system numbers the types that only it has by itself; mixing segments of two systems needs one numbering.
    """
    from scipy.sparse import csr_array

    number = {name: i for i, name in enumerate(dict.fromkeys((*first_names, *second_names)))}

    def renumbered(statistics: "csr_array[Any]", names: tuple[str, ...]) -> "csr_array[Any]":
        place = np.array([number[name] for name in names], dtype=np.int64)
        entries = statistics.tocoo()
        columns = width * place[entries.col // width] + entries.col % width
        return csr_array((entries.data, (entries.row, columns)), shape=(statistics.shape[0], width * len(number)))

    return renumbered(first, first_names), renumbered(second, second_names)


def _exchanged_topics(
    evidence: Evidence, column: str, pair: tuple[int, int], keep: "np.typing.NDArray[np.bool_]"
) -> tuple[Doubles, Doubles]:
    first, second = (evidence.per_topic[column][i] for i in pair)
    aggregate, sign = evidence.measures[column].aggregate, evidence.sign(column)
    kept, swapped = np.where(keep, first, second), np.where(keep, second, first)
    return sign * np.asarray(aggregate(kept)), sign * np.asarray(aggregate(swapped))


def _sacrebleu_coins(samples: int, n: int, seed: int) -> Doubles:
    return np.random.default_rng(seed).integers(2, size=(samples, n), dtype=bool).astype(np.float64)


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
