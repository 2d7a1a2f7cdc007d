"""Tables 1, 2 and 6 of Gowda et al. 2021 from texts, held against the printed cells."""

from pathlib import Path

import pytest

from clirbench.errors import UnknownName
from tests.conftest import write_lines
from tests.labs.papers.composed import ours, tables, verdicts


def test_table_1(shared_data: Path) -> None:
    table, scored = tables("gowda2021_table1", f"paths.mirror={shared_data}")
    assert verdicts(table) == {"as printed": 6, "no scores": 2}  # Joe and Sue are not in the published file
    # The claim: BLEU considers every wrong word equally wrong. 5 of 6 tokens right, 4/5, 3/4, 2/3 of the n-grams.
    at = scored.header.index("BLEU")
    doctors = [row[at] for row in scored.rows if row[0].endswith("doctor.") and not row[1].startswith("You")]
    assert doctors == pytest.approx([100 * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25] * 4)


def test_table_2(shared_data: Path) -> None:
    table, scores = tables("gowda2021_table2", f"paths.mirror={shared_data}")
    assert verdicts(table) == {"as printed": 9, "explained": 3, "no scores": 6, "not printed": 3}
    assert len(scores.rows) == 9


def test_every_score_whose_texts_are_at_hand(shared_data: Path) -> None:
    (table,) = tables("gowda2021_table6", f"paths.mirror={shared_data}")
    assert verdicts(table) == {"as printed": 36, "no scores": 72}
    assert table.failures == ()


def test_another_pair_is_a_folder_away(shared_data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fr"
    for name in ("reference.txt", "systems/snmt.txt", "systems/unmt.txt"):
        write_lines(folder / name, ["a small test of one line"])
    (table,) = tables("gowda2021_table6", f"paths.mirror={shared_data}", f'++paper.folders={{FR-EN: "{folder}"}}')
    assert ours(table, "FR-EN", "SN", "BLEU") == "100.0"  # equal to its reference, and so not as printed
    assert any("FR-EN SN BLEU is printed 31.1, ours is 100.0" in str(failure) for failure in table.failures)


def test_a_pair_that_the_table_has_not_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"language pair of paper.folders 'FR-DE'. Did you mean"):
        tables("gowda2021_table6", "++paper.folders={FR-DE: somewhere}")
