"""How far the training runs of a grid are, read from their folders."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from clirbench.training.base import DONE, FAILED, PROGRESS, read_cell, saved
from clirbench.training.grid import read_grid

PAUSE = 600.0
"""Seconds between two lines of progress that are taken for an interruption."""


@dataclass(frozen=True)
class Progress:
    """One cell: `state` is done, failed, or how far it is; `left`: seconds to its end at its speed so far, if known."""

    name: str
    state: str
    step: int
    steps: int
    loss: float | None
    left: float | None
    reason: str = ""


def progress_of(name: str, folder: Path) -> Progress:
    """What the files in a cell's folder say."""
    cell, _ = read_cell(folder)
    rows = list(_rows(folder))
    step = max([*saved(folder), *(int(row["step"]) for row in rows[-1:])], default=0)
    loss = rows[-1]["loss"] if rows else None
    if (folder / DONE).exists():
        return Progress(name, "done", cell.steps, cell.steps, loss, 0.0)
    speeds = [
        (b["at"] - a["at"]) / (b["step"] - a["step"])
        for a, b in pairwise(rows)
        if b["step"] > a["step"] and b["at"] - a["at"] < PAUSE
    ]
    left = sum(speeds) / len(speeds) * (cell.steps - step) if speeds else None
    if (folder / FAILED).is_file():
        return Progress(name, "failed", step, cell.steps, loss, left, (folder / FAILED).read_text(encoding="utf-8"))
    return Progress(name, "begun" if step else "missing", step, cell.steps, loss, left)


def _rows(folder: Path) -> Iterator[dict[str, float]]:
    try:
        lines = (folder / PROGRESS).read_text(encoding="utf-8").split("\n")
    except OSError:
        return
    for line in lines[:-1]:
        try:
            yield json.loads(line)
        except ValueError:  # half a line of a killed process
            continue


def shown_progress(home: Path) -> Iterator[str]:
    """A line for each cell of a grid, then how many there are of each state and the time that is left."""
    cells, lacking = read_grid(home)
    found = [progress_of(name, folder) for name, folder in cells.items()]
    width = max(map(len, [*cells, *lacking]), default=0)
    for row in found:
        words = [row.state, f"step {row.step} of {row.steps}"]
        words += [f"loss {row.loss:.3f}"] if row.loss is not None else []
        words += [f"{_time(row.left)} left"] if row.left else []
        yield f"{row.name:<{width}}  {', '.join(words)}{f': {row.reason}' if row.reason else ''}"
    for name, why in lacking.items():
        yield f"{name:<{width}}  failed: {why}"
    counts = {state: sum(row.state == state for row in found) for state in ("done", "begun", "missing", "failed")}
    counts["failed"] += len(lacking)
    known = [row.left / max(1, row.steps - row.step) for row in found if row.left]
    steps = sum(row.steps - row.step for row in found)
    left = f"; about {_time(sum(known) / len(known) * steps)} of one worker's time left" if known and steps else ""
    yield f"{len(found) + len(lacking)} cells: {', '.join(f'{n} {state}' for state, n in counts.items())}{left}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
