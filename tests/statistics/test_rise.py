"""P(retrieval improves | metric rises by x) against a known curve and by hand."""

import numpy as np
import pytest

from clirbench.statistics.agreement import Interval
from clirbench.statistics.decision import better_with, jackknifed_slope, logistic_slope, rising_pairs


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


def test_a_rise_of_one_or_of_more_by_hand() -> None:
    found = better_with(Interval(np.log(3), 0.0, np.log(9), note="a note"))
    assert (found.value, found.low, found.high) == pytest.approx((3 / 4, 1 / 2, 9 / 10))  # 1 / (1 + exp(-slope))
    assert found.note == "a note"
    assert better_with(Interval(np.log(3), 0.0, np.log(9)), 2.0).value == pytest.approx(9 / 10)  # odds of 3 twice


def test_the_slope_of_ordered_pairs_is_not_known_and_few_units_have_no_interval() -> None:
    x = np.arange(10.0)
    assert np.isnan(jackknifed_slope(x, x, np.arange(10)).low)  # every pair agrees: no finite slope
    assert "too few" in jackknifed_slope(x[:5], x[[1, 0, 2, 4, 3]], np.arange(5)).note
