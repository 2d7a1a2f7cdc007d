"""A metrics task on WMT21: Pearson from the official scores of both sides, tau from the sums over segments."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from clirbench.errors import ConfigError
from clirbench.files.tables import read_table
from clirbench.labs.papers.segment_level import mean
from tests.labs.papers.composed import tables


def test_pearson_is_that_of_the_official_scores(shared_data: Path) -> None:
    """BLEU and chrF as WMT21 published them (official-metrics.tsv), people's scores likewise (human.tsv)."""
    system, segment = tables("wmt21_metrics", f"paths.mirror={shared_data}", "paper.only=[IS-EN]", "paper.samples=50")
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


def test_averages_leave_out_what_is_undefined() -> None:
    assert mean([1.0, float("nan"), 3.0]) == 2
    assert np.isnan(mean([float("nan")]))


def test_the_page_numbers_the_tables_of_2015_as_the_paper_does() -> None:
    """The captions of Stanojevic et al. 2015: Tables 2 and 3 are system-level correlations into and out of English,
    4 and 5 Kendall's tau of segments, 6 two metrics across two years."""
    page = (Path(__file__).parents[3] / "docs/papers.md").read_text(encoding="utf-8")
    for row in ("2 and 3, system level", "4 and 5, segment level", "6, two metrics in two years"):
        assert f"\n| {row} |" in page
