import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.units.concordance import agreements, estimates, within_taus
from clirbench.statistics.units.jackknife import jackknifed


def alone(n: int) -> np.ndarray:
    return np.arange(n)


@pytest.mark.parametrize("seed", range(5))
def test_systems_by_themselves_give_kendalls_tau_b(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(6, size=(2, 14)).astype(float)
    found = agreements(x[None], y, alone(14))[0]
    assert found.tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    assert np.isnan(found.within)


def test_between_and_within_by_hand() -> None:
    """Units {1, 2}, {3}: between, pairs (1,3) against, (2,3) for, half a pair of units each; within: one pair for."""
    x, y = np.array([[1.0, 3.0, 2.0]]), np.array([1.0, 2.0, 0.0])
    unit = np.array([0, 0, 1])
    assert estimates(x, y, unit).tau[0] == pytest.approx(0.0)
    assert within_taus(x, y, unit)[0, 0] == 1.0


def test_units_count_alike_however_many_systems_they_have() -> None:
    """Three units with one order of their pairs each, and a copy of a system as second member of its unit."""
    x, y = np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 3.0, 2.0])
    copied = np.array([0, 0, 0, 1, 2])
    rows = np.array([0, 0, 0, 1, 2])
    assert estimates(x[:, rows], y[rows], copied).tau[0] == pytest.approx(estimates(x, y, alone(3)).tau[0])


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
    few = agreements(rng.normal(size=(1, 5)), rng.normal(size=5), alone(5))[0]
    assert np.isnan(few.low)
    assert few.note == "too few independent systems (5)"
    perfect = agreements(np.arange(8.0)[None], np.arange(8.0), alone(8))[0]
    assert (perfect.tau, np.isnan(perfect.low)) == (1.0, True)
    assert "tau is 1" in perfect.note
    constant = agreements(np.ones((1, 8)), np.arange(8.0), alone(8))[0]
    assert np.isnan(constant.tau)
    assert "constant" in constant.note


def test_simpsons_paradox_is_seen() -> None:
    """Between eight units more is more; within every unit more is less."""
    unit = np.repeat(np.arange(8), 3)
    inside = np.tile([0.0, 0.1, 0.2], 8)
    rng = np.random.default_rng(1)
    x = unit + inside
    y = unit + rng.normal(size=8)[unit] - inside
    found = agreements(x[None], y, unit)[0]
    assert found.within == -1.0
    assert found.tau > 0
    assert found.disagree
    gaps = []
    for left in range(8):
        kept, others = unit != left, np.repeat(np.arange(7), 3)
        gaps.append(
            estimates(x[None, kept], y[kept], others).tau[0] - within_taus(x[None, kept], y[kept], others)[0, 0]
        )
    interval = jackknifed(found.tau - found.within, gaps)
    assert interval.low > 0
    two = agreements(x[None, :6], y[:6] + 3 * unit[:6], unit[:6])[0]
    assert (two.tau, two.within, two.disagree) == (1.0, -1.0, False)
    assert np.isnan(two.low)


def test_the_alarm_where_nothing_differs_is_rare() -> None:
    """Fixed seed, 400 worlds of 8 units by 3 with one tau between and within: alarms .06 and three standard errors."""
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(8), 3)
    alarms = 0
    for _ in range(400):
        x, y = rng.normal(size=(2, 24))
        alarms += agreements(x[None], y, unit)[0].disagree
    assert 0 < alarms / 400 < 0.06 + 3 * np.sqrt(0.06 * 0.94 / 400)


@pytest.mark.parametrize(("units", "size", "alike"), [(16, 1, 0.0), (8, 1, 0.0), (8, 5, 0.98)])
def test_the_interval_covers_nothing_where_there_is_nothing(units: int, size: int, alike: float) -> None:
    """Fixed seed, 500 worlds without any agreement: 0 is covered in .94 at least, less three standard errors."""
    rng = np.random.default_rng(11)
    unit = np.repeat(np.arange(units), size)
    covered = []
    for _ in range(500):
        x, y = (
            np.sqrt(alike) * rng.normal(size=units)[unit] + np.sqrt(1 - alike) * rng.normal(size=len(unit))
            for _ in range(2)
        )
        found = agreements(x[None], y, unit)[0]
        covered.append(found.low <= 0 <= found.high)
    assert np.mean(covered) > 0.94 - 3 * np.sqrt(0.94 * 0.06 / 500)


def test_metrics_of_many_systems_are_taken_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    x, y, unit = rng.normal(size=(3, 30)), rng.normal(size=30), np.repeat(np.arange(15), 2)
    together = agreements(x, y, unit)
    monkeypatch.setattr("clirbench.statistics.units.concordance.TOGETHER", 10)
    assert agreements(x, y, unit) == together
