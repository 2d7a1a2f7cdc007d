"""Soft pairwise accuracy: mid-p by hand, no dependence on order, perfect and opposite rankings."""

import numpy as np
import pytest

from clirbench.statistics.model.soft_accuracy import mid_p_values, soft_accuracy


def test_mid_p_by_hand() -> None:
    # differences 1, 1: sums 2, 0, 0, -2 of which none exceeds 2 and one equals it
    p = mid_p_values(np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert p[0, 1] == pytest.approx(0.5 / 4)
    assert p[1, 0] == pytest.approx(3.5 / 4)
    assert p[0, 0] == 0.5


@pytest.mark.parametrize("items", [6, 30])
def test_order_of_systems_does_not_matter(items: int) -> None:
    rng = np.random.default_rng(items)
    values = rng.integers(0, 2, size=(7, items)).astype(float)
    p = mid_p_values(values, samples=400)
    assert np.allclose(p + p.T, 1)
    order = rng.permutation(7)
    other = rng.integers(0, 2, size=(7, items)).astype(float)
    q = mid_p_values(other, samples=400, seed=1)
    first = soft_accuracy(p, q, np.arange(7)).value
    moved = mid_p_values(values[order], samples=400)
    assert np.allclose(moved, p[np.ix_(order, order)])
    assert soft_accuracy(moved, q[np.ix_(order, order)], np.arange(7)).value == pytest.approx(first)


def test_range() -> None:
    p = mid_p_values(np.arange(40.0)[::-1].reshape(8, 5))
    assert soft_accuracy(p, p, np.arange(8)).value == 1
    opposite = soft_accuracy(p, p.T, np.arange(8))
    assert 0 <= opposite.low <= opposite.value < 0.2
    assert np.isnan(soft_accuracy(p, p, np.zeros(8, dtype=np.int64)).value)
    assert "too few" in soft_accuracy(p, p, np.repeat([0, 1], 4)).note
