"""Sentence BLEU, NIST and baselines: by hand, and against the programs that defined them."""

import math
from pathlib import Path

import numpy as np
import pytest
from nltk.translate.nist_score import corpus_nist

from clirbench.errors import InputError
from clirbench.labs.papers.word_metrics import NIST, BLEUPlus1, CopyRate, LengthRatio, RandomMetric, SentBLEU, TypeCount
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score, lines

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


def test_one_reference_worked_by_hand() -> None:
    # References: "a b a c" and "a d", 6 words: a 3, b 1, c 1, d 1; ab 1, ba 1, ac 1, ad 1; aba 1, bac 1; abac 1.
    # Information: a log2(6/3) = 1, b, c, d log2(6) each; ab, ac, ad log2(3/1); ba log2(1/1) = 0.
    # Hypotheses: "a c b" matches a, c, b and ac; "d d a" matches d once and a. Length 6 = 6: no penalty.
    test = TestSet((("a b a c", "a d"),))
    unigrams = (1 + 2 * math.log2(6)) + (math.log2(6) + 1)
    bigrams = math.log2(3)
    # 6 unigrams, 4 bigrams, 2 trigrams without match; no longer n-grams.
    expected = unigrams / 6 + bigrams / 4
    assert corpus_score(NIST(), ["a c b", "d d a"], test) == pytest.approx(expected, abs=1e-12)


def test_length_penalty_worked_by_hand() -> None:
    # Two of three words: ratio 2/3 is where the penalty is 1/2. Information of a, b: log2(3); ab: log2(1/1) = 0.
    test = TestSet((("a b c",),))
    assert corpus_score(NIST(), ["a b"], test) == pytest.approx(0.5 * math.log2(3), abs=1e-12)
    # Longer than the reference: no penalty. 4 words, a, b and c match; no bigram: "a x b c" has bc, log2(1/1) = 0.
    assert corpus_score(NIST(), ["a x b c"], test) == pytest.approx(3 * math.log2(3) / 4, abs=1e-12)
    assert corpus_score(NIST(), [""], test) == 0


def test_two_references_worked_by_hand() -> None:
    # "a a" and "b": 3 words; a log2(3/2), b log2(3); aa log2(2/1) = 1. Mean length 1.5.
    # "a b": a and b match (each against the reference that has it), 2 words: (log2(3/2) + log2(3)) / 2.
    test = TestSet((("a a",), ("b",)))
    expected = (math.log2(1.5) + math.log2(3)) / 2
    assert corpus_score(NIST(), ["a b"], test) == pytest.approx(expected, abs=1e-12)


def test_case_is_lowered_unless_kept() -> None:
    test = TestSet((("A b",),))
    assert corpus_score(NIST(), ["a B"], test) > corpus_score(NIST(lowercase=False), ["a B"], test) == 0


def test_nist_of_one_reference_equals_nltk(shared_data: Path) -> None:
    folder = shared_data / "wmt21" / "is-en"
    reference = lines(folder / "reference-A.txt")[:300]
    hypotheses = lines(sorted((folder / "systems").glob("*.txt"))[0])[:300]
    metric = NIST(tokenize="none", lowercase=False)
    expected = corpus_nist([[line.split()] for line in reference], [line.split() for line in hypotheses])
    assert corpus_score(metric, hypotheses, TestSet((reference,))) == pytest.approx(expected, abs=1e-9)


GERMAN = ("Das Haus is red .", "Berlin , Berlin", "")
GERMAN_TEST = TestSet(
    (("The house is red .", "Berlin ,", "x"),), ("Das Haus ist rot .", "Berlin , 1990 Berlin Berlin", "ein")
)


def test_length_ratio() -> None:
    assert corpus_score(LengthRatio(), GERMAN, GERMAN_TEST) == pytest.approx(100 * 8 / 8)
    assert LengthRatio().statistics(GERMAN, GERMAN_TEST).tolist() == [[5, 5], [3, 2], [0, 1]]
    assert corpus_score(LengthRatio(), ["a"], TestSet((("",),))) == 0


def test_type_count() -> None:
    statistics = TypeCount().statistics(GERMAN, GERMAN_TEST)
    assert corpus_score(TypeCount(), GERMAN, GERMAN_TEST) == 7  # Das Haus is red . Berlin ,
    assert TypeCount().score(statistics).tolist() == [5, 2, 0]
    assert TypeCount().score(statistics.toarray()).tolist() == [5, 2, 0]


def test_copy_rate() -> None:
    # Source words with a letter: Das Haus ist rot; Berlin x 3; ein. Copied: Das Haus; Berlin x 2; none.
    assert CopyRate().statistics(GERMAN, GERMAN_TEST).tolist() == [[2, 4], [2, 3], [0, 1]]
    assert corpus_score(CopyRate(), GERMAN, GERMAN_TEST) == pytest.approx(100 * 4 / 8)
    assert not CopyRate().higher_is_better


def test_copy_rate_needs_the_source() -> None:
    with pytest.raises(InputError, match=r"CopyRate needs the source of the test set: put source.txt"):
        CopyRate().statistics(["a"], TestSet((("a",),)))


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
