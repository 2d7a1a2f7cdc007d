"""Least squares with nonnegative weights: scipy's are the expected values."""

import numpy as np
import pytest
from scipy.optimize import nnls

from clirbench.statistics.nonnegative import nonnegative_least_squares


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_the_weights_are_those_of_scipy(k: int) -> None:
    rng = np.random.default_rng(k)
    bound = 0
    for _ in range(200):
        columns, target = rng.normal(size=(k + 3, k)), rng.normal(size=k + 3)
        expected, _ = nnls(columns, target)
        bound += int((expected == 0).any())
        weights = nonnegative_least_squares(columns, target)
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12)
    assert bound > 50  # weights of 0, where the plain solution would be another one


def test_a_target_that_no_weight_brings_nearer_has_weights_of_zero() -> None:
    assert nonnegative_least_squares(np.eye(3), -np.ones(3)).tolist() == [0, 0, 0]
    assert nonnegative_least_squares(np.eye(3), np.zeros(3)).tolist() == [0, 0, 0]
    assert nonnegative_least_squares(np.eye(3), np.array([2.0, -1, 0.5])).tolist() == [2, 0, 0.5]
