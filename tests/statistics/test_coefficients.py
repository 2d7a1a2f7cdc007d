"""Coefficients against scipy, hand-worked cases and the undefined cases."""

import itertools
from math import factorial

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from clirbench.errors import AlignmentError, UnknownName
from clirbench.statistics import coefficients as p_values
from clirbench.statistics.coefficients import (
    UNTESTED,
    coefficient,
    complete_pairs,
    holm,
    inversions,
    kendall,
    kendall_a,
    kendall_exact,
    pair_balance,
    pearson,
    ranks,
    spearman,
)

X = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
Y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])


def test_tau_with_ties_by_hand() -> None:
    # one pair of x tied; of the other 5 pairs 5 concordant: tau_b 5/sqrt(5*6), tau_a 5/6
    x, y = np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 3, 4])
    assert kendall(x, y).value == pytest.approx(5 / np.sqrt(30))
    assert kendall_a(x, y).value == pytest.approx(5 / 6)
    assert kendall_a(x, y).p_value == kendall(x, y).p_value


pairs = st.integers(3, 15).flatmap(
    lambda n: st.tuples(
        arrays(float, n, elements=st.integers(-4, 4).map(float)),
        arrays(float, n, elements=st.integers(-4, 4).map(float)),
    )
)


@given(pairs)
def test_agrees_with_scipy(columns: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = columns
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert not kendall(x, y).defined
        return
    theirs_by_ours = {kendall: scipy.stats.kendalltau, spearman: scipy.stats.spearmanr, pearson: scipy.stats.pearsonr}
    for ours, theirs in theirs_by_ours.items():
        expected = theirs(x, y)
        got = ours(x, y, p_value="scipy")
        assert got.value == pytest.approx(expected.statistic, abs=1e-12)
        if abs(got.value) < 1 - 1e-9:
            assert got.p_value == pytest.approx(expected.pvalue, abs=1e-9)


def test_the_balance_of_many_systems_is_that_of_all_pairs() -> None:
    """Both columns with ties, and with -0, against the signs of all pairs; tau against scipy."""
    rng = np.random.default_rng(0)
    for n in (*range(2, 40), 1023, 1024, 1025):
        x, y = rng.integers(-3, n // 2 + 1, size=n) / 7, rng.integers(-2, n // 3 + 2, size=n) / 3
        x[x == 0] = rng.choice([0.0, -0.0], size=int((x == 0).sum()))
        signs = [np.sign(column[:, None] - column[None, :]) for column in (x, y)]
        assert pair_balance(x, y) == (signs[0] * signs[1]).sum() / 2
        found = kendall(x, y, p_value=UNTESTED)
        assert found.value == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12, nan_ok=True)
        assert np.isnan(found.p_value)


@pytest.mark.parametrize("name", ["kendall", "kendall_a", "spearman", "pearson"])
def test_undefined_says_why(name: str) -> None:
    function = coefficient(name)
    constant = np.full(5, 2.0)
    assert "second column is constant (2)" in function(X, constant).note
    assert "first column is constant" in function(constant, X).note
    assert "at least 2" in function(X[:1], Y[:1]).note
    assert "at least 2" in function(X[:0], Y[:0]).note
    holed = np.where(X == 3, np.nan, X)
    assert function(holed, Y).note == "1 of 5 systems lack a value"
    assert not function(holed, Y).defined
    kept = function(*complete_pairs(holed, Y))
    assert kept.n == 4
    assert kept.defined


@pytest.mark.parametrize("name", ["kendall", "kendall_a", "spearman", "pearson"])
def test_two_systems(name: str) -> None:
    result = coefficient(name)(np.array([1.0, 2.0]), np.array([5.0, 3.0]))
    assert (result.value, result.p_value, result.n) == pytest.approx((-1, 1, 2))
    assert "2 systems" in result.note


def test_errors() -> None:
    with pytest.raises(AlignmentError, match="5 and 4"):
        kendall(X, Y[:4])
    with pytest.raises(UnknownName, match="kendal'.*Did you mean 'kendall'"):
        coefficient("kendal")
    with pytest.raises(UnknownName, match="p_value 'scypi'.*scipy"):
        kendall(X, Y, p_value="scypi")


def test_exact_p_of_every_coefficient_by_counting() -> None:
    x, y = np.array([1.0, 2, 2, 4, 5, 6]), np.array([2.0, 1, 3, 3, 5, 9])
    for name in ("kendall", "kendall_a", "spearman", "pearson"):
        function = coefficient(name)
        observed = function(x, y)
        values = [
            function(x, y[list(order)], p_value="permutation", samples=1).value
            for order in itertools.permutations(range(6))
        ]
        assert observed.p_value == pytest.approx(np.mean(np.abs(values) >= abs(observed.value) - 1e-9)), name
        assert observed.p_method == "exact"


def test_nine_systems_are_the_most_whose_orders_are_all_counted() -> None:
    """Only the identity of the 9! orders of these values has |r| = 1, as no gap is like another: p = 1/9!."""
    nine, ten = 2.0 ** np.arange(9), 2.0 ** np.arange(10)
    counted, drawn = pearson(nine, nine), pearson(ten, ten)
    assert counted.p_value == pytest.approx(1 / 362880)
    assert (counted.p_method, counted.p_error) == ("exact", 0)
    assert drawn.p_method == "permutation"
    assert drawn.p_error > 0


def test_p_methods() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=12)
    y = x + rng.normal(size=12)
    assert kendall(x, y).p_method == "exact"
    assert kendall(x, y).p_value == pytest.approx(scipy.stats.kendalltau(x, y).pvalue, rel=1e-12)
    assert kendall(x, y, p_value="scipy").p_method == "scipy"
    for result in (kendall(x.round(), y.round()), pearson(x, y), kendall(x, y, p_value="permutation")):
        assert result.p_method == "permutation"
        assert 0 < result.p_error < 0.005
    # sampled and exact agree within four standard errors
    sampled = kendall(x, y, p_value="permutation")
    assert abs(sampled.p_value - kendall(x, y).p_value) < 4 * sampled.p_error + 1e-4
    assert sampled.p_error == pytest.approx(np.sqrt(sampled.p_value * (1 - sampled.p_value) / p_values.SAMPLES))


def test_a_tiny_spread_on_a_large_value_survives() -> None:
    x = 1e8 + 1e-6 * np.arange(5)
    assert pearson(x, Y).value == pytest.approx(scipy.stats.pearsonr(np.arange(5), Y).statistic, abs=0.02)


@pytest.mark.parametrize("shape", [(1,), (9,), (3, 11), (4, 2, 7)])
def test_ranks_are_scipys_also_with_ties_and_holes(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(len(shape)).integers(0, 5, size=shape).astype(float)
    assert ranks(values).tolist() == scipy.stats.rankdata(values, axis=-1).tolist()
    values[..., 0] = np.nan
    np.testing.assert_array_equal(ranks(values), scipy.stats.rankdata(values, axis=-1))


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
