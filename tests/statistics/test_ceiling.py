"""The ceiling: closed forms and refusals."""

from dataclasses import replace
from math import asin, pi, sqrt

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import better_half_ceiling, between_error, ceiling, ceilings
from tests.statistics.worlds import world


@pytest.mark.parametrize("reliable", [0.5, 0.9])
def test_the_ceiling_of_the_better_half_is_what_true_values_reach_there(reliable: float) -> None:
    """Normal true values, measured with noise; scipy counts tau of both among the better half of 1,500."""
    rng = np.random.default_rng(4)
    true = sqrt(reliable) * rng.normal(size=1500)
    y = true + sqrt(1 - reliable) * rng.normal(size=1500)
    better = y >= np.median(y)
    expected = kendalltau(true[better], y[better]).statistic
    whole = ceiling(y, 1 - reliable, 1e9, np.arange(1500)).value
    assert better_half_ceiling(whole, y, np.arange(1500)) == pytest.approx(expected, abs=0.03)
    assert whole > expected + 0.05
    assert np.isnan(better_half_ceiling(float("nan"), y, np.arange(1500)))
    assert better_half_ceiling(1.0, y, np.arange(1500)) == 1.0


def test_noise_between_units() -> None:
    """Two systems of one unit share .8 of their noise of variance 1; what all share does not count."""
    covariance = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]) + 5
    assert between_error(covariance, np.array([0, 0, 1])) == pytest.approx(1)
    assert between_error(covariance, np.arange(3)) == pytest.approx((0.2 + 1 + 1) / 3)


def test_ceiling() -> None:
    y = np.random.default_rng(3).normal(size=2000)
    found = ceiling(y, 0.2 * float(y.var(ddof=1)), 1e9, np.arange(2000))
    assert found.value == pytest.approx(2 / pi * asin(sqrt(0.8)))
    assert found.high - found.low < 0.03
    assert ceiling(y, 2 * float(y.var()), 100, np.arange(2000)).value == 0
    assert np.isnan(ceiling(np.ones(3), 0.1, 10, np.zeros(3, dtype=np.int64)).value)


def test_a_measure_has_a_ceiling_where_its_noise_is_known() -> None:
    """Not for five systems, without topics, or along training."""
    evidence = world(n=24, topics=80)
    found = ceilings(evidence, units_of(evidence.board))["y0"]
    assert 0.7 < found.low < found.value < found.high <= 1
    steps = replace(evidence.board, metadata={"step": tuple(map(str, range(24)))})
    for without in (evidence.only(np.arange(24) < 5), replace(evidence, per_topic={}), replace(evidence, board=steps)):
        assert ceilings(without, units_of(without.board)) == {}
