"""From draws to decisions, by hand."""

import numpy as np
import pytest

from clirbench.statistics.model.shipping import averaged, best_set, p_of_best, regret, standings

DRAWS = np.array([[3.0, 1.0, 0.0], [2.0, 4.0, 0.0], [5.0, 1.0, 4.0], [2.0, 1.0, 0.0]])


def test_probabilities_and_losses_by_hand() -> None:
    assert p_of_best(DRAWS).tolist() == [0.75, 0.25, 0]
    first, second, third = standings(["a", "b", "c"], DRAWS)
    assert [row.system for row in (first, second, third)] == ["a", "b", "c"]
    assert [row.expected_loss for row in (first, second, third)] == [0.5, 1.75, 2.5]
    assert [row.in_set for row in (first, second, third)] == [True, True, False]


def test_set_holds_ties() -> None:
    assert best_set(np.array([0.4, 0.3, 0.3]), 0.6).tolist() == [True, True, True]
    assert best_set(np.array([0.96, 0.04, 0.0])).tolist() == [True, False, False]
    assert best_set(np.array([0.0, 1.0])).tolist() == [False, True]


def test_regret_of_a_pick_and_of_tied_picks() -> None:
    row = regret("m", ["a", "b", "c"], np.array([1.0, 2.0, 0.0]), DRAWS)
    assert (row.pick, row.expected, row.p_best) == ("b", 1.75, 0.25)
    tied = regret("m", ["a", "b", "c"], np.array([2.0, 2.0, 0.0]), DRAWS)
    assert (tied.pick, tied.expected) == ("a, b", pytest.approx((0.5 + 1.75) / 2))


def test_mean_over_seeds() -> None:
    names, draws = averaged(["x", "y", "x"], DRAWS)
    assert names == ("x", "y")
    assert draws[:, 0].tolist() == [1.5, 1.0, 4.5, 1.0]
