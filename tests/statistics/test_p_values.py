"""Exact and sampled p-values against scipy, brute force and published critical values."""

import itertools
from math import factorial

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from clirbench.statistics import coefficients as p_values
from clirbench.statistics.coefficients import (
    by_orders,
    holm,
    inversions,
    kendall,
    kendall_exact,
)


def test_inversions_of_four_by_hand() -> None:
    # 24 permutations of 4: 1 3 5 6 5 3 1 of them have 0..6 inversions (Mahonian numbers)
    assert inversions((1, 1, 1, 1)) * 24 == pytest.approx([1, 3, 5, 6, 5, 3, 1])


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_inversions_of_multisets_by_counting(sizes: list[int]) -> None:
    items = [group for group, size in enumerate(sizes) for _ in range(size)]
    if len(items) > 7:
        return
    counts = np.bincount(
        [sum(a > b for a, b in itertools.combinations(order, 2)) for order in itertools.permutations(items)],
        minlength=len(inversions(tuple(sizes))),
    )
    assert inversions(tuple(sizes)) == pytest.approx(counts / factorial(len(items)))


@pytest.mark.parametrize("n", [2, 3, 7, 38, 150])
def test_agrees_with_scipy_exact(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    for noise in (0.3, 3.0):
        y = x + noise * rng.normal(size=n)
        theirs = scipy.stats.kendalltau(x, y, method="exact")
        ours = kendall_exact(x, y, theirs.statistic * n * (n - 1) / 2)
        assert ours is not None
        assert ours.value == pytest.approx(theirs.pvalue, rel=1e-10)
        assert (ours.method, ours.error) == ("exact", 0)


def test_ties_in_one_column_by_counting() -> None:
    x, y = np.array([1.0, 1, 2, 3, 3, 4, 5]), np.array([2.0, 1, 4, 3, 6, 5, 7])

    def balance(order: np.ndarray) -> float:
        return sum(np.sign(x[i] - x[j]) * np.sign(order[i] - order[j]) for i, j in itertools.combinations(range(7), 2))

    balances = [balance(np.array(order)) for order in itertools.permutations(y)]
    ours = kendall_exact(x, y, balance(y))
    assert ours is not None
    assert ours.value == pytest.approx(np.mean(np.abs(balances) >= balance(y)))
    assert kendall_exact(x, x, balance(x)) is None


def test_holm_by_hand() -> None:
    nan = float("nan")
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == pytest.approx([1, 1])
    assert np.isnan(holm([nan, 0.02])[0])
    assert holm([nan, 0.02])[1] == 0.02
    assert holm([]) == []


def test_holm_counts_the_pairs_that_are_not_shown() -> None:
    nan = float("nan")
    assert holm([0.01, 0.001, 0.5], 10) == pytest.approx([0.09, 0.01, 1.0])
    assert holm([0.02, 0.019], 2) == pytest.approx([0.038, 0.038])
    assert holm([0.5, nan, 0.001], 10)[2] == pytest.approx(0.01)


def test_orders_counted_and_sampled_by_hand() -> None:
    # three systems, x = y = 1, 2, 3: of 6 orders only the identity and its reverse reach |r| = 1
    centred = np.array([-1.0, 0, 1])
    statistic = lambda orders: np.asarray(centred[orders] @ centred)  # noqa: E731
    assert by_orders(statistic, 3, "exact").value == pytest.approx(1 / 3)
    drawn = by_orders(statistic, 3, "permutation", samples=5000, seed=3)
    orders = np.random.default_rng(3).permuted(np.tile(np.arange(3), (5000, 1)), axis=1)
    assert drawn.value == (1 + int((np.abs(centred[orders] @ centred) > 1.5).sum())) / 5001
    assert drawn.value == pytest.approx(1 / 3, abs=4 * drawn.error)
    assert drawn.error == pytest.approx(np.sqrt(drawn.value * (1 - drawn.value) / 5000))


@pytest.mark.parametrize("decimals", [9, 1])
def test_kendalls_p_of_very_many_systems_is_by_the_normal_law(decimals: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=p_values.COUNTED + 1).round(decimals)
    y = (rng.normal(size=len(x)) + 0.05 * x).round(decimals)
    found = kendall(x, y)
    assert found.p_method == "normal"
    assert found.p_value == pytest.approx(scipy.stats.kendalltau(x, y, method="asymptotic").pvalue, rel=1e-9)
    assert kendall(x, x).p_value > 0
    monkeypatch.setattr(p_values, "COUNTED", 2000)
    if decimals == 9:
        exact = kendall(x, y)
        assert exact.value == found.value
        assert exact.p_method == "exact"
        assert found.p_value == pytest.approx(exact.p_value, abs=2e-4)
