"""Plans: the model gives its taus, each column has its own noise, what is impossible is refused by name."""

from collections.abc import Sequence
from math import asin, pi, sqrt

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.errors import ConfigError
from clirbench.statistics.model.planning import Plan, power_for, power_of, simulated
from clirbench.types import Doubles


def plan(a: float, b: float, among: float = 0.5, reliability: Sequence[float] = (1, 1, 1)) -> Plan:
    return Plan(("A", "B"), np.array([a, b]), np.array([[1, among], [among, 1]]), np.array(reliability, dtype=float))


def steiger(x: Doubles, y: Doubles) -> list[float]:
    """A stand-in for the shipped test: z of two dependent correlations (Meng et al. 1992) on normal columns."""
    from scipy.stats import norm

    r = np.corrcoef(np.vstack([x, y]))
    mean = (r[0, 2] ** 2 + r[1, 2] ** 2) / 2
    f = min(1.0, (1 - r[0, 1]) / (2 * (1 - mean)))
    h = (1 - f * mean) / (1 - mean)
    z = (np.arctanh(r[0, 2]) - np.arctanh(r[1, 2])) * sqrt((x.shape[1] - 3) / (2 * (1 - r[0, 1]) * h))
    return [float(2 * norm.sf(abs(z)))]


def test_the_model_gives_its_taus_with_noise_of_each_column() -> None:
    x, y = simulated(plan(0.6, 0.4, reliability=(0.9, 0.6, 0.8)), 2000, 2, 0)
    for m, (tau, kept) in enumerate(((0.6, 0.9), (0.4, 0.6))):
        expected = 2 / pi * asin(np.sin(pi / 2 * tau) * sqrt(kept * 0.8))
        assert kendalltau(x[0, m], y[0]).statistic == pytest.approx(expected, abs=0.04)


def test_equal_taus_keep_the_level_whatever_the_reliabilities_are() -> None:
    """Equal reliabilities: no difference as measured, rejected at .05 (in at most 33 of 400, .999)."""
    same = plan(0.6, 0.6, reliability=(0.8, 0.8, 0.7))
    assert power_of(same, (0, 1), 30, steiger, alpha=0.05, simulations=400, seed=1) < 33 / 400


def test_impossible_taus_are_named() -> None:
    with pytest.raises(ConfigError, match="A and B -0.800; A and the measure 0.800; B and the measure 0.800"):
        plan(0.8, 0.8, -0.8).correlations()
    with pytest.raises(ConfigError, match="reliability"):
        plan(0.5, 0.5, reliability=(1, 1, 0)).correlations()
    three = Plan(
        ("A", "B", "C"),
        np.array([0.5, 0.5, 0.5]),
        np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]),
        np.ones(4),
    )
    with pytest.raises(ConfigError, match="^no systems can have these taus together: A and B 0.900; A and C -0.900"):
        three.correlations()


def test_power_and_the_smallest_difference() -> None:
    found = power_for(plan(0.7, 0.4), (0, 1), 30, steiger, simulations=150)
    more = power_for(plan(0.7, 0.4), (0, 1), 80, steiger, simulations=150)
    assert found.power < more.power
    assert 0 < more.smallest < found.smallest < 0.5
    assert found.difference == pytest.approx(0.3)
    none = power_for(plan(0.7, 0.68, 0.95), (0, 1), 8, steiger, simulations=60)
    assert np.isnan(none.smallest)
    assert "no difference that is possible" in none.note


def test_holm_over_all_pairs_costs_power() -> None:
    among = np.full((3, 3), 0.5)
    wide = Plan(("A", "B", "C"), np.array([0.6, 0.45, 0.5]), among, np.ones(4))

    def pairs(x: Doubles, y: Doubles) -> list[float]:
        return [steiger(x[[i, j]], y)[0] for i, j in ((0, 1), (0, 2), (1, 2))]

    alone = power_of(plan(0.6, 0.45), (0, 1), 30, steiger, alpha=0.05, simulations=200, seed=3)
    corrected = power_of(wide, (0, 1), 30, pairs, alpha=0.05, simulations=200, seed=3)
    assert corrected < alone
