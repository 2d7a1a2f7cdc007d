"""May training stop? What the trend of the recent checkpoints leaves to be gained, as far as the topics can tell.

The rule: a straight line through the last two thirds of the checkpoints (at least `WINDOW`), topic by topic. Stop where
P(the line gains more than is worth the wait within the next checkpoints) <= `ALPHA`. What training gained before is no
part of it. How often it errs over a whole training: benchmarks/stopping.py.
"""

from dataclasses import dataclass

import numpy as np

from clirbench.pages.wording import short
from clirbench.statistics.model.noise import FEWEST_TOPICS
from clirbench.types import Doubles

ALPHA = 0.1
SURE = 0.95
PAST = "past the peak"
WINDOW = 11
FEWEST = WINDOW + 1
"""Checkpoints before anything is reported."""
NEAREST, AHEAD = 5, 5
"""How far the rule looks where the user names no horizon: 5 checkpoints, or a fifth of those so far."""
RESOLVED = 2.5
"""The default gain, in standard errors of the gain that the line predicts. With `ALPHA` the rule stops where the line
rises by less than about 1.2 standard errors. Chosen on 200 to 300 draws of each world of benchmarks/stopping.py with
another seed: less leaves flat trainings running, more stops rising ones."""


@dataclass(frozen=True)
class Outlook:
    """What is left to be gained: `p_gain` = P(trend gains more than `gain` within the next `horizon` checkpoints).

    `best`: the step of the highest value; `since`: the same among checkpoints that are more than `horizon` old.
    `gain` >= 0 in units of the measure. `window`: how many checkpoints the trend is of. `p_past` = P(the trend falls).
    """

    best: float
    since: float
    gain: float
    horizon: int
    window: int
    p_gain: float
    p_past: float

    @property
    def stop(self) -> bool:
        """Whether training may stop."""
        return self.p_gain <= ALPHA

    @property
    def verdict(self) -> str:
        """`go on`, `no gain since step N`, or `past the peak`."""
        if not self.stop:
            return "go on"
        return PAST if self.p_past >= SURE else f"no gain since step {short(self.since)}"


def outlook(values: Doubles, step: Doubles, *, gain: float | None = None, horizon: int | None = None) -> Outlook | None:
    """What is left to be gained after the checkpoints at `step` (n,), ascending; None where it is too early to say.

    values: (n, topics), more is better, a mean over runs where there are several. The next checkpoints are as far
    apart as the recent ones (median). Each topic has its own slope; their mean is the trend, and their spread its
    standard error: paired, so what a topic does to all checkpoints alike is no part of it. Where the checkpoints
    scatter about the line by more than that, their scatter gives the standard error. Student's t, a flat prior.
    """
    from scipy.special import stdtr

    n, topics = values.shape
    if n < FEWEST or topics < FEWEST_TOPICS or not np.isfinite(values).all() or (values == values[0]).all():
        return None
    window = max(WINDOW, 2 * n // 3)
    horizon = max(NEAREST, n // AHEAD) if horizon is None else horizon
    recent, at = values[-window:], step[-window:] / np.median(np.diff(step[-window:]))
    at = at - at.mean()
    weights = at / (at @ at)
    slopes, means = weights @ recent, recent.mean(axis=1)
    trend = float(slopes.mean())
    scatter = means - means.mean() - trend * at
    error = max(
        float(slopes.std(ddof=1)) / np.sqrt(topics),
        float(np.sqrt(scatter @ scatter / (window - 2) * (weights @ weights))),
        1e-12 * float(np.abs(values).max()),  # rounding
    )
    gain = RESOLVED * horizon * error if gain is None else gain
    best, since = (float(step[values[:k].mean(axis=1).argmax()]) for k in (n, max(1, n - horizon)))
    p_gain = float(stdtr(topics - 1, (trend - gain / horizon) / error))
    return Outlook(best, since, gain, horizon, window, p_gain, float(stdtr(topics - 1, -trend / error)))
