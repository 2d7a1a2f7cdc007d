"""Leaving out units: a mean has Student's interval; tau between units by hand."""

import numpy as np
import pytest
from scipy.stats import kendalltau, t

from clirbench.statistics.units.concordance import taus
from clirbench.statistics.units.jackknife import jackknifed


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
