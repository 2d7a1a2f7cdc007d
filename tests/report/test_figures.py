from pathlib import Path

import numpy as np
import pytest

from clirbench.report.figures import Scale, axis, grid, group_columns, groups, safe, series, write
from clirbench.scoreboard import Column
from tests.report.boards import EVIL, board, result

MADE = board(
    {"BLEU": [10, 20, 30], "constant": [5, 5, 5], "holes": [float("nan")] * 3},
    {"MAP": [0.1, 0.3, 0.2], EVIL: [0.1, 0.2, float("nan")]},
    {"family": ["a", "b", "b"]},
)


def test_each_measure_has_three_files_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(tmp_path / name, result(MADE))
    names = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert names == sorted(f"{stem}.{kind}" for stem in ("MAP", safe(EVIL)) for kind in ("svg", "pdf", "png"))
    for name in names:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    assert "<script" not in (tmp_path / "first" / f"{safe(EVIL)}.svg").read_text(encoding="utf-8")


def test_columns_without_a_common_system_are_left_out_and_marks_tell_groups() -> None:
    bleu, constant, _ = MADE.metrics
    drawing = grid(MADE["MAP"], [bleu, constant], {}, groups(MADE))
    assert len(drawing.marks) == 2 * 3 + 2  # two plots, and the legend
    assert {mark.shape for mark in drawing.marks} == {"circle", "square"}
    texts = [label.text for label in drawing.labels]
    assert "BLEU (0-100)" in texts
    assert texts[-2:] == ["a", "b"]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (Column("TER", "metric", np.array([30.0]), higher_is_better=False), "TER (%, lower is better)"),
        (Column("NIST", "metric", np.array([7.0])), "NIST"),
        (Column("nDCG", "measure", np.array([0.4])), "nDCG (0-1)"),
        (Column("MAP", "measure", np.array([0.4]), origin="imported"), "MAP"),
        (Column("AQWV", "measure", np.array([-3.4])), "AQWV"),
    ],
)
def test_axes_name_unit_and_direction_where_they_are_known(column: Column, text: str) -> None:
    assert axis(column) == text


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.81, 0.83), (-5.0, 12.0), (3.0, 3.0), (0.0, 0.0), (1e6, 2e6)])
def test_ticks_are_few_round_and_inside(low: float, high: float) -> None:
    scale = Scale(low, high, 0, 100)
    ticks = list(scale.ticks())
    assert 2 <= len(ticks) <= 8
    assert all(-1e-9 <= scale(tick) <= 100 + 1e-9 for tick in ticks)
    assert [float(scale.text(tick)) for tick in ticks] == pytest.approx(ticks, abs=1e-9)


@pytest.mark.parametrize(("name", "file"), [("RBO(p=0.9)", "RBO_p_0.9"), ("MAP[news]", "MAP_news"), ("../x", ".._x")])
def test_names_of_measures_become_names_of_files(name: str, file: str) -> None:
    assert safe(name) == file


VALUES = {"BLEU": [1.0, 2.0, 3.0, 4.0]}


def test_a_column_that_tells_few_groups_apart_is_chosen_and_one_with_a_telling_name_first() -> None:
    metadata = {
        "id": ["1", "2", "3", "4"],
        "size": ["s", "s", "m", "m"],
        "family": ["x", "y", "y", " "],
        "same": ["a"] * 4,
    }
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    found = groups(made)
    assert (found.column, found.names, found.of) == ("family", ("x", "y", "(none)"), (0, 1, 1, 2))


def test_without_metadata_all_are_one_group() -> None:
    found = groups(board(VALUES, {}))
    assert (found.column, found.of) == ("", (0, 0, 0, 0))


def test_a_training_run_is_a_group_with_several_steps() -> None:
    metadata = {"step": ["1", "2", "1", "2"], "family": ["x", "y", "y", "x"], "size": ["s", "s", "m", "m"]}
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    assert series(made) == (0, 1, 1, 0)
    assert series(board(VALUES, {}, {**metadata, "family": ["x", "y", "x", "y"]})) == (0, 0, 1, 1)  # by size
    assert series(board(VALUES, {}, {"step": ["1", "2", "3", "4"]})) == (0, 0, 0, 0)
