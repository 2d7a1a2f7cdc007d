"""Agreement about items, by hand and with sacreBLEU and scipy; people's scores; a metrics task on WMT21."""

from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from scipy.stats import pearsonr, spearmanr

from clirbench.errors import AlignmentError, ConfigError, InputError, UnknownName
from clirbench.files.tables import read_table
from clirbench.labs.papers.error_rates import TER
from clirbench.labs.papers.people import HumanSegments, against_people, read_human
from clirbench.labs.papers.rankings import group_scores, segment_scores
from clirbench.labs.papers.segment_level import agreements, compare_pairs, matrix, topic_segments
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.statistics.resampling import Draws
from clirbench.types import DocumentMap, TestSet
from tests.conftest import write_lines
from tests.labs.papers.composed import tables

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


def test_comparisons_are_counted_and_missing_values_left_out() -> None:
    found = cells("WMT14")
    assert [int((found == value).sum()) for value in (1, -1, 0)] == [5, 3, 2]
    assert np.isnan(found).sum() == 4
    unknown = compare_pairs(np.array([[1.0, np.nan], [0.0, 1.0]]), np.ones((2, 2)), matrix("WMT14"))
    assert np.array_equal(unknown, [[0, np.nan]], equal_nan=True)
    tau, _ = agreements(BLEU(), np.zeros((2, 3)), np.ones((2, 3)), ["WMT14"])
    assert np.isnan(tau[3])
    assert tau[-1] == 0


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UnknownName, match="segment-level matrix 'WMT11'.*WMT12"):
        matrix("WMT11")
    with pytest.raises(AlignmentError, match="the same items"):
        compare_pairs(np.zeros((2, 3)), np.zeros((2, 4)), matrix("WMT14"))


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
    assert taus == [
        ("BLEU", "WMT12", "kendall", pytest.approx(1 / 3), 2, 1, 3),  # the tie is wrong
        ("BLEU", "WMT13", "kendall", pytest.approx(1), 2, 0, 2),  # it is left out
        ("BLEU", "WMT14", "kendall", pytest.approx(2 / 3), 2, 0, 3),  # it counts below the line
    ]
    assert linear[:3] + linear[4:] == ("BLEU", "", "pearson", "", "", 5)
    assert linear[3] == pytest.approx(np.corrcoef([3, 2, 1, 1, 1], [2, 1, 1, 9, 1])[0, 1])
    less = agreements(TER(), gold, -own, ["WMT12", "WMT13", "WMT14"])  # less is better: it is turned round
    assert [row[1:] for row in less] == [row[1:] for row in (*taus, linear)]


def test_lines_of_relevant_documents() -> None:
    found = topic_segments({"t": {"1": 1, "2": 0}, "u": {"2": 2, "9": 1}}, DocumentMap.blocks_of(4, 2))
    assert found.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]


ROWS = ["system\tline\tz\traw", "a\t1\t0.5\t70", "a\t1\t1.5\t80", "b\t2\t-1\t50", "x\t1\t3\t90"]


def test_scores_are_averaged_and_strangers_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "h.tsv", ROWS)
    human = read_human(tmp_path / "h.tsv", ["a", "b", "c"], 3)
    assert human.systems == ("a", "b")
    assert human.unknown == ("x",)
    np.testing.assert_array_equal(human.scores, [[1, np.nan, np.nan], [np.nan, -1, np.nan]])
    assert human.means.tolist() == [1, -1]
    assert read_human(tmp_path / "h.tsv", ["a", "b"], 3, "raw").means.tolist() == [75, 50]
    np.testing.assert_array_equal(human.resampled(np.array([[2.0, 0, 1]])), [[1, np.nan]])


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "h.tsv", [*ROWS, "a\t4\t1\t1", "b\t0\t1\t1"])
    with pytest.raises(InputError, match=r"segments that the test set of 3 lines does not have: a 4, b 0"):
        read_human(tmp_path / "h.tsv", ["a", "b"], 3)
    write_lines(tmp_path / "h.tsv", ROWS)
    with pytest.raises(InputError, match=r"scores none of the systems of this run; it has a, b, x"):
        read_human(tmp_path / "h.tsv", ["c"], 3)
    with pytest.raises(UnknownName, match="'rew'. Did you mean 'raw'"):
        read_human(tmp_path / "h.tsv", ["a"], 3, "rew")
    write_lines(tmp_path / "i.tsv", ["system\tline\tz", "a\tone\t1"])
    with pytest.raises(InputError, match="line 2: line and z must be numbers"):
        read_human(tmp_path / "i.tsv", ["a"], 3)
    write_lines(tmp_path / "j.tsv", ["system\tz", "a\t1"])
    with pytest.raises(InputError, match="no column `line`"):
        read_human(tmp_path / "j.tsv", ["a"], 3)


@pytest.mark.parametrize("pair", ["de-en", "ru-en", "is-en"])
def test_means_of_wmt21_are_the_official_scores(shared_data: Path, pair: str) -> None:
    folder = shared_data / "wmt21" / pair
    official = {r["system"]: float(r["score_z"]) for r in read_table(folder / "human.tsv").records()}
    systems = sorted(path.name.removesuffix(".txt") for path in (folder / "systems").iterdir())
    n = len((folder / "source.txt").read_text(encoding="utf-8").split("\n")) - 1
    human = read_human(folder / "human-seg.tsv", systems, n, "score_z")
    for system, average in zip(human.systems, human.means.tolist(), strict=True):
        assert average == pytest.approx(official[system], abs=0.0011)  # printed with three decimals


WORDS = ["the", "old", "town", "lies", "by", "a", "river", "and", "its", "market", "opens", "early", "in", "the", "day"]


def judged_systems() -> tuple[dict[tuple[str, str], np.ndarray], HumanSegments]:
    """Five systems that lose every k-th word, and people who see it with noise."""
    rng = np.random.default_rng(1)
    reference = tuple(" ".join(rng.permutation(WORDS)) for _ in range(40))
    test = TestSet((reference,))
    statistics = {}
    for k in range(2, 7):
        lines = tuple(" ".join(w for i, w in enumerate(line.split()) if i % k) for line in reference)
        for metric in (BLEU(), TER()):
            statistics[metric.name, f"s{k}"] = metric.statistics(lines, test)
    scores = np.arange(2.0, 7)[:, None] + rng.normal(size=(5, 40))
    return statistics, HumanSegments(tuple(f"s{k}" for k in range(2, 7)), scores, "z")


def test_coefficients_are_scipys_and_the_interval_is_of_peoples_judgments_drawn_again() -> None:
    statistics, human = judged_systems()
    samples = human.resampled(Draws(300, 7).weights("segments", 40))
    found = against_people([BLEU(), TER()], statistics, human, samples=300, seed=7)
    for metric, one in zip((BLEU(), TER()), found, strict=True):  # less is better: turned round
        scores = [float(metric.score(statistics[metric.name, name].sum(axis=0))) for name in human.systems]
        sign = 1 if metric.higher_is_better else -1
        assert one.pearson == pytest.approx(sign * pearsonr(scores, human.means).statistic)
        assert one.spearman == pytest.approx(sign * spearmanr(scores, human.means).statistic)
        values = [sign * pearsonr(scores, row).statistic for row in samples]
        assert (one.ci_low, one.ci_high) == pytest.approx(np.quantile(values, [0.025, 0.975]))


def test_pearson_is_that_of_the_official_scores(shared_data: Path) -> None:
    """BLEU and chrF as WMT21 published them (official-metrics.tsv), people's scores likewise (human.tsv)."""
    quick = ("paper.only=[IS-EN]", "paper.samples=50", "~paper.metrics.TER", "~paper.metrics.chrFpp")
    system, segment = tables("wmt21_metrics", f"paths.mirror={shared_data}", *quick)
    folder = shared_data / "wmt21" / "is-en"
    people = {r["system"]: float(r["score_z"]) for r in read_table(folder / "human.tsv").records()}
    official = list(read_table(folder / "official-metrics.tsv").records())
    rows = {row[0]: row for row in system.rows}
    for ours, theirs in (("BLEU", "bleu-A"), ("chrF2", "chrf-A")):
        scores = {r["system"]: float(r["score"]) for r in official if r["metric"] == theirs and r["system"] in people}
        both = [(scores[name], people[name]) for name in scores]
        assert rows[ours][1] == pytest.approx(pearsonr(*zip(*both, strict=True)).statistic, abs=2e-3)
        assert rows[ours][-1] == pytest.approx(spearmanr(*zip(*both, strict=True)).statistic, abs=2e-3)
        assert rows[ours][-2] == rows[ours][1]  # the average of one language pair
    assert {row[0] for row in segment.rows} == set(rows)
    assert [row[-1] for row in segment.rows] == sorted((row[-1] for row in segment.rows), reverse=True)


def test_a_language_pair_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"paper.only=\['XX-EN'\]: choose from DE-EN, RU-EN, JA-EN, IS-EN"):
        tables("wmt21_metrics", "paper.only=[XX-EN]")
