"""Scores after a random exchange of segments or topics, between two systems or between two metrics."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import weighted_scores
from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@runtime_checkable
class Typed(Protocol):
    """A metric whose statistics are sparse, with `width` columns for each type (a word, a term).

    Each system's types are numbered by themselves; the names tell which are the same in two systems.
    """

    @property
    def width(self) -> int:
        """Columns a type."""

    def types(self, hypotheses: Sequence[str], test: TestSet) -> tuple[str, ...]:
        """The names of the types, in the order of the statistics' columns."""


def exchanger(evidence: Evidence, column: str, pairs: Sequence[tuple[int, int]]) -> Callable[[Doubles], Doubles] | str:
    """A function of `keep` (patterns, items): first less second of every pair, (patterns, pairs); or why there is none.

    Where `keep` is 1 an item stays, where 0 it changes sides between the two systems of the pair.
    """
    if column in evidence.per_topic:
        return partial(_exchanged_topics, evidence, column, pairs)
    metric, sign = evidence.metrics[column], evidence.sign(column)
    sides = [tuple(evidence.statistics[column, evidence.systems[i]] for i in pair) for pair in pairs]
    if all(isinstance(side, np.ndarray) for both in sides for side in both):
        # One product for all pairs: BLAS likes it wide.
        moving = np.hstack([np.asarray(first - second) for first, second in sides])
        first, second = (np.stack([both[side].sum(axis=0) for both in sides]) for side in (0, 1))

        def dense(keep: Doubles) -> Doubles:
            moved = (keep @ moving).reshape(len(keep), *first.shape)
            return sign * np.asarray(metric.score(second + moved) - metric.score(first - moved))

        return dense
    if isinstance(metric, Typed):
        names = [tuple(evidence.types.get((column, evidence.systems[i])) for i in pair) for pair in pairs]
        if any(side is None for both in names for side in both):
            return "exchanging segments of a type average needs the names of the types"
        sides = [
            aligned_types(both[0], own[0], both[1], own[1], metric.width)  # type: ignore[arg-type]
            for both, own in zip(sides, names, strict=True)
        ]
    from scipy.sparse import csr_array, vstack

    stacked = [csr_array(vstack([csr_array(first), csr_array(second)])) for first, second in sides]

    def sparse(keep: Doubles) -> Doubles:
        kept, swapped = np.hstack([keep, 1 - keep]), np.hstack([1 - keep, keep])
        scores = [weighted_scores(metric, both, kept) - weighted_scores(metric, both, swapped) for both in stacked]
        return sign * np.stack(scores, axis=1)

    return sparse


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


def _exchanged_topics(evidence: Evidence, column: str, pairs: Sequence[tuple[int, int]], keep: Doubles) -> Doubles:
    per_topic, aggregate = evidence.per_topic[column], evidence.measures[column].aggregate
    if evidence.is_mean(column):
        gains = np.stack([per_topic[a] - per_topic[b] for a, b in pairs], axis=1)
        return np.asarray(evidence.sign(column) * (2 * keep - 1) @ gains / len(gains))
    stays = keep.astype(bool)
    found = [
        aggregate(np.where(stays, per_topic[a], per_topic[b])) - aggregate(np.where(stays, per_topic[b], per_topic[a]))
        for a, b in pairs
    ]
    return evidence.sign(column) * np.stack(found, axis=1)


def swapped_segments(
    values: Mapping[str, Doubles], samples: int, rng: np.random.Generator, *, together: bool
) -> Iterator[tuple[tuple[str, str], Doubles]]:
    """Segments change sides between two metrics, each for all systems `together` or for every system by itself.

    values: (systems, segments), standardised. Yields for every pair of metrics (samples + 1, 2, systems), the first
    sample unswapped: what each metric gives away, the other receives.
    """
    for held in _same_items(values).values():
        systems, segments = next(iter(held.values())).shape
        moved = {name: np.empty((samples + 1, systems)) for name in held}
        for system in range(systems):
            if system == 0 or not together:
                swap = _coins(samples, segments, rng)
            sums = swap @ np.stack([column[system] for column in held.values()], axis=1)
            for at, name in enumerate(held):
                moved[name][:, system] = sums[:, at] / segments
        means = {name: column.mean(axis=1) for name, column in held.items()}
        for a, b in combinations(held, 2):
            given = moved[b] - moved[a]
            yield (a, b), np.stack([means[a] + given, means[b] - given], axis=1)


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
