"""Pairwise accuracy by hand; soft: mid-p by hand, against a slow loop, no dependence on order, its interval."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from clirbench.labs.papers.statistics.soft_accuracy import accuracies, mid_p_values, soft_accuracy
from tests.statistics.worlds import scores_only, world


def test_mid_p_by_hand() -> None:
    # differences 1, 1: sums 2, 0, 0, -2 of which none exceeds 2 and one equals it
    p = mid_p_values(np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert p[0, 1] == pytest.approx(0.5 / 4)
    assert p[1, 0] == pytest.approx(3.5 / 4)
    assert p[0, 0] == 0.5


@pytest.mark.parametrize("items", [6, 30])
def test_order_of_systems_does_not_matter(items: int) -> None:
    rng = np.random.default_rng(items)
    values = rng.integers(0, 2, size=(7, items)).astype(float)
    p = mid_p_values(values, samples=400)
    assert np.allclose(p + p.T, 1)
    order = rng.permutation(7)
    other = rng.integers(0, 2, size=(7, items)).astype(float)
    q = mid_p_values(other, samples=400, seed=1)
    first = soft_accuracy(p, q, np.arange(7)).value
    moved = mid_p_values(values[order], samples=400)
    assert np.allclose(moved, p[np.ix_(order, order)])
    assert soft_accuracy(moved, q[np.ix_(order, order)], np.arange(7)).value == pytest.approx(first)


def test_range() -> None:
    p = mid_p_values(np.arange(40.0)[::-1].reshape(8, 5))
    assert soft_accuracy(p, p, np.arange(8)).value == 1
    opposite = soft_accuracy(p, p.T, np.arange(8))
    assert 0 <= opposite.low <= opposite.value < 0.2
    assert np.isnan(soft_accuracy(p, p, np.zeros(8, dtype=np.int64)).value)
    assert "too few" in soft_accuracy(p, p, np.repeat([0, 1], 4)).note


def test_pairwise_accuracy_by_hand() -> None:
    # alike: (0,1) (0,2) (0,3), and (2,3) tied in both; not: (1,2) (1,3)
    (row,) = accuracies(scores_only([[1, 2, 3, 3]], [[1, 3, 2, 2]]))
    (turned,) = accuracies(scores_only([[1, 2, 3, 3]], [[-1, -2, -3, -3]]))
    assert row.accuracy == pytest.approx(4 / 6)
    assert turned.accuracy == pytest.approx(1 / 6)


def test_mid_p_by_enumeration() -> None:
    values = np.array([[3.0, 1, 2, 5], [2, 2, 0, 1]])
    difference = values[0] - values[1]
    sums = [float(np.dot(signs, difference)) for signs in itertools.product([1, -1], repeat=4)]
    exact = np.mean([(total > difference.sum()) + (total == difference.sum()) / 2 for total in sums])
    assert mid_p_values(values)[0, 1] == pytest.approx(exact)


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


def test_pairs_of_one_unit_are_not_counted_and_training_has_no_interval() -> None:
    evidence = world(n=12, noise=(0.3,))
    (alone,) = accuracies(evidence, samples=50)
    assert alone.soft_low < alone.soft < alone.soft_high
    twins = replace(evidence, board=replace(evidence.board, metadata={"family": tuple("aabbccddeeff")}))
    (families,) = accuracies(twins, samples=50)
    assert (families.pairs, families.n_units) == (66 - 6, 6)
    assert families.soft_low < families.soft < families.soft_high
    steps = replace(evidence, board=replace(evidence.board, metadata={"step": tuple(map(str, range(12)))}))
    (along,) = accuracies(steps, samples=50)
    assert along.soft == alone.soft
    assert np.isnan(along.soft_low)
    assert "description only" in along.note


@pytest.mark.parametrize("topics", [12, 40])
def test_the_interval_covers_the_value_of_all_systems(topics: int) -> None:
    """Fixed seed: 150 samples of 16 from 240 systems, half of whose topics tie; at .95 fewer than 134 is 1 in 1,000."""
    rng = np.random.default_rng(topics)
    quality = rng.normal(size=240)
    per_topic = np.round(0.7 * quality[:, None] + rng.normal(size=(240, topics)))
    segments = (quality + 0.7 * rng.normal(size=240))[:, None] + 2 * rng.normal(size=(240, 60))
    p, q = mid_p_values(segments, samples=200), mid_p_values(per_topic, samples=200)
    truth = soft_accuracy(p, q, np.arange(240)).value
    covered = 0
    for _ in range(150):
        drawn = rng.choice(240, 16, replace=False)
        found = soft_accuracy(p[np.ix_(drawn, drawn)], q[np.ix_(drawn, drawn)], np.arange(16))
        covered += found.low <= truth <= found.high
    assert covered >= 134
