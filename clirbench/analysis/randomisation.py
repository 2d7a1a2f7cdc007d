"""Scores of two systems after a random exchange of their segments or topics."""

from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.analysis.evidence import Evidence
from clirbench.analysis.resampling import weighted_scores
from clirbench.metrics.macrof import TypeAverage
from clirbench.types import Doubles

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def shuffled_scores(
    evidence: Evidence, column: str, pair: tuple[int, int], samples: int, seed: int
) -> tuple[Doubles, Doubles] | str:
    """Both systems' scores (samples,) after each exchange; or why there are none.

    The coins are those that sacreBLEU tosses from this seed: where one is 1, the first keeps its item.
    """
    if column in evidence.per_topic:
        return _shuffled_topics(evidence, column, pair, samples, seed)
    first, second = (evidence.statistics[column, evidence.systems[i]] for i in pair)
    metric = evidence.metrics[column]
    keep = _coins(samples, first.shape[0], seed)
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        moved = keep @ first - keep @ second
        return (
            evidence.sign(column) * np.asarray(metric.score(second.sum(axis=0) + moved)),
            evidence.sign(column) * np.asarray(metric.score(first.sum(axis=0) - moved)),
        )
    if isinstance(metric, TypeAverage):
        names = [evidence.types.get((column, evidence.systems[i])) for i in pair]
        if names[0] is None or names[1] is None:
            return "exchanging segments of a type average needs the names of the types"
        first, second = aligned_types(first, names[0], second, names[1])  # type: ignore[arg-type]
    from scipy.sparse import csr_array, vstack

    both = csr_array(vstack([csr_array(first), csr_array(second)]))
    kept, swapped = np.hstack([keep, 1 - keep]), np.hstack([1 - keep, keep])
    return (
        evidence.sign(column) * weighted_scores(metric, both, kept),
        evidence.sign(column) * weighted_scores(metric, both, swapped),
    )


def aligned_types(
    first: "csr_array[Any]", first_names: tuple[str, ...], second: "csr_array[Any]", second_names: tuple[str, ...]
) -> "tuple[csr_array[Any], csr_array[Any]]":
    """Both systems' statistics with the same type in the same column triple.

    Each system numbers the types that only it has by itself; mixing segments of two systems needs one numbering.
    """
    from scipy.sparse import csr_array

    number = {name: i for i, name in enumerate(dict.fromkeys((*first_names, *second_names)))}

    def renumbered(statistics: "csr_array[Any]", names: tuple[str, ...]) -> "csr_array[Any]":
        place = np.array([number[name] for name in names], dtype=np.int64)
        entries = statistics.tocoo()
        columns = 3 * place[entries.col // 3] + entries.col % 3
        return csr_array((entries.data, (entries.row, columns)), shape=(statistics.shape[0], 3 * len(number)))

    return renumbered(first, first_names), renumbered(second, second_names)


def _shuffled_topics(
    evidence: Evidence, column: str, pair: tuple[int, int], samples: int, seed: int
) -> tuple[Doubles, Doubles]:
    first, second = (evidence.per_topic[column][i] for i in pair)
    keep = _coins(samples, len(first), seed).astype(bool)
    aggregate, sign = evidence.measures[column].aggregate, evidence.sign(column)
    kept, swapped = np.where(keep, first, second), np.where(keep, second, first)
    return sign * np.asarray(aggregate(kept)), sign * np.asarray(aggregate(swapped))


def _coins(samples: int, n: int, seed: int) -> Doubles:
    return np.random.default_rng(seed).integers(2, size=(samples, n), dtype=bool).astype(np.float64)
