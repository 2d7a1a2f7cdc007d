"""What a watch says of a training: the curve that the stop rule goes by, and its verdict in words."""

from contextlib import suppress

import numpy as np

from clirbench.labs.watching.stopping import FEWEST, UNKNOWN, Outlook
from clirbench.pages.wording import interval, number
from clirbench.report.grouping import training_runs
from clirbench.result import Result
from clirbench.statistics.model.decision import topic_values
from clirbench.types import Doubles

WRONG = (
    "Of simulated trainings that rose to the end this rule stopped up to .07 too early (50 topics; 150: .06). "
    "It cannot predict a rise that is still to come, as after a change of the learning rate."
)
"""From benchmarks/RESULTS.md."""


def learning_curve(result: Result, measure: str) -> tuple[Doubles, Doubles]:
    """(steps, topics): the mean over runs at each step that all runs have reached; and those steps, ascending."""
    none = np.empty((0, 0)), np.empty(0)
    if measure not in {column.name for column in result.board.measures}:
        return none
    part = result.evidence.only(np.isfinite(result.board[measure].values))
    values = topic_values(part, measure)
    if values is None:
        return none
    steps, runs = part.board.metadata.get("step", ()), training_runs(part.board).group_of
    at: dict[float, dict[int, list[int]]] = {}
    for row, text in enumerate(steps):
        with suppress(ValueError):
            at.setdefault(float(text), {}).setdefault(runs[row], []).append(row)
    common = sorted(step for step, of_run in at.items() if len(of_run) == len(set(runs)))
    if not common:
        return none
    means = [np.mean([values[rows].mean(axis=0) for rows in at[step].values()], axis=0) for step in common]
    return np.stack(means), np.array(common)


def in_words(found: Outlook | None, measure: str, checkpoints: int) -> str:
    """What the rule says, in a sentence."""
    if found is None:
        return (
            f"Go on: {checkpoints} checkpoints with {measure or 'a measure'} are too few to judge, {FEWEST} are needed."
        )
    gain = f"the next {found.horizon} gain {interval(found.low, found.high)} {measure}, each limit with 95 %"
    rest = f"; {number(found.gain)} is worth the wait. {WRONG}"
    if not found.stop:
        rest = "." if found.verdict != UNKNOWN else ": more topics or checkpoints would tell."
    verdict = f"{found.verdict[0].upper()}{found.verdict[1:]}"
    return f"{verdict}: if the trend of the last {found.window} checkpoints holds, {gain}{rest}"
