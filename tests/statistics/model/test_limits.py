"""Limits of a mean: Student's for symmetric values, wider on the side of the tail for skewed ones."""

import numpy as np
import pytest
from scipy.stats import t

from clirbench.statistics.model.limits import mean_limits


def test_symmetric_values_have_limits_of_student() -> None:
    values = np.array([-3.0, -1, -0.5, 0.5, 1, 3]) + 7
    low, high = t.interval(0.95, 5, loc=7, scale=values.std(ddof=1) / np.sqrt(6))
    assert mean_limits(values, 0.025) == pytest.approx((low, high))


def test_skewed_values_move_a_limit_towards_the_tail() -> None:
    values = np.array([0.0, 0, 0, 0, 0.1, 0.2, 1.0, 4.0])
    low, high = t.interval(0.95, 7, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(8))
    found = mean_limits(values, 0.025)
    assert found[1] > 1.1 * high
    assert found[0] == pytest.approx(low)


def test_equal_values_have_no_width() -> None:
    assert mean_limits(np.full(5, 0.3), 0.025) == pytest.approx((0.3, 0.3))
