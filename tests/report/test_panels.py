"""Plots of lines and marks beside each other."""

from math import log10, nan

import pytest

from clirbench.report.drawing import COLOURS, Drawing, svg
from clirbench.report.figures import HEIGHT, WIDTH
from clirbench.report.panels import ALONE, MANY, Panel, panels

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


def test_an_axis_of_less_than_two_powers_has_ticks_between_them() -> None:
    labels = {label.text for label in panels([Panel("n", "y", {"a": [(2000, 0), (9000, 1)]}, powers="x")]).labels}
    assert {"2000", "5000"} <= labels
    assert log10(9000) - log10(2000) < 1


def test_axes_that_are_alike_hold_the_points_of_all_plots() -> None:
    plots = [Panel("x", "y", {"a": [(0, 0), (1, 1)]}), Panel("x", "y", {"a": [(0, 0), (1, 10)]})]
    rises = [points[0][1] - points[-1][1] for points in strokes(panels(plots, alike=True), A)]
    assert rises[1] == pytest.approx(10 * rises[0])


def test_a_long_line_has_no_marks_and_a_plot_without_a_point_is_empty() -> None:
    long = panels([Panel("x", "y", {"a": [(n, n) for n in range(MANY + 1)]})])
    assert not long.marks
    assert "<polyline" in svg(long, "t")
    assert not panels([Panel("x", "y", {"a": [(nan, 1.0)]})]).labels
    assert not panels([]).lines
