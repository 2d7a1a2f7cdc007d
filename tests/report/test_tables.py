from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clirbench.report.tables import all_tables, cell, systems_table, write_tsv
from clirbench.scoreboard import Column, Scoreboard
from tests.report.boards import board, result


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


def test_what_metrics_add_to_what_is_known_is_a_table_too() -> None:
    size = np.repeat(np.arange(8.0), 4)
    quality = np.random.default_rng(1).normal(size=32)
    made = result(
        board(
            {"Sees": (size + quality).tolist(), "Blind": (size + quality[::-1]).tolist()},
            {"MAP": (size + quality).tolist()},
            {"training_lines": [f"{1000 * value:.0f}" for value in size]},
        )
    )
    assert all_tables(made) == ()
    (table,) = all_tables(replace(made, experiment=replace(made.experiment, given=("training_lines",))))
    assert table.name == "given"
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert [(row["measure"], row["metric"], row["method"], row["pairs"]) for row in rows] == [
        ("MAP", "Sees", "strata", 8 * 6),
        ("MAP", "Blind", "strata", 8 * 6),
    ]
    assert (rows[0]["tau"], rows[0]["p_value"] < 0.01) == (1, True)
    assert abs(rows[1]["tau"]) < 0.5
