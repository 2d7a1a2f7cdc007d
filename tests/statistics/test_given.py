import numpy as np
import pytest
from scipy.stats import kendalltau, norm, rankdata

from clirbench.errors import UnknownName
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.given import (
    Permuting,
    beyond,
    beyond_known,
    equal_pairs,
    exchanges,
    normal_scores,
    of_residuals,
    pairs_within,
    refused,
    within_strata,
)


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


def test_smallest_p_of_two_and_four_units() -> None:
    for units, smallest in ((2, 1.0), (4, 2 / 24)):
        found = exchanges(np.repeat(np.arange(units), 8))
        assert found.smallest_p == pytest.approx(smallest)
        assert "too few independent systems" in refused(found, 0.05, units)


def test_within_strata_by_hand() -> None:
    """Strata (1, 2) and (3, 4): one pair for, one against; the pairs across strata do not count."""
    x, y = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1.0, 2.0, 9.0, 8.0])
    found = within_strata(x, y, np.arange(4), ["a", "a", "b", "b"])[0]
    assert (found.tau, found.pairs, found.smallest_p) == (0.0, 2, 0.5)
    assert np.isnan(found.p_value)
    assert "too few" in found.note


def test_no_pair_within_strata_is_said() -> None:
    found = within_strata(np.arange(4.0)[None], np.arange(4.0), np.arange(4), [1, 2, 3, 4])[0]
    assert np.isnan(found.tau)
    assert "no two independent systems" in found.note


def test_a_grid_and_a_continuous_covariate_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1, 20)), rng.normal(size=20)
    assert beyond(x, y, np.arange(20), np.tile(np.arange(10.0), 2)[None])[0].method == "strata"
    assert beyond(x, y, np.arange(20), rng.normal(size=(1, 20)))[0].method == "residuals"


def test_too_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(0)
    found = of_residuals(rng.normal(size=(1, 13)), rng.normal(size=13), np.arange(13), rng.normal(size=(1, 13)))[0]
    assert np.isnan(found.tau)
    assert found.note.startswith("9 residual degrees of freedom")


def test_normal_scores_forget_everything_but_ranks() -> None:
    x = np.random.default_rng(1).normal(size=(2, 9))
    assert normal_scores(np.exp(3 * x)).tolist() == normal_scores(x).tolist()
    assert normal_scores(np.array([[5.0, 7.0, 7.0]]))[0] == pytest.approx([-0.967421566, 0.430727299, 0.430727299])


def test_pairs_are_those_of_one_stratum_and_of_different_units() -> None:
    rng = np.random.default_rng(1)
    strata, unit = rng.integers(4, size=20), rng.integers(3, size=20)
    first, second = pairs_within(strata.tolist(), unit)
    brute = {(i, j) for i in range(20) for j in range(i) if strata[i] == strata[j] and unit[i] != unit[j]}
    found = [(max(pair), min(pair)) for pair in zip(first.tolist(), second.tolist(), strict=True)]
    assert set(found) == brute
    assert len(found) == len(brute)


@pytest.mark.parametrize("at_once", [1, 1 << 21])
def test_exchanges_may_be_gone_through_in_blocks(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr("clirbench.statistics.coefficients.AT_ONCE", at_once)
    rng = np.random.default_rng(2)
    x, unit, steps = rng.normal(size=(2, 24)), np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6).tolist()
    found = within_strata(x, x[1], unit, steps)
    assert (found[1].tau, found[1].p_value) == (1.0, 1 / 720)
    assert found[0].p_value > 0.05


def test_a_second_factor_is_no_evidence_beyond_the_first() -> None:
    """Eight sizes by two vocabularies: at every size the same vocabulary leads on both sides, once, not eight times."""
    rng = np.random.default_rng(1)
    size, second = np.arange(16) // 2, np.arange(16) % 2
    columns = (
        Column("BLEU", "metric", size + 0.3 * second + 0.01 * rng.normal(size=16)),
        Column("MAP", "measure", size + 0.3 * second + 0.01 * rng.normal(size=16)),
    )
    sizes = tuple(str(1000 * (i + 1)) for i in size)
    names = tuple(f"s{i}" for i in range(16))
    alone = Scoreboard(names, columns, {"training_lines": sizes})
    found = beyond_known(alone, units_of(alone), ["training_lines"], Permuting())["MAP", "BLEU"]
    assert (found.tau, found.p_value, found.pairs) == (1.0, 2 / 256, 8)
    crossed = Scoreboard(names, columns, {"training_lines": sizes, "bpe": tuple(f"{16 + 16 * i}k" for i in second)})
    found = beyond_known(crossed, units_of(crossed), ["training_lines"], Permuting())["MAP", "BLEU"]
    assert (found.tau, found.n_units) == (1.0, 2)
    assert np.isnan(found.p_value)
    none = units_of(crossed, "none")
    found = beyond_known(crossed, none, ["training_lines"], Permuting(), declared=True)["MAP", "BLEU"]
    assert (found.n_units, found.p_value, found.note) == (16, 2 / 256, "")
    with pytest.raises(UnknownName, match="lines"):
        beyond_known(alone, units_of(alone), ["lines"], Permuting())


def test_a_metric_given_another_is_their_partial_correlation() -> None:
    """Oracle: scipy's tau of what numpy's least squares leave of scipy's normal scores; nothing of the same order."""
    rng = np.random.default_rng(3)
    first, own = rng.normal(size=(2, 24))
    columns = {"BLEU": first, "chrF2": first + own, "TER": -np.exp(first), "MAP": first + own + rng.normal(size=24)}
    scores = {name: norm.ppf((rankdata(column) - 0.5) / 24) for name, column in columns.items()}
    basis = np.vander(scores["BLEU"], 4)
    left = {name: one - basis @ np.linalg.lstsq(basis, one)[0] for name, one in scores.items()}
    made = [Column(name, "metric" if name != "MAP" else "measure", one) for name, one in columns.items()]
    board = Scoreboard(tuple(f"s{i}" for i in range(24)), tuple(made), {})
    found = beyond_known(board, units_of(board), ["BLEU"], Permuting())
    assert [*found] == [("MAP", "chrF2"), ("MAP", "TER")]
    assert found["MAP", "chrF2"].tau == pytest.approx(kendalltau(left["chrF2"], left["MAP"]).statistic, abs=1e-12)
    assert found["MAP", "chrF2"].p_value < 0.01
    assert (found["MAP", "TER"].tau, found["MAP", "TER"].p_value) == (0, 1)


def test_pairs_of_equal_covariate_by_hand() -> None:
    """Sizes 1 (three systems), 2 (two), 3 (two, tied by the measure): 1 pair, 1 pair, none; binomial of 1 in 2: 3/4."""
    x = np.array([1.0, 5.0, 3.0, 2.0, 4.0, 1.0, 2.0, 9.0])
    y = np.array([0.1, 0.5, 0.3, 0.4, 0.2, 0.7, 0.7, np.nan])
    size = np.array([1.0, 1, 1, 2, 2, 3, 3, 3])
    found = equal_pairs(x, y, np.arange(8), size)
    assert (found.right, found.pairs, found.p_value) == (1, 2, 0.75)
    grouped = equal_pairs(x, y, np.array([0, 0, 0, 1, 2, 3, 4, 5]), size)
    assert (grouped.right, grouped.pairs) == (0, 1)
    assert equal_pairs(x, y, np.arange(8), np.arange(8.0)).p_value == 1.0
