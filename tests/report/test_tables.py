from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clirbench.report.tables import cell, systems_table, write_tsv
from clirbench.scoreboard import Column, Scoreboard


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly(value: float) -> None:
    assert float(cell(value)) == value
    assert float(cell(np.float64(value))) == value


def test_holes_are_empty_cells() -> None:
    assert cell(float("nan")) == ""
    assert cell(None) == ""


def test_tabs_and_newlines_cannot_break_a_row(tmp_path: Path) -> None:
    write_tsv(tmp_path / "t.tsv", ["a", "b"], [["x\ty", "u\nv"]])
    assert (tmp_path / "t.tsv").read_bytes() == b"a\tb\nx y\tu v\n"


def test_systems_table_has_metadata_metrics_then_measures() -> None:
    board = Scoreboard(
        ("s1", "s2"),
        (
            Column("MAP", "measure", np.array([0.5, np.nan])),
            Column("BLEU", "metric", np.array([10.0, 20.0])),
        ),
        {"step": ("1", "2")},
    )
    assert systems_table(board)[0] == ["system", "step", "BLEU", "MAP"]
    assert systems_table(board)[1][0] == ["s1", "1", 10.0, 0.5]
