"""Learning curves: metrics and measures over training steps, a line for each run, and where each would have stopped."""

import math
from pathlib import Path

import numpy as np

from clirbench.files.tables import as_number
from clirbench.pages.wording import short
from clirbench.report.decision import recommended
from clirbench.report.figures import Dot, Panel, axis_label, panels, write_drawing
from clirbench.report.grouping import checkpoints, training_runs
from clirbench.result import Result
from clirbench.scoreboard import Scoreboard
from clirbench.types import Doubles

TITLE = "Learning curves: columns over training steps"


def write(folder: Path, result: Result) -> None:
    """Write `learning_curves.FORMAT` where systems carry steps."""
    plots = learning_curves(result.board, recommended(result))
    for ending in result.experiment.figures if plots else ():
        write_drawing(folder / f"learning_curves.{ending}", panels(list(plots.values())), TITLE)


def learning_curves(board: Scoreboard, shipped: str = "") -> dict[str, Panel]:
    """A plot for each measure and metric over the steps, by its name; none where systems have no steps.

    A line for each run, and one for their mean with one standard deviation to both sides; an upright line at the step
    of `shipped`. The title says where the column alone would stop.
    """
    if not checkpoints(board):
        return {}
    runs, cells = training_runs(board), board.metadata["step"]
    steps = np.array([_step(cell) for cell in cells])
    plots = {}
    for column in (*board.measures, *board.metrics):
        kept = np.flatnonzero(np.isfinite(steps + column.values))
        if not len(kept):
            continue
        lines: dict[str, list[Dot]] = {name: [] for name in runs.names}
        for i in sorted(kept.tolist(), key=lambda i: steps[i]):
            tip = f"{board.systems[i]}\nstep {cells[i]}, {column.name} {short(column.values[i], 4)}"
            lines[runs.names[runs.group_of[i]]].append(Dot(float(steps[i]), float(column.values[i]), tip))
        at, mean, sd = spread(steps[kept], column.values[kept])
        if len(at) > 1:
            lines["mean over runs, with one standard deviation"] = list(map(Dot, at.tolist(), mean.tolist()))
        if shipped in board.systems:
            at_step, ends = (
                float(steps[board.systems.index(shipped)]),
                (column.values[kept].min(), column.values[kept].max()),
            )
            lines[f"recommended: {shipped}"] = [Dot(at_step, float(end)) for end in ends]
        beside = [list(zip(at.tolist(), (mean + sign * sd).tolist(), strict=True)) for sign in (-1, 1)]
        best = kept[np.argmax(column.oriented[kept])]
        title = f"best: step {short(steps[best])}"
        plots[column.name] = Panel("step", axis_label(column), lines, outlines=beside, title=title)
    return plots


def spread(steps: Doubles, values: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Steps that at least two runs have, and the mean and standard deviation over runs there."""
    found = [(s, v.mean(), v.std(ddof=1)) for s in np.unique(steps) if len(v := values[steps == s]) > 1]
    at, mean, sd = np.array(found).T if found else np.empty((3, 0))
    return at, mean, sd


def _step(cell: str) -> float:
    step = as_number(cell.replace(",", "").replace("_", ""))
    return math.nan if step is None else step
