"""The laboratory's metrics: WER equals jiwer, TER sacreBLEU, sentence BLEU Moses; baselines; bad and strange input."""

import math
from collections.abc import Callable
from pathlib import Path

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sacrebleu.metrics import TER as SacreTER

from clirbench.errors import ConfigError
from clirbench.labs.papers.error_rates import TER, WER
from clirbench.labs.papers.word_metrics import BLEUPlus1, LengthRatio, RandomMetric, SentBLEU, TypeCount
from clirbench.metrics.base import Metric
from clirbench.types import TestSet
from tests.metrics import test_bad_input as core
from tests.metrics.agreement import AWKWARD, corpus_score, lines
from tests.metrics.test_bad_input import LONG, OTHER, named, rows_of

sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join)


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_wer_equals_jiwer(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    expected = 100 * jiwer.wer(references, hypotheses)
    assert corpus_score(WER(), hypotheses, TestSet((tuple(references),))) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"normalized": True, "asian_support": True, "no_punct": True}])
def test_real_segments_and_two_references_score_as_the_library_does(
    shared_data: Path, options: dict[str, bool]
) -> None:
    folder = shared_data / "wmt21" / "ja-en"
    systems = [lines(path)[:40] for path in sorted((folder / "systems").glob("*.txt"))[:3]]
    hypotheses, references = [*systems[0][:-1], "a  full stop ."], (tuple(systems[1]), ("", *systems[2][1:]))
    expected = SacreTER(**options).corpus_score(hypotheses, references).score
    assert corpus_score(TER(**options), hypotheses, TestSet(references)) == pytest.approx(expected, abs=1e-9)


def test_a_text_without_words_and_a_reference_without_words() -> None:
    """By hand: nothing for nothing 0, one deletion of no reference word 100, two insertions of two words 100."""
    rows = TER().statistics(["", "a", ""], TestSet((("", "", "a b"),)))
    assert rows.tolist() == [[0, 0], [1, 0], [2, 2]]
    assert TER().score(rows).tolist() == [0.0, 100.0, 100.0]


def test_rows_of_some_segments_are_those_of_all() -> None:
    """What `by_segment` says: a large test set is counted some segments at a time."""
    rng = np.random.default_rng(3)
    texts = [tuple(" ".join(rng.choice(list("abcdefg"), rng.integers(9))) for _ in range(30)) for _ in range(3)]
    test = TestSet((texts[1], texts[2]))
    parts = [TER().statistics(texts[0][part], test.part(part)) for part in (slice(0, 7), slice(7, 30))]
    assert np.concatenate(parts).tolist() == TER().statistics(texts[0], test).tolist()


# The statistics of Moses' BleuScorerTest, `sentence_level_bleu`: 6/6, 4/5, 2/4, 1/3, reference length 7.
MOSES = np.array([[6.0, 7, 6, 4, 2, 1, 6, 5, 4, 3]])
# hypothesis: a b c, reference: a b d c. Matches 3/3, 1/2 (a b), 0/1, 0/0; BP exp(1 - 4/3).
SMOOTHED, TEST = ("a b c", ""), TestSet((("a b d c", "a"),))


@pytest.mark.parametrize(("smoothing", "expected"), [(1.0, 0.5985), (0.5, 0.5624)])
def test_values_of_moses_own_test(smoothing: float, expected: float) -> None:
    assert SentBLEU(smoothing=smoothing).sentence_scores(MOSES)[0] / 100 == pytest.approx(expected, rel=1e-4)


def test_sentbleu_worked_by_hand() -> None:
    # (3+1)/(3+1) * (1+1)/(2+1) * (0+1)/(1+1) * (0+1)/(0+1) = 1/3
    first = 100 * math.exp(1 - 4 / 3) * (1 / 3) ** 0.25
    statistics = SentBLEU().statistics(SMOOTHED, TEST)
    assert statistics[:, 0].tolist() == pytest.approx([first, 0])
    assert corpus_score(SentBLEU(), SMOOTHED, TEST) == pytest.approx(first / 2)


def test_bleu_plus_1_worked_by_hand() -> None:
    # 3/3 * (1+1)/(2+1) * (0+1)/(1+1) * (0+1)/(0+1) = 1/3; the first order is not smoothed:
    first = 100 * math.exp(1 - 4 / 3) * (1 / 3) ** 0.25
    assert corpus_score(BLEUPlus1(), SMOOTHED, TEST) == pytest.approx(first / 2)
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


MATCHING: list[Metric] = [SentBLEU(), BLEUPlus1()]
ERRORS: list[Metric] = [WER(), TER()]
ALL = [*MATCHING, *ERRORS, LengthRatio(), TypeCount(), RandomMetric()]
OF_MATCHING = (core.test_empty_hypotheses_score_0, core.test_perfect_text_scores_100)
OF_ALL = (
    core.test_one_token_segments_mixed_scripts_and_control_characters,
    core.test_unequal_line_counts_are_an_error,
    core.test_no_segments_at_all,
)
ASKED: list[tuple[Callable[[Metric], None], Metric]] = [
    *((check, metric) for check in OF_MATCHING for metric in MATCHING),
    *((check, metric) for check in OF_ALL for metric in ALL),
    *((core.test_segments_of_100_000_characters_and_lone_surrogates, m) for m in ALL if m.name != "TER"),
    (core.test_empty_references_match_nothing, BLEUPlus1()),
]


@pytest.mark.parametrize(("check", "metric"), ASKED, ids=lambda value: getattr(value, "name", ""))
def test_what_the_core_asks_of_its_own(check: Callable[[Metric], None], metric: Metric) -> None:
    check(metric)


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_errors_of_empty_texts_and_of_none(metric: Metric) -> None:
    assert corpus_score(metric, ["", ""], TestSet((("a cat", "two dogs bark"),))) == 100
    assert rows_of(metric, ["a cat", ""], ["", ""]).tolist() == [100, 0]
    assert corpus_score(metric, list(AWKWARD), TestSet((AWKWARD,))) == 0


def test_empty_references_of_sentbleu() -> None:
    """Moses adds one to unigrams as well: of two words against none (0 + 1) / (2 + 1) * (0 + 1) / (1 + 1)."""
    assert rows_of(SentBLEU(), ["a cat", ""], ["", ""]).tolist() == pytest.approx([100 * (1 / 6) ** 0.25, 0])


def test_ter_of_one_long_segment() -> None:
    """sacreBLEU's search takes a minute for 1,000 such words, and no longer for more: it stops at 1,000 candidates."""
    long, other = (" ".join(text.split()[:150]) for text in (LONG, OTHER))
    assert 0 < rows_of(TER(), [long], [other])[0] <= 200


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WER(tokenize="moses"), "tokenize='moses' is not one of"),
        (lambda: SentBLEU(smoothing=-1), "smoothing=-1 must be a number of at least 0"),
    ],
)
def test_wrong_settings_are_refused(make: Callable[[], Metric], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()
