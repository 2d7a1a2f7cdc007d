import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.units.concordance import taus, within_taus


def alone(n: int) -> np.ndarray:
    return np.arange(n)


@pytest.mark.parametrize("seed", range(5))
def test_systems_by_themselves_give_kendalls_tau_b(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(6, size=(2, 14)).astype(float)
    tau = taus(x[None], y, alone(14))[0, 0]
    assert tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    assert np.isnan(within_taus(x[None], y, alone(14))[0, 0])


def test_between_and_within_by_hand() -> None:
    """Units {1, 2}, {3}: between, pairs (1,3) against, (2,3) for, half a pair of units each; within: one pair for."""
    x, y = np.array([[1.0, 3.0, 2.0]]), np.array([1.0, 2.0, 0.0])
    unit = np.array([0, 0, 1])
    assert taus(x, y, unit)[0, 0] == pytest.approx(0.0)
    assert within_taus(x, y, unit)[0, 0] == 1.0


def test_units_count_alike_however_many_systems_they_have() -> None:
    """Three units with one order of their pairs each, and a copy of a system as second member of its unit."""
    x, y = np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 3.0, 2.0])
    copied = np.array([0, 0, 0, 1, 2])
    rows = np.array([0, 0, 0, 1, 2])
    assert taus(x[:, rows], y[rows], copied)[0, 0] == pytest.approx(taus(x, y, alone(3))[0, 0])
