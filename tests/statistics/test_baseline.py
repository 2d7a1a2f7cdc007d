"""Candidate against baseline: Student's t by hand, verdicts, and their error rates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

from clirbench.statistics.decision import candidates, compare_with_baseline
from tests.statistics.worlds import scores_only, world


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


def test_not_worse_by_the_margin() -> None:
    d = 0.05 * np.random.default_rng(0).normal(size=40)
    assert compare_with_baseline(d, np.zeros(40), 0.05).verdict == "not worse"
    assert compare_with_baseline(d, np.zeros(40), 0.0).verdict == "open"


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
