"""Coefficients against scipy, hand-worked cases and the undefined cases."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clirbench.analysis.coefficients import (
    coefficient,
    complete_pairs,
    kendall,
    kendall_a,
    pair_balance,
    pearson,
    spearman,
)
from clirbench.errors import AlignmentError, UnknownName

X = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
Y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])


def test_hand_worked() -> None:
    # 10 pairs, 2 discordant: (8 - 2) / 10
    assert kendall(X, Y).value == pytest.approx(0.6)
    assert kendall_a(X, Y).value == pytest.approx(0.6)
    # sum d^2 = 4: 1 - 6 * 4 / (5 * 24)
    assert spearman(X, Y).value == pytest.approx(0.8)
    assert pearson(X, 3 - 2 * X).value == pytest.approx(-1)


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
    for ours, theirs in (
        (kendall, scipy.stats.kendalltau),
        (spearman, scipy.stats.spearmanr),
        (pearson, scipy.stats.pearsonr),
    ):
        expected = theirs(x, y)
        got = ours(x, y, p_value="scipy")
        assert got.value == pytest.approx(expected.statistic, abs=1e-12)
        if abs(got.value) < 1 - 1e-9:
            assert got.p_value == pytest.approx(expected.pvalue, abs=1e-9)


@given(pairs)
def test_antisymmetric(columns: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = columns
    assert pair_balance(x, y) == -pair_balance(x, -y) == pair_balance(y, x)


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
    assert (result.value, result.p_value, result.n) == (-1, 1, 2)
    assert "2 systems" in result.note


def test_errors() -> None:
    with pytest.raises(AlignmentError, match="5 and 4"):
        kendall(X, Y[:4])
    with pytest.raises(UnknownName, match="kendal'.*Did you mean 'kendall'"):
        coefficient("kendal")
    with pytest.raises(UnknownName, match="p_value 'scypi'.*scipy"):
        kendall(X, Y, p_value="scypi")
