"""Imbalance of vocabularies: D and F95 by hand and by properties, and files of classes."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ConfigError, InputError
from clirbench.labs.papers.imbalance import Classes, divergence, frequency_at, read_classes
from tests.conftest import write_lines


def classes(*frequencies: float) -> Classes:
    return Classes("v", np.array(frequencies, dtype=float))


def test_divergence_by_hand() -> None:
    # p = .7 .2 .1, 1/K = 1/3: (.3667 + .1333 + .2333) / 2
    assert divergence(classes(7, 2, 1)) == pytest.approx(11 / 30)
    assert divergence(classes(7, 2, 1, 0, 0)) == pytest.approx(11 / 30)


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
