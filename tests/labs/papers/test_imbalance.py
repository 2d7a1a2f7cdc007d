"""Imbalance of vocabularies: by hand, by properties, files, learned subwords, Figures 2 to 8 of Gowda 2020."""

from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import ConfigError, InputError, MissingData, UnknownName
from clirbench.files.tables import read_table
from clirbench.labs.papers.imbalance import (
    Classes,
    characters,
    divergence,
    mean_length,
    read_classes,
    read_rates,
    subwords,
    words,
)
from tests.conftest import Cli, write_lines
from tests.labs.papers.composed import ours, tables, verdicts

LINES = ["low lower lowest", "new newer newest", "wide wider widest"] * 20


def classes(*frequencies: float, n: int = 0) -> Classes:
    return Classes("v", np.array(frequencies, dtype=float), n)


def test_a_table_without_rates_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "w.tsv", ["a\tx", "1\t2"])
    with pytest.raises(UnknownName, match="column in .* 'Rank'"):
        read_rates(tmp_path / "w.tsv")


def test_words_and_characters_count_the_end_of_a_line_once() -> None:
    assert sorted(words(["a b a", "b"]).frequencies.tolist()) == [2, 2, 2]  # </s>, a, b
    assert mean_length(words(["a b a", "b"])) == 3
    assert mean_length(characters(["a b", "b"])) == 3  # a, space, b, end; b, end


def test_learned_subwords_lie_between_characters_and_words() -> None:
    pytest.importorskip("sentencepiece", reason="SENTENCEPIECE ABSENT: no subwords are learned")
    few, many = (subwords(LINES, size) for size in (20, 30))
    assert (len(few.frequencies), len(many.frequencies)) == (20, 30)
    assert few.sequences == len(LINES)
    assert mean_length(characters(LINES)) >= mean_length(few) > mean_length(many) >= mean_length(words(LINES))
    assert subwords(LINES, 20).frequencies.tolist() == few.frequencies.tolist()  # the same each time


def test_what_cannot_be_learned_is_said() -> None:
    pytest.importorskip("sentencepiece", reason="SENTENCEPIECE ABSENT: no subwords are learned")
    with pytest.raises(ConfigError, match="100000 subwords cannot be learned from 60 lines"):
        subwords(LINES, 100_000)
    with pytest.raises(ConfigError, match="the text is empty"):
        subwords(["", " "], 10)
    with pytest.raises(ConfigError, match="the text is empty"):
        words([""])


def test_the_file_and_the_recommendation(cli: Cli, small_folder: Path) -> None:
    write_lines(cli.cwd / "big.tgt.txt", ["# n_seqs: 10", "a\t300", "b\t200", "c\t150"])
    write_lines(cli.cwd / "rare.tgt.txt", ["# n_seqs: 10", "a\t300", "b\t200", "c\t150", "d\t3"])
    cli.succeed(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU]", "analysis=[imbalance]",
        "analyses.imbalance.statistics=[big.tgt.txt,rare.tgt.txt]", "hydra.run.dir=out",
    )  # fmt: skip
    file = read_table(cli.cwd / "out" / "imbalance.tsv")
    assert file.header == ("name", "classes", "D", "D_published", "F95", "mu")
    assert [(r["name"], r["classes"], r["F95"], r["mu"]) for r in file.records()] == [
        ("big", "3", "150.0", "65.0"), ("rare", "4", "3.0", "65.3"),
    ]  # fmt: skip


def test_divergence_by_hand() -> None:
    # p = .7 .2 .1, 1/K = 1/3: (.3667 + .1333 + .2333) / 2
    assert divergence(classes(7, 2, 1)) == pytest.approx(11 / 30)
    assert divergence(classes(7, 2, 1, 0, 0)) == pytest.approx(11 / 30)
    assert np.isnan(mean_length(classes(7, 2, 1)))  # of a number of sequences that is not known


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


def test_every_published_number_at_hand(shared_data: Path) -> None:
    table, advice, bias = tables("gowda2020_vocabularies", f"paths.mirror={shared_data}")
    assert verdicts(table) == {"as printed": 88}  # 18 vocabularies x 4, 8 x 2 correlations
    # all-stats-summary.tsv, deen-030k, 01k01k: prec_corr_dev -0.066, recall_corr_dev -0.178
    assert ours(table, "DE-EN 030k 01k01k", "rho_precision_dev", "") == "-.066"
    assert ours(table, "DE-EN 030k 01k01k", "rho_recall_dev", "") == "-.178"
    assert len(advice.rows) == 11
    # DE-EN 1M: F95 is 181 at 8k and 69 at 16k; 8k is also the best in BLEU.
    assert next(row for row in advice.rows if row[0] == "DE-EN 001m")[1:4:2] == ("08k08k", "08k08k")
    assert len(bias.rows) > 20


def test_files_that_lie_nowhere_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="no such folder"):
        tables("gowda2020_vocabularies", f"paths.mirror={tmp_path}")
