"""Training: systems by run and step, and what is left of a tau without the common rise."""

from dataclasses import dataclass
from math import isfinite, nan, sqrt

import numpy as np

from clirbench.errors import InputError, UnknownName
from clirbench.files.tables import number
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.coefficients import UNTESTED, kendall
from clirbench.statistics.evidence import Evidence, panels
from clirbench.types import Doubles, Ints

STEP = "step"
"""The metadata column that says how far training has come."""


@dataclass(frozen=True, eq=False)
class Series:
    """One training run: its systems (indices into the board) at each step, steps ascending.

    `steps`: (n,) distinct; `members[i]`: the systems of step i (more than one where a step has replicates).
    """

    name: str
    steps: Doubles
    members: tuple[Ints, ...]

    def means(self, column: Doubles) -> Doubles:
        """(n,): the column averaged over the replicates of every step."""
        return np.array([column[rows].mean() for rows in self.members])


def has_steps(board: Scoreboard) -> bool:
    """Whether the systems carry training steps, at least two different ones."""
    return len({text.strip() for text in board.metadata.get(STEP, ())} - {""}) > 1


def series_of(evidence: Evidence, series: str = "") -> list[Series]:
    """The training runs: systems grouped by the metadata column `series` (none: all are one run), ordered by step.

    Systems without a step belong to none. Systems of one run with the same step are its replicates (seeds).
    Raises `UnknownName` for a column that does not exist, `InputError` for a step that is no number.
    """
    metadata = evidence.board.metadata
    for column in filter(None, (STEP, series)):
        if column not in metadata:
            raise UnknownName("metadata column", column, metadata)
    labels = metadata[series] if series else ("",) * len(evidence.systems)
    grouped: dict[str, dict[float, list[int]]] = {}
    for row, (label, text) in enumerate(zip(labels, metadata[STEP], strict=True)):
        if text.strip():
            grouped.setdefault(label, {}).setdefault(_number(text, evidence.systems[row]), []).append(row)
    return [
        Series(
            label,
            np.array(sorted(by_step)),
            tuple(np.array(rows, dtype=np.int64) for _, rows in sorted(by_step.items())),
        )
        for label, by_step in grouped.items()
    ]


def _number(text: str, system: str) -> float:
    value = number(text)
    if value is None or not isfinite(value):
        raise InputError(f"system {system}: {STEP} {text!r} is not a number; write 1000, not 1,000 or 1_000")
    return value


@dataclass(frozen=True)
class Trend:
    """The agreement of one metric and measure along training.

    Description only: `value`, the plain tau over all checkpoints, and `tau_changes`, that of the changes from step to
    step. Independent learning curves that flatten have both well above 0, and no test from one run tells them from
    related ones. `noise_metric`, `noise_measure`: the noise floor, SD among replicates of a step (NaN without any).
    """

    measure: str
    metric: str
    value: float
    tau_changes: float
    noise_metric: float
    noise_measure: float
    n_systems: int
    n_steps: int
    n_replicates: int
    note: str = ""


def trends(evidence: Evidence, series: str = "") -> list[Trend]:
    """A row for every measure and metric; none where systems carry no steps.

    Several training runs (`series`) are taken each by itself, their changes pooled. Columns with holes are left out.
    """
    if not has_steps(evidence.board):
        return []
    part, _ = next(iter(panels(evidence)))
    runs = series_of(part, series)
    rows = np.concatenate([members for run in runs for members in run.members])
    return [
        _trend(runs, rows, measure, metric, part.x[m], part.y[k])
        for k, measure in enumerate(part.measure_names)
        for m, metric in enumerate(part.metric_names)
    ]


def _trend(runs: list[Series], rows: Ints, measure: str, metric: str, x: Doubles, y: Doubles) -> Trend:
    plain = kendall(x[rows], y[rows], p_value=UNTESTED)
    changes_x, changes_y = (np.concatenate([np.diff(run.means(column)) for run in runs]) for column in (x, y))
    changes = kendall(changes_x, changes_y, p_value=UNTESTED)
    return Trend(
        measure=measure,
        metric=metric,
        value=plain.value,
        tau_changes=changes.value,
        noise_metric=noise_floor(runs, x),
        noise_measure=noise_floor(runs, y),
        n_systems=len(rows),
        n_steps=sum(len(run.steps) for run in runs),
        n_replicates=max(len(members) for run in runs for members in run.members),
        note=plain.note or changes.note,
    )


def noise_floor(runs: list[Series], column: Doubles) -> float:
    """SD among replicates of a step, pooled over steps: sqrt(sum of squares within / degrees of freedom)."""
    steps = [column[members] for run in runs for members in run.members]
    freedom = sum(len(values) - 1 for values in steps)
    return sqrt(sum(float(((values - values.mean()) ** 2).sum()) for values in steps) / freedom) if freedom else nan
