"""Grades: the conditions of the contract by hand, and scipy's variances for the reliability."""

from math import nan

import numpy as np
import pytest

from clirbench.statistics.agreement import agreements
from clirbench.statistics.grades import (
    CONTRADICTED,
    LITTLE,
    MODERATE,
    NOISY,
    OPEN,
    STRONG,
    WEAK,
    Graded,
    after_scorings,
    grade,
    graded,
    low_outliers,
    reliability,
    topics_to_add,
)


@pytest.mark.parametrize(
    ("lower", "upper", "known", "expected"),
    [
        (0.5, 0.9, nan, STRONG),
        (0.499, 0.9, nan, MODERATE),
        (0.25, 0.9, nan, MODERATE),
        (0.01, 0.9, 0.2, WEAK),
        (0.0, 0.9, nan, OPEN),
        (-0.2, 0.6, 0.59, NOISY),
        (-0.2, 0.6, 0.6, OPEN),
        (-0.2, 0.49, nan, LITTLE),
        (-0.8, -0.1, 0.2, CONTRADICTED),
        (nan, nan, nan, ""),
    ],
)
def test_each_grade_has_its_condition(lower: float, upper: float, known: float, expected: str) -> None:
    assert grade(lower, upper, known) == expected


def test_one_low_outlier_may_not_carry_a_grade() -> None:
    """Eleven systems in an order that the metric does not know, and one that is far worse by both."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=9)
    x = 0.8 * y + rng.normal(size=9)
    with_low = np.append(x, [-20.0, -21.0]), np.append(y, [-20.0, -21.0])
    unit = np.arange(11)
    found = agreements(with_low[0][None], with_low[1], unit)
    (rest,) = agreements(x[None], y, np.arange(9))
    assert low_outliers(with_low[1], unit).tolist() == [False] * 9 + [True, True]
    copied = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0])
    assert low_outliers(copied, np.arange(8)).sum() == 2
    assert not low_outliers(copied, np.array([0, 1, 2, 3, 4, 4, 4, 4])).any()  # copies of the best system
    (made,) = graded(found, with_low[0][None], with_low[1], unit)
    assert (grade(found[0].lower, found[0].upper), grade(rest.lower, rest.upper)) == (WEAK, OPEN)
    assert (made.grade, made.lowered) == (OPEN, "outliers")


def test_outliers_that_change_nothing_lower_nothing() -> None:
    y = np.append(np.arange(20.0), -90.0)
    found = agreements(y[None], y, np.arange(21))
    (made,) = graded(found, y[None], y, np.arange(21))
    assert (made.grade, made.lowered) == (STRONG, "")


def test_fewer_than_half_of_the_other_scorings_lower_a_grade() -> None:
    assert after_scorings(Graded(STRONG), 7, 16) == Graded(MODERATE, "scorings")
    assert after_scorings(Graded(WEAK, "outliers"), 0, 16) == Graded(OPEN, "outliers scorings")
    assert after_scorings(Graded(LITTLE), 0, 16) == Graded(LITTLE)
    assert after_scorings(Graded(MODERATE), 8, 16) == Graded(MODERATE)
    assert after_scorings(Graded(STRONG), 0, 0) == Graded(STRONG)


def test_reliability_is_cronbachs_alpha() -> None:
    """Hoyt's ratio equals Cronbach's alpha: k / (k - 1) * (1 - sum of topics' variances / variance of sums)."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 1)) + 2 * rng.normal(size=(12, 30))
    k = values.shape[1]
    alpha = k / (k - 1) * (1 - values.var(axis=0, ddof=1).sum() / values.sum(axis=1).var(ddof=1))
    assert reliability(values) == pytest.approx(alpha)
    assert np.isnan(reliability(values[:1]))
    assert np.isnan(reliability(np.full((3, 4), np.nan)))


def test_topics_to_add_by_the_prophecy_formula() -> None:
    """Reliability .3 over 60 topics: k = .6 / .4 * .7 / .3 = 3.5 times as many, 150 more."""
    assert topics_to_add(0.3, 60) == 150
    assert topics_to_add(0.0, 60) is None
    assert topics_to_add(nan, 60) is None
