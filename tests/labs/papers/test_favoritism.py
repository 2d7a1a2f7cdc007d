"""Favoritism: against scoring every shortened test set; Tables 7, 8 and 13 to 16 of Gowda et al. 2021."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import clirbench as cb
from clirbench.errors import MissingData
from clirbench.labs.papers.error_rates import TER
from clirbench.labs.papers.favoritism import favoritism, rank_segments
from clirbench.labs.papers.rankings import left_out_scores
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.macrof import MacroF
from clirbench.text import TextFile
from clirbench.types import TestSet
from tests.conftest import write_lines
from tests.labs.papers.composed import ours, tables, verdicts
from tests.statistics.test_resampling import HYPOTHESES, METRICS, REFERENCE
from tests.statistics.worlds import Mean, with_counts


def test_above_zero_favours_the_first_where_less_is_better_too() -> None:
    # Both are perfect on line 1; on line 2 the first is perfect and the second wrong in every word.
    test = TestSet((("a b c d", "e f g h"),))
    perfect, wrong = ("a b c d", "e f g h"), ("a b c d", "w x y z")
    for metric in (BLEU(), TER()):
        delta = favoritism(metric, metric.statistics(perfect, test), metric.statistics(wrong, test))
        assert delta[1] > 0


def test_ranks_go_by_size_and_ties_by_place() -> None:
    assert rank_segments(np.array([0.1, -0.5, 0.5, 0.0])).tolist() == [1, 2, 0, 3]


def test_the_better_of_two_sentences_has_more_or_fewer_points_as_the_metric_says(small_folder: Path) -> None:
    keys = {"measures": [], "metric": ["chrF2", "TER"], "analysis": ["favoritism"], "pair": ["every9", "every2"]}
    wins = cb.run("folder", folder=str(small_folder), **keys).tables["segment_wins"]
    better = wins.groupby("metric").better.value_counts()
    assert all(better[metric, "every9"] > better.get((metric, "every2"), 0) for metric in ("chrF2", "TER"))


def test_tables_7_8_15_and_16(shared_data: Path) -> None:
    table, segments = tables("gowda2021_table7", f"paths.mirror={shared_data}")
    assert ours(table, "segment 579", "delta", "MacroF1") == ".044"
    assert ours(table, "segment 579", "delta", "BLEU") == "-.00087"
    assert verdicts(table) == {"as printed": 62, "no scores": 1}  # BLEURT's delta of Table 8
    row = next(r for r in segments.rows if r[:2] == ("MacroF1", 3))
    assert row[5] == "Il faut bien le faire."  # the reference in Table 15, third row


@pytest.mark.parametrize(("number", "pair"), [("13", "FR-EN"), ("14", "RO-EN")])
def test_tables_whose_texts_are_not_at_hand_say_how_to_give_them(number: str, pair: str) -> None:
    (table,) = tables(f"gowda2021_table{number}")
    assert verdicts(table) == {"no scores": 20}
    assert len(table.failures) == 1
    assert all(f'paper.folders={{{pair}: "DIR"}}' in row[6] for row in table.rows)


def test_the_same_command_takes_another_pair_as_a_folder(shared_data: Path, tmp_path: Path) -> None:
    """200 lines of German-English in place of French-English: all is computed, and what was printed is not found."""
    texts = []
    for name in ("reference.txt", "systems/snmt.txt", "systems/unmt.txt"):
        texts.append(TextFile(shared_data / "papers" / "snmt-vs-unmt" / "de-en" / name).lines()[:200])
        write_lines(tmp_path / name, texts[-1])
    table, _ = tables("gowda2021_table13", f'++paper.folders={{FR-EN: "{tmp_path}"}}')
    delta = favoritism(MacroF(), *(MacroF().statistics(lines, TestSet((texts[0],))) for lines in texts[1:]))
    first = float(delta[rank_segments(delta)[0]])
    assert float(ours(table, "rank 1", "delta", "MacroF1")) == pytest.approx(first, abs=0.0005)
    assert table.failures


def test_texts_that_lie_nowhere_are_asked_for() -> None:
    with pytest.raises(MissingData, match=r"gowda2021_unmt_deen is not here"):
        tables("gowda2021_table7", "paths.mirror=null", "paths.cache=nowhere")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_left_out_scores_equal_scoring_the_rest(metric: MacroF) -> None:
    got = left_out_scores(metric, metric.statistics(HYPOTHESES, TestSet((REFERENCE,))))
    for left, score in enumerate(got):
        lines = HYPOTHESES[:left] + HYPOTHESES[left + 1 :]
        statistics = metric.statistics(lines, TestSet((REFERENCE[:left] + REFERENCE[left + 1 :],)))
        expected = metric.score(np.asarray(statistics.sum(axis=0)).reshape(-1))
        assert score == pytest.approx(float(expected), abs=1e-10)


def test_sparse_statistics_of_any_metric() -> None:
    dense = with_counts(np.arange(130.0))
    assert left_out_scores(Mean(), csr_array(dense)) == pytest.approx(left_out_scores(Mean(), dense))
