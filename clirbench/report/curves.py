"""Learning curves: metrics and measures over training steps, a line for each run, and where each would have stopped."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clirbench.pages.wording import short
from clirbench.report import figures
from clirbench.report.decision import recommended
from clirbench.report.drawing import Drawing, Label, Line
from clirbench.report.figures import HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scale
from clirbench.report.grouping import Grouping, checkpoints, training_runs
from clirbench.result import Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.types import Doubles, Ints

BLACK = "#000000"


@dataclass(frozen=True, eq=False)
class Curves:
    """`step` (n,) of each system, NaN without one; `runs`: which training run it is of."""

    step: Doubles
    runs: Grouping

    def of_run(self, run: int, values: Doubles) -> Ints:
        """The systems of one run that have a step and a value, in the order of steps."""
        rows = np.flatnonzero((np.array(self.runs.group_of) == run) & np.isfinite(self.step + values))
        return np.asarray(rows[np.argsort(self.step[rows], kind="stable")])

    def spread(self, values: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Steps that at least two runs have, and the mean and standard deviation over runs there."""
        steps = [s for s in np.unique(self.step[np.isfinite(self.step + values)]) if (self.step == s).sum() > 1]
        kept = [values[(self.step == s) & np.isfinite(values)] for s in steps]
        found = [(s, v.mean(), v.std(ddof=1)) for s, v in zip(steps, kept, strict=True) if len(v) > 1]
        at, mean, sd = np.array(found).T if found else np.empty((3, 0))
        return at, mean, sd


def curves_of(board: Scoreboard) -> Curves | None:
    """The training runs of a board; None where systems carry no steps."""
    if not checkpoints(board):
        return None
    return Curves(np.array([_number(text) for text in board.metadata["step"]]), training_runs(board))


def write(folder: Path, result: Result) -> None:
    """Write `learning_curves.FORMAT` where systems carry steps."""
    drawing, title = learning_curves(result.board, recommended(result)), "Learning curves: columns over training steps"
    for ending in result.experiment.figures:
        if drawing is not None:
            figures.write_drawing(folder / f"learning_curves.{ending}", drawing, title)


def learning_curves(board: Scoreboard, shipped: str = "") -> Drawing | None:
    """A plot for each measure and metric over the steps; None without steps.

    A mark stands where the column alone would stop, a dashed upright line `shipped`; thick is the mean
    over runs, thin lines beside it are one standard deviation away.
    """
    curves = curves_of(board)
    columns = [c for c in (*board.measures, *board.metrics) if np.isfinite(c.values).any()]
    if curves is None or not columns or not np.isfinite(curves.step).any():
        return None
    n_columns = min(3, len(columns))
    drawing = Drawing(WIDTH * n_columns, HEIGHT * -(-len(columns) // n_columns) + 18.0)
    at = curves.step[board.systems.index(shipped)] if shipped in board.systems else float("nan")
    for i, column in enumerate(columns):
        _plot(drawing, i % n_columns * WIDTH, i // n_columns * HEIGHT, column, curves, float(at))
    figures.legend(drawing, curves.runs.names)
    return drawing


def _plot(drawing: Drawing, x0: float, y0: float, column: Column, curves: Curves, shipped: float) -> None:
    kept = np.isfinite(curves.step + column.values)
    if not kept.any():
        return
    across = Scale.over(curves.step[kept], x0 + LEFT, x0 + WIDTH - RIGHT)
    along = Scale.over(column.values[kept], y0 + HEIGHT - 40, y0 + TOP)
    figures.axes(drawing, across, along)
    figures.name_axes(drawing, across, along, "step", figures.axis_label(column), x0)

    def stroke(steps: Sequence[float], values: Sequence[float], colour: str, width: float) -> None:
        points = tuple((across(s), along(v)) for s, v in zip(steps, values, strict=True))
        drawing.lines.append(Line(points, colour, width))

    for run in range(len(curves.runs.names)):
        rows = curves.of_run(run, column.values)
        stroke(curves.step[rows].tolist(), column.values[rows].tolist(), figures.mark(0, 0, run).colour, 0.8)
    steps, mean, sd = curves.spread(column.values)
    for values, width in ((mean, 1.8), (mean - sd, 0.4), (mean + sd, 0.4)) if len(steps) > 1 else ():
        stroke(steps.tolist(), np.clip(values, along.low, along.high).tolist(), BLACK, width)
    if np.isfinite(shipped):
        for y in np.arange(along.end, along.start, 8.0).tolist():
            drawing.lines.append(Line(((across(shipped), y), (across(shipped), min(y + 4, along.start))), BLACK, 0.8))
    best = int(np.where(kept, column.values if column.higher_is_better else -column.values, -np.inf).argmax())
    x, y = across(float(curves.step[best])), along(float(column.values[best]))
    drawing.marks.append(figures.mark(x, y, curves.runs.group_of[best], 3.6))
    said = f"best: step {short(curves.step[best])}"
    drawing.labels.append(Label((across.start + across.end) / 2, y0 + 15, said, 9, "middle", bold=True))


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return float("nan")
