"""`analysis=[segment_level]`: sentence scores are sacreBLEU's, taus are counted by hand, topics can be the standard."""

from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from clirbench.analyses.segment_level import agreement_rows, group_scores, segment_scores, topic_segments
from clirbench.files.tables import read_table
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.types import DocumentMap, TestSet
from tests.conftest import Cli, write_lines

REFERENCE = ("the cat sat on the mat", "a dog barks", "it rains on the old town today")
OUTPUT = ("the cat sat on a mat", "a dog", "rain falls on the old town")


def test_a_segments_score_is_sacrebleus_sentence_score() -> None:
    test = TestSet((REFERENCE,))
    bleu = segment_scores(BLEU(), BLEU().statistics(OUTPUT, test))
    chrf = segment_scores(ChrF(), ChrF().statistics(OUTPUT, test))
    for i, (line, reference) in enumerate(zip(OUTPUT, REFERENCE, strict=True)):
        assert bleu[i] == pytest.approx(sacrebleu.sentence_bleu(line, [reference]).score)
        assert chrf[i] == pytest.approx(sacrebleu.sentence_chrf(line, [reference]).score)


def test_groups_are_scored_from_their_sums() -> None:
    test = TestSet((REFERENCE,))
    membership = np.array([[1.0, 1, 0], [0, 0, 0]])
    found = group_scores(BLEU(), BLEU().statistics(OUTPUT, test), membership)
    assert found[0] == pytest.approx(sacrebleu.corpus_bleu(OUTPUT[:2], [REFERENCE[:2]]).score)
    assert np.isnan(found[1])
    assert group_scores(MacroF(), MacroF().statistics(OUTPUT, test), membership)[0] > 0


def test_taus_count_pairs_of_systems_on_one_segment() -> None:
    # Segment 1: people a > b > c; the metric agrees on a-b, ties b-c, disagrees on a-c. Segment 2: people tie a-b.
    gold = np.array([[3.0, 1], [2.0, 1], [1.0, np.nan]])
    own = np.array([[2.0, 9], [1.0, 1], [1.0, 5]])
    own[2, 0] = 1.0
    own[0, 0], own[1, 0], own[2, 0] = 2.0, 1.0, 1.0
    wmt12, wmt13, wmt14, linear = agreement_rows(BLEU(), gold, own, ["WMT12", "WMT13", "WMT14"])
    assert wmt14 == ("BLEU", "WMT14", "kendall", pytest.approx(2 / 3), 2, 0, 3)  # the tie counts below the line
    assert wmt13 == ("BLEU", "WMT13", "kendall", pytest.approx(1), 2, 0, 2)  # the tie is left out
    assert wmt12 == ("BLEU", "WMT12", "kendall", pytest.approx(1 / 3), 2, 1, 3)  # the tie is wrong
    assert linear[1:3] == ("", "pearson")
    assert linear[6] == 5
    assert linear[3] == pytest.approx(np.corrcoef([3, 2, 1, 1, 1], [2, 1, 1, 9, 1])[0, 1])


def test_lines_of_relevant_documents() -> None:
    found = topic_segments({"t": {"1": 1, "2": 0}, "u": {"2": 2, "9": 1}}, DocumentMap.blocks_of(4, 2))
    assert found.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]


def human_file(path: Path, n: int = 60) -> None:
    rows = [f"every{k}\t{line}\t{k + line % 3}" for k in (2, 3, 5, 9) for line in range(1, n + 1)]
    write_lines(path, ["system\tline\tz", *rows])


def test_the_files(cli: Cli, small_folder: Path) -> None:
    human_file(small_folder / "human-seg.tsv")
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU,TER]", "analysis=[segment_level]",
        "analyses.segment_level.samples=50", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file = read_table(cli.cwd / "out" / "segment_level.tsv")
    assert file.header == ("metric", "matrix", "coefficient", "value", "concordant", "discordant", "n")
    rows = list(file.records())
    assert [(r["metric"], r["matrix"], r["coefficient"]) for r in rows] == [
        ("BLEU", "WMT14", "kendall"), ("BLEU", "", "pearson"), ("TER", "WMT14", "kendall"), ("TER", "", "pearson"),
    ]  # fmt: skip
    assert float(rows[0]["value"]) > 0.8  # fewer dropped words are better for people and BLEU alike
    assert float(rows[2]["value"]) > 0.8  # and TER is turned round
    assert (cli.cwd / "out" / "figures" / "system_level.svg").is_file()


def test_retrieval_as_the_standard(cli: Cli, small_folder: Path) -> None:
    done = cli(
        f"folder={small_folder}", "metric=[BLEU]", "measures=[MAP]", "topics.n=8", "relevance.k=3",
        "analysis=[segment_level]", "analyses.segment_level.gold=MAP", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = list(read_table(cli.cwd / "out" / "segment_level.tsv").records())
    assert {row["coefficient"] for row in rows} == {"kendall", "pearson"}


def test_scores_of_unknown_segments_and_missing_scores_are_errors(cli: Cli, small_folder: Path) -> None:
    common = [f"folder={small_folder}", "measures=[]", "metric=[BLEU]", "analysis=[segment_level]", "hydra.run.dir=out"]
    done = cli(*common)
    assert done.returncode == 1
    assert "put human-seg.tsv (columns system, line, a score)" in done.stderr
    human_file(small_folder / "human-seg.tsv", 61)
    done = cli(*common)
    assert done.returncode == 1
    assert "segments that the test set of 60 lines does not have: every2 61" in done.stderr
