"""Noise of topics: differences of systems, one mean of skewed values, and random signs, as scipy and by hand."""

from itertools import permutations, product

import numpy as np
import pytest
import scipy.special
from scipy.stats import t, ttest_rel

from clirbench.native import special
from clirbench.statistics import noise as randomisation
from clirbench.statistics.noise import mean_difference_p, mean_limits, pair_errors, sign_blocks


def test_errors_of_pairs_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 12)) + 5 * rng.normal(size=12)
    found = pair_errors(values)
    for i, j in permutations(range(4), 2):
        d = values[i] - values[j]
        assert found[i, j] == pytest.approx(d.mean() / ttest_rel(values[i], values[j]).statistic)
    assert (np.diag(found) == 0).all()
    assert pair_errors(np.stack([values[0], values[0] + 0.1]))[0, 1] == 0


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


def test_all_patterns_by_hand() -> None:
    (keep,) = sign_blocks(2, 10, 0)
    assert keep.tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]
    # d = 1, 2, 3: |sum| 6 for two of eight patterns
    assert mean_difference_p(np.array([1.0, 2.0, 3.0])) == 0.25
    assert mean_difference_p(np.array([1.0, 2.0, 3.0]), sides=1) == 0.125
    # d = 3, 3, -1: sums 5, -1, -1, -7, 7, 1, 1, -5: |5| or more in four
    assert mean_difference_p(np.array([3.0, 3.0, -1.0])) == 0.5
    assert mean_difference_p(np.zeros(4)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_against_a_loop(seed: int) -> None:
    d = np.random.default_rng(seed).integers(-2, 3, size=8).astype(float)
    sums = [abs(float(np.dot(signs, d))) for signs in product((1, -1), repeat=8)]
    assert mean_difference_p(d) == pytest.approx(np.mean([total >= abs(d.sum()) - 1e-9 for total in sums]))


def test_blocks_of_coins_are_those_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    coins = np.concatenate(list(sign_blocks(20, 200, 3)))
    monkeypatch.setattr(randomisation, "HELD", 20 * 32)
    assert len(list(sign_blocks(20, 200, 3))) == 8
    assert np.array_equal(np.concatenate(list(sign_blocks(20, 200, 3))), coins)


def test_distributions_are_scipys() -> None:
    names = [name for name in dir(scipy.special) if isinstance(getattr(scipy.special, name), np.ufunc)]
    assert len(names) > 200
    assert all(getattr(special, name) is getattr(scipy.special, name) for name in names)
