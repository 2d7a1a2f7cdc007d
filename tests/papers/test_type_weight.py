"""Figure 7 of Gowda 2020: the caption's losses of `the`, and the authors' file of every type."""

from pathlib import Path

from tests.papers.composed import ours, tables, verdicts


def test_closed_forms_give_the_published_losses(shared_data: Path) -> None:
    (table,) = tables("gowda2020_figure7", f"paths.mirror={shared_data}")
    assert ours(table, "'the'", "loss", "MicroF1") == "6.45"  # the caption
    assert ours(table, "'the'", "loss", "MacroF1") == "0.03"
    assert ours(table, "file", "types that agree", "MicroF1") == "6637"  # lines of the file less its header
    assert verdicts(table) == {"as printed": 4, "no scores": 2}


def test_with_a_text_bleu_and_chrf_are_computed(shared_data: Path) -> None:
    # Another text than the published one, so nothing is as printed, and the run says so.
    reference = shared_data / "papers" / "snmt-vs-unmt" / "de-en" / "reference.txt"
    (table,) = tables("gowda2020_figure7", f"paths.mirror={shared_data}", f"paper.reference={reference}")
    assert float(ours(table, "'the'", "loss", "BLEU")) > 10
    assert any("'the' loss BLEU is printed 18.83" in failure for failure in table.failures)
