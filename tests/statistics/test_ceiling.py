"""tau without noise and the ceiling: closed forms, refusals, coverage."""

from dataclasses import replace
from math import asin, pi, sqrt

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import (
    SAME_LINES,
    TOO_NOISY,
    better_half_ceiling,
    between_error,
    ceiling,
    corrected_tau,
    without_noise,
)
from tests.statistics.worlds import scores_only, world


def test_without_errors_tau_stays() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=40).T
    found = corrected_tau(x, y, 0, 0, np.arange(40))
    assert found.value == pytest.approx(kendalltau(x, y).statistic)
    assert found.low < found.value < found.high


def test_the_correction_by_hand() -> None:
    """r = .6 with half of the measure's variance noise becomes .6 sqrt(2), on many systems."""
    rng = np.random.default_rng(1)
    true_x, true_y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=600).T
    shared = 0.5 * rng.normal(size=600)
    y = true_y + shared + sqrt(0.75) * rng.normal(size=600)
    found = corrected_tau(true_x, y, 0, 1.0, np.arange(600))
    assert found.value == pytest.approx(2 / pi * asin(0.6), abs=0.05)
    both = corrected_tau(true_x + shared, y, 0.25, 1.0, np.arange(600), 0.25)
    naive = corrected_tau(true_x + shared, y, 0.25, 1.0, np.arange(600))
    assert both.value == pytest.approx(2 / pi * asin(0.6), abs=0.06)
    assert naive.value > both.value + 0.1


@pytest.mark.parametrize("reliable", [0.5, 0.9])
def test_the_ceiling_of_the_better_half_is_what_true_values_reach_there(reliable: float) -> None:
    """Normal true values, measured with noise; scipy counts tau of both among the better half of 1,500."""
    rng = np.random.default_rng(4)
    true = sqrt(reliable) * rng.normal(size=1500)
    y = true + sqrt(1 - reliable) * rng.normal(size=1500)
    better = y >= np.median(y)
    expected = kendalltau(true[better], y[better]).statistic
    whole = ceiling(y, 1 - reliable, np.inf, np.arange(1500)).value
    assert better_half_ceiling(whole, y, np.arange(1500)) == pytest.approx(expected, abs=0.03)
    assert whole > expected + 0.05
    assert np.isnan(better_half_ceiling(float("nan"), y, np.arange(1500)))
    assert better_half_ceiling(1.0, y, np.arange(1500)) == 1.0


def test_noise_between_units() -> None:
    """Two systems of one unit share .8 of their noise of variance 1; what all share does not count."""
    covariance = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]) + 5
    assert between_error(covariance, np.array([0, 0, 1])) == pytest.approx(1)
    assert between_error(covariance, np.arange(3)) == pytest.approx((0.2 + 1 + 1) / 3)


def test_refusals() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 24))
    assert corrected_tau(x, y, 0.0, 10.0, np.arange(24)).note == TOO_NOISY
    assert np.isnan(corrected_tau(x, x, 0.1, 0.1, np.arange(24)).value)
    assert "too few" in corrected_tau(x, x + y, 0, 0, np.repeat([0, 1, 2], 8)).note
    assert "(12)" in corrected_tau(x, y, 0, 0, np.repeat(np.arange(12), 2)).note
    assert np.isnan(ceiling(np.ones(3), 0.1, 10, np.zeros(3, dtype=np.int64)).value)


def test_ceiling() -> None:
    y = np.random.default_rng(3).normal(size=2000)
    found = ceiling(y, 0.2 * float(y.var(ddof=1)), 1e9, np.arange(2000))
    assert found.value == pytest.approx(2 / pi * asin(sqrt(0.8)))
    assert found.high - found.low < 0.03
    assert ceiling(y, 2 * float(y.var()), 100, np.arange(2000)).value == 0


def test_every_pair_of_a_run_gets_both_or_the_reason() -> None:
    evidence = world(n=24, topics=80, segments=200)
    units = units_of(evidence.board)
    found = without_noise(evidence, units)
    assert set(found) == {("y0", "m0"), ("y0", "m1")}
    for row in found.values():
        assert 0.7 < row.ceiling.low < row.ceiling.value < row.ceiling.high <= 1
        assert row.corrected.note in ("", TOO_NOISY)
    good, poor = (found["y0", name].corrected.value for name in ("m0", "m1"))
    assert not good < poor
    same = without_noise(evidence, units, same_lines=True)["y0", "m0"]
    assert (same.corrected.note, same.ceiling) == (SAME_LINES, found["y0", "m0"].ceiling)
    few = without_noise(evidence.only(np.arange(24) < 5), units.only(np.arange(5)))["y0", "m0"]
    assert few.ceiling.note == few.corrected.note == "too few independent systems (5)"
    scores = scores_only([[1, 2, 3, 4, 5, 6]], [[1, 3, 2, 4, 6, 5]])
    assert "noise of the measure" in without_noise(scores, units_of(scores.board))["y0", "x0"].ceiling.note


def test_noise_of_a_metric_that_is_read_from_a_table_is_not_known() -> None:
    evidence = replace(world(n=16, topics=80), statistics={}, metrics={})
    row = without_noise(evidence, units_of(evidence.board))["y0", "m0"]
    assert row.corrected.note == "noise of the metric is not known"
    assert not np.isnan(row.ceiling.value)


def test_along_training_there_is_neither() -> None:
    evidence = world(n=8, topics=40)
    board = replace(evidence.board, metadata={"step": tuple(str(100 * i) for i in range(8))})
    row = without_noise(replace(evidence, board=board), units_of(board))["y0", "m0"]
    assert "along training" in row.ceiling.note
    assert np.isnan(row.corrected.value)
