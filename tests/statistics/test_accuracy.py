"""Pairwise accuracy by hand, soft pairwise accuracy against a slow loop."""

import itertools

import numpy as np
import pytest

from clirbench.statistics.accuracy import accuracies, exchange_p_values, pairwise_accuracy
from tests.statistics.worlds import scores_only, world


def test_pairwise_accuracy_by_hand() -> None:
    x, y = np.array([1.0, 2, 3, 3]), np.array([1.0, 3, 2, 2])
    # alike: (0,1) (0,2) (0,3), and (2,3) tied in both; not: (1,2) (1,3)
    assert pairwise_accuracy(x, y) == pytest.approx(4 / 6)
    assert pairwise_accuracy(x, -x) == pytest.approx(1 / 6)
    assert np.isnan(pairwise_accuracy(x[:1], y[:1]))


def test_exchange_p_values_by_enumeration() -> None:
    values = np.array([[3.0, 1, 2, 5], [2, 2, 0, 1]])
    difference = values[0] - values[1]
    exact = np.mean([np.dot(signs, difference) >= difference.sum() for signs in itertools.product([1, -1], repeat=4)])
    assert exchange_p_values(values, 20_000, 0) == pytest.approx([exact], abs=0.01)


def test_soft_accuracy_against_a_slow_loop() -> None:
    evidence = world(n=5, topics=20, segments=30, noise=(0.6,))

    def p_values(values: np.ndarray) -> list[float]:
        rng = np.random.default_rng(77)
        found = []
        for i, j in itertools.combinations(range(5), 2):
            difference = values[i] - values[j]
            signs = rng.choice([-1, 1], size=(4000, len(difference)))
            found.append(float(((signs * difference).mean(axis=1) >= difference.mean()).mean()))
        return found

    segments = np.stack([evidence.statistics["m0", system][:, 0] for system in evidence.systems])
    expected = 1 - np.mean(np.abs(np.subtract(p_values(segments), p_values(evidence.per_topic["y0"]))))
    (row,) = accuracies(evidence, samples=4000)
    assert row.soft == pytest.approx(expected, abs=0.01)
    assert (row.pairs, row.n_topics, row.n_segments, row.samples) == (10, 20, 30, 4000)


def test_scores_without_items_have_no_soft_accuracy() -> None:
    (row,) = accuracies(scores_only([[1, 2, 3]], [[1, 2, 3]]))
    assert row.accuracy == 1
    assert np.isnan(row.soft)
    assert row.samples == 0
    (one,) = accuracies(scores_only([[1]], [[1]]))
    assert np.isnan(one.accuracy)


def test_same_seed_same_rows() -> None:
    assert accuracies(world(), samples=50, seed=3) == accuracies(world(), samples=50, seed=3)
