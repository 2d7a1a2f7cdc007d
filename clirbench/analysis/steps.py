"""Systems that are checkpoints: their order along training, by series and step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.analysis.evidence import Evidence
from clirbench.errors import InputError, UnknownName
from clirbench.scoreboard import Scoreboard
from clirbench.types import Doubles, Ints


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


def has_steps(board: Scoreboard, step: str = "step") -> bool:
    """Whether the systems carry training steps, at least two different ones."""
    return len({text.strip() for text in board.metadata.get(step, ())} - {""}) > 1


def series_of(evidence: Evidence, step: str = "step", series: str = "") -> list[Series]:
    """The training runs: systems grouped by the metadata column `series` (none: all are one run), ordered by `step`.

    Systems without a step belong to none. Systems of one run with the same step are its replicates (seeds).
    Raises `UnknownName` for a column that does not exist, `InputError` for a step that is no number.
    """
    metadata = evidence.board.metadata
    for column in filter(None, (step, series)):
        if column not in metadata:
            raise UnknownName("metadata column", column, metadata)
    labels = metadata[series] if series else ("",) * len(evidence.systems)
    grouped: dict[str, dict[float, list[int]]] = {}
    for row, (label, text) in enumerate(zip(labels, metadata[step], strict=True)):
        if text.strip():
            grouped.setdefault(label, {}).setdefault(_number(text, evidence.systems[row], step), []).append(row)
    return [_series(label, by_step) for label, by_step in grouped.items()]


def _series(label: str, by_step: Mapping[float, Sequence[int]]) -> Series:
    steps = sorted(by_step)
    return Series(label, np.array(steps), tuple(np.array(by_step[step], dtype=np.int64) for step in steps))


def _number(text: str, system: str, step: str) -> float:
    try:
        return float(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise InputError(f"system {system}: {step} {text!r} is not a number") from None
