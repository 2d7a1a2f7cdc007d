from dataclasses import replace
from math import nan
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from clirbench.pages import Table
from clirbench.report.drawing import COLOURS, Drawing, Label, Line, Mark, svg, svg_number
from clirbench.report.figures import (
    ALONE,
    HEIGHT,
    MANY,
    WIDTH,
    Panel,
    Scale,
    axis_label,
    file_stem,
    learning_curves,
    panels,
    scatter_plots,
    write,
)  # fmt: skip
from clirbench.report.groupings import grouping
from clirbench.scoreboard import Column, Scoreboard
from tests.report.boards import EVIL, board, result

MADE = board(
    {"BLEU": [10, 20, 30], "constant": [5, 5, 5], "holes": [float("nan")] * 3},
    {"MAP": [0.1, 0.3, 0.2], EVIL: [0.1, 0.2, float("nan")]},
    {"family": ["a", "b", "b"]},
)


def test_figures_of_a_run_and_of_an_analysis_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    analysis = Table("weights", "Weights", ("name",), (), figure=lambda: panels([Panel("x", "y", {"a < b": [(0, 1)]})]))
    made = result(MADE, [analysis])
    for name in ("first", "second"):
        write(tmp_path / name, made)
    first = {path.name: path.read_bytes() for path in (tmp_path / "first").iterdir()}
    assert set(first) == {"MAP.svg", f"{file_stem(EVIL)}.svg", "weights.svg"}
    assert {path.name: path.read_bytes() for path in (tmp_path / "second").iterdir()} == first
    for data in first.values():
        assert ElementTree.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
        assert b"<script" not in data
    write(tmp_path / "none", replace(made, experiment=replace(made.experiment, figures=())))
    assert list((tmp_path / "none").iterdir()) == []


def test_columns_without_a_common_system_are_left_out_and_marks_tell_groups() -> None:
    bleu, constant, _ = MADE.metrics
    drawing = panels(scatter_plots(MADE["MAP"], [bleu, constant], {}, grouping(MADE)))
    assert len(drawing.marks) == 2 * 3 + 2  # two plots, and the legend
    assert {mark.shape for mark in drawing.marks} == {"circle", "square"}
    texts = [label.text for label in drawing.labels]
    assert "BLEU" in texts
    assert texts[-2:] == ["a", "b"]


def test_an_axis_says_where_less_is_better() -> None:
    assert axis_label(Column("TER", "metric", np.array([30.0]), higher_is_better=False)) == "TER (lower is better)"


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.81, 0.83), (-5.0, 12.0), (3.0, 3.0), (0.0, 0.0), (1e6, 2e6)])
def test_ticks_are_few_round_and_inside(low: float, high: float) -> None:
    scale = Scale(low, high, 0, 100)
    ticks = list(scale.ticks())
    assert 2 <= len(ticks) <= 8
    assert all(-1e-9 <= scale(tick) <= 100 + 1e-9 for tick in ticks)
    assert [float(scale.text(tick)) for tick in ticks] == pytest.approx(ticks, abs=1e-9)


@pytest.mark.parametrize(("name", "file"), [("RBO(p=0.9)", "RBO_p_0.9"), ("MAP[news]", "MAP_news"), ("../x", ".._x")])
def test_names_of_measures_become_names_of_files(name: str, file: str) -> None:
    assert file_stem(name) == file


A, B = COLOURS[:2]


def strokes(drawing: Drawing, colour: str) -> list[tuple[tuple[float, float], ...]]:
    return [line.points for line in drawing.lines if line.colour == colour]


def test_a_name_looks_the_same_in_every_plot_and_is_in_the_legend_once() -> None:
    first = Panel("x", "y", {"a": [(0, 0), (1, 1)], "b": [(0, 1), (1, 0)]})
    drawing = panels([first, Panel("x", "z", {"b": [(0, 1), (1, 0)]}, title="second")])
    assert (len(strokes(drawing, A)), len(strokes(drawing, B))) == (1, 2)
    assert [label.text for label in drawing.labels][-2:] == ["a", "b"]
    assert [label.text for label in drawing.labels if label.bold] == ["second"]
    assert (drawing.width, drawing.height) == (2 * WIDTH, HEIGHT + 18)
    alone = panels([Panel("x", "y", {"a": [(0, 0), (1, 1)]})])
    assert (alone.width, alone.height) == ALONE  # one name needs no legend


def test_a_legend_that_is_too_wide_has_more_lines() -> None:
    names = [f"a name of system {n}" for n in range(12)]  # about 100 points each
    drawing = panels([Panel("x", "y", {name: [(0, 0), (1, n)] for n, name in enumerate(names)})])
    legend = [label for label in drawing.labels if label.text in names]
    assert max(label.x + 5 * len(label.text) for label in legend) < drawing.width
    assert [label.text for label in legend] == names
    assert len({label.y for label in legend}) == 4
    assert max(label.y for label in legend) < drawing.height


def test_four_plots_are_two_rows() -> None:
    drawing = panels([Panel("x", "y", {}, {"": [(0, 0), (1, 1)]})] * 4)
    assert (drawing.width, drawing.height) == (3 * WIDTH, 2 * HEIGHT)


def test_logarithms_put_powers_at_equal_distances_and_leave_out_what_has_none() -> None:
    points = [(1, 0.01), (10, 1), (100, 100), (0, 5), (1000, nan)]
    ((left, low), (x, y), (right, high)) = strokes(panels([Panel("x", "y", {"a": points}, powers="xy")]), A)[0]
    assert x - left == pytest.approx(right - x)
    assert low - y == pytest.approx(y - high)


def test_an_axis_of_logarithms_is_labelled_by_what_they_are_of() -> None:
    labels = {label.text for label in panels([Panel("n", "y", {"a": [(1, 0), (10**6, 1)]}, powers="x")]).labels}
    assert {"1", "100", "10000", "1e+06"} <= labels


def test_a_long_line_has_no_marks_and_a_plot_without_a_point_is_empty() -> None:
    long = panels([Panel("x", "y", {"a": [(n, n) for n in range(MANY + 1)]})])
    assert not long.marks
    assert "<polyline" in svg(long, "t")
    assert not panels([Panel("x", "y", {"a": [(nan, 1.0)]})]).labels
    assert not panels([]).lines


def test_svg_is_well_formed_and_holds_what_was_drawn() -> None:
    made = Drawing(
        100,
        80,
        lines=[Line(((0, 0), (10, 20.5)))],
        marks=[Mark(5, 5), Mark(9, 9, "triangle", "#D55E00", tip="a < b", spread=(2, 3))],
        labels=[Label(50, 40, "a < b & c", 9, "middle"), Label(4, 40, "up", upright=True)],
    )
    root, of = ElementTree.fromstring(svg(made, "<title>")), "{http://www.w3.org/2000/svg}"
    assert root.get("aria-label") == "<title>"
    assert [text.text for text in root.iter(f"{of}text")] == ["a < b & c", "up"]
    assert [line.get("points") for line in root.iter(f"{of}polyline")] == ["0,0 10,20.5"]
    shapes = [
        (mark.get("transform"), mark.get("data-tip"), [part.tag for part in mark]) for mark in root.iter(f"{of}g")
    ]
    assert shapes == [
        ("translate(5 5)", None, [f"{of}circle"]),
        ("translate(9 9)", "a < b", [f"{of}ellipse", f"{of}polygon"]),
    ]
    assert [svg_number(value) for value in (1.0, 0.126, -0.001, 12.5)] == ["1", "0.13", "0", "12.5"]


STEPS = ["30", "1,0", "20", "10", "20", "30", ""]
RUNS = ["a", "a", "a", "b", "b", "b", "b"]
MAP = [0.3, 0.1, 0.2, 0.2, 0.5, nan, 0.9]


def made() -> Scoreboard:
    return board({"BLEU": [3.0, 1, 2, 4, 9, 5, 100]}, {"MAP": MAP}, {"step": STEPS, "run": RUNS}, list("tuvwxyz"))


def test_points_of_a_run_are_in_the_order_of_steps_and_runs_have_a_mean() -> None:
    plot = learning_curves(made(), shipped="v")["MAP"]
    points = {name: Panel("", "").placed(dots) for name, dots in plot.lines.items()}
    assert points == {
        "a": [(10, 0.1), (20, 0.2), (30, 0.3)],
        "b": [(10, 0.2), (20, 0.5)],  # neither a hole nor a system without a step
        "mean over runs, with one standard deviation": [(10, pytest.approx(0.15)), (20, pytest.approx(0.35))],
        "recommended: v": [(20, 0.1), (20, 0.5)],
    }
    least = [0.15 - np.std([0.1, 0.2], ddof=1), 0.35 - np.std([0.2, 0.5], ddof=1)]
    assert [y for _, y in plot.outlines[0]] == pytest.approx(least)
    columns = tuple(replace(c, higher_is_better=c.name != "BLEU") for c in made().columns)
    plots = learning_curves(Scoreboard(made().systems, columns, made().metadata))
    assert [plot.title, plots["BLEU"].title] == ["best: step 20", "best: step 10"]


def test_no_steps_no_figure(tmp_path: Path) -> None:
    plain = board({"BLEU": [1.0, 2, 3]}, {"MAP": [1.0, 2, 3]}, {}, list("abc"))
    assert learning_curves(plain) == {}
    write(tmp_path / "plain", result(plain, [], []))
    write(tmp_path / "steps", result(made(), [], []))
    names = [{path.name for path in (tmp_path / run).iterdir()} for run in ("plain", "steps")]
    assert names[1] - names[0] == {"learning_curves.svg"}
