"""Imbalance of vocabularies: D, F95 and mu by hand and by properties, their files, and learned subwords."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ConfigError, InputError, UnknownName
from clirbench.statistics.imbalance import (
    Classes,
    characters,
    divergence,
    divergence_published,
    frequency_at,
    learn_classes,
    mean_length,
    rank_bias,
    read_classes,
    read_rates,
    recommend_vocabulary,
    words,
)
from tests.conftest import write_lines

LINES = ["low lower lowest", "new newer newest", "wide wider widest"] * 20


def classes(*frequencies: float, n: int = 0) -> Classes:
    return Classes("v", np.array(frequencies, dtype=float), n)


def test_divergence_and_length_by_hand() -> None:
    # p = .7 .2 .1, 1/K = 1/3: (.3667 + .1333 + .2333) / 2
    assert divergence(classes(7, 2, 1)) == pytest.approx(11 / 30)
    # Two ids that never occur add 1/3 each, halved.
    assert divergence_published(classes(7, 2, 1, 0, 0)) == pytest.approx(11 / 30 + 1 / 3)
    assert divergence(classes(7, 2, 1, 0, 0)) == pytest.approx(11 / 30)
    assert mean_length(classes(7, 2, 1, n=4)) == 2.5
    assert np.isnan(mean_length(classes(7, 2, 1)))


def test_f95_is_the_frequency_at_the_rank() -> None:
    hundred = classes(*range(1, 101))
    assert frequency_at(hundred) == 5  # index 95 of 100, 99, ..., 1
    assert frequency_at(hundred, 100) == 1
    assert frequency_at(hundred, 50) == 50
    assert frequency_at(classes(9, 3)) == 3
    with pytest.raises(ConfigError, match="percent=0"):
        frequency_at(hundred, 0)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30))
def test_divergence_lies_between_0_and_1_and_is_0_where_all_are_alike(frequencies: list[int]) -> None:
    value = divergence(classes(*frequencies))
    assert 0 <= value < 1
    assert divergence(classes(*[frequencies[0]] * len(frequencies))) == pytest.approx(0)
    assert divergence_published(classes(*frequencies)) == pytest.approx(value)


def test_the_largest_vocabulary_with_enough_examples_is_recommended() -> None:
    small, middle, large = classes(500, 400), classes(300, 200, 150), classes(200, 150, 90, 20)
    assert recommend_vocabulary([small, large, middle]) is middle
    assert recommend_vocabulary([large]) is None
    assert recommend_vocabulary([large], floor=20) is large


def test_rank_bias_is_pearson() -> None:
    precision, recall = rank_bias(np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3]), np.array([3.0, 2, 1]))
    assert (precision, recall) == (pytest.approx(1), pytest.approx(-1))
    assert np.isnan(rank_bias(np.array([1.0, 2]), np.array([1.0, 1]), np.array([1.0, 2]))[0])


def test_an_empty_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="vocabulary v: it is empty"):
        classes(0, 0)
    write_lines(tmp_path / "v.tgt.txt", ["# tgt n_seqs: 3"])
    with pytest.raises(InputError, match="no class frequencies: the vocabulary is empty"):
        read_classes(tmp_path / "v.tgt.txt")


def test_files_are_read_with_their_remarks(tmp_path: Path) -> None:
    write_lines(tmp_path / "v.tgt.txt", ["# tgt n_seqs: 1,000 total", "5\tthe\t1.5e+06", "6\t#\t20", "7\t\t0"])
    read = read_classes(tmp_path / "v.tgt.txt")
    assert (read.name, read.sequences, read.frequencies.tolist()) == ("v", 1000, [1.5e6, 20, 0])
    write_lines(tmp_path / "w.tsv", ["a\tx"])
    with pytest.raises(InputError, match="line 1: 'x' is not a frequency"):
        read_classes(tmp_path / "w.tsv")
    with pytest.raises(InputError, match="no column Rank, Precision, Recall"):
        read_rates(tmp_path / "w.tsv")


def test_words_and_characters_count_the_end_of_a_line_once() -> None:
    assert sorted(words(["a b a", "b"]).frequencies.tolist()) == [2, 2, 2]  # </s>, a, b
    assert mean_length(words(["a b a", "b"])) == 3
    assert mean_length(characters(["a b", "b"])) == 3  # a, space, b, end; b, end


@pytest.mark.parametrize("learner", ["sentencepiece", "tokenizers"])
def test_learned_subwords_lie_between_characters_and_words(learner: str) -> None:
    pytest.importorskip(learner)
    few, many = (learn_classes(LINES, size, learner) for size in (20, 30))
    assert (len(few.frequencies), len(many.frequencies)) == (20, 30)
    assert few.sequences == len(LINES)
    assert mean_length(characters(LINES)) >= mean_length(few) > mean_length(many) >= mean_length(words(LINES))
    assert learn_classes(LINES, 20, learner).frequencies.tolist() == few.frequencies.tolist()  # the same each time


def test_what_cannot_be_learned_is_said() -> None:
    pytest.importorskip("sentencepiece")
    with pytest.raises(ConfigError, match="100000 subwords cannot be learned from 60 lines"):
        learn_classes(LINES, 100_000)
    with pytest.raises(ConfigError, match="the text is empty"):
        learn_classes(["", " "], 10)
    with pytest.raises(UnknownName, match="learner of subwords 'wordpiece'"):
        learn_classes(LINES, 10, "wordpiece")
    with pytest.raises(ConfigError, match="the text is empty"):
        words([""])
