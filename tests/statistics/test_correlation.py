"""The tau table; the coefficients themselves are tested in test_coefficients."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import agreements
from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import ceilings
from clirbench.statistics.correlation import Correlation, aggregate, correlate, reliabilities, with_ceilings
from clirbench.statistics.grades import reliability
from tests.statistics.worlds import world

X = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
Y = np.array([1.0, 3.0, 2.0, 4.0, 6.0, 5.0])


def board(*columns: Column) -> Scoreboard:
    return Scoreboard(tuple("abcdef"[: len(columns[0].values)]), columns)


def test_a_row_is_scipys_tau_and_rho_with_its_p() -> None:
    (tau, row) = correlate(board(Column("M", "metric", X), Column("I", "measure", Y)), ["kendall", "spearman"])
    expected = spearmanr(X, Y)
    assert tau.value == kendalltau(X, Y).statistic
    assert tau.p_value == pytest.approx(kendalltau(X, Y).pvalue)  # two-sided, of this pair alone
    assert tau.p_adjusted >= tau.p_value  # of two sides at least, and exact for so few systems
    (by_scipy,) = correlate(board(Column("M", "metric", X), Column("I", "measure", np.minimum(Y, 5))), p_value="scipy",
        coefficients=["kendall"])  # fmt: skip
    assert by_scipy.p_value == kendalltau(X, np.minimum(Y, 5)).pvalue
    assert by_scipy.p_method == "scipy"
    assert (row.measure, row.metric, row.coefficient) == ("I", "M", "spearman")
    assert row.value == pytest.approx(expected.statistic)
    orders = [spearmanr(X, order).statistic for order in permutations(Y)]
    assert row.p_value == pytest.approx(np.mean(np.abs(orders) >= abs(expected.statistic) - 1e-12))
    assert row.significant == ("true" if row.p_value < 0.05 else "false")
    assert row.n_systems == 6


def test_a_metric_where_less_is_better_is_turned_round() -> None:
    up = correlate(board(Column("M", "metric", X), Column("I", "measure", Y)), ["kendall"])[0]
    down = correlate(board(Column("M", "metric", -X, higher_is_better=False), Column("I", "measure", Y)), ["kendall"])
    assert down[0].value == up.value


def test_a_hole_leaves_the_complete_pairs_unless_they_are_refused() -> None:
    holed = X.copy()
    holed[0] = np.nan
    columns = board(Column("M", "metric", holed), Column("I", "measure", Y))
    (row,) = correlate(columns, ["kendall"], complete=False)
    assert row.significant == "undefined"
    assert "correlation.complete_pairs=true takes the other 5" in row.note
    (row,) = correlate(columns, ["kendall"])
    assert row.value == kendalltau(X[1:], Y[1:]).statistic
    assert row.n_systems == 5
    assert row.note.startswith("over 5 of 6 systems (correlation.complete_pairs)")


def test_checkpoints_are_never_called_significant() -> None:
    columns = (Column("M", "metric", X), Column("I", "measure", Y))
    along = Scoreboard(tuple("abcdef"), columns, {"step": tuple("123456")})
    (row,) = correlate(along, ["kendall"])
    assert row.significant == "undefined"
    assert np.isnan(row.p_value)
    assert row.value == kendalltau(X, Y).statistic
    assert row.note.startswith("checkpoints along training: description only")


def test_systems_in_groups_have_the_tau_between_them_and_are_tested_for_kendall_alone() -> None:
    metric, measure = np.repeat(np.arange(6.0), 2) + np.tile([0, 0.1], 6), np.repeat(np.arange(6.0), 2)
    columns = (Column("M", "metric", metric), Column("I", "measure", measure + np.tile([0.1, 0], 6)))
    families = tuple(name for name in "abcdef" for _ in range(2))
    tau, rho = correlate(Scoreboard(tuple("abcdefghijkl"), columns, {"family": families}), ["kendall", "spearman"])
    assert (tau.value, tau.groups, tau.n_systems) == (1.0, 6, 12)
    assert (tau.p_method, tau.significant, tau.grade) == ("", "true", "moderate")
    assert np.isnan(tau.p_value)
    assert tau.p_adjusted < 0.05
    (found,) = agreements(metric[None], columns[1].values, np.repeat(np.arange(6), 2))
    assert (tau.ci_low, tau.ci_high, tau.p_adjusted) == (found.low, found.high, found.p_value)
    assert rho.significant == "undefined"
    assert rho.note == "systems are not independent: tested for kendall alone"


def test_a_column_of_steps_is_no_metric() -> None:
    columns = (Column("step", "metric", X), Column("M", "metric", Y), Column("I", "measure", Y))
    steps, _ = correlate(Scoreboard(tuple("abcdef"), columns), ["kendall"])
    assert steps.significant == "undefined"
    assert "it is no metric" in steps.note


def test_two_independent_systems_have_no_interval_but_its_reason() -> None:
    columns = board(Column("M", "metric", X[:2]), Column("I", "measure", Y[:2]))
    (tau,) = correlate(columns, ["kendall"])
    assert np.isnan([tau.ci_low, tau.ci_high, tau.p_adjusted]).all()
    assert (tau.note, tau.grade, tau.significant) == (
        "too few independent groups (2); 2 systems always agree or disagree perfectly",
        "",
        "undefined",
    )


def test_the_measure_s_noise_and_its_better_half_join_the_rows() -> None:
    evidence = world(n=16, topics=80)
    known = reliabilities(evidence)
    assert known["y0"] == reliability(evidence.per_topic["y0"])
    units = units_of(evidence.board)
    rows = correlate(evidence.board, ["kendall", "spearman"], reliabilities=known)
    tau, rho, *_ = with_ceilings(rows, evidence, units)
    assert tau.reliability == known["y0"]
    top = ceilings(evidence, units)["y0"]
    assert (tau.ceiling, tau.ceiling_low, tau.ceiling_high) == (top.value, top.low, top.high)
    assert np.isnan(rho.ceiling)
    x, y = evidence.x[0], evidence.y[0]
    upper = y >= np.median(y)
    assert tau.better_half == pytest.approx(kendalltau(x[upper], y[upper]).statistic)


def test_very_many_systems_are_not_compared_pair_by_pair() -> None:
    """Kendall's tau of independent ones is tested still; intervals and other p-values would need all pairs."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=2001)
    many = Scoreboard(
        tuple(f"s{'abcdefgh'[i % 8]}{i}x" for i in range(2001)),
        (Column("BLEU", "metric", y + rng.normal(size=2001)), Column("MAP", "measure", y)),
    )
    units = units_of(many, "none")
    by_name = {row.coefficient: row for row in correlate(many, units=units)}
    assert (by_name["kendall"].p_method, by_name["kendall"].significant) == ("", "true")
    assert by_name["kendall"].value == pytest.approx(kendalltau(many["BLEU"].values, y).statistic)
    assert by_name["spearman"].significant == "undefined"
    assert "2001 systems: at most 2000 are compared pair by pair" in by_name["spearman"].note


def rows(values: dict[str, float], significant: str = "true") -> list[Correlation]:
    return [
        Correlation("MAP", metric, "kendall", value, 0.01, 3, significant)  # type: ignore[arg-type]
        for metric, value in values.items()
    ]


def test_by_hand() -> None:
    table = {
        "de": rows({"A": 0.5, "B": 0.7}),
        "fr": rows({"A": 0.6, "B": 0.6}),
        "cs": rows({"A": 0.9, "B": 0.1}, "false"),
    }
    a, b = aggregate(table)
    assert (a.mean, a.median, a.wins, a.experiments) == (pytest.approx(2 / 3), 0.6, 1, 3)
    assert b.sd == pytest.approx(np.std([0.7, 0.6, 0.1], ddof=1))
    assert b.wins == 2  # the tie counts for both, the row that is not significant for none


def test_undefined_is_noted() -> None:
    a, _ = aggregate({"de": rows({"A": float("nan"), "B": 0.4}, "undefined"), "fr": rows({"A": 0.2, "B": 0.3})})
    assert (a.mean, a.experiments, a.note) == (0.2, 1, "undefined in de")
    assert aggregate({}) == []
