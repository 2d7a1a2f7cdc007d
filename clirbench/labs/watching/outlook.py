"""What a watch says of a training: the curve that the stop rule goes by, and its verdict in words."""

from contextlib import suppress

import numpy as np

from clirbench.labs.watching.stopping import FEWEST, PAST, Outlook
from clirbench.pages.wording import number
from clirbench.report.grouping import training_runs
from clirbench.result import Result
from clirbench.statistics.model.decision import topic_values
from clirbench.types import Doubles

WRONG = (
    "Of simulated trainings that rose to the end, this rule stopped .11 with 50 topics and .01 with 100. "
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
    fall = (
        f"the last {found.window} checkpoints fall with probability {_probability(found.p_past)}; "
        if found.verdict == PAST
        else ""
    )
    gain = (
        f"if the trend of the last {found.window} checkpoints holds, the next {found.horizon} gain more than "
        f"{number(found.gain)} {measure} with probability {_probability(found.p_gain)}."
    )
    wrong = f" {WRONG}" if found.stop else ""
    return f"{found.verdict[0].upper()}{found.verdict[1:]}: {fall}{gain}{wrong}"


def _probability(p: float) -> str:
    return "below .01" if p < 0.01 else "above .99" if p > 0.99 else number(p, 2)
