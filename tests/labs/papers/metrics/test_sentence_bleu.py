"""SentBLEU gives the values of Moses' own unit test; BLEU+1 gives a case worked by hand."""

import math

import numpy as np
import pytest

from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.papers.metrics.sentence_bleu import BLEUPlus1, SentBLEU
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


def test_names_and_errors() -> None:
    assert (SentBLEU().name, BLEUPlus1().name) == ("SentBLEU", "BLEU+1")
    with pytest.raises(ConfigError, match="smoothing=-1 must be a number of at least 0"):
        SentBLEU(smoothing=-1)
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        BLEUPlus1().statistics(["a"], TEST)
