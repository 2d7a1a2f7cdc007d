"""Ratings from relative rankings: order, ties, reproducibility, and one game against TrueSkill's own figures."""

import numpy as np
import pytest

from clirbench.analysis.rating import Comparisons, comparisons_of, rate
from clirbench.errors import ConfigError

pytest.importorskip("trueskill")


def test_comparisons_are_pairs_judged_on_one_segment() -> None:
    nan = np.nan
    found = comparisons_of(np.array([[1.0, 2, nan], [0.0, 2, 1], [nan, 3, 1]]))
    rows = sorted(zip(found.first.tolist(), found.second.tolist(), found.sign.tolist(), strict=True))
    assert rows == [(0, 1, 0), (0, 1, 1), (0, 2, -1), (1, 2, -1), (1, 2, 0)]


def test_one_game_gives_the_figures_of_the_library_documentation() -> None:
    # The library's documentation, 1 vs 1 at a draw probability of 10 %: winner 29.396 (7.171), loser 20.604 (7.171).
    games = Comparisons(np.zeros(10, dtype=np.int64), np.ones(10, dtype=np.int64), np.array([1] * 9 + [0]))
    first, second = rate(["a", "b"], games, games=1, runs=1, seed=0)  # the game drawn is no tie
    assert (first.system, second.system) == ("a", "b")
    assert (first.mu, first.sigma) == (pytest.approx(29.396, abs=5e-4), pytest.approx(7.171, abs=5e-4))
    assert (second.mu, second.sigma) == (pytest.approx(20.604, abs=5e-4), pytest.approx(7.171, abs=5e-4))
    assert first.comparisons == 10


def test_better_systems_are_rated_higher_the_same_each_time() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4, 60)) + np.array([[0.0], [2.0], [1.0], [-2.0]])
    rated = rate(list("abcd"), comparisons_of(scores), games=800, runs=2, seed=3)
    assert [rating.system for rating in rated] == ["b", "c", "a", "d"]
    assert rated == rate(list("abcd"), comparisons_of(scores), games=800, runs=2, seed=3)


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ConfigError, match="nothing to rate from"):
        rate(["a", "b"], comparisons_of(np.array([[1.0, np.nan], [np.nan, 1.0]])))
