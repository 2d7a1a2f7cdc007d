"""The grid and its summary, by hand."""

import numpy as np
import pytest

from clirbench.errors import ConfigError
from clirbench.labs.choosing.statistics.multiverse import multiverse, universe_taus, universes
from tests.statistics.worlds import scores_only


def test_grid() -> None:
    grid = universes({"relevance.k": [10, 100], "retrieval.k1": [0.9, 1.2]})
    assert len(grid) == 4
    assert grid[1] == (("relevance.k", 10), ("retrieval.k1", 1.2))
    with pytest.raises(ConfigError, match="no values for a"):
        universes({"a": []})


def test_summary_by_hand() -> None:
    good, bad, other = [1.0, 2, 3, 4], [1.0, 3, 2, 4], [2.0, 1, 3, 4]
    y = [1.0, 2, 3, 4]
    boards = {
        (("k", "1"),): scores_only([good, bad], [y]).board,
        (("k", "2"),): scores_only([bad, good], [y]).board,
        (("k", "3"),): scores_only([bad, other], [y]).board,  # both 2/3: the win is shared
        (("k", "4"),): scores_only([good, bad], [[0.0] * 4]).board,  # undefined
    }
    rows = universe_taus(boards)
    assert [row.choices for row in rows[::2]] == ["k=1", "k=2", "k=3", "k=4"]
    assert [row.best for row in rows] == [True, False, False, True, True, True, False, False]
    first, second = multiverse(rows)
    assert (first.metric, first.wins, first.universes) == ("x0", 1.5, 3)
    assert first.share == second.share == 0.5
    assert (first.lowest, first.median, first.highest) == pytest.approx((2 / 3, 2 / 3, 1))
    assert (second.quarter, second.three_quarters) == pytest.approx((2 / 3, 5 / 6))


def test_nothing_defined() -> None:
    (row,) = multiverse(universe_taus({(("k", "1"),): scores_only([[1.0, 1, 1]], [[1, 2, 3]]).board}))
    assert np.isnan(row.median)
    assert row.universes == 0
