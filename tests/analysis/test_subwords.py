"""Classes of a text: characters, words, and what two learners of byte-pair encoding make of it."""

import pytest

from clirbench.analysis.imbalance import mean_length
from clirbench.analysis.subwords import characters, learned, words
from clirbench.errors import ConfigError, UnknownName

LINES = ["low lower lowest", "new newer newest", "wide wider widest"] * 20


def test_words_and_characters_count_the_end_of_a_line_once() -> None:
    assert sorted(words(["a b a", "b"]).frequencies.tolist()) == [2, 2, 2]  # </s>, a, b
    assert mean_length(words(["a b a", "b"])) == 3
    assert mean_length(characters(["a b", "b"])) == 3  # a, space, b, end; b, end


@pytest.mark.parametrize("learner", ["sentencepiece", "tokenizers"])
def test_learned_subwords_lie_between_characters_and_words(learner: str) -> None:
    pytest.importorskip(learner)
    few, many = (learned(LINES, size, learner) for size in (20, 30))
    assert (len(few.frequencies), len(many.frequencies)) == (20, 30)
    assert few.sequences == len(LINES)
    assert mean_length(characters(LINES)) >= mean_length(few) > mean_length(many) >= mean_length(words(LINES))
    assert learned(LINES, 20, learner).frequencies.tolist() == few.frequencies.tolist()  # the same each time


def test_what_cannot_be_learned_is_said() -> None:
    pytest.importorskip("sentencepiece")
    with pytest.raises(ConfigError, match="100000 subwords cannot be learned from 60 lines"):
        learned(LINES, 100_000)
    with pytest.raises(ConfigError, match="the text is empty"):
        learned(["", " "], 10)
    with pytest.raises(UnknownName, match="learner of subwords 'wordpiece'"):
        learned(LINES, 10, "wordpiece")
    with pytest.raises(ConfigError, match="the text is empty"):
        words([""])
