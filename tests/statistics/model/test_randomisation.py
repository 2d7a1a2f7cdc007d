"""Randomisation: hand-counted cases, ties, correction for all pairs, and its error rate."""

from itertools import product

import numpy as np
import pytest

from clirbench.errors import ConfigError, UnknownName
from clirbench.statistics.model.randomisation import (
    best_against_rest,
    compare_systems,
    holm_within,
    mean_difference_p,
    sign_patterns,
)
from clirbench.statistics.pairs import compare_pairs
from tests.statistics.worlds import scores_only, world


def test_all_patterns_by_hand() -> None:
    keep, exact = sign_patterns(2, 10, 0)
    assert exact
    assert keep.tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]
    # d = 1, 2, 3: |sum| 6 for two of eight patterns
    assert mean_difference_p(np.array([1.0, 2.0, 3.0])) == 0.25
    assert mean_difference_p(np.array([1.0, 2.0, 3.0]), sides=1) == 0.125
    # d = 3, 3, -1: sums 5, -1, -1, -7, 7, 1, 1, -5: |5| or more in four
    assert mean_difference_p(np.array([3.0, 3.0, -1.0])) == 0.5
    assert mean_difference_p(np.zeros(4)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_against_a_loop(seed: int) -> None:
    d = np.random.default_rng(seed).integers(-2, 3, size=8).astype(float)
    sums = [abs(float(np.dot(signs, d))) for signs in product((1, -1), repeat=8)]
    assert mean_difference_p(d) == pytest.approx(np.mean([total >= abs(d.sum()) - 1e-9 for total in sums]))


def test_ties_do_not_make_significance() -> None:
    """success@1 of five topics: every p is among 1, 1/2, 1/4, 1/8, 1/16, so none is below .05."""
    for ones in product((0.0, 1.0), repeat=5):
        assert mean_difference_p(np.array(ones)) >= 1 / 16


def test_best_against_the_rest_is_the_default() -> None:
    rows = compare_systems(world(n=5, topics=40))
    assert {row.column for row in rows} == {"m0", "m1", "y0"}
    mine = [row for row in rows if row.column == "y0"]
    assert {row.system_a for row in mine} == {"s04"}
    assert len(mine) == 4
    assert all(row.family == 10 for row in mine)
    assert mine[-1].system_b == "s00"
    assert mine[-1].p_holm < 0.05


def test_holm_counts_the_pairs_that_are_not_shown() -> None:
    assert holm_within([0.01, 0.001, 0.5], 10) == pytest.approx([0.09, 0.01, 1.0])
    assert holm_within([0.02, 0.019], 2) == pytest.approx([0.038, 0.038])


def test_what_cannot_be_found_is_not_run() -> None:
    rows = compare_systems(world(n=5, topics=5, noise=()))
    assert all(np.isnan(row.p_value) for row in rows)
    assert "5 items and 10 pairs" in rows[0].note
    few = compare_systems(world(n=5, topics=40, noise=()), samples=100)
    assert "not run" in few[0].note


def test_named_options_are_those_of_the_tools() -> None:
    evidence = world(n=3, topics=40)
    pairs = [("s02", "s00"), ("s02", "s01")]
    old = {
        (row.column, row.system_b): row.p_value
        for row in compare_pairs(evidence, ["bootstrap"], pairs=pairs, samples=500, seed=12345)
    }
    found = compare_systems(evidence, ["sacrebleu", "koehn"], pairs=pairs, samples=500)
    for row in found:
        if row.test == "sacrebleu":
            assert row.p_value == old[row.column, row.system_b]
    assert {row.test for row in found} == {"sacrebleu", "koehn"}


def test_wrong_names() -> None:
    with pytest.raises(UnknownName, match="randomisation"):
        compare_systems(world(n=3), ["bootstrap"])
    with pytest.raises(UnknownName, match="s00"):
        compare_systems(world(n=3), pairs=[("s0", "s1")])
    with pytest.raises(ConfigError, match="at least 1"):
        compare_systems(world(n=3), samples=0)
    assert compare_systems(scores_only([[1, 2]], [[1, 2]])) == []
    assert best_against_rest(np.array([1.0, 3.0, 2.0])) == [(1, 2), (1, 0)]


def test_error_rate_of_best_against_the_rest() -> None:
    """200 worlds of 6 equal systems and 20 topics: any claim in at most .05, so in fewer than 20 of 200."""
    wrong = 0
    for seed in range(200):
        values = np.random.default_rng(seed).normal(size=(6, 20))
        best = int(values.mean(axis=1).argmax())
        p = [
            mean_difference_p(values[best] - values[other], samples=999, seed=seed)
            for _, other in best_against_rest(values.mean(axis=1))
        ]
        wrong += min(holm_within(p, 15)) < 0.05
    assert wrong < 20
