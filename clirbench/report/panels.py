"""Plots beside each other: lines and marks over two axes, as analyses draw what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10, nan

import numpy as np

from clirbench.report.drawing import Drawing, Label, Line
from clirbench.report.figures import (
    BOTTOM,
    COLUMNS,
    GREY,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Powers,
    Scale,
    axes,
    legend,
    mark,
    name_axes,
)
from clirbench.types import Doubles

Points = Sequence[tuple[float, float]]
ALONE = (430.0, 290.0)
"""The size of a plot that is alone."""
MANY = 60
"""A line of more points has no marks."""


@dataclass(frozen=True)
class Panel:
    """One plot: what its axes show (`across`, `along`), and points (x, y) in the values of these axes.

    `lines` and `dots` by the name that the legend gives them, of which those with equal names look equal in all plots;
    `outlines` are grey and have no name. `powers`: which of the axes, `x` and `y`, are of logarithms: a value of 0 or
    less is left out there, as one that is no number is everywhere.
    """

    across: str
    along: str
    lines: Mapping[str, Points] = field(default_factory=dict)
    dots: Mapping[str, Points] = field(default_factory=dict)
    outlines: Sequence[Points] = ()
    title: str = ""
    powers: str = ""

    def placed(self, points: Points) -> list[tuple[float, float]]:
        """The points on their axes, without those that have no place there."""
        at, up = (_logarithm if name in self.powers else float for name in "xy")
        return [place for x, y in points if all(map(isfinite, place := (at(x), up(y))))]

    @property
    def everything(self) -> list[tuple[float, float]]:
        """All points on their axes."""
        return [
            p for points in (*self.lines.values(), *self.dots.values(), *self.outlines) for p in self.placed(points)
        ]


def panels(plots: Sequence[Panel], alike: bool = False) -> Drawing:
    """The plots in rows of three or fewer, one alone larger; `alike`: with the same axes. A legend is below them where
    they name more than one thing.
    """
    width, height = size = ALONE if len(plots) == 1 else (WIDTH, HEIGHT)
    n_columns = max(1, min(COLUMNS, len(plots)))
    names = list(dict.fromkeys(name for plot in plots for name in (*plot.lines, *plot.dots)))
    drawing = Drawing(width * n_columns, height * -(-len(plots) // n_columns) + (18.0 if len(names) > 1 else 0.0))
    shared = [p for plot in plots for p in plot.everything] if alike else []
    for i, plot in enumerate(plots):
        if points := shared or plot.everything:
            _plot(drawing, plot, np.array(points), names, (i % n_columns * width, i // n_columns * height), size)
    if len(names) > 1:
        legend(drawing, names)
    return drawing


def _plot(
    drawing: Drawing,
    plot: Panel,
    points: Doubles,
    names: Sequence[str],
    corner: tuple[float, float],
    size: tuple[float, float],
) -> None:
    """One plot whose axes hold `points` (n, 2), with its upper left corner at `corner`."""
    (x0, y0), (width, height) = corner, size
    scale = {name: Powers if name in plot.powers else Scale for name in "xy"}
    across = scale["x"].over(points[:, 0], x0 + LEFT, x0 + width - RIGHT)
    along = scale["y"].over(points[:, 1], y0 + height - BOTTOM, y0 + TOP)
    axes(drawing, across, along)
    name_axes(drawing, across, along, plot.across, plot.along, x0)
    if plot.title:
        drawing.labels.append(Label((across.start + across.end) / 2, y0 + 15, plot.title, 9, "middle", bold=True))

    def places(values: Points) -> tuple[tuple[float, float], ...]:
        return tuple((across(x), along(y)) for x, y in plot.placed(values))

    named = [(mark(0, 0, names.index(name)).colour, 1.1, values) for name, values in plot.lines.items()]
    for colour, thick, values in (*((GREY, 0.7, outline) for outline in plot.outlines), *named):
        if len(through := places(values)) > 1:
            drawing.lines.append(Line(through, colour, thick))
    marked = {name: values for name, values in plot.lines.items() if len(values) <= MANY}
    for name, values in (*marked.items(), *plot.dots.items()):
        drawing.marks += [mark(x, y, names.index(name)) for x, y in places(values)]


def _logarithm(value: float) -> float:
    return log10(value) if value > 0 else nan
