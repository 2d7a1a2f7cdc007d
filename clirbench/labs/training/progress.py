"""How far the training runs of a grid are, read from their folders."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from clirbench.errors import InputError
from clirbench.files.run_files import read_json, shape_error
from clirbench.labs.training.base import CUT, DONE, FAILED, LOG, PROGRESS, TrainingRun, read_cell
from clirbench.labs.training.grid import read_grid
from clirbench.pages.wording import fixed
from clirbench.text import whole_content

PAUSE = 600.0
"""Seconds between two lines of progress that are taken for an interruption."""
STATES = ("done", "begun", "missing", "failed")


@dataclass(frozen=True)
class TrainingProgress:
    """One cell; `state` is one of `STATES`, `left` its steps to train, `pace` seconds for one so far, if known."""

    name: str
    state: str
    step: int
    steps: int
    loss: float | None
    pace: float | None
    reason: str = ""

    @property
    def left(self) -> int:
        return self.steps - self.step if self.state in ("begun", "missing") else 0


def progress_of(name: str, folder: Path) -> TrainingProgress:
    """What the files in a cell's folder say."""
    cell, trainer = read_cell(folder, ours=True)
    written = trainer.checkpoints(folder)
    rows = list(_rows(folder)) or [{"step": step, "at": path.stat().st_mtime} for step, path in written.items()]
    paces = [
        (b["at"] - a["at"]) / (b["step"] - a["step"])
        for a, b in pairwise(rows)
        if b["step"] > a["step"] and b["at"] - a["at"] < PAUSE
    ]
    failed = (folder / FAILED).read_text(encoding="utf-8") if (folder / FAILED).is_file() else ""
    state = "failed" if failed else "begun" if (folder / LOG).exists() else "missing"
    step = max([*written, *(int(row["step"]) for row in rows[-1:])], default=0)
    if (folder / DONE).exists():
        state, step, failed = "done", cell.steps, ""
    loss, pace = rows[-1].get("loss") if rows else None, sum(paces) / len(paces) if paces else None
    return TrainingProgress(name, state, step, cell.steps, loss, pace, failed)


def _rows(folder: Path) -> Iterator[Mapping[str, float]]:
    try:
        lines = (folder / PROGRESS).read_text(encoding="utf-8").split("\n")
    except OSError:
        return
    for line in lines[:-1]:
        with suppress(ValueError):  # half a line of a killed process
            row = json.loads(line)
            if not shape_error(row, {"step": int, "at": (float, int), "loss?": (float, int, None)}):
                yield row


def shown_progress(home: Path) -> Iterator[str]:
    """A line for each cell of a grid, then how many there are of each state and the time that is left."""
    folders = read_grid(home)
    found = [progress_of(name, folder) for name, folder in folders.items()]
    width = max((len(row.name) for row in found), default=0)
    for row in found:
        words = [row.state, f"step {row.step} of {row.steps}"]
        words += [f"loss {fixed(row.loss, 3)}"] if row.loss is not None else []
        words += [f"{_time(row.pace * row.left)} left"] if row.pace and row.left else []
        yield f"{row.name:<{width}}  {', '.join(words)}{f': {row.reason}' if row.reason else ''}"
    yield from cut_notes({folder: read_cell(folder, ours=True)[0] for folder in folders.values()})
    counts, paces = Counter(row.state for row in found), [row.pace for row in found if row.pace]
    steps = sum(row.left for row in found)
    left = f"; about {_time(sum(paces) / len(paces) * steps)} of one worker's time left" if paces and steps else ""
    yield f"{len(found)} cells: {', '.join(f'{counts[state]} {state}' for state in STATES)}{left}"


def cut_notes(cells: Mapping[Path, TrainingRun]) -> list[str]:
    """A sentence for each size and vocabulary of which pairs are longer than the trainer's limit."""
    notes = {}
    for folder, cell in cells.items():
        try:
            row = read_json(CUT, whole_content(folder / CUT))
        except (OSError, ValueError, InputError):
            continue  # another trainer, or none yet
        if not shape_error(row, dict.fromkeys(("pairs", "long", "split", "cut", "most"), int)) and row["long"]:
            notes[cell.size, cell.vocabulary] = (
                f"{cell.size}-{cell.vocabulary}: {row['long']} of {row['pairs']} training pairs have more than "
                f"{row['most'] - 1} pieces: {row['split']} were split at ends of sentences, {row['cut']} were cut; "
                f"grid.trainer.max_tokens={2 * row['most']} keeps longer ones"
            )
    return list(notes.values())


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{fixed(seconds)} s"
    return f"{fixed(seconds / 60)} min" if seconds < 5400 else f"{fixed(seconds / 3600, 1)} h"
