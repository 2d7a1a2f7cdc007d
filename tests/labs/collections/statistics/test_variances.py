"""Sampling variances of taus: the exact formula for one, simulation for two."""

import numpy as np
import pytest

from clirbench.labs.collections.statistics.variances import tau_covariance


@pytest.mark.parametrize("tau", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [4, 12, 38])
def test_one_tau_has_esschers_variance(tau: float, n: int) -> None:
    rho = np.sin(np.pi * tau / 2)
    one, two = np.arcsin(rho), np.arcsin(rho / 2)
    exact = 2 / (n * (n - 1)) * (1 - 4 * one**2 / np.pi**2 + 2 * (n - 2) * (1 / 9 - 4 * two**2 / np.pi**2))
    assert tau_covariance(np.array([tau]), np.ones((1, 1)), np.array([n])).item() == pytest.approx(exact, rel=2e-3)


def test_two_taus_on_the_same_systems_vary_together() -> None:
    taus, between, n = np.array([0.5, 0.6]), np.array([[1, 0.7], [0.7, 1]]), 10
    full = np.sin(np.pi / 2 * np.array([[1, 0.7, 0.5], [0.7, 1, 0.6], [0.5, 0.6, 1]]))
    drawn = np.random.default_rng(0).normal(size=(4000, n, 3)) @ np.linalg.cholesky(full).T
    signs = np.sign(drawn[:, :, None, :] - drawn[:, None, :, :])
    found = (signs[..., :2] * signs[..., 2:]).sum(axis=(1, 2)) / (n * (n - 1))
    assert tau_covariance(taus, between, np.array([n]))[0] == pytest.approx(np.cov(found.T), rel=0.08)


def test_metrics_that_order_alike_do_not_differ() -> None:
    found = tau_covariance(np.array([0.5, 0.5]), np.ones((2, 2)), np.array([12]))[0]
    assert found[0, 0] + found[1, 1] - 2 * found[0, 1] == pytest.approx(0, abs=1e-9)
