"""tau between units, what it is without each of them, and the variance that follows: scipy and cases by hand."""

import numpy as np
import pytest
from scipy.stats import kendalltau, t

from clirbench.statistics.agreement import jackknifed, of_units, taus
from clirbench.statistics.given import estimates, no_interval


def alone(n: int) -> np.ndarray:
    return np.arange(n)


@pytest.mark.parametrize("seed", range(5))
def test_systems_by_themselves_give_kendalls_tau_b(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(6, size=(2, 14)).astype(float)
    tau = taus(x[None], y, alone(14))[0, 0]
    assert tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_units_count_alike_however_many_systems_they_have() -> None:
    """Three units with one order of their pairs each, and a copy of a system as second member of its unit."""
    x, y = np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 3.0, 2.0])
    copied = np.array([0, 0, 0, 1, 2])
    rows = np.array([0, 0, 0, 1, 2])
    assert taus(x[:, rows], y[rows], copied)[0, 0] == pytest.approx(taus(x, y, alone(3))[0, 0])


def test_of_a_mean_is_students_interval() -> None:
    values = np.random.default_rng(0).normal(size=9)
    found = jackknifed(values.mean(), [np.delete(values, i).mean() for i in range(9)])
    half = t.ppf(0.975, 8) * values.std(ddof=1) / 3
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert jackknifed(1.0, [1.0] * 5).note == "too few independent systems (5)"
    assert "undefined" in jackknifed(1.0, [float("nan")] * 8).note


def test_tau_between_units_by_hand() -> None:
    unit = np.array([0, 0, 1])
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    # pairs (0, 2) agree, (1, 2) disagree, each of weight 1 / 2; (0, 1) is within a unit
    assert taus(x, y, unit)[0] == 0
    x, y = np.random.default_rng(1).integers(0, 5, size=(2, 12)).astype(float)
    rest = [kendalltau(np.delete(x, i), np.delete(y, i)).statistic for i in range(12)]
    assert taus(x, y, np.arange(12)) == pytest.approx([kendalltau(x, y).statistic, *rest])
    assert np.isnan(taus(np.ones(3), y[:3], np.arange(3))).all()


def test_the_jackknife_by_hand_beyond_twelve_units() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 13))
    found = estimates(x[None], y, alone(13))
    without = [kendalltau(np.delete(x, i), np.delete(y, i)).statistic for i in range(13)]
    jackknife = 12 / 13 * ((np.array(without) - np.mean(without)) ** 2).sum()
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    pairs = [(i, j) for i in range(13) for j in range(i)]
    apart = [signs[p] * signs[q] for p in pairs for q in pairs if not set(p) & set(q)]
    unbiased = found.tau[0] ** 2 - np.mean(apart)
    assert found.variance[0] == pytest.approx(max((3 * jackknife + unbiased) / 4, jackknife / 2))
    assert ((found.spread * (1 - found.tau**2)) ** 2).sum() == pytest.approx(found.variance[0])


def test_no_interval_says_why() -> None:
    rng = np.random.default_rng(0)
    few = estimates(rng.normal(size=(1, 5)), rng.normal(size=5), alone(5))
    assert no_interval(few, 0) == "too few independent systems (5)"
    assert "how sure tau is cannot" in no_interval(estimates(np.arange(8.0)[None], np.arange(8.0), alone(8)), 0)
    assert "constant" in no_interval(estimates(np.ones((1, 8)), np.arange(8.0), alone(8)), 0)


def test_sums_over_units_are_those_of_their_pairs() -> None:
    """Units in any order, one that does not occur; the oracle multiplies by membership."""
    rng = np.random.default_rng(0)
    unit, pairs = np.array([3, 0, 3, 1, 0, 3]), rng.normal(size=(2, 6, 6))
    membership = (np.array([0, 1, 3])[:, None] == unit).astype(float)
    assert of_units(pairs, unit) == pytest.approx(membership @ pairs @ membership.T)
