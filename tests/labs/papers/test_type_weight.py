"""Figure 7 of Gowda 2020: the caption's losses of `the`, and the authors' file of every type."""

from pathlib import Path

import pytest

from clirbench.errors import InputError, UnknownName
from clirbench.labs.papers.type_weight import moses_tokens
from tests.labs.papers.composed import ours, tables, verdicts


def test_closed_forms_give_the_published_losses(shared_data: Path) -> None:
    (table,) = tables("gowda2020_figure7", f"paths.mirror={shared_data}")
    assert ours(table, "'the'", "loss", "MicroF1") == "6.45"  # the caption
    assert ours(table, "'the'", "loss", "MacroF1") == "0.03"
    assert ours(table, "file", "types that agree", "MicroF1") == "6637"  # lines of the file less its header
    assert verdicts(table) == {"as printed": 4, "no scores": 2}


def test_another_text_is_refused_before_anything_is_compared(shared_data: Path) -> None:
    folder = shared_data / "papers" / "snmt-vs-unmt" / "de-en"
    wanted = r"'the' occurs 2,\d\d\d times, .* in the published text 3,019 times: it is another text"
    with pytest.raises(InputError, match=wanted):
        tables("gowda2020_figure7", f"paths.mirror={shared_data}", f"++paper.folders={{DE-EN: {folder}}}")
    with pytest.raises(UnknownName, match="language pair of paper.folders 'FR-EN'"):
        tables("gowda2020_figure7", f"paths.mirror={shared_data}", f"++paper.folders={{FR-EN: {folder}}}")


def test_with_a_text_bleu_and_chrf_are_computed(shared_data: Path, tmp_path: Path) -> None:
    """A made text with as many `the`, so that it is compared; the rest of it is another, and the run says so."""
    lines = [f"The well-known man's dog number {n}, the cat." for n in range(1509)]
    (tmp_path / "reference.txt").write_text("\n".join([*lines, "THE end."]) + "\n")
    (table,) = tables("gowda2020_figure7", f"paths.mirror={shared_data}", f"++paper.folders={{DE-EN: {tmp_path}}}")
    assert float(ours(table, "'the'", "loss", "BLEU")) > 10
    assert any("'the' loss BLEU is printed 18.83" in str(failure) for failure in table.failures)


def test_the_vocabulary_is_made_as_published() -> None:
    plain, published = "A well-known man's dog, isn\u2019t it?", "a well @-@ known man 's dog , isn \u2019 t it ?"
    assert moses_tokens([plain]) == [published]
    assert moses_tokens(["a well @-@ known Dog", "x-y"]) == ["a well @-@ known dog", "x-y"]
