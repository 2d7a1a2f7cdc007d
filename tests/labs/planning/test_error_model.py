"""The error model: rates are met, errors nest, nothing but text and seed decides; sacreBLEU's TER counts the moves."""

from collections import Counter

import pytest
import sacrebleu
from hypothesis import given, strategies as st

from clirbench.corpora.manifest import DemoCorpus
from clirbench.labs.planning.simulated import KINDS, Simulation
from clirbench.labs.planning.words import CLASS_OF, Lexicon, WordLine, WordStatistics, family

TEXTS = DemoCorpus().read().test.references[0]
LINES = [WordLine.of(text) for text in TEXTS]
VOCABULARY = WordStatistics.of([LINES[i : i + 6] for i in range(0, len(LINES), 6)])
SIMULATION = Simulation(VOCABULARY, Lexicon(""), "0|test")


def written(kind: str, *rates: float) -> list[tuple[str, ...]]:
    return SIMULATION.translate([{kind: rate} for rate in rates], LINES)


def differing(texts: tuple[str, ...]) -> set[tuple[int, int]]:
    """Places (line, word) where a text of the same length differs from the reference."""
    return {
        (i, j)
        for i, (line, text) in enumerate(zip(LINES, texts, strict=True))
        for j, (a, b) in enumerate(zip(line.text.split(), text.split(), strict=True))
        if a != b
    }


@pytest.mark.parametrize("kind", ["untranslated", "wrong_content", "function_words"])
def test_a_rate_is_the_share_of_running_words_struck(kind: str) -> None:
    for rate, text in zip((0.05, 0.2, 0.4), written(kind, 0.05, 0.2, 0.4), strict=True):
        assert len(differing(text)) / VOCABULARY.words == pytest.approx(rate, abs=0.015)


@pytest.mark.parametrize("kind", ["dropped", "truncation"])
def test_a_rate_is_the_share_of_words_lost(kind: str) -> None:
    for rate, text in zip((0.05, 0.2, 0.4), written(kind, 0.05, 0.2, 0.4), strict=True):
        left = sum(len(line.split()) for line in text)
        assert 1 - left / VOCABULARY.words == pytest.approx(rate, abs=0.015)


def test_a_rate_of_repetition_is_the_share_of_words_said_twice() -> None:
    (text,) = written("repetition", 0.2)
    assert sum(len(line.split()) for line in text) / VOCABULARY.words == pytest.approx(1.2, abs=0.015)


def test_a_rate_of_word_order_is_about_the_share_of_words_that_ter_moves() -> None:
    """TER's shifts (sacreBLEU's implementation) recover the moves without looking at the model's random numbers."""
    (text,) = written("word_order", 0.05)
    ter = sacrebleu.corpus_ter(list(text[:200]), [list(TEXTS[:200])], case_sensitive=False).score
    assert 4 < ter < 7


@pytest.mark.parametrize("kind", ["untranslated", "wrong_content", "function_words"])
def test_a_lower_rate_errs_where_a_higher_one_does(kind: str) -> None:
    low, high = written(kind, 0.1, 0.3)
    assert differing(low) < differing(high)
    for i, j in differing(low):
        assert low[i].split()[j] == high[i].split()[j]


def test_what_a_higher_rate_of_dropping_or_truncation_keeps_a_lower_one_keeps() -> None:
    for kind in ("dropped", "truncation"):
        low, high = written(kind, 0.1, 0.3)
        for a, b in zip(low, high, strict=True):
            kept, still = (Counter(WordLine.of(text.lower()).words) for text in (a, b))
            assert still <= kept


def test_word_order_and_function_words_keep_the_content_words() -> None:
    for line, moved in zip(LINES, written("word_order", 0.4)[0], strict=True):
        assert Counter(line.lower) == Counter(WordLine.of(moved.lower()).words)
    for line, bent in zip(LINES, written("function_words", 1.0)[0], strict=True):
        for word, other in zip(line.lower, WordLine.of(bent).lower, strict=True):
            assert (other in CLASS_OF[word]) if word in CLASS_OF else family(word) == family(other)


def test_only_the_text_and_the_seed_decide() -> None:
    model = dict(zip(KINDS, (0.05, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), strict=True))
    (whole,) = SIMULATION.translate([model], LINES)
    (part,) = SIMULATION.translate([model], LINES[::-1][:50])
    assert part[::-1] == whole[-50:]
    (other,) = Simulation(VOCABULARY, Lexicon(""), "1|test").translate([model], LINES)
    assert sum(a != b for a, b in zip(whole, other, strict=True)) > 0.9 * len(whole)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5), st.sampled_from(KINDS), st.floats(0, 1))
def test_any_text_can_be_spoilt(texts: list[str], kind: str, rate: float) -> None:
    lines = [WordLine.of(text) for text in texts]
    simulation = Simulation(WordStatistics.of([lines]), Lexicon(""), "0")
    (found,) = simulation.translate([{kind: rate}], lines)
    assert len(found) == len(texts)
    assert [bool(text.split()) for text in found] == [bool(text.split()) for text in texts]
