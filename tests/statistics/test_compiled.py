"""The compiled loops against the plain formulas."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.compiled import pair_sums, tau_b_grid


def test_pair_sums() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
    orders = np.stack([rng.permutation(5) for _ in range(7)])
    expected = [(left * right[np.ix_(order, order)]).sum() for order in orders]
    assert pair_sums(left, right, orders) == pytest.approx(expected)


def test_tau_b_grid_with_ties_and_constants() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 3, size=(6, 2, 8)).astype(float), rng.integers(0, 4, size=(6, 3, 8)).astype(float)
    x[2, 1] = 7.0
    taus = tau_b_grid(x, y)
    assert np.isnan(taus[2, 1]).all()
    for sample, column, row in [(0, 0, 0), (1, 1, 2), (5, 0, 1)]:
        assert taus[sample, column, row] == pytest.approx(kendalltau(x[sample, column], y[sample, row]).statistic)
    assert np.isnan(tau_b_grid(x[:, :, :1].copy(), y[:, :, :1].copy())).all()
