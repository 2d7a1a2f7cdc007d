"""Bias of pseudo-relevance: paired difference of two taus."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import tau_gaps, twice_judged, twice_searched
from clirbench.types import Doubles


def made(name: str, values: Doubles, *parts: str) -> Column:
    """A measure of a retriever, topics and judgments, by their signatures; only `qrels` are of people."""
    judge = "people" if parts[-1] == "qrels" else "pseudo-relevance"
    return Column(name, "measure", values, parts=(*parts, "AP"), declared={"judged_by": judge})


def twice(x: Doubles, pseudo: Doubles, judged: Doubles, **metadata: tuple[str, ...]) -> Scoreboard:
    """A board with one metric, MAP by both, MAP of another collection, and imported human scores."""
    return Scoreboard(
        tuple(f"s{i}" for i in range(len(x))),
        (
            Column("m", "metric", x),
            made("MAP", pseudo, "bm25", "a", "top10"),
            made("MAP[qrels]", judged, "bm25", "a", "qrels"),
            made("MAP[news]", judged, "bm25", "b", "top10"),
            Column("adequacy", "measure", judged),
        ),
        metadata,
    )


def test_measures_that_have_both_judgments_are_found() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=12)
    pseudo, judged = x + 0.3 * rng.normal(size=12), x + rng.normal(size=12)
    board = twice(x, pseudo, judged)
    (row,) = tau_gaps(board, units_of(board), twice_judged(board))
    assert (row.first, row.second, row.metric, row.n_units) == ("MAP", "MAP[qrels]", "m", 12)
    expected = kendalltau(x, pseudo).statistic - kendalltau(x, judged).statistic
    assert row.gap == pytest.approx(row.tau_first - row.tau_second) == pytest.approx(expected)
    assert row.ci_low < row.gap < row.ci_high
    equal, few = twice(x, judged, judged), twice(x[:4], pseudo[:4], judged[:4])
    (same,), (four,) = (tau_gaps(one, units_of(one), twice_judged(one)) for one in (equal, few))
    assert (same.gap, same.ci_low, same.ci_high) == (0, 0, 0)
    assert "too few" in four.note
    along = twice(x, pseudo, judged, step=tuple(map(str, range(12))), run=tuple("aabbccddeeff"))
    (described,) = tau_gaps(along, units_of(along), twice_judged(along))
    assert np.isnan(described.ci_low)
    assert "description only" in described.note


def by_two(x: Doubles, first: Doubles, second: Doubles) -> Scoreboard:
    """A board with MAP by two retrievers, by human judgments, and of other topics."""
    return Scoreboard(
        tuple(f"s{i}" for i in range(len(x))),
        (
            Column("m", "metric", x),
            made("MAP", first, "bm25", "a", "top10"),
            made("MAP[dense]", second, "dense", "a", "top10"),
            made("MAP[qrels]", second, "bm25", "a", "qrels"),
            made("MAP[b,dense]", second, "dense", "b", "top10"),
            made("RBO", first, "bm25", "a", "top10"),
            Column("adequacy", "measure", second),
        ),
        {},
    )


def test_measures_of_two_retrievers_are_found() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=30)
    board = by_two(x, x + 0.1 * rng.normal(size=30), x + 3 * rng.normal(size=30))
    (row,) = tau_gaps(board, units_of(board), twice_searched(board))
    assert (row.first, row.second, row.metric, row.n_units) == ("MAP", "MAP[dense]", "m", 30)
    assert row.gap == pytest.approx(row.tau_first - row.tau_second)
    assert 0 < row.ci_low < row.gap < row.ci_high
