"""Early stopping replayed: where each metric would have ended the training, and with what retrieval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.analysis.evidence import Evidence, panels
from clirbench.analysis.steps import Series, has_steps, series_of
from clirbench.errors import ConfigError
from clirbench.types import Doubles


@dataclass(frozen=True)
class Stop:
    """What a training run would have shipped if a metric had stopped it.

    Training stops at `stopped` (the last step where it never does), `patience` evaluations after the metric's best
    so far, and ships `shipped`, the step of that best. `regret` = the measure's best step - value, `saved`: steps
    not trained. Replicates of a step are averaged.
    """

    series: str
    measure: str
    metric: str
    patience: int
    stopped: float
    shipped: float
    value: float
    best_step: float
    best_value: float
    regret: float
    saved: float
    n_steps: int


def early_stopping(
    evidence: Evidence, patiences: Sequence[int] = (1, 2, 3, 5), *, step: str = "step", series: str = ""
) -> list[Stop]:
    """A row for every training run, measure, metric and patience; none where systems carry no steps.

    A metric that equals its best has not improved. Raises `ConfigError` for a patience below 1.
    """
    if any(patience < 1 for patience in patiences):
        raise ConfigError(f"patiences={list(patiences)}: at least 1")
    if not has_steps(evidence.board, step):
        return []
    part, _ = next(iter(panels(evidence)))
    return [
        _replayed(run, measure, metric, run.means(part.x[m]), run.means(part.y[k]), patience)
        for run in series_of(part, step, series)
        for k, measure in enumerate(part.measure_names)
        for m, metric in enumerate(part.metric_names)
        for patience in patiences
    ]


def _replayed(run: Series, measure: str, metric: str, x: Doubles, y: Doubles, patience: int) -> Stop:
    best = 0
    for now in range(len(x)):
        if x[now] > x[best]:
            best = now
        elif now - best >= patience:
            break
    top = int(np.argmax(y))
    return Stop(
        run.name, measure, metric, patience, float(run.steps[now]), float(run.steps[best]), float(y[best]),
        float(run.steps[top]), float(y[top]), float(y[top] - y[best]), float(run.steps[-1] - run.steps[now]), len(x),
    )  # fmt: skip
