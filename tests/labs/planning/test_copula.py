"""Plans: the model gives its taus, each column has its own noise, what is impossible is refused by name."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import asin, pi, sqrt

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.errors import ConfigError
from clirbench.labs.planning.simulated import (
    CopulaModel,
    Test,
    perm_systems_test,
    power_of,
    simulated,
    smallest_difference,
)
from clirbench.statistics.coefficients import holm
from clirbench.statistics.grades import gap
from clirbench.types import Doubles


def plan(a: float, b: float, among: float = 0.5, reliability: Sequence[float] = (1, 1, 1)) -> CopulaModel:
    return CopulaModel(
        ("A", "B"), np.array([a, b]), np.array([[1, among], [among, 1]]), np.array(reliability, dtype=float), 1
    )


def steiger(x: Doubles, y: Doubles) -> float:
    """A stand-in for the shipped test: z of two dependent correlations (Meng et al. 1992) on normal columns."""
    from scipy.stats import norm

    r = np.corrcoef(np.vstack([x, y]))
    mean = (r[0, 2] ** 2 + r[1, 2] ** 2) / 2
    f = min(1.0, (1 - r[0, 1]) / (2 * (1 - mean)))
    h = (1 - f * mean) / (1 - mean)
    z = (np.arctanh(r[0, 2]) - np.arctanh(r[1, 2])) * sqrt((x.shape[1] - 3) / (2 * (1 - r[0, 1]) * h))
    return float(2 * norm.sf(abs(z)))


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
    with pytest.raises(ConfigError, match="nothing but noise is seen of the measure"):
        plan(0.5, 0.5, reliability=(1, 1, 0)).correlations()
    three = CopulaModel(
        ("A", "B", "C"),
        np.array([0.5, 0.5, 0.5]),
        np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]),
        np.ones(4),
        3,
    )
    with pytest.raises(ConfigError, match="^no systems can have these taus together: A and B 0.900; A and C -0.900"):
        three.correlations()


def test_the_smallest_difference_shrinks_with_systems() -> None:
    def smallest(plan: CopulaModel, n: int, test: Test = steiger) -> float:
        def power(moved: CopulaModel) -> float:
            return power_of(moved, (0, 1), n, test, alpha=0.05, simulations=100, seed=0)

        return smallest_difference(plan, (0, 1), 0.8, power)

    few, many = smallest(plan(0.7, 0.4), 30), smallest(plan(0.7, 0.4), 80)
    assert 0 < many < few < 0.5
    assert np.isnan(smallest(plan(0.7, 0.68, 0.95), 8))
    assert np.isnan(smallest(plan(0.7, 0.4), 30, lambda x, y: float("nan")))


def test_holm_over_all_pairs_is_what_holm_says() -> None:
    among = np.full((3, 3), 0.5)
    wide = CopulaModel(("A", "B", "C"), np.array([0.6, 0.3, 0.5]), among, np.ones(4), 3)
    x, y = simulated(wide, 30, 150, 3)
    pairs = list(combinations(range(3), 2))
    slow = np.mean([holm([steiger(a[list(pair)], b) for pair in pairs])[0] < 0.05 for a, b in zip(x, y, strict=True)])
    found = power_of(wide, (0, 1), 30, steiger, alpha=0.05, simulations=150, seed=3)
    assert found == slow
    alone = power_of(replace(wide, family=1), (0, 1), 30, steiger, alpha=0.05, simulations=150, seed=3)
    assert found < alone


@pytest.mark.parametrize(("a", "reliability"), [(0.6, (0.8, 0.8, 0.7)), (0.3, (1, 1, 1))])
def test_the_shipped_test_is_simulated_and_keeps_its_level(a: float, reliability: Sequence[float]) -> None:
    """Equal metrics: the simulated power is the level of `gap` itself; .999 bound for 200 simulations: 20."""
    same = plan(a, a, reliability=reliability)
    test = perm_systems_test(16, 1, 0.05, 0)
    assert power_of(same, (0, 1), 16, test, alpha=0.05, simulations=200, seed=5) < 20 / 200
    x, y = simulated(plan(0.7, 0.4), 16, 1, 1)
    assert test(x[0], y[0]) == gap(x[0, 0], x[0, 1], y[0], np.arange(16), samples=999, seed=0).p_value
