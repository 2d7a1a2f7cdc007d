import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.units.concordance import signs
from clirbench.statistics.units.permutation import FEW, exchanges, refused, shares, statistics


def test_blocks_change_places_as_wholes() -> None:
    found = exchanges(np.array([0, 0, 1, 1, 2, 2]))
    assert (found.exact, found.number, len(found.orders)) == (True, 6, 6)
    assert found.orders[0].tolist() == [0, 1, 2, 3, 4, 5]
    assert [1, 2, 3] not in found.orders.tolist()
    assert {tuple(order) for order in (found.orders // 2)[:, ::2].tolist()} == {
        (0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)
    }  # fmt: skip


def test_only_units_of_one_size_change_places() -> None:
    found = exchanges(np.array([0, 1, 2, 2, 3, 3]))
    assert found.number == 4
    assert found.smallest_p == 0.5


def test_strata_match_units_whatever_their_order_on_the_board() -> None:
    """Two runs at steps 1 and 2, the second listed backwards: exchanged, each step keeps its own."""
    found = exchanges(np.array([0, 0, 1, 1]), [1, 2, 2, 1])
    assert found.orders.tolist() == [[0, 1, 2, 3], [3, 2, 1, 0]]


def test_two_systems_a_stratum_are_the_sign_permutation() -> None:
    found = exchanges(np.arange(16), [i % 8 for i in range(16)])
    assert (found.number, found.exact, found.smallest_p) == (256, True, 2 / 256)


def test_smallest_p_of_two_and_four_units() -> None:
    for units, smallest in ((2, 1.0), (4, 2 / 24)):
        found = exchanges(np.repeat(np.arange(units), 8))
        assert found.smallest_p == pytest.approx(smallest)
        assert "too few independent systems" in refused(found, 0.05, units)


@pytest.mark.parametrize("n", [6, 7])
def test_all_orders_give_kendalls_exact_p(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    orders = exchanges(np.arange(n)).orders
    p = shares(statistics(x[None], y, np.arange(n), orders))[0, 0]
    assert p == pytest.approx(kendalltau(x, y, method="exact").pvalue)


def test_shares_count_the_reached_by_hand() -> None:
    assert shares(np.array([[2.0], [-3.0], [1.0], [2.0]]))[:, 0].tolist() == [0.75, 0.25, 1.0, 0.75]


def test_sums_of_many_systems_are_those_of_all_their_pairs() -> None:
    """Both columns have ties; beyond `FEW` systems a tree of ranks counts what pairs would."""
    rng = np.random.default_rng(0)
    n = FEW + 9
    x, y = rng.integers(0, 12, size=(3, n)).astype(float), rng.integers(0, 9, size=n).astype(float)
    orders = np.array([np.arange(n), *(rng.permutation(n) for _ in range(20))])
    brute = [[(signs(column) * signs(y[order])).sum() / 2 for column in x] for order in orders]
    assert statistics(x, y, np.arange(n), orders).tolist() == brute
