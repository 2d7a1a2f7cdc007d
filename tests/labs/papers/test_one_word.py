"""Table 1 of Gowda et al. 2021; expected values are typed from the paper."""

from pathlib import Path

import pytest

from tests.labs.papers.composed import ours, tables, verdicts


def test_table_1(shared_data: Path) -> None:
    table, scored = tables("gowda2021_table1", f"paths.mirror={shared_data}")
    printed = {"He": "-.735", "She": "-1.100", "France": "-.022", "America": "-.060", "Russia": "-.161",
               "Canada": "-.309"}  # fmt: skip
    assert {word: ours(table, word, "score", "BLEURT") for word in printed} == printed
    assert verdicts(table) == {"as printed": 6, "no scores": 2}  # Joe and Sue are not in the published file
    # The claim: BLEU considers every wrong word equally wrong. 5 of 6 tokens right, 4/5, 3/4, 2/3 of the n-grams.
    at = scored.header.index("BLEU")
    doctors = [row[at] for row in scored.rows if row[0].endswith("doctor.") and not row[1].startswith("You")]
    assert doctors == pytest.approx([100 * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25] * 4)
