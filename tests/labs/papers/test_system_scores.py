"""Table 6 of Gowda et al. 2021 from the texts; expected values are typed from the paper."""

from pathlib import Path

import pytest

from clirbench.errors import UnknownName
from tests.conftest import write_lines
from tests.labs.papers.composed import ours, tables, verdicts

SCORES = {  # BLEU, MacroF1, MicroF1, chrF1
    ("DE-EN", "SN"): "32.7 38.5 58.7 59.9",
    ("DE-EN", "UN"): "33.9 33.6 57.9 58.0",
    ("DE-EN", "difference"): "-1.2 4.9 0.8 1.9",
    ("EN-DE", "SN"): "24.0 24.0 47.7 53.3",
    ("EN-DE", "UN"): "24.0 23.5 48.1 52.0",
    ("EN-DE", "difference"): "0.0 0.5 -0.4 1.3",
}


def test_every_score_whose_texts_are_at_hand(shared_data: Path) -> None:
    (table,) = tables("gowda2021_table6", f"paths.mirror={shared_data}")
    for (row, measure), printed in SCORES.items():
        found = [ours(table, row, measure, m) for m in ("BLEU", "MacroF1", "MicroF1", "chrF1")]
        assert found == printed.split()
    assert verdicts(table) == {"as printed": 36, "no scores": 72}
    assert table.failures == ()


def test_another_pair_is_a_folder_away(shared_data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fr"
    (folder / "systems").mkdir(parents=True)
    for name in ("reference.txt", "systems/snmt.txt", "systems/unmt.txt"):
        write_lines(folder / name, ["a small test of one line"])
    (table,) = tables("gowda2021_table6", f"paths.mirror={shared_data}", f'++paper.folders={{FR-EN: "{folder}"}}')
    assert ours(table, "FR-EN", "SN", "BLEU") == "100.0"  # equal to its reference, and so not as printed
    assert any("FR-EN SN BLEU is printed 31.1, ours is 100.0" in str(failure) for failure in table.failures)


def test_a_pair_that_the_table_has_not_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"language pair of paper.folders 'FR-DE'. Did you mean"):
        tables("gowda2021_table6", "++paper.folders={FR-DE: somewhere}")
