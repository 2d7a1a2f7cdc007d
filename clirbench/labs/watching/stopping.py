"""May training stop? What the trend of the recent checkpoints leaves to be gained, as far as the topics can tell.

The rule: a straight line through the last two thirds of the checkpoints (at least `WINDOW`), topic by topic. Stop where
the next checkpoints gain less than `GAIN` if the line holds, go on where they gain something, both with P = .95; else
nobody can tell. What training gained before is no part of it. How often it errs: benchmarks/stopping.py.
"""

from contextlib import suppress
from dataclasses import dataclass
from math import fsum

import numpy as np

from clirbench.pages import interval, number, short
from clirbench.report.groupings import training_runs
from clirbench.result import Result
from clirbench.statistics.decision import topic_values
from clirbench.statistics.noise import FEWEST_TOPICS
from clirbench.types import Doubles

SURE = 0.95
PAST, UNKNOWN = "past the peak", "cannot tell"
WINDOW = 11
FEWEST = WINDOW + 1
"""Checkpoints before anything is reported."""
GAIN = 0.005
"""What is worth the wait, in units of the measure, unless the user has another figure."""
NEAREST, AHEAD = 5, 5
"""How far the rule looks where the user names no horizon: 5 checkpoints, or a fifth of those so far."""

WRONG = (
    "Of simulated trainings that rose to the end this rule stopped up to .07 too early (50 topics; 150: .06). "
    "It cannot predict a rise that is still to come, as after a change of the learning rate."
)
"""From benchmarks/RESULTS.md."""


@dataclass(frozen=True)
class Outlook:
    """What is left to be gained within the next `horizon` checkpoints if the trend of the last `window` holds.

    `low` and `high`: one-sided .95 limits of that gain. `gain` >= 0: what is worth the wait; all in units of the
    measure. `best`: the step of the highest value; `since`: the same among those that are more than `horizon` old.
    """

    best: float
    since: float
    gain: float
    horizon: int
    window: int
    low: float
    high: float

    @property
    def stop(self) -> bool:
        """Whether training may stop."""
        return self.high < self.gain

    @property
    def verdict(self) -> str:
        """`go on`, `no gain since step N`, `past the peak`, or `cannot tell`."""
        if self.stop:
            return PAST if self.high < 0 else f"no gain since step {short(self.since)}"
        return "go on" if self.low > 0 else UNKNOWN


def outlook(values: Doubles, step: Doubles, *, gain: float = GAIN, horizon: int | None = None) -> Outlook | None:
    """What is left to be gained after the checkpoints at `step` (n,), ascending; None where it is too early to say.

    values: (n, topics), more is better, a mean over runs where there are several. The next checkpoints are as far
    apart as the recent ones (median). Each topic has its own slope; their mean is the trend, and their spread its
    standard error: paired, so what a topic does to all checkpoints alike is no part of it. Where the checkpoints
    scatter about the line by more than that, their scatter gives the standard error (`scatter_error`). Student's t.
    """
    from scipy.special import stdtrit

    n, topics = values.shape
    if n < FEWEST or topics < FEWEST_TOPICS or not np.isfinite(values).all() or (values == values[0]).all():
        return None
    window = max(WINDOW, 2 * n // 3)
    horizon = max(NEAREST, n // AHEAD) if horizon is None else horizon
    recent, at = values[-window:], step[-window:] / np.median(np.diff(step[-window:]))
    at = at - at.mean()
    slopes, means = at @ recent / (at @ at), recent.mean(axis=1)
    trend = float(slopes.mean())
    error = max(
        float(slopes.std(ddof=1)) / np.sqrt(topics),
        scatter_error(at, means - means.mean() - trend * at),
        1e-12 * float(np.abs(values).max()),  # rounding
    )
    reach = float(stdtrit(min(topics - 1, window - 2), SURE)) * error
    best, since = (float(step[values[:k].mean(axis=1).argmax()]) for k in (n, max(1, n - horizon)))
    return Outlook(best, since, gain, horizon, window, horizon * (trend - reach), horizon * (trend + reach))


def scatter_error(at: Doubles, scatter: Doubles) -> float:
    """The standard error of a line's slope whose residuals follow one another: Newey and West 1987, Bartlett weights.

    at: (n,) with mean 0; scatter: (n,) residuals. As many lags as Newey and West 1994 advise for n, and their
    correction for a line's two parameters.
    """
    n = len(at)
    lags = int(4 * (n / 100) ** (2 / 9))
    parts = at * scatter
    total = float(parts @ parts)
    total += fsum(2 * (1 - k / (lags + 1)) * float(parts[k:] @ parts[:-k]) for k in range(1, lags + 1))
    return float(np.sqrt(max(0.0, total) * n / (n - 2)) / (at @ at))


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
