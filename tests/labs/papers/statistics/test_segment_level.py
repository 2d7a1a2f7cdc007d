"""Agreement about items: the segment-level family by hand, sacreBLEU's sentence scores, TrueSkill's own example."""

import numpy as np
import pytest
import sacrebleu

from clirbench.errors import AlignmentError, ConfigError, UnknownName
from clirbench.labs.papers.statistics.segment_level import (
    agreements,
    compare_pairs,
    group_scores,
    judged_pairs,
    matrices,
    matrix,
    rate,
    segment_scores,
    topic_segments,
)
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.types import DocumentMap, TestSet

REFERENCE = ("the cat sat on the mat", "a dog barks", "it rains on the old town today")
OUTPUT = ("the cat sat on a mat", "a dog", "rain falls on the old town")
# (gold, metric) counts: agree 5, gold decides and the metric ties 2, disagree 3, gold ties 4
GOLD = np.array([1.0] * 3 + [-1] * 2 + [1, -1] + [1, 1, -1] + [0] * 4)
METRIC = np.array([2.0] * 3 + [-2] * 2 + [0, 0] + [-1, -1, 1] + [1, 0, -1, 0])


def cells(name: str) -> np.ndarray:
    """Of the comparisons above, each that of two systems of which the second has 0."""
    gold, metric = (np.stack([side, np.zeros(len(side))]) for side in (GOLD, METRIC))
    return compare_pairs(gold, metric, matrix(name))[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WMT12", (5 - 3 - 2) / 10),  # a tie of the metric is a mistake
        ("WMT13", (5 - 3) / 8),  # it is left out
        ("WMT14", (5 - 3) / 10),  # it counts in the denominator alone
        ("WMT15", (5 - 3) / 10),
    ],
)
def test_each_matrix_by_hand(name: str, value: float) -> None:
    assert np.nanmean(cells(name)) == pytest.approx(value)


def test_the_matrix_of_wmt14_is_the_printed_one() -> None:
    nan = np.nan
    assert np.array_equal(matrix("WMT14"), [[1, 0, -1], [nan, nan, nan], [-1, 0, 1]], equal_nan=True)
    assert set(matrices()) == {"WMT12", "WMT13", "WMT14", "WMT15"}


def test_comparisons_are_counted_and_missing_values_left_out() -> None:
    found = cells("WMT14")
    assert [int((found == value).sum()) for value in (1, -1, 0)] == [5, 3, 2]
    assert np.isnan(found).sum() == 4
    unknown = compare_pairs(np.array([[1.0, np.nan], [0.0, 1.0]]), np.ones((2, 2)), matrix("WMT14"))
    assert np.array_equal(unknown, [[0, np.nan]], equal_nan=True)
    tau, _ = agreements(BLEU(), np.zeros((2, 3)), np.ones((2, 3)), ["WMT14"])
    assert np.isnan(tau.value)
    assert tau.n == 0


def test_comparisons_of_systems_on_items() -> None:
    gold, own = np.array([[1.0, 2], [0, 5], [3, 3]]), np.array([[1.0, 1], [2, 2], [3, 3]])
    found = compare_pairs(gold, own, matrix("WMT14"))
    assert found.tolist() == [[-1, 1], [1, 1], [1, -1]]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UnknownName, match="segment-level matrix 'WMT11'.*WMT12"):
        matrix("WMT11")
    with pytest.raises(AlignmentError, match="the same items"):
        compare_pairs(np.zeros((2, 3)), np.zeros((2, 4)), matrix("WMT14"))


def test_comparisons_are_pairs_judged_on_one_segment() -> None:
    nan = np.nan
    found = judged_pairs(np.array([[1.0, 2, nan], [0.0, 2, 1], [nan, 3, 1]]))
    assert sorted(map(tuple, found.tolist())) == [(0, 1, 0), (0, 1, 1), (0, 2, -1), (1, 2, -1), (1, 2, 0)]


def test_one_game_gives_the_figures_of_the_library_documentation() -> None:
    pytest.importorskip("trueskill")
    # The library's documentation, 1 vs 1 at a draw probability of 10 %: winner 29.396 (7.171), loser 20.604 (7.171).
    games = np.array([[0, 1, 1]] * 9 + [[0, 1, 0]])
    first, second = rate(["a", "b"], [1, 0], games, games=1, runs=1, seed=0)  # the game drawn is no tie
    assert (first.system, second.system) == ("a", "b")
    assert (first.rating, first.sigma) == (pytest.approx(29.396, abs=5e-4), pytest.approx(7.171, abs=5e-4))
    assert (second.rating, second.sigma) == (pytest.approx(20.604, abs=5e-4), pytest.approx(7.171, abs=5e-4))
    assert (first.comparisons, first.mean_score) == (10, 1)


def test_better_systems_are_rated_higher_the_same_each_time() -> None:
    pytest.importorskip("trueskill")
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4, 60)) + np.array([[0.0], [2.0], [1.0], [-2.0]])
    rated = rate(list("abcd"), [0] * 4, judged_pairs(scores), games=800, runs=2, seed=3)
    assert [rating.system for rating in rated] == ["b", "c", "a", "d"]
    assert rated == rate(list("abcd"), [0] * 4, judged_pairs(scores), games=800, runs=2, seed=3)


def test_no_comparison_gives_no_rating() -> None:
    pytest.importorskip("trueskill")
    with pytest.raises(ConfigError, match="nothing to rate from"):
        rate(["a", "b"], [0, 0], judged_pairs(np.array([[1.0, np.nan], [np.nan, 1.0]])))


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
    *taus, linear = agreements(BLEU(), gold, own, ["WMT12", "WMT13", "WMT14"])
    assert [(row.matrix, row.value, row.concordant, row.discordant, row.n) for row in taus] == [
        ("WMT12", pytest.approx(1 / 3), 2, 1, 3),  # the tie is wrong
        ("WMT13", pytest.approx(1), 2, 0, 2),  # it is left out
        ("WMT14", pytest.approx(2 / 3), 2, 0, 3),  # it counts below the line
    ]
    assert {(row.metric, row.coefficient) for row in taus} == {("BLEU", "kendall")}
    assert (linear.matrix, linear.coefficient, linear.n) == ("", "pearson", 5)
    assert (linear.concordant, linear.discordant) == (None, None)
    assert linear.value == pytest.approx(np.corrcoef([3, 2, 1, 1, 1], [2, 1, 1, 9, 1])[0, 1])


def test_lines_of_relevant_documents() -> None:
    found = topic_segments({"t": {"1": 1, "2": 0}, "u": {"2": 2, "9": 1}}, DocumentMap.blocks_of(4, 2))
    assert found.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
