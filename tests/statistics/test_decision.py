"""Decisions from evidence: the right system, reasons for none, picks, sides that are no arithmetic means."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_rel

from clirbench.measures.base import geometric
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import Interval
from clirbench.statistics.belonging import units_of
from clirbench.statistics.decision import (
    Decision,
    better_with,
    candidates,
    compare_with_baseline,
    decided,
    expected,
    jackknifed_slope,
    logistic_slope,
    luck_of_first,
    measure_with_topics,
    rising_pairs,
    tied_with_best,
    topic_draws,
    topic_values,
)
from clirbench.statistics.grades import Evidence, reliability
from clirbench.statistics.noise import jackknifed, pair_errors
from tests.statistics.worlds import Mean, scores_only, world


@dataclass(frozen=True)
class Geometric(Mean):
    def aggregate(self, values: np.ndarray) -> np.ndarray:
        return geometric(values)


def decide(evidence: Evidence) -> Decision:
    return decided(evidence, units_of(evidence.board), "y0")


def test_the_best_system_is_recommended() -> None:
    evidence = world(n=12, topics=60)
    found = decide(evidence)
    first = found.standings[0]
    assert (found.reason, found.n_topics, found.recommended) == ("", 60, (first.system,))
    assert first.in_set
    assert (first.difference, first.difference_low, first.difference_high) == (0, 0, 0)
    assert sum(row.p_best for row in found.standings) == pytest.approx(1)
    assert {row.system for row in found.standings[-4:]} <= {"a00", "b01", "c02", "d03", "e04", "f05"}
    values = dict(zip(evidence.systems, evidence.board["y0"].values.tolist(), strict=True))
    for row in found.standings:
        assert row.difference == pytest.approx(values[row.system] - values[first.system])
        assert row.low < row.value < row.high
        assert found[row.system] == row
    assert found.tied == tuple(row.system for row in found.standings[1:] if row.in_set)


def test_a_difference_has_the_interval_of_scipy_moved_up_by_the_luck_of_the_first() -> None:
    evidence = world(n=5, topics=30)
    found = decide(evidence)
    values = dict(zip(evidence.systems, evidence.per_topic["y0"], strict=True))
    luck = luck_of_first(evidence.board["y0"].values, topic_draws(evidence.per_topic["y0"]))
    for row in found.standings[1:]:
        interval = ttest_rel(values[row.system], values[found.recommended[0]]).confidence_interval(0.95)
        assert (row.difference_low, row.difference_high) == pytest.approx((interval.low + luck, interval.high + luck))


def test_the_luck_of_the_first() -> None:
    """Of two: s phi(d / s), s the error of their difference d (Clark 1961); of three alike, their highest."""
    rng = np.random.default_rng(3)
    two = rng.multivariate_normal([0, 0], [[1.0, 0.6], [0.6, 4.0]], size=400_000).T
    size = np.sqrt(1 + 4 - 2 * 0.6)
    for difference in (0.0, 1.0, 3.0):
        expected = size * norm.pdf(difference / size)
        assert luck_of_first(np.array([difference, 0.0]), two) == pytest.approx(expected, abs=0.01)
    assert luck_of_first(np.zeros(3), rng.normal(size=(3, 400_000))) == pytest.approx(1.5 / np.sqrt(np.pi), abs=0.01)


def test_an_interval_of_a_mean_is_at_least_that_of_student() -> None:
    evidence = world(n=4, topics=30)
    row = decide(evidence)["c02"]
    values = evidence.per_topic["y0"][2]
    low, high = t.interval(0.95, 29, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(30))
    assert row.low <= low + 1e-12
    assert row.high >= high - 1e-12
    assert row.high - row.low < 1.2 * (high - low)


def test_systems_with_the_same_values_are_recommended_together() -> None:
    evidence = world(n=6, topics=40)
    values = evidence.per_topic["y0"].copy()
    values[0] = values[values.mean(axis=1).argmax()]
    column = Column("y0", "measure", values.mean(axis=1))
    board = replace(evidence.board, columns=(*evidence.board.metrics, column))
    found = decide(replace(evidence, board=board, per_topic={"y0": values}))
    assert len(found.recommended) == 2
    assert "a00" in found.recommended
    assert not set(found.tied) & set(found.recommended)


def test_what_metrics_choose() -> None:
    evidence = world(n=12, topics=60)
    tied = Column("tied", "metric", np.array([1.0, 1.0, *[0.0] * 10]))
    known = Column("step", "metric", np.arange(12.0))
    constant = Column("same", "metric", np.ones(12))
    board = replace(evidence.board, columns=(*evidence.board.columns, tied, known, constant))
    found = decided(replace(evidence, board=board), units_of(board, "none"), "y0")
    picks = {pick.metric: pick for pick in found.picks}
    assert list(picks) == ["m0", "m1", "tied"]
    for name in ("m0", "m1"):
        assert picks[name].system == evidence.systems[int(evidence.board[name].values.argmax())]
    worse = evidence.systems[int(evidence.board["y0"].values[:2].argmin())]
    assert picks["tied"].system == worse  # of those that tie, the worst by the measure
    assert 0.5 < picks["m0"].better_low < picks["m0"].better < picks["m0"].better_high < 1


def test_a_rise_by_1_outside_of_what_systems_show_is_not_predicted() -> None:
    evidence = world(n=12, topics=60)
    small = tuple(replace(column, values=column.values / 100) for column in evidence.board.metrics)
    board = replace(evidence.board, columns=(*small, evidence.board["y0"]))
    assert all(np.isnan(pick.better) for pick in decide(replace(evidence, board=board)).picks)


def test_reasons() -> None:
    assert decide(world(topics=4)).reason == "4 topics: at least 5 are needed"
    without = decide(scores_only([[1, 2, 3]], [[1, 2, 3]])).reason
    assert without == "y0 has no per-topic values, so its noise is unknown"
    assert "same for all" in decide(scores_only([[1, 2, 3]], [[1, 1, 1]])).reason
    assert decide(scores_only([[1]], [[1]])).reason == "1 system: from 2 to 2,000 are compared"


def test_less_is_better() -> None:
    evidence = world(n=6, topics=50)
    column = replace(evidence.board["y0"], higher_is_better=False)
    board = replace(evidence.board, columns=(*evidence.board.metrics, column))
    found = decide(replace(evidence, board=board))
    assert found.standings[-1].system in {"e04", "f05"}


def test_an_aggregate_that_is_no_mean() -> None:
    evidence = world(n=4, topics=9)
    values = np.exp(evidence.per_topic["y0"])
    column = Column("y0", "measure", geometric(values))
    board = replace(evidence.board, columns=(*evidence.board.metrics, column))
    made = Evidence(board, per_topic={"y0": values}, measures={"y0": Geometric()})
    found = topic_values(made, "y0")
    assert found is not None
    whole = geometric(values[0])
    assert found[0, 2] == pytest.approx(9 * whole - 8 * geometric(np.delete(values[0], 2)))


def test_checkpoints_have_no_probability_but_its_reason() -> None:
    evidence = world(n=12)
    steps = {"step": tuple(map(str, range(12)))}
    found = decide(replace(evidence, board=replace(evidence.board, metadata=steps)))
    assert all(row.note.startswith("no p_best: checkpoints along training") for row in found.standings)
    assert all(pick.note for pick in found.picks if np.isnan(pick.better))


def test_few_topics_and_noise_are_reasons() -> None:
    assert decide(world(n=12, topics=19)).standings[0].note == "no p_best: 19 topics, at least 20 are needed"
    rng = np.random.default_rng(0)
    evidence, values = world(n=10, topics=40), rng.normal(size=(10, 40))
    board = replace(evidence.board, columns=(*evidence.board.metrics, Column("y0", "measure", values.mean(axis=1))))
    noisy = decide(replace(evidence, board=board, per_topic={"y0": values}))
    assert noisy.standings[0].note.startswith("no p_best: reliability is .")
    assert not decide(world(n=12, topics=60)).standings[0].note


def test_a_measure_without_topics_gives_way_to_one_that_has_some() -> None:
    evidence = world(n=6, measures=2)
    bare = replace(evidence, per_topic={"y1": evidence.per_topic["y1"]})
    assert measure_with_topics(evidence, "y0") == "y0"
    assert measure_with_topics(bare, "y0") == "y1"
    assert measure_with_topics(replace(evidence, per_topic={}), "y0") == "y0"


def test_the_decision_leaves_out_systems_without_a_value_and_takes_steps() -> None:
    evidence = world(n=8, topics=40)
    holed = replace(evidence.board["y0"], values=np.where(np.arange(8) == 7, np.nan, evidence.board["y0"].values))
    steps = {"step": tuple(str(100 * i) for i in range(8))}
    board = Scoreboard(evidence.systems, (*evidence.board.metrics, holed), steps)
    part = replace(evidence, board=board)
    found = decided(part, units_of(board), "y0")
    assert (found.reason, len(found.standings)) == ("", 7)
    assert "h07" not in {row.system for row in found.standings}


def test_two_systems_by_hand() -> None:
    candidate = np.array([0.5, 0.6, 0.4, 0.7, 0.5, 0.6, 0.8, 0.3])
    baseline = np.array([0.4, 0.5, 0.4, 0.5, 0.4, 0.4, 0.5, 0.2])
    found = compare_with_baseline(candidate, baseline, 0.01)
    d = candidate - baseline
    test = ttest_rel(candidate, baseline)
    interval = test.confidence_interval(0.95)
    assert found.low - 1e-9 <= interval.low < interval.high <= found.high + 1e-9
    assert 0.975 < found.p_better <= 1 - test.pvalue / 2 + 1e-9
    assert found.p_loss >= t.cdf((-0.01 - d.mean()) / (d.std(ddof=1) / 8**0.5), 7)
    assert found.p_value == 2 / 2**7  # seven differences that are not 0, all of one sign
    assert found.verdict == "better"
    assert compare_with_baseline(baseline, candidate).verdict == "worse"


def test_without_skewness_it_is_students_t() -> None:
    d = np.array([-3.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 3.5])  # symmetric about 0
    found = compare_with_baseline(d + 1, np.zeros(8))
    half = t.ppf(0.975, 7) * d.std(ddof=1) / 8**0.5
    assert (found.low, found.high) == pytest.approx((1 - half, 1 + half))
    assert found.p_better == pytest.approx(t.cdf(1 / (d.std(ddof=1) / 8**0.5), 7))


def test_nothing_is_said_of_few_topics_or_equal_systems() -> None:
    few = compare_with_baseline(np.ones(7), np.arange(7.0))
    assert (few.verdict, few.note) == ("open", "7 topics: at least 8 are needed")
    assert np.isnan(few.p_better)
    same = compare_with_baseline(np.arange(8.0), np.arange(8.0))
    assert (same.verdict, same.difference) == ("open", 0)
    assert "the same" in same.note


def test_more_candidates_ask_for_more() -> None:
    d = np.array([0.1, 0.3, 0.2, 0.1, 0.2, 0.3, -0.01, 0.1])
    assert compare_with_baseline(d, np.zeros(8)).verdict == "better"
    assert compare_with_baseline(d, np.zeros(8), others=9).verdict == "open"


def test_worse_by_less_than_the_margin_is_allowed() -> None:
    d = -0.1 + 0.01 * np.random.default_rng(0).normal(size=20)
    assert compare_with_baseline(d, np.zeros(20)).verdict == "worse"
    assert compare_with_baseline(d, np.zeros(20), 0.05).verdict == "worse"
    assert compare_with_baseline(d, np.zeros(20), 0.2).verdict == "not worse"


def test_candidates_without_values_are_left_out() -> None:
    made = world(n=4, topics=20)
    values = np.where(np.arange(4) == 2, np.nan, made.board["y0"].values)
    holed = replace(made, board=replace(made.board, columns=(replace(made.board["y0"], values=values),)))
    assert set(candidates(holed, "y0", "a00")) == {"b01", "d03"}
    assert "c02 has no y0" in candidates(holed, "y0", "c02")["a00"].note
    assert "no per-topic" in candidates(scores_only([[1, 2]], [[1, 2]]), "y0", "a00")["b01"].note


def tied(means: np.ndarray, values: np.ndarray) -> list[bool]:
    found: list[bool] = tied_with_best(means, pair_errors(values), topic_draws(values), values.shape[1] - 1).tolist()
    return found


@pytest.mark.parametrize(("standardised", "expected"), [(1.7, True), (1.9, False)])
def test_of_two_systems_the_set_is_that_of_a_one_sided_test(standardised: float, expected: bool) -> None:
    """Student's .95 quantile with 11 degrees of freedom is 1.796."""
    values = np.random.default_rng(0).normal(size=(2, 12))
    error = ttest_rel(*values)
    means = np.array([standardised * abs((values[0] - values[1]).mean() / error.statistic), 0.0])
    assert tied(means, values) == [True, expected]


@pytest.mark.parametrize(("standardised", "expected"), [(1.8, True), (2.05, False)])
def test_three_independent_systems_have_the_limit_of_dunnett(standardised: float, expected: bool) -> None:
    """Dunnett 1955, table 1a: two comparisons with a control, one-sided .05, many degrees of freedom: 1.92."""
    raw = np.random.default_rng(1).normal(size=(3, 4000))
    raw -= raw.mean(axis=1, keepdims=True)
    values = np.linalg.solve(np.linalg.cholesky(np.cov(raw)), raw)
    error = np.sqrt(2 / 4000)
    assert tied(np.array([standardised, standardised - 0.1, 0.0]) * error, values) == [True, True, expected]
    # A third system that is far from the first is no rival: then one-sided Student, 1.645, is the limit.
    assert tied(np.array([1.8, -9.0, 0.0]) * error, values) == [True, False, False]


def test_what_a_topic_adds_to_all_systems_cancels() -> None:
    rng = np.random.default_rng(2)
    values = 0.3 * rng.normal(size=(9, 1)) + rng.normal(size=(9, 20))
    moved = values + 100 * rng.normal(size=20)
    assert tied(values.mean(axis=1), values) == tied(values.mean(axis=1), moved)


@pytest.mark.parametrize("topics", [8, 40])
def test_sets_hold_the_best_where_noise_differs(topics: int) -> None:
    """100 worlds of 12 systems: 9 of 10 are close, noise grows with the effect. Of sets that miss in .05, 89 or fewer
    hold by chance of .01."""
    held = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 12])
        truth = 0.1 * rng.normal(size=12)
        effects = truth[:, None] * (1 + 2 * rng.normal(size=topics))
        values = effects + np.geomspace(0.5, 2, 12)[:, None] * rng.standard_t(5, size=(12, topics))
        held += tied(values.mean(axis=1), values)[truth.argmax()]
    assert held >= 89


def test_draws_have_the_noise_of_the_means() -> None:
    values = np.random.default_rng(4).normal(size=(3, 25)) * np.array([[1.0], [2], [3]])
    assert np.cov(topic_draws(values)) == pytest.approx(np.cov(values) / 25, abs=0.02)


def test_two_systems_with_known_noise() -> None:
    """With errors N(0, s^2) each and reliability r the true difference is N(r d, 2 r s^2): closed forms."""
    d, s, r = 1.5, 1.0, 0.7
    draws = s * np.random.default_rng(3).normal(size=(2, 100_000))
    best, losses = expected(np.array([d, 0.0]), draws, r)
    z, sd = r * d / np.sqrt(2 * r) / s, s * np.sqrt(2 * r)
    assert best == pytest.approx([norm.cdf(z), norm.cdf(-z)], abs=0.01)
    assert losses == pytest.approx(
        [sd * (norm.pdf(z) - z * norm.cdf(-z)), sd * (norm.pdf(z) + z * norm.cdf(z))], abs=0.02
    )


def test_p_best_and_expected_losses_are_right() -> None:
    """80 worlds of 16 systems and 30 topics: right on average up to chance, .05."""
    chance, loss = [], []
    for seed in range(80):
        rng = np.random.default_rng([seed, 16])
        truth = rng.normal(size=16)
        values = truth[:, None] + rng.normal(size=30) + np.sqrt(30 * 0.2) * rng.normal(size=(16, 30))
        best, losses = expected(values.mean(axis=1), topic_draws(values, seed), reliability(values))
        chance.append(best.max() - (best.argmax() == truth.argmax()))
        loss.append(losses.min() - (truth.max() - truth[losses.argmin()]))
    for off in (np.array(chance), np.array(loss)):
        assert abs(off.mean()) < 0.05 + 2.6 * off.std() / 80**0.5


def test_pairs_by_hand() -> None:
    rises, better = rising_pairs(np.array([1.0, 3, 3, 2]), np.array([0.1, 0.3, 0.2, 0.3]))
    # pairs (0,1) (0,2) (0,3) (1,2) (1,3) (2,3); (1,2) is tied in the metric; from 3 to 1 the measure is tied
    assert rises.tolist() == [2, 2, 1, 0, 1, 1]
    assert better.tolist() == [1, 1, 1, 0.5, 0.5, 0]


def test_slope_is_the_likelihood_maximum() -> None:
    rng = np.random.default_rng(0)
    rises = rng.uniform(0, 4, 20_000)
    better = (rng.random(20_000) < 1 / (1 + np.exp(-0.8 * rises))).astype(float)
    assert logistic_slope(rises, better) == pytest.approx(0.8, abs=0.05)
    # two pairs with rise 1, one better: P = .5, slope 0; three of four: log(3)
    assert logistic_slope(np.ones(2), np.array([1.0, 0])) == pytest.approx(0, abs=1e-9)
    assert logistic_slope(np.ones(4), np.array([1.0, 1, 1, 0])) == pytest.approx(np.log(3))
    assert np.isnan(logistic_slope(np.empty(0), np.empty(0)))
    assert 1 / (1 + np.exp(-logistic_slope(np.ones(3), np.ones(3)))) == pytest.approx(1)
    wide = np.append(np.full(99, 0.001), 1)  # at the bound, 50 / mean rise, the last has the exponent 4550
    assert logistic_slope(wide, np.zeros(100)) == pytest.approx(-50 / wide.mean())


def test_a_rise_of_one_or_of_more_by_hand() -> None:
    found = better_with(Interval(np.log(3), 0.0, np.log(9), note="a note"))
    assert (found.value, found.low, found.high) == pytest.approx((3 / 4, 1 / 2, 9 / 10))  # 1 / (1 + exp(-slope))
    assert found.note == "a note"
    assert better_with(Interval(np.log(3), 0.0, np.log(9)), 2.0).value == pytest.approx(9 / 10)  # odds of 3 twice


def test_the_slope_of_ordered_pairs_is_not_known_and_few_units_have_no_interval() -> None:
    x = np.arange(10.0)
    assert np.isnan(jackknifed_slope(x, x, np.arange(10)).low)  # every pair agrees: no finite slope
    assert "too few" in jackknifed_slope(x[:5], x[[1, 0, 2, 4, 3]], np.arange(5)).note


def test_the_jackknife_of_slopes_is_that_of_each_fitted_without_its_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of one to three systems, ties on both sides; some slopes are far from that of all and fitted, not all."""
    fitted: list[float] = []
    monkeypatch.setattr(
        "clirbench.statistics.decision.logistic_slope",
        lambda *given: fitted.append(logistic_slope(*given)) or fitted[-1],
    )
    for n in (16, 48):
        rng = np.random.default_rng(n)
        x, unit = rng.integers(12, size=n).astype(float), rng.integers(n // 2 + 2, size=n)
        y, ends = np.round(x + rng.normal(size=n, scale=4)), np.array(list(combinations(unit, 2))).T
        rises, better = rising_pairs(x, y)
        rest = [logistic_slope(*(part[(ends != one).all(axis=0)] for part in (rises, better))) for one in set(unit)]
        found = jackknifed(logistic_slope(rises, better), rest)
        fitted.clear()
        assert jackknifed_slope(x, y, unit).low == pytest.approx(found.low, rel=1e-8)
        assert 1 < len(fitted) < 1 + len(set(unit))  # that of all is one


def test_the_slope_of_more_than_400_systems_is_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.statistics.decision.REFITTED", 11)
    picks = decide(world(n=12, topics=60)).picks
    assert [pick.note for pick in picks] == ["better is empty: more than 11 systems"] * 2
