"""People's segment scores: read, refused, their means against the official ones of WMT21; metrics against them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from clirbench.errors import InputError, UnknownName
from clirbench.files.tables import read_table
from clirbench.labs.papers.error_rates import TER
from clirbench.labs.papers.people import HumanSegments, against_people, read_human
from clirbench.metrics.bleu import BLEU
from clirbench.statistics.resampling import Draws
from clirbench.types import TestSet
from tests.conftest import write_lines

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
    for system, mean in zip(human.systems, human.means.tolist(), strict=True):
        assert mean == pytest.approx(official[system], abs=0.0011)  # printed with three decimals


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
