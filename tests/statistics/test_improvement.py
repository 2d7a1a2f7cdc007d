"""P(retrieval improves | metric rises by x) against a known curve and hand cases."""

import numpy as np
import pytest

from clirbench.statistics.improvement import improvements, logistic_slope, rising_pairs
from tests.statistics.worlds import scores_only


def test_pairs_by_hand() -> None:
    rises, better = rising_pairs(np.array([1.0, 3, 3, 2]), np.array([0.1, 0.3, 0.2, 0.3]))
    # pairs (0,1) (0,2) (0,3) (1,2) (1,3) (2,3); (1,2) is tied in the metric; from 3 to 1 the measure is tied
    assert rises.tolist() == [2, 2, 1, 0, 1, 1]
    assert better.tolist() == [1, 1, 1, 0.5, 0.5, 0]


def test_slope_is_the_likelihood_maximum() -> None:
    rng = np.random.default_rng(0)
    rises = rng.uniform(0, 4, 20_000)
    better = (rng.random(20_000) < 1 / (1 + np.exp(-0.8 * rises))).astype(float)
    assert logistic_slope(rises, better) == pytest.approx(0.8, abs=0.05)
    # two pairs with rise 1, one better: P = .5, slope 0; three of four: log(3)
    assert logistic_slope(np.ones(2), np.array([1.0, 0])) == pytest.approx(0, abs=1e-9)
    assert logistic_slope(np.ones(4), np.array([1.0, 1, 1, 0])) == pytest.approx(np.log(3))
    assert np.isnan(logistic_slope(np.empty(0), np.empty(0)))
    assert 1 / (1 + np.exp(-logistic_slope(np.ones(3), np.ones(3)))) == pytest.approx(1)
    together = logistic_slope(np.array([[1.0, 1, 1, 1], [2, 2, 2, 2]]), np.array([[1.0, 1, 1, 0], [0, 0, 0, 1]]))
    assert together == pytest.approx([np.log(3), -np.log(3) / 2])


def test_curve() -> None:
    rng = np.random.default_rng(1)
    x = np.linspace(10, 40, 20)
    rows = improvements(scores_only([x.tolist()], [(x + 4 * rng.normal(size=20)).tolist()]), points=4, samples=100)
    assert [row.pairs for row in rows] == [48, 48, 47, 47]
    assert sum(row.pairs for row in rows) == 190
    probabilities = [row.probability for row in rows]
    assert probabilities == sorted(probabilities)
    assert all(0.5 <= row.ci_low <= row.probability <= row.ci_high <= 1 for row in rows)
    assert rows[0].rise_80 == pytest.approx(np.log(4) / rows[0].slope)
    assert rows[-1].share > 0.95


def test_a_metric_that_points_the_wrong_way() -> None:
    (row, *_) = improvements(scores_only([[1, 2, 3, 4]], [[4, 3, 2, 1.0]]), samples=20)
    assert row.probability < 0.5
    assert row.rise_80 == float("inf")


def test_bad_input_is_stated() -> None:
    (row,) = improvements(scores_only([[1, 1, 1]], [[1, 2, 3]]), samples=5)
    assert row.note == "a column is constant"
    assert np.isnan(row.probability)
    (row,) = improvements(scores_only([[1, 2]], [[1, 2]]), samples=5)
    assert row.note == "2 systems: at least 3 are needed"
