"""The tau table; the coefficients themselves are tested in test_coefficients."""

import numpy as np
from scipy.stats import kendalltau

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.bootstrap import Bootstrap, intervals
from clirbench.statistics.correlation import correlate, with_intervals
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import Draws

X = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
Y = np.array([1.0, 3.0, 2.0, 4.0, 6.0, 5.0])


def board(*columns: Column) -> Scoreboard:
    return Scoreboard(tuple("abcdef"[: len(columns[0].values)]), columns)


def test_a_row_is_scipys_tau_and_p() -> None:
    (row,) = correlate(board(Column("M", "metric", X), Column("I", "measure", Y)), ["kendall"])
    expected = kendalltau(X, Y)
    assert (row.measure, row.metric, row.coefficient) == ("I", "M", "kendall")
    assert row.value == expected.statistic
    assert row.p_value == expected.pvalue
    assert row.significant == ("true" if expected.pvalue < 0.05 else "false")
    assert row.n_systems == 6


def test_a_metric_where_less_is_better_is_turned_round() -> None:
    up = correlate(board(Column("M", "metric", X), Column("I", "measure", Y)), ["kendall"])[0]
    down = correlate(board(Column("M", "metric", -X, higher_is_better=False), Column("I", "measure", Y)), ["kendall"])
    assert down[0].value == up.value


def test_a_wrong_sign_stays_negative() -> None:
    (row,) = correlate(board(Column("M", "metric", X), Column("I", "measure", -X)), ["kendall"])
    assert row.value == -1.0


def test_one_system_is_undefined_with_its_reason() -> None:
    (row,) = correlate(board(Column("M", "metric", X[:1]), Column("I", "measure", Y[:1])), ["kendall"])
    assert np.isnan(row.value)
    assert row.significant == "undefined"
    assert "at least 2" in row.note


def test_a_hole_is_undefined_unless_complete_pairs_are_asked_for() -> None:
    holed = X.copy()
    holed[0] = np.nan
    columns = board(Column("M", "metric", holed), Column("I", "measure", Y))
    (row,) = correlate(columns, ["kendall"])
    assert row.significant == "undefined"
    (row,) = correlate(columns, ["kendall"], complete=True)
    assert row.value == kendalltau(X[1:], Y[1:]).statistic
    assert row.n_systems == 5
    assert "over 5 of 6 systems" in row.note


def test_checkpoints_are_never_called_significant() -> None:
    columns = (Column("M", "metric", X), Column("I", "measure", Y))
    along = Scoreboard(tuple("abcdef"), columns, {"step": tuple("123456")})
    (row,) = correlate(along, ["kendall"])
    assert row.significant == "trend"
    assert row.p_value == kendalltau(X, Y).pvalue


def test_intervals_join_the_rows() -> None:
    columns = board(Column("M", "metric", X), Column("I", "measure", Y))
    rows = correlate(columns, ["kendall", "kendall_a"])
    how = Bootstrap(Draws(samples=200))
    tau, tau_a = with_intervals(rows, Evidence(columns), how)
    (expected,) = intervals(Evidence(columns), ["kendall"], how)
    assert (tau.ci_low, tau.ci_high) == (expected.ci_low, expected.ci_high)
    assert tau.scheme == "percentile 95 %: systems+topics+segments, n of n with replacement, 200 samples, seed 0"
    assert tau.note == "topics and segments held fixed: only scores are known"
    assert np.isnan(tau_a.ci_low)
    assert tau_a.scheme == ""


def test_p_is_exact_by_default_else_sampled_with_its_error() -> None:
    tied = np.array([1.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    twice = np.concatenate([tied, tied + 6])
    both = Scoreboard(tuple("abcdefghijkl"), (Column("M", "metric", twice), Column("I", "measure", twice[::-1].copy())))
    (row,) = correlate(both, ["kendall"], seed=3)
    assert row.p_method == "permutation"
    assert row.p_error > 0
    (row,) = correlate(both, ["kendall"], p_value="scipy")
    assert (row.p_method, row.p_error) == ("scipy", 0)
    (row,) = correlate(board(Column("M", "metric", X), Column("I", "measure", Y)), ["kendall"])
    assert row.p_method == "exact"
