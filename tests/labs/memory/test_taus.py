"""Taus of many collections, in made worlds whose mean and deviation are known."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from benchmarks.predictions import held
from clirbench.labs.memory.taus import Observed, Taus, sampling


def world(rng: np.random.Generator, clusters: int, mean: float, between: float) -> tuple[Taus, float, float, int]:
    """(collections, true and observed tau of one more, its systems): tau of normal pairs with r = sin(pi tau / 2)."""
    made = []
    for number in range(clusters + 1):
        n, tau = int(rng.integers(6, 20)), float(np.tanh(rng.normal(mean, between)))
        r = np.sin(np.pi * tau / 2)
        x, noise = rng.normal(size=n), rng.normal(size=n)
        found = kendalltau(x, r * x + (1 - r * r) ** 0.5 * noise).statistic
        made.append((tau, Observed(f"pair {number}", float(found), n, 1.0)))
    truth, own = made[-1]
    return Taus(tuple(one for _, one in made[:-1])), truth, own.tau, own.systems


@pytest.mark.parametrize(
    ("clusters", "mean", "between"), [(8, 0.7, 0.3), (20, 0.7, 0.1), (20, 0.2, 0.5), (12, 0.85, 0.3)]
)
def test_intervals_hold_what_they_promise(clusters: int, mean: float, between: float) -> None:
    """Up to a tau of .7 (atanh .85), beyond which nothing is taken together. At .90 and .95 promised, of 300
    draws: the 99.5 % binomial bounds of .85 and .93 are 240 and 267."""
    rng = np.random.default_rng([5, clusters, int(10 * mean), int(10 * between)])
    seen = known = 0
    for _ in range(300):
        taus, truth, own, systems = world(rng, clusters, mean, between)
        low, _, high = taus.another(systems)
        seen += low <= own <= high
        low, _, high = taus.together(own, systems)
        known += low <= truth <= high
    assert seen >= 240
    assert known >= 267


def test_together_lies_between_and_is_narrower_than_the_own_evidence() -> None:
    taus = Taus(tuple(Observed(f"pair {n}", 0.6, 12, 1.0) for n in range(10)))
    low, middle, high = taus.together(0.2, 12)
    assert 0.2 < middle < 0.6
    assert np.arctanh(high) - np.arctanh(low) < 2 * 1.96 * float(sampling(12)) ** 0.5


def test_equal_taus_have_no_variance_between_them() -> None:
    taus = Taus(tuple(Observed(f"pair {n}", 0.5, 10, 1.0) for n in range(6)))
    mean, between, error = taus.moments
    assert mean == pytest.approx(np.arctanh(0.5))
    assert between == 0
    assert error == pytest.approx(float(sampling(10)) / 6)
    assert held(taus) == 1.0
