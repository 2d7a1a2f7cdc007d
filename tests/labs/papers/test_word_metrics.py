"""Sentence BLEU and baselines: by hand, and against Moses."""

import math

import numpy as np
import pytest

from clirbench.labs.papers.word_metrics import BLEUPlus1, LengthRatio, RandomMetric, SentBLEU, TypeCount
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score

# The statistics of Moses' BleuScorerTest, `sentence_level_bleu`: 6/6, 4/5, 2/4, 1/3, reference length 7.
MOSES = np.array([[6.0, 7, 6, 4, 2, 1, 6, 5, 4, 3]])
# hypothesis: a b c, reference: a b d c. Matches 3/3, 1/2 (a b), 0/1, 0/0; BP exp(1 - 4/3).
HYPOTHESES, TEST = ("a b c", ""), TestSet((("a b d c", "a"),))


@pytest.mark.parametrize(("smoothing", "expected"), [(1.0, 0.5985), (0.5, 0.5624)])
def test_values_of_moses_own_test(smoothing: float, expected: float) -> None:
    assert SentBLEU(smoothing=smoothing).sentence_scores(MOSES)[0] / 100 == pytest.approx(expected, rel=1e-4)


def test_sentbleu_worked_by_hand() -> None:
    # (3+1)/(3+1) * (1+1)/(2+1) * (0+1)/(1+1) * (0+1)/(0+1) = 1/3
    first = 100 * math.exp(1 - 4 / 3) * (1 / 3) ** 0.25
    statistics = SentBLEU().statistics(HYPOTHESES, TEST)
    assert statistics[:, 0].tolist() == pytest.approx([first, 0])
    assert corpus_score(SentBLEU(), HYPOTHESES, TEST) == pytest.approx(first / 2)


def test_bleu_plus_1_worked_by_hand() -> None:
    # 3/3 * (1+1)/(2+1) * (0+1)/(1+1) * (0+1)/(0+1) = 1/3; the first order is not smoothed:
    first = 100 * math.exp(1 - 4 / 3) * (1 / 3) ** 0.25
    assert corpus_score(BLEUPlus1(), HYPOTHESES, TEST) == pytest.approx(first / 2)
    # a x against a b: 1/2 * (0+1)/(1+1) * 1 * 1 = 1/4; x y matches nothing and scores 0.
    both = TestSet((("a b", "a b"),))
    assert BLEUPlus1().statistics(["a x", "x y"], both)[:, 0].tolist() == pytest.approx([100 * 0.25**0.25, 0])
    # Moses smooths unigrams as well: 2/3 * 1/2.
    assert SentBLEU().statistics(["a x", "x y"], both)[0, 0] == pytest.approx(100 * (1 / 3) ** 0.25)


GERMAN = ("Das Haus is red .", "Berlin , Berlin", "")
GERMAN_TEST = TestSet((("The house is red .", "Berlin ,", "x"),))


def test_length_ratio() -> None:
    assert corpus_score(LengthRatio(), GERMAN, GERMAN_TEST) == pytest.approx(100 * 8 / 8)
    assert LengthRatio().statistics(GERMAN, GERMAN_TEST).tolist() == [[5, 5], [3, 2], [0, 1]]
    assert corpus_score(LengthRatio(), ["a"], TestSet((("",),))) == 0


def test_type_count() -> None:
    statistics = TypeCount().statistics(GERMAN, GERMAN_TEST)
    assert corpus_score(TypeCount(), GERMAN, GERMAN_TEST) == 7  # Das Haus is red . Berlin ,
    assert TypeCount().score(statistics).tolist() == [5, 2, 0]
    assert TypeCount().score(statistics.toarray()).tolist() == [5, 2, 0]


def test_random_metric_is_a_function_of_seed_line_and_text() -> None:
    lines = [f"text {i}" for i in range(2000)]
    test = TestSet((tuple(lines),))
    first = RandomMetric(seed=1).statistics(lines, test)
    np.testing.assert_array_equal(first, RandomMetric(seed=1).statistics(lines, test))
    assert not np.array_equal(first, RandomMetric(seed=2).statistics(lines, test))
    assert first[:, 0].min() >= 0
    assert first[:, 0].max() < 100
    # Uniform: mean 50 and standard deviation 100 / sqrt(12), each within four standard errors.
    assert abs(first[:, 0].mean() - 50) < 4 * 28.87 / 2000**0.5
    assert abs(first[:, 0].std() - 28.87) < 4 * 28.87 / 4000**0.5
