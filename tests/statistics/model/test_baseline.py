"""Candidate against baseline: Student's t by hand, verdicts, and their error rates."""

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

from clirbench.statistics.model.baseline import against


def test_two_systems_by_hand() -> None:
    candidate = np.array([0.5, 0.6, 0.4, 0.7, 0.5, 0.6, 0.8, 0.3])
    baseline = np.array([0.4, 0.5, 0.4, 0.5, 0.4, 0.4, 0.5, 0.2])
    found = against(candidate, baseline, 0.01)
    d = candidate - baseline
    test = ttest_rel(candidate, baseline)
    interval = test.confidence_interval(0.95)
    assert found.low - 1e-9 <= interval.low < interval.high <= found.high + 1e-9
    assert 0.975 < found.p_better <= 1 - test.pvalue / 2 + 1e-9
    assert found.p_loss >= t.cdf((-0.01 - d.mean()) / (d.std(ddof=1) / 8**0.5), 7)
    assert found.p_value == 2 / 2**7  # seven differences that are not 0, all of one sign
    assert found.verdict == "better"
    assert against(baseline, candidate).verdict == "worse"


def test_without_skewness_it_is_students_t() -> None:
    d = np.array([-3.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 3.5])  # symmetric about 0
    found = against(d + 1, np.zeros(8))
    half = t.ppf(0.975, 7) * d.std(ddof=1) / 8**0.5
    assert (found.low, found.high) == pytest.approx((1 - half, 1 + half))
    assert found.p_better == pytest.approx(t.cdf(1 / (d.std(ddof=1) / 8**0.5), 7))


def test_not_worse_by_the_margin() -> None:
    d = 0.05 * np.random.default_rng(0).normal(size=40)
    assert against(d, np.zeros(40), 0.05).verdict == "not worse"
    assert against(d, np.zeros(40), 0.0).verdict == "open"


def test_nothing_is_said_of_few_topics_or_equal_systems() -> None:
    few = against(np.ones(7), np.arange(7.0))
    assert (few.verdict, few.note) == ("open", "7 topics: at least 8 are needed")
    assert np.isnan(few.p_better)
    same = against(np.arange(8.0), np.arange(8.0))
    assert (same.verdict, same.difference) == ("open", 0)
    assert "the same" in same.note


def test_more_candidates_ask_for_more() -> None:
    d = np.array([0.1, 0.3, 0.2, 0.1, 0.2, 0.3, -0.01, 0.1])
    assert against(d, np.zeros(8)).verdict == "better"
    assert against(d, np.zeros(8), others=9).verdict == "open"


@pytest.mark.parametrize("k", [8, 30])
def test_error_rates(k: int) -> None:
    """600 comparisons without a difference: `better` at .025 in fewer than 28 (binomial, .999); so for `not worse`."""
    rng = np.random.default_rng(k)
    better = not_worse = 0
    for seed in range(600):
        d = rng.normal(size=k)
        better += against(d, np.zeros(k), 0.3, seed=seed).verdict == "better"
        not_worse += against(d - 0.3, np.zeros(k), 0.3, seed=seed).verdict in ("better", "not worse")
    assert better < 28
    assert not_worse < 28
