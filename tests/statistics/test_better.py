import numpy as np
import pytest

from clirbench.statistics.given import estimates
from clirbench.statistics.grades import gap, swapped_differences, unit_swaps


def test_swapped_differences_are_those_of_two_taus() -> None:
    rng = np.random.default_rng(0)
    a, b, y = rng.integers(7, size=(3, 12)).astype(float)
    swaps = rng.integers(2, size=(5, 12)).astype(float)
    found = swapped_differences(a, b, y, swaps)
    for moved, difference in zip(swaps, found, strict=True):
        sides = np.stack([np.where(moved, b, a), np.where(moved, a, b)])
        tau = estimates(sides, y, np.arange(12)).tau
        assert difference == pytest.approx(tau[0] - tau[1])


def test_all_exchanges_of_few_units() -> None:
    assert unit_swaps(3).tolist() == [
        [0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]
    ]  # fmt: skip
    assert unit_swaps(20, samples=9).shape == (10, 20)


def test_a_bent_metric_loses_nothing() -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=10)
    a, b = y + 0.3 * rng.normal(size=10), y + 2 * rng.normal(size=10)
    plain, bent = gap(a, b, y, np.arange(10)), gap(np.exp(4 * a), b, y, np.arange(10))
    assert plain == bent
    assert plain.method == "exchange"


def test_few_units_are_not_tested() -> None:
    rng = np.random.default_rng(2)
    a, b, y = rng.normal(size=(3, 5))
    five = gap(a, b, y, np.arange(5))
    assert np.isnan(five.p_value)
    assert five.smallest_p == 0.0625
    families = gap(*(np.repeat(column, 4) for column in (a, b, y)), np.repeat(np.arange(5), 4))
    assert np.isnan(families.p_value)
    assert families.note == "too few independent systems (5)"
    constant = gap(np.ones(8), *rng.normal(size=(2, 8)), np.arange(8))
    assert np.isnan(constant.p_value)
    assert "constant" in constant.note
