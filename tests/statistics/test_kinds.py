"""Two kinds of topics: taus against scipy, differences and orders on values whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.measures.parsing import parse
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import taus, taus_of_orders
from clirbench.statistics.belonging import units_of
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.grades import MODERATE, OPEN, STRONG, WEAK, Evidence, reliability
from clirbench.statistics.kinds import ANOTHER, Kinds, KindTau, compared_kinds, lowered_by_kinds, spaced
from clirbench.types import Doubles
from tests.names import letter_names

N = 12
TRUTH = np.arange(N, dtype=np.float64)


def topics_of(truth: Doubles, n: int, noise: float, seed: int) -> Doubles:
    """(systems, n): the truth and independent normal noise for each topic."""
    return truth[:, None] / N + noise * np.random.default_rng(seed).normal(size=(len(truth), n))


def evidence(values: Doubles, **metrics: Doubles) -> Evidence:
    measure = parse("RBO(p=0.9)")
    columns = [Column(name, "metric", one) for name, one in metrics.items()]
    columns.append(Column(measure.name, "measure", values.mean(axis=1)))
    board = Scoreboard(letter_names(len(values)), tuple(columns))
    return Evidence(board, per_topic={measure.name: values}, measures={measure.name: measure})


def kinds(first: Doubles, second: Doubles, **metrics: Doubles) -> Kinds:
    held = evidence(first, **metrics)
    found = compared_kinds(held, units_of(held.board), "RBO(p=0.9)", second, ("of one kind", "other"), 0.05)
    assert found is not None
    return found


@pytest.mark.parametrize("unit", [np.arange(N), np.repeat(np.arange(4), 3)])
def test_taus_are_those_of_scipy_and_of_agreement(unit: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    x, ys = rng.integers(5, size=(2, N)).astype(float), rng.integers(6, size=(7, N)).astype(float)
    found = taus_of_orders(x, ys, unit)
    for row, column in np.ndindex(found.shape):
        expected = taus(x[row], ys[column], unit)[0]
        assert found[row, column] == pytest.approx(expected)
        if len(set(unit)) == N:
            assert found[row, column] == pytest.approx(kendalltau(x[row], ys[column]).statistic)


def test_holes_are_left_out_and_a_constant_column_has_no_tau() -> None:
    x, y = np.array([[0.0, 1, np.nan, 2, 3], [1.0] * 5]), np.array([[0.0, 2, 9, 1, np.nan]])
    found = taus_of_orders(x, y, np.arange(5))
    assert found[0, 0] == pytest.approx(kendalltau([0, 1, 2], [0, 2, 1]).statistic)
    assert np.isnan(found[1, 0])


def test_the_same_truth_differs_in_nothing_and_another_truth_does() -> None:
    first, alike = topics_of(TRUTH, 90, 0.3, 1), topics_of(TRUTH, 40, 0.3, 2)
    same = kinds(first, alike, good=TRUTH)
    assert (same.topics, same.differs, same.votes) == (40, False, True)
    assert same.reliability == pytest.approx(reliability(alike))
    assert [one.differs for one in same.metrics] == [False]
    other = kinds(first, topics_of(TRUTH[::-1].copy(), 40, 0.3, 2), good=TRUTH)
    (row,) = other.metrics
    assert (other.differs, row.differs) == (True, True)
    systems = letter_names(N)
    means = first.mean(axis=1), topics_of(TRUTH[::-1].copy(), 40, 0.3, 2).mean(axis=1)
    assert other.firsts == (systems[int(means[0].argmax())], systems[int(means[1].argmax())])
    assert other.firsts[0] != other.firsts[1]
    assert row.first_tau == pytest.approx(kendalltau(TRUTH, spaced(first, 40).mean(axis=1)).statistic)
    assert 0 < row.difference_low < row.difference_high
    assert row.difference_low + row.difference_high == pytest.approx(2 * (row.first_tau - row.tau))
    assert row.tau < -0.8


def test_draws_are_those_of_the_seed_and_holes_are_allowed() -> None:
    first, second = topics_of(TRUTH, 60, 0.5, 3), topics_of(TRUTH, 60, 0.5, 4)
    second[3] = np.nan
    assert kinds(first, second, good=TRUTH) == kinds(first, second, good=TRUTH)
    assert kinds(first, second, good=TRUTH).metrics[0].low > 0


def test_nothing_is_compared_with_one_topic() -> None:
    held = evidence(topics_of(TRUTH, 9, 0.1, 1), good=TRUTH)
    units = units_of(held.board)
    assert compared_kinds(held, units, "RBO(p=0.9)", np.ones((N, 1)), ("", "other"), 0.05) is None


ROW = Correlation("RBO", "X", KENDALL, 0.8, grade=STRONG)
OF_SECOND = KindTau("X", 0.3, 0.1, 0.5, WEAK, 0.8, 0.2, 0.8, True)
FOUND = Kinds("", "other", 40, 0.9, 0.3, 0.5, (OF_SECOND,))


@pytest.mark.parametrize(
    ("kinds", "row", "grade"),
    [
        (FOUND, ROW, WEAK),
        (replace(FOUND, reliability=0.5), ROW, STRONG),  # no vote
        (replace(FOUND, metrics=(replace(OF_SECOND, differs=False),)), ROW, STRONG),
        (replace(FOUND, metrics=(replace(OF_SECOND, metric="Y"),)), ROW, STRONG),
        (FOUND, replace(ROW, grade=OPEN), OPEN),  # nothing raises a grade
        (FOUND, replace(ROW, measure="MAP"), STRONG),
        (FOUND, replace(ROW, grade=MODERATE, lowered="covariate"), WEAK),
    ],
)
def test_the_lower_grade_counts_where_the_taus_differ(kinds: Kinds, row: Correlation, grade: str) -> None:
    (made,) = lowered_by_kinds([row], "RBO", kinds)
    reasons = f"{row.lowered} topics".strip() if grade != row.grade else row.lowered
    assert (made.grade, made.lowered) == (grade, reasons)


def test_a_grade_that_noise_alone_would_lower_is_named_and_stays() -> None:
    near = replace(OF_SECOND, differs=False)
    assert replace(FOUND, metrics=(near,)).lower_by_noise([ROW]) == {WEAK: ["X"]}
    assert replace(FOUND, metrics=(near,), reliability=0.5).lower_by_noise([ROW]) == {}  # no vote
    (by_reference,) = lowered_by_kinds([ROW], "RBO", replace(FOUND, metrics=(near,)), ANOTHER)  # there it counts
    assert (by_reference.grade, by_reference.lowered) == (WEAK, ANOTHER)
    for one, grade in (
        (OF_SECOND, STRONG),  # it is lowered
        (replace(near, first_tau=0.3), STRONG),  # as many topics of the first kind show no more
        (replace(near, grade=MODERATE), STRONG),
        (near, OPEN),
    ):
        assert replace(FOUND, metrics=(one,)).lower_by_noise([replace(ROW, grade=grade)]) == {}
