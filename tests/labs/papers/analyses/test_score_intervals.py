"""The standard bootstrap: sacreBLEU's mean and interval from its own seed, and the bias of MacroF."""

from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from clirbench.files.tables import read_table
from clirbench.labs.papers.statistics.jackknife import drawn_blocks
from clirbench.metrics.bleu import BLEU
from clirbench.statistics.resampling import weighted_scores, weights
from clirbench.types import TestSet
from tests.conftest import Cli


def test_resampled_scores_are_sacrebleus(small_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    reference, output = (
        (small_folder / name).read_text(encoding="utf-8").split("\n")[:-1]
        for name in ("reference.txt", "systems/every5.txt")
    )
    theirs = sacrebleu.metrics.BLEU(references=[reference]).corpus_score(output, None, n_bootstrap=200)
    metric = BLEU()
    drawn = weights(next(drawn_blocks(len(output), 200, "replacement", 12345)), len(output))
    ours = weighted_scores(metric, metric.statistics(output, TestSet((tuple(reference),))), drawn)
    low, high = np.sort(ours)[[5, 195]]
    assert (low + high) / 2 == pytest.approx(theirs._mean, abs=0.35)  # theirs is the mean, ours the middle
    assert (high - low) / 2 == pytest.approx(theirs._ci, abs=0.35)


def test_the_file(cli: Cli, small_folder: Path) -> None:
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU,MacroF1]", "analysis=[score_intervals]",
        "analyses.score_intervals.samples=200", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = list(read_table(cli.cwd / "out" / "score_intervals.tsv").records())
    assert len(rows) == 8
    for row in rows:
        inside = float(row["ci_low"]) <= float(row["score"]) <= float(row["ci_high"])
        assert inside == (row["note"] == "")
    assert all(row["note"] == "" for row in rows if row["metric"] == "BLEU")
