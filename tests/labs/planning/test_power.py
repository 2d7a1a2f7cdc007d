"""From a run to a plan: the model gives its taus, the test keeps its level, what is impossible is named."""

from collections.abc import Sequence
from dataclasses import replace
from math import asin, nan, pi, sqrt

import numpy as np
import pytest
from scipy.stats import binom, kendalltau

from clirbench.labs.planning.power import (
    Copula,
    Power,
    PowerAnalysis,
    perm_systems_test,
    power_of,
    power_table,
    reliabilities,
    simulated,
    smallest_difference,
    without_noise,
)
from clirbench.statistics.grades import gap
from tests.statistics.worlds import scores_only, world


def test_noise_is_taken_out_of_tau() -> None:
    # tau 1/3 is r = .5; reliabilities .5 and .8 hide r = .79, tau 2/pi asin(.79)
    assert without_noise(1 / 3, 0.5, 0.8) == pytest.approx(2 / np.pi * np.arcsin(0.5 / np.sqrt(0.4)))
    assert without_noise(0.4, 1, 1) == pytest.approx(0.4)
    assert np.isnan(without_noise(0.8, 0.5, 0.8))
    assert np.isnan(without_noise(0.1, 0.0, 1.0))


def test_reliability() -> None:
    evidence = world(n=30, topics=400, segments=400)
    x, y = reliabilities(evidence, np.arange(30))
    # variance over systems: 4/12 of the ladder and the metric's own, against 1/400 of the items
    assert x[0] == pytest.approx(1 - (1 / 400) / evidence.x[0].var(), abs=0.005)
    assert y[0] == pytest.approx(1 - (1 / 400) / evidence.y[0].var(), abs=0.005)
    assert (reliabilities(scores_only([[1, 2, 3]], [[1, 2, 3]]), np.arange(3))[0] == 1).all()


def test_power_rises_with_the_difference() -> None:
    """Without a difference the power is the level: so many of 200 simulations reject as chance .05 gives in .999."""
    evidence = world(n=16, noise=(0.4, 0.6), topics=50, seed=3)
    rows = power_table(evidence, PowerAnalysis((0.0, 0.3), simulations=200))
    assert rows[0].power <= binom.ppf(0.999, 200, 0.05) / 200 < 0.11
    assert rows[0].power < rows[1].power
    assert rows[0].systems_needed == float("inf")
    assert rows[0].systems_needed >= rows[1].systems_needed
    assert (rows[0].n_systems, rows[0].n_topics, rows[0].family) == (16, 50, 1)
    assert {rows[0].metric_a, rows[0].metric_b} == {"m0", "m1"}
    both, one = (power_table(evidence, PowerAnalysis(asked, simulations=5)) for asked in ((0.0, 0.3), (0.3,)))
    assert both[1:] == one


ORDER: list[float] = [1, 2, 3, 4, 5, 6, 7, 8]


def test_what_is_impossible_is_named_and_not_repaired() -> None:
    alike = scores_only([ORDER, ORDER], [[2, 1, 3, 4, 6, 5, 7, 8]])
    (row,) = power_table(alike, PowerAnalysis((0.1,), simulations=5))
    assert np.isnan(row.power)
    assert row.note == "not simulated: x0 and x1 put all systems in one order (tau 1)"
    far = scores_only([[1, 3, 2, 4, 5, 6, 8, 7], [1, 2, 3, 5, 4, 6, 7, 8]], [[2, 1, 3, 4, 6, 5, 7, 8]])
    beyond, most = power_table(far, PowerAnalysis((0.7,), simulations=20))
    assert np.isnan(beyond.power)
    assert beyond.note == "no systems can have these taus: x1 and x0 differ by at most 0.214"
    assert (most.difference, most.note) == (0.19, "")
    assert 0 <= most.power < 1


def test_metrics_of_one_order_leave_the_next_one_to_be_simulated() -> None:
    made = scores_only([ORDER, ORDER, [1, 3, 2, 4, 5, 6, 8, 7]], [[2, 1, 3, 4, 5, 6, 7, 8]])
    (row,) = power_table(made, PowerAnalysis((0.1,), simulations=20))
    assert (row.metric_a, row.metric_b, row.family) == ("x0", "x2", 3)
    assert row.note == "x0 and x1 put all systems in one order (tau 1)"
    assert row.power < 0.5


def test_too_little_to_ask() -> None:
    assert power_table(scores_only([[1, 2, 3]], [[1, 2, 3]])) == []
    assert power_table(scores_only([[1, 2], [2, 1]], [[1, 2]])) == []
    evidence = world(n=10)
    steps = replace(evidence, board=replace(evidence.board, metadata={"step": tuple(map(str, range(10)))}))
    assert power_table(steps) == []
    rows = power_table(
        scores_only([[1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]], [[1, 3, 2, 4, 5, 6], [0] * 6]),
        PowerAnalysis((0.2,), simulations=5),
    )
    assert [row.measure for row in rows] == ["y0"]
    assert np.isnan(rows[0].topics_needed)


def model(a: float, b: float, between: float = 0.5, reliability: Sequence[float] = (1, 1, 1)) -> Copula:
    return Copula(a, b, between, np.array(reliability, dtype=float))


ROW = Power("y", "A", "B", nan, nan, 0.8, 0.05, nan, nan, nan, nan, nan, 1, 16, 0, 200, 5)


def test_the_model_gives_its_taus_with_noise_of_each_column() -> None:
    x, y = simulated(model(0.6, 0.4, reliability=(0.9, 0.6, 0.8)), 2000, 2, 0)
    for m, (tau, kept) in enumerate(((0.6, 0.9), (0.4, 0.6))):
        expected = 2 / pi * asin(np.sin(pi / 2 * tau) * sqrt(kept * 0.8))
        assert kendalltau(x[0, m], y[0]).statistic == pytest.approx(expected, abs=0.04)
    assert not model(0.8, 0.8, -0.8).possible


@pytest.mark.parametrize(("a", "reliability"), [(0.6, (0.8, 0.8, 0.7)), (0.3, (1, 1, 1))])
def test_the_shipped_test_is_simulated_and_keeps_its_level(a: float, reliability: Sequence[float]) -> None:
    """Equal metrics: the simulated power is the level of `gap` itself; .999 bound for 200 simulations: 20."""
    test = perm_systems_test(16, 1, 0.05, 0)
    assert power_of(model(a, a, reliability=reliability), 16, test, ROW) < 20 / 200
    x, y = simulated(model(0.7, 0.4), 16, 1, 1)
    assert test(x[0], y[0]) == gap(x[0, 0], x[0, 1], y[0], np.arange(16)).p_value
    p_values = [3 * test(x, y) for x, y in zip(*simulated(model(0.7, 0.4), 16, 200, 5), strict=True)]
    assert power_of(model(0.7, 0.4), 16, test, replace(ROW, family=3)) == np.mean(np.array(p_values) < 0.05) > 0


def test_the_smallest_difference_is_the_first_with_enough_power() -> None:
    base = model(0.7, 0.4)
    assert smallest_difference(base, 0.8, lambda moved: moved.tau_a - moved.tau_b + 0.5) == pytest.approx(0.3)
    assert np.isnan(smallest_difference(base, 0.8, lambda moved: 0.79))
