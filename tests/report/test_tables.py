from dataclasses import replace

import numpy as np
import pytest

from clirbench.report.tables import all_tables, run_tables, scoring_tables, systems_table
from clirbench.result import Result
from clirbench.scoreboard import Column, Scoreboard
from tests.report.boards import board, result
from tests.test_experiment import experiment, held, run


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


@pytest.fixture(scope="module")
def scored() -> Result:
    return run(experiment(held()))


def test_map_and_rows_have_the_same_numbers(scored: Result) -> None:
    found = {name: table.load() for name, table in run_tables(scored).items()}
    rows, wide = found["scorings"], found["scorings_map"].set_index("scoring")
    assert list(rows.columns) == ["scoring", "metric", "tau", "shown", "half"]
    assert len(rows) == wide.size == 18
    for row in rows.itertuples():
        assert wide.loc[row.scoring, row.metric] == pytest.approx(row.tau, rel=0, abs=0, nan_ok=True)


def test_score_tables_have_no_other_scorings(scored: Result) -> None:
    assert scoring_tables(replace(scored, retrieval={})) == []
