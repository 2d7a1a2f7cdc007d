"""Figures for a paper: for each measure a scatter plot for each metric, one mark for each system; and the plots of
lines and marks (`panels`) in which analyses draw what they found.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from clirbench.files.tables import as_number
from clirbench.pages import fixed, short
from clirbench.report.drawing import COLOURS, SHAPES, Drawing, Label, Line, Mark, svg
from clirbench.report.facts import by_pair, coefficient_symbol, first_coefficient, interval, tau_cell
from clirbench.report.groupings import Grouping, checkpoints, grouping, training_runs
from clirbench.result import Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import Correlation
from clirbench.types import Doubles

COLUMNS = 3
WIDTH, HEIGHT = 230.0, 200.0  # of one plot with its labels, in points
LEFT, RIGHT, TOP, BOTTOM = 50.0, 10.0, 24.0, 40.0
GREY = "#D9D9D9"


Point = tuple[float, float] | Mark
Points = Sequence[Point]
ALONE = (430.0, 290.0)
"""The size of a plot that is alone."""
MANY = 60
"""A line of more points has no marks."""


def write(folder: Path, result: Result) -> None:
    """Write `MEASURE.svg` for each measure that shares a system with a metric, the figures of analyses, and
    `learning_curves.svg` where systems carry steps.
    """
    folder.mkdir()
    if not result.experiment.figures:
        return
    taus, groups = by_pair(result.correlations, first_coefficient(result)), grouping(result.board)
    for measure in result.board.measures:
        metrics = [m for m in result.board.metrics if np.isfinite(m.values + measure.values).any()]
        if metrics:
            drawing = panels(scatter_plots(measure, metrics, taus, groups))
            title = f"{measure.name} against {', '.join(metric.name for metric in metrics)}"
            write_drawing(folder / f"{file_stem(measure.name)}.svg", drawing, title)
    for table in result.tables:
        if table.figure is not None:
            write_drawing(folder / f"{table.name}.svg", table.figure(), table.title)
    if plots := learning_curves(result.board, *result.recommended[:1]):
        drawing = panels(list(plots.values()))
        write_drawing(folder / "learning_curves.svg", drawing, "Learning curves: columns over training steps")


def write_drawing(path: Path, drawing: Drawing, title: str) -> None:
    """Write a drawing as svg; `title` is what a screen reader says."""
    path.write_text(svg(drawing, title), encoding="utf-8", newline="\n")


def scatter_plots(
    measure: Column,
    metrics: Sequence[Column],
    taus: Mapping[tuple[str, str], Correlation],
    groups: Grouping,
    dot: Callable[[int, Column, Column], Point] = lambda i, x, y: (float(x.values[i]), float(y.values[i])),
) -> "list[Panel]":
    """One plot for each metric, the measure on the vertical axis of all, a mark for each system (`dot`) by its group.

    `taus` by (measure, metric): a plot whose pair has one is headed by it.
    """
    plots = []
    for metric in metrics:
        dots: dict[str, list[Point]] = {name: [] for name in groups.names}
        for i in np.flatnonzero(np.isfinite(metric.values + measure.values)).tolist():
            dots[groups.names[groups.group_of[i]]].append(dot(i, metric, measure))
        tau = taus.get((measure.name, metric.name))
        title = f"{coefficient_symbol(tau.coefficient)} {tau_cell(tau)}{interval(tau)}" if tau else ""
        plots.append(Panel(axis_label(metric), axis_label(measure), dots=dots, title=title))
    return plots


def mark(x: float, y: float, group: int, radius: float = 2.4) -> Mark:
    """The mark of a group: its shape and its colour."""
    return Mark(x, y, SHAPES[group % len(SHAPES)], COLOURS[group % len(COLOURS)], radius)


def axis_label(column: Column) -> str:
    """A column's name, with its direction where less is better."""
    return column.name if column.higher_is_better else f"{column.name} (lower is better)"


def legend(drawing: Drawing, names: Sequence[str]) -> None:
    """What the marks of each group mean, in the last line of a drawing; one that needs more lines becomes higher."""
    x, y = LEFT, drawing.height - 7
    for group, name in enumerate(names):
        if x > LEFT and x + 10 + 4.6 * len(name) > drawing.width:
            x, y = LEFT, y + 12
            drawing.height += 12
        drawing.marks.append(mark(x, y - 3, group, 3))
        drawing.labels.append(Label(x + 7, y, name, 8))
        x += 24 + 4.6 * len(name)


class Scale:
    """From values to places along an axis, with a margin of 6 % at both ends; `powers`: values are logarithms."""

    def __init__(self, low: float, high: float, start: float, end: float, powers: bool = False) -> None:
        margin = 0.06 * (high - low) or abs(high) * 0.06 or 1.0
        self.low, self.high, self.start, self.end, self.powers = low - margin, high + margin, start, end, powers

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """Round values, three to six of them."""
        step = self.step()
        for k in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1):
            yield k * step

    def step(self) -> float:
        """1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)

    def text(self, value: float) -> str:
        """As many decimals as the step needs; what a logarithm is of, with two digits."""
        if self.powers:
            return short(float(short(10.0**value, 2)))
        decimals = max(0, -math.floor(math.log10(self.step()) + 1e-9))
        return fixed(value + 0.0, decimals) if abs(value) < 1e7 else short(value, 3)


def file_stem(name: str) -> str:
    """A measure's name as a file name: `RBO(p=0.9)` -> `RBO_p_0.9`, `MAP[news]` -> `MAP_news`."""
    return "".join(c if c.isalnum() or c in "@.-+" else "_" for c in name).strip("_")


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
        ends = ((p.x, p.y) if isinstance(p, Mark) else p for p in points)
        return [place for x, y in ends if all(map(math.isfinite, place := (at(x), up(y))))]

    @property
    def everything(self) -> list[tuple[float, float]]:
        """All points on their axes, and the ends of ellipses."""
        points = [p for points in (*self.lines.values(), *self.dots.values(), *self.outlines) for p in points]
        marks = [(p.x, p.y, *p.spread) for p in points if isinstance(p, Mark) and any(p.spread)]
        ends = [(x + sign * right, y + sign * up) for x, y, right, up in marks for sign in (-1, 1)]
        return self.placed([*points, *ends])


def panels(plots: Sequence[Panel], keyed: bool = True) -> Drawing:
    """The plots in rows of three or fewer, one alone larger; `keyed`: with a legend, where they name two things."""
    width, height = size = ALONE if len(plots) == 1 else (WIDTH, HEIGHT)
    n_columns = max(1, min(COLUMNS, len(plots)))
    names = list(dict.fromkeys(name for plot in plots for name in (*plot.lines, *plot.dots)))
    keyed = keyed and len(names) > 1
    drawing = Drawing(width * n_columns, height * -(-len(plots) // n_columns) + (18.0 if keyed else 0.0))
    for i, plot in enumerate(plots):
        if points := plot.everything:
            _plot(drawing, plot, np.array(points), names, (i % n_columns * width, i // n_columns * height), size)
    if keyed:
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
    left, top = corner[0] + LEFT, corner[1] + TOP
    right, bottom = corner[0] + size[0] - RIGHT, corner[1] + size[1] - BOTTOM
    (low, below), (high, above) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    across = Scale(low, high, left, right, "x" in plot.powers)
    along = Scale(below, above, bottom, top, "y" in plot.powers)
    for value in across.ticks():
        drawing.lines.append(Line(((across(value), top), (across(value), bottom)), GREY, 0.5))
        drawing.labels.append(Label(across(value), bottom + 11, across.text(value), 8, "middle"))
    for value in along.ticks():
        drawing.lines.append(Line(((left, along(value)), (right, along(value))), GREY, 0.5))
        drawing.labels.append(Label(left - 4, along(value) + 3, along.text(value), 8, "end"))
    drawing.lines.append(Line(((left, top), (left, bottom), (right, bottom))))
    middle = (left + right) / 2
    drawing.labels += [
        Label(middle, bottom + 25, plot.across, 9, "middle"),
        Label(corner[0] + 13, (top + bottom) / 2, plot.along, 9, "middle", upright=True),
        *([Label(middle, corner[1] + 15, plot.title, 9, "middle", bold=True)] if plot.title else []),
    ]

    def places(values: Points) -> tuple[tuple[float, float], ...]:
        return tuple((across(x), along(y)) for x, y in plot.placed(values))

    drawing.lines += [Line(through, GREY, 0.7) for line in plot.outlines if len(through := places(line)) > 1]
    for name, values in plot.lines.items():
        if len(through := places(values)) > 1:
            drawing.lines.append(Line(through, mark(0, 0, names.index(name)).colour, 1.1))
    marked = {name: values for name, values in plot.lines.items() if len(values) <= MANY}
    for name, values in (*marked.items(), *plot.dots.items()):
        for point in values:
            for x, y in places([point]):
                made = mark(x, y, names.index(name))
                if isinstance(point, Mark):
                    right, up = point.spread
                    spread = (across(right) - across(0), along(0) - along(up))
                    made = replace(made, tip=point.tip, name=point.name, of=point.of, spread=spread)
                drawing.marks.append(made)


def _logarithm(value: float) -> float:
    return math.log10(value) if value > 0 else math.nan


def learning_curves(board: Scoreboard, shipped: str = "") -> dict[str, Panel]:
    """A plot for each measure and metric over the steps, by its name; none where systems have no steps.

    A line for each run, and one for their mean with one standard deviation to both sides, at steps that two runs have;
    an upright line at the step of `shipped`. The title says where the column alone would stop.
    """
    if not checkpoints(board):
        return {}
    runs, cells = training_runs(board), board.metadata["step"]
    read = [as_number(cell.replace(",", "").replace("_", "")) for cell in cells]
    steps = np.array([math.nan if step is None else step for step in read])
    plots = {}
    for column in (*board.measures, *board.metrics):
        kept = np.flatnonzero(np.isfinite(steps + column.values))
        if not len(kept):
            continue
        lines: dict[str, Points] = {}
        for at, name in enumerate(runs.names):
            own = sorted((i for i in kept.tolist() if runs.group_of[i] == at), key=lambda i: steps[i])
            tips = {i: f"{board.systems[i]}\nstep {cells[i]}, {column.name} {short(column.values[i], 4)}" for i in own}
            lines[name] = [Mark(float(steps[i]), float(column.values[i]), tip=tip) for i, tip in tips.items()]
        of_step = {float(s): column.values[kept][steps[kept] == s] for s in np.unique(steps[kept])}
        means = {s: (float(v.mean()), float(v.std(ddof=1))) for s, v in of_step.items() if len(v) > 1}
        if len(means) > 1:
            lines["mean over runs, with one standard deviation"] = [(s, mean) for s, (mean, _) in means.items()]
        if shipped in board.systems:
            at_step, values = float(steps[board.systems.index(shipped)]), column.values[kept]
            lines[f"recommended: {shipped}"] = [(at_step, float(end)) for end in (values.min(), values.max())]
        beside = [[(s, mean + sign * sd) for s, (mean, sd) in means.items()] for sign in (-1, 1)]
        title = f"best: step {short(steps[kept[np.argmax(column.oriented[kept])]])}"
        plots[column.name] = Panel("step", axis_label(column), lines, outlines=beside, title=title)
    return plots
