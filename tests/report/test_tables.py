from dataclasses import replace

import numpy as np
import pytest

from clirbench.report.tables import all_tables, systems_table
from clirbench.scoreboard import Column, Scoreboard
from tests.report.boards import board, result


def test_systems_table_has_metadata_metrics_then_measures() -> None:
    board = Scoreboard(
        ("s1", "s2"),
        (
            Column("MAP", "measure", np.array([0.5, np.nan])),
            Column("BLEU", "metric", np.array([10.0, 20.0])),
        ),
        {"step": ("1", "2")},
    )
    table = systems_table(board)
    assert table.header == ("system", "step", "BLEU", "MAP")
    assert list(table.values()) == [["s1", "1", 10.0, 0.5], ["s2", "2", 20.0, pytest.approx(np.nan, nan_ok=True)]]
    assert [cell.best for row in table.rows for cell in row[2:]] == [False, True, True, False]
    assert [column.format for column in table.columns[2:]] == ["score", "number"], "BLEU is on a scale of 0 to 100"


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
