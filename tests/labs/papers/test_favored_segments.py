"""Tables 7, 8 and 13 to 16 of Gowda et al. 2021; deltas and line numbers do not come from our own ranking."""

from pathlib import Path

import pytest

from clirbench.errors import MissingData
from tests.labs.papers.composed import ours, tables, verdicts

# Typed from Table 7.
DELTAS = {
    "MacroF1": ".071 .064 -.055 .052 -.045 .044 .044 .043 -.041 .041",
    "BLEU": ".048 .046 .044 .042 -.039 -.037 -.034 -.032 -.032 -.031",
}
# Lines of newstest2019 whose reference stands in that row of Table 15 or 16 (found by comparing the texts).
LINES = {
    "MacroF1": [1212, 281, 681, 780, 1593, 579, 1476, 238, 804, 143],
    "BLEU": [1995, 1000, 1243, 1881, 1056, 550, 1270, 1612, 1724, 1312],
}


def test_tables_7_8_15_and_16(shared_data: Path) -> None:
    table, segments = tables("gowda2021_table7", f"paths.mirror={shared_data}")
    for metric, printed in DELTAS.items():
        for rank, (delta, line) in enumerate(zip(printed.split(), LINES[metric], strict=True), start=1):
            assert ours(table, f"rank {rank}", "delta", metric) == delta
            assert ours(table, f"rank {rank}", "segment", metric) == str(line)
    assert ours(table, "segment 579", "delta", "MacroF1") == ".044"
    assert ours(table, "segment 579", "delta", "BLEU") == "-.00087"
    assert verdicts(table) == {"as printed": 62, "no scores": 1}  # BLEURT's delta of Table 8
    row = next(r for r in segments.rows if r[:2] == ("MacroF1", 3))
    assert row[5] == "Il faut bien le faire."  # the reference in Table 15, third row


@pytest.mark.parametrize(("number", "pair"), [("13", "FR-EN"), ("14", "RO-EN")])
def test_tables_whose_texts_are_not_at_hand_say_how_to_give_them(number: str, pair: str) -> None:
    (table,) = tables(f"gowda2021_table{number}")
    assert verdicts(table) == {"no scores": 20}
    assert len(table.failures) == 1
    assert all(f'paper.folders={{{pair}: "DIR"}}' in row[6] for row in table.rows)


def test_the_typing_error_of_table_18_is_said() -> None:
    (table,) = tables("gowda2021_table13")
    (row,) = (r for r in table.rows if r[0] == "rank 6" and r[2] == "BLEU")
    assert row[3] == "-.021"
    assert "Table 18 prints .021" in row[6]


def test_the_same_command_takes_another_pair_as_a_folder(shared_data: Path) -> None:
    # German-English in the place of French-English: everything is computed, and what was printed is not found.
    folder = shared_data / "papers" / "snmt-vs-unmt" / "de-en"
    table, _ = tables("gowda2021_table13", f'++paper.folders={{FR-EN: "{folder}"}}')
    assert ours(table, "rank 1", "delta", "MacroF1") == ".071"
    assert table.failures


def test_texts_that_lie_nowhere_are_asked_for() -> None:
    with pytest.raises(MissingData, match=r"gowda2021_unmt_deen is not here"):
        tables("gowda2021_table7", "paths.mirror=null", "paths.cache=nowhere")
