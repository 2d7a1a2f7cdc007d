"""Imbalance of vocabularies: by hand, learned subwords, and on the command line."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ConfigError, UnknownName
from clirbench.files.tables import read_table
from clirbench.labs.papers.imbalance import (
    Classes,
    characters,
    divergence,
    divergence_published,
    learn_classes,
    mean_length,
    rank_bias,
    read_rates,
    words,
)
from tests.conftest import Cli, write_lines

LINES = ["low lower lowest", "new newer newest", "wide wider widest"] * 20


def classes(*frequencies: float, n: int = 0) -> Classes:
    return Classes("v", np.array(frequencies, dtype=float), n)


def test_length_and_published_divergence_by_hand() -> None:
    # D = 11 / 30 as printed; two ids that never occur add 1/3 each, halved.
    assert divergence_published(classes(7, 2, 1, 0, 0)) == pytest.approx(11 / 30 + 1 / 3)
    assert mean_length(classes(7, 2, 1, n=4)) == 2.5
    assert np.isnan(mean_length(classes(7, 2, 1)))


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30))
def test_where_all_classes_occur_the_published_divergence_is_the_printed_one(frequencies: list[int]) -> None:
    assert divergence_published(classes(*frequencies)) == pytest.approx(divergence(classes(*frequencies)))


def test_a_table_without_rates_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "w.tsv", ["a\tx", "1\t2"])
    with pytest.raises(UnknownName, match="column in .* 'Rank'"):
        read_rates(tmp_path / "w.tsv")


def test_rank_bias_is_pearson() -> None:
    precision, recall = rank_bias(np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3]), np.array([3.0, 2, 1]))
    assert (precision, recall) == (pytest.approx(1), pytest.approx(-1))
    assert np.isnan(rank_bias(np.array([1.0, 2]), np.array([1.0, 1]), np.array([1.0, 2]))[0])


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


def test_the_file_and_the_recommendation(cli: Cli, small_folder: Path) -> None:
    write_lines(cli.cwd / "big.tgt.txt", ["# n_seqs: 10", "a\t300", "b\t200", "c\t150"])
    write_lines(cli.cwd / "rare.tgt.txt", ["# n_seqs: 10", "a\t300", "b\t200", "c\t150", "d\t3"])
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU]", "analysis=[imbalance]",
        "analyses.imbalance.statistics=[big.tgt.txt,rare.tgt.txt]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file = read_table(cli.cwd / "out" / "imbalance.tsv")
    assert file.header == ("name", "classes", "D", "D_published", "F95", "mu")
    assert [(r["name"], r["classes"], r["F95"], r["mu"]) for r in file.records()] == [
        ("big", "3", "150.0", "65.0"), ("rare", "4", "3.0", "65.3"),
    ]  # fmt: skip


def test_nothing_to_measure_is_an_error(cli: Cli) -> None:
    done = cli("+experiment=europarl_csen_published", "analysis=[imbalance]", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "analysis imbalance has no vocabulary" in done.stderr
