"""Figures 2 to 6 and 8 of Gowda 2020 from the files behind them; expected values are typed from those files."""

from pathlib import Path

import pytest

from clirbench.errors import MissingData
from clirbench.labs.papers.imbalance import divergence, divergence_published, frequency_at, mean_length, read_classes
from tests.labs.papers.composed import ours, tables, verdicts

# Headers of the files: EMD, 95 %, mean_len, effective_n; D by the printed formula where it is known otherwise.
FILES = {
    "030k-bpe01k": (0.4629, 59, 51.9225, 984),
    "030k-chars": (0.7734, 23, 145.6420, 128),
    "030k-bpe32k": (0.6993, 2, 29.9954, 16680),
    "001m-bpe64k": (0.7903, 8, 27.9548, 62415),
}


def test_statistics_are_those_in_the_headers_of_the_files(shared_data: Path) -> None:
    folder = shared_data / "vocab-sweep" / "de-en" / "train-stats"
    for name, (distance, f95, length, used) in FILES.items():
        classes = read_classes(folder / f"{name}.tgt.txt")
        assert divergence_published(classes) == pytest.approx(distance, abs=5.1e-5)
        assert frequency_at(classes) == f95
        assert mean_length(classes) == pytest.approx(length, abs=1e-4)
        assert len(classes.used) == used
    assert divergence(read_classes(folder / "030k-bpe01k.tgt.txt")) == pytest.approx(0.4548, abs=5e-5)


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
