import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.units.influence import estimates, no_interval


def alone(n: int) -> np.ndarray:
    return np.arange(n)


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
    assert "tau is 1" in no_interval(estimates(np.arange(8.0)[None], np.arange(8.0), alone(8)), 0)
    assert "constant" in no_interval(estimates(np.ones((1, 8)), np.arange(8.0), alone(8)), 0)


def test_metrics_of_many_systems_are_taken_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    x, y, unit = rng.normal(size=(3, 30)), rng.normal(size=30), np.repeat(np.arange(15), 2)
    together = estimates(x, y, unit)
    monkeypatch.setattr("clirbench.statistics.units.influence.TOGETHER", 10)
    alone_each = estimates(x, y, unit)
    assert alone_each.variance.tolist() == together.variance.tolist()
    assert alone_each.influence.tolist() == together.influence.tolist()
