"""`analysis=[segment_level]`: the figure of ellipses, the files, and topics as the standard."""

from pathlib import Path

import numpy as np
import pytest

from clirbench.files.tables import read_table
from clirbench.labs.papers.analyses.segment_level import ellipse, figure
from clirbench.labs.papers.metrics.ter import TER
from clirbench.labs.papers.statistics.people import against_people
from clirbench.metrics.bleu import BLEU
from tests.conftest import Cli, write_lines
from tests.labs.papers.statistics.test_people import judged_systems


def test_ellipses_are_as_wide_and_high_as_the_intervals() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(30, 2, 4000)
    y = 0.5 * (x - 30) + rng.normal(0, 1, 4000)
    dx, dy = ellipse(x, y, 400)
    (left, right), (bottom, top) = (np.quantile(side, [0.025, 0.975]) for side in (x, y))
    assert dx.max() == pytest.approx((right - left) / 2, rel=0.01)
    assert dy.max() == pytest.approx((top - bottom) / 2, rel=0.01)
    assert np.corrcoef(dx, dy)[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.02)


def test_the_figure_has_a_plot_for_each_metric() -> None:
    statistics, human = judged_systems()
    drawn = figure(against_people([BLEU(), TER()], statistics, human, samples=20))
    assert [label.text for label in drawn.labels if label.text in ("BLEU", "TER")] == ["BLEU", "TER"]
    assert len(drawn.marks) == 2 * len(human.systems)
    assert sum(len(line.points) == 60 for line in drawn.lines) == 2 * len(human.systems)  # the ellipses


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
