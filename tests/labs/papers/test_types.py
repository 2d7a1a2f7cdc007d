"""Per-type precision, recall and F1: by hand, and against the reports that Gowda et al. 2021 published (Figure 1)."""

from pathlib import Path

import numpy as np
import pytest

from clirbench.labs.papers.types import bands, running_f1, similar_types, type_report
from clirbench.metrics.macrof import MacroF
from clirbench.types import TestSet
from tests.conftest import Cli
from tests.labs.papers.composed import tables, verdicts

TEST = TestSet((("a a b", "c d"),))


def test_counts_and_rates_by_hand() -> None:
    report = type_report("s", ("a b b", "c x"), TEST)
    # REFS, PREDS, MATCH: a 2 1 1; b 1 2 1; c 1 1 1; d 1 0 0; x 0 1 0
    assert report.types == ("a", "b", "c", "d", "x")
    assert report.refs.tolist() == [2, 1, 1, 1, 0]
    assert report.preds.tolist() == [1, 2, 1, 0, 1]
    assert report.match.tolist() == [1, 1, 1, 0, 0]
    precision, recall, _ = report.rates
    assert precision.tolist() == [100, 50, 100, 100, 0]  # d is never predicted
    assert recall.tolist() == [50, 100, 100, 0, 100]  # x is not in the reference
    np.testing.assert_allclose(report.f1, [200 / 3, 200 / 3, 100, 0, 0])
    statistics = MacroF().statistics(("a b b", "c x"), TEST)  # MacroF1 is the mean over the reference's types
    assert float(MacroF().score(np.asarray(statistics.sum(axis=0)).reshape(-1))) == pytest.approx(report.f1.mean())


def test_a_type_that_does_not_occur_is_named_with_those_that_begin_alike() -> None:
    assert similar_types("nigth", ("day", "night", "nine")) == ["night", "nine"]
    assert similar_types("x", ("day", "night")) == ["day", "night"]


def test_the_running_mean_is_over_types_of_both_reports() -> None:
    ours = type_report("s", ("a b b", "c x"), TEST)
    theirs = type_report("u", ("a a", "y"), TEST)  # has a, b, c, d (from the reference) and y
    first, second = running_f1(*(dict(zip(report.types, report.f1.tolist(), strict=True)) for report in (ours, theirs)))
    np.testing.assert_allclose(first, np.cumsum([200 / 3, 200 / 3, 100, 0]) / [1, 2, 3, 4])
    np.testing.assert_allclose(second, [100, 50, 100 / 3, 25])


def test_bands_hold_every_type_once() -> None:
    report = type_report("s", ("a b b", "c x"), TEST)
    assert [band[1:3] for band in bands(report)] == [("0", 1), ("1", 3), ("2-4", 1)]


def test_types_that_do_not_occur_are_an_error_of_the_run(cli: Cli, small_folder: Path) -> None:
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU]", "analysis=[types]", "analyses.types.only=[qqq]",
        "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 1
    assert "unknown word type 'qqq'" in done.stderr


@pytest.mark.parametrize("name", ["gowda2021_figure1", "gowda2021_figure1_ende"])
def test_every_type_agrees(shared_data: Path, name: str) -> None:
    table, curves = tables(name, f"paths.mirror={shared_data}")
    assert verdicts(table) == {"as printed": 44}
    assert len(curves.rows) == 500


def test_another_pair_from_a_folder(shared_data: Path, tmp_path: Path) -> None:
    """With the authors' reports in the folder every cell is compared; without them the curves alone are made."""
    folder = shared_data / "papers" / "snmt-vs-unmt" / "en-de"
    table, curves = tables("gowda2021_figure1", f"++paper.folders={{EN-DE: {folder}}}")
    assert verdicts(table) == {"as printed": len(table.rows)}
    assert len(curves.rows) == 500
    (tmp_path / "systems").mkdir()
    for name in ("reference.txt", "systems/snmt.txt", "systems/unmt.txt"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    table, again = tables("gowda2021_figure1", f"++paper.folders={{FR-EN: {tmp_path}}}")
    assert verdicts(table) == {"not printed": len(table.rows)}
    assert again.rows == curves.rows
