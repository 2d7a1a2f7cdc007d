"""The ceiling: closed forms and refusals."""

from dataclasses import replace
from math import asin, pi, sqrt

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import (
    better_half_ceiling,
    between_error,
    ceiling,
    ceilings,
    freedom,
    tau_gaps,
    twice_judged,
    twice_searched,
)
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.grades import OPEN, STRONG
from clirbench.statistics.kinds import lowered_by_retrievers
from clirbench.types import Doubles
from tests.statistics.worlds import world


@pytest.mark.parametrize("reliable", [0.5, 0.9])
def test_the_ceiling_of_the_better_half_is_what_true_values_reach_there(reliable: float) -> None:
    """Normal true values, measured with noise; scipy counts tau of both among the better half of 1,500."""
    rng = np.random.default_rng(4)
    true = sqrt(reliable) * rng.normal(size=1500)
    y = true + sqrt(1 - reliable) * rng.normal(size=1500)
    better = y >= np.median(y)
    expected = kendalltau(true[better], y[better]).statistic
    whole = ceiling(y, 1 - reliable, 1e9, np.arange(1500)).value
    assert better_half_ceiling(whole, y, np.arange(1500)) == pytest.approx(expected, abs=0.03)
    assert whole > expected + 0.05
    assert np.isnan(better_half_ceiling(float("nan"), y, np.arange(1500)))
    assert better_half_ceiling(1.0, y, np.arange(1500)) == 1.0


def test_noise_between_units() -> None:
    """Two systems of one unit share .8 of their noise of variance 1; what all share does not count."""
    covariance = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]) + 5
    assert between_error(covariance, np.array([0, 0, 1])) == pytest.approx(1)
    assert between_error(covariance, np.arange(3)) == pytest.approx((0.2 + 1 + 1) / 3)


def test_freedom_of_the_noise() -> None:
    """Of two systems topics - 1 (one difference); of nine independent ones 8 times as many (analysis of variance)."""
    rng = np.random.default_rng(4)
    two, nine = rng.normal(size=(2, 12)), rng.normal(size=(9, 2000))
    assert freedom(np.cov(two), 12) == pytest.approx(11)
    assert freedom(np.cov(nine), 2000) == pytest.approx(1999 * 8, rel=0.02)


def test_ceiling() -> None:
    y = np.random.default_rng(3).normal(size=2000)
    found = ceiling(y, 0.2 * float(y.var(ddof=1)), 1e9, np.arange(2000))
    assert found.value == pytest.approx(2 / pi * asin(sqrt(0.8)))
    assert found.high - found.low < 0.03
    assert ceiling(y, 2 * float(y.var()), 100, np.arange(2000)).value == 0
    assert np.isnan(ceiling(np.ones(3), 0.1, 10, np.zeros(3, dtype=np.int64)).value)


def test_a_measure_has_a_ceiling_where_its_noise_is_known() -> None:
    """Not for five systems, without topics, or along training."""
    evidence = world(n=24, topics=80)
    found = ceilings(evidence, units_of(evidence.board))["y0"]
    assert 0.7 < found.low < found.value < found.high <= 1
    steps = replace(evidence.board, metadata={"step": tuple(map(str, range(24)))})
    for without in (evidence.only(np.arange(24) < 5), replace(evidence, per_topic={}), replace(evidence, board=steps)):
        assert ceilings(without, units_of(without.board)) == {}


def made(name: str, values: Doubles, *parts: str) -> Column:
    """A measure of a retriever, topics and judgments, by their signatures; only `qrels` are of people."""
    judge = "people" if parts[-1] == "qrels" else "pseudo-relevance"
    return Column(name, "measure", values, parts=(*parts, "AP"), declared={"judged_by": judge})


def beside_people(x: Doubles, *measures: Column, **metadata: tuple[str, ...]) -> Scoreboard:
    """A board with one metric, these measures, and imported human scores."""
    columns = (Column("m", "metric", x), *measures, Column("adequacy", "measure", measures[-1].values))
    return Scoreboard(tuple(f"s{i}" for i in range(len(x))), columns, metadata)


def twice(x: Doubles, pseudo: Doubles, judged: Doubles, **metadata: tuple[str, ...]) -> Scoreboard:
    """A board with MAP by both, and MAP of another collection."""
    return beside_people(
        x,
        made("MAP", pseudo, "bm25", "a", "top10"),
        made("MAP[qrels]", judged, "bm25", "a", "qrels"),
        made("MAP[news]", judged, "bm25", "b", "top10"),
        **metadata,
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
    return beside_people(
        x,
        made("MAP", first, "bm25", "a", "top10"),
        made("MAP[dense]", second, "dense", "a", "top10"),
        made("RBO", first, "bm25", "a", "top10"),
        made("MAP[qrels]", second, "bm25", "a", "qrels"),
        made("MAP[b,dense]", second, "dense", "b", "top10"),
    )


def test_measures_of_two_retrievers_are_found() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=30)
    board = by_two(x, x + 0.1 * rng.normal(size=30), x + 3 * rng.normal(size=30))
    (row,) = tau_gaps(board, units_of(board), twice_searched(board))
    assert (row.first, row.second, row.metric, row.n_units) == ("MAP", "MAP[dense]", "m", 30)
    assert row.gap == pytest.approx(row.tau_first - row.tau_second)
    assert 0 < row.ci_low < row.gap < row.ci_high
    rows = [Correlation(name, "m", KENDALL, 0.5, grade=STRONG) for name in ("MAP", "MAP[dense]", "RBO")]
    rows[1] = replace(rows[1], grade=OPEN)
    lowered = [(row.grade, row.lowered) for row in lowered_by_retrievers(rows, board, units_of(board))]
    assert lowered == [(OPEN, "retriever"), (OPEN, ""), (STRONG, "")]
    alike = by_two(x, x + 0.1 * rng.normal(size=30), x + 0.1 * rng.normal(size=30))
    assert [row.grade for row in lowered_by_retrievers(rows, alike, units_of(alike))] == [STRONG, OPEN, STRONG]
