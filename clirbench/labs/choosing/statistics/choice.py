"""Which system would each metric choose, or stopping training early by it, and what does that lose?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.labs.choosing.statistics.training import Series, has_steps, series_of
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.decision import Decision, decided
from clirbench.statistics.units.belonging import Units
from clirbench.types import Doubles


@dataclass(frozen=True)
class Choice:
    """What choosing the best of a metric's `shortlist` first systems loses, in units of the measure.

    `pick`: the system chosen (for a short list, the best of it by the measure); `regret` = best_value - value >= 0 on
    these topics. `expected_regret` and the .95 interval `low`, `high`, all >= 0: what choosing it loses in a population
    of topics, as in the decision (`expected_loss`, and `difference` turned round); NaN where it is not known.
    """

    measure: str
    metric: str
    shortlist: int
    pick: str
    value: float
    best: str
    best_value: float
    regret: float
    expected_regret: float
    low: float
    high: float
    n_systems: int
    n_topics: int
    note: str = ""


def choices(
    evidence: Evidence,
    units: Units,
    shortlists: Sequence[int] = (1, 2, 3, 5),
    *,
    same_lines: bool = False,
    seed: int = 0,
    complete: bool = False,
) -> list[Choice]:
    """A row for every measure, metric and short-list size (sizes above the number of systems are left out).

    Metrics are oriented, so a pick is the system with the highest oriented score; ties go to the first in the
    board's order and are noted. Raises `ConfigError` for a size below 1.
    """
    if any(k < 1 for k in shortlists):
        raise ConfigError(f"shortlists={list(shortlists)}: sizes from 1")
    found = []
    for part, note in panels(evidence, complete):
        own = units.only(evidence.rows(part.systems))
        for k, measure in enumerate(part.measure_names):
            decision = decided(part, own, measure, same_lines=same_lines, seed=seed)
            for m, metric in enumerate(part.metric_names):
                for size in shortlists:
                    if size <= len(part.systems):
                        found.append(_choice(part, decision, metric, part.y[k], part.x[m], size, note))
    return found


def _choice(
    evidence: Evidence, decision: Decision, metric: str, y: Doubles, x: Doubles, size: int, note: str
) -> Choice:
    listed = np.argsort(-x, kind="stable")[:size]
    pick, best = int(listed[np.argmax(y[listed])]), int(np.argmax(y))
    tied = int((x == x[listed[-1]]).sum()) - int((x[listed] == x[listed[-1]]).sum())
    ties = f"{tied} more tied with the last of the list; the first in order was taken" if tied else ""
    expected, low, high = nan, nan, nan
    if not decision.reason:
        row = decision[evidence.systems[pick]]
        expected, low, high = row.expected_loss, max(0.0, -row.difference_high), max(0.0, -row.difference_low)
    return Choice(
        measure=decision.measure,
        metric=metric,
        shortlist=size,
        pick=evidence.systems[pick],
        value=float(y[pick]),
        best=evidence.systems[best],
        best_value=float(y[best]),
        regret=float(y[best] - y[pick]),
        expected_regret=expected,
        low=low,
        high=high,
        n_systems=len(evidence.systems),
        n_topics=evidence.topics(decision.measure),
        note="; ".join(filter(None, [note, ties, decision.reason])),
    )


@dataclass(frozen=True)
class Stop:
    """What a training run would have given if a metric had stopped it.

    Training stops at `stopped` (the last step where it never does), `patience` evaluations after the metric's best
    so far; `shipped` is the step of that best. `regret` = the measure's best step - value, `saved`: steps
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


def early_stopping(evidence: Evidence, patiences: Sequence[int] = (1, 2, 3, 5), series: str = "") -> list[Stop]:
    """A row for every training run, measure, metric and patience; none where systems carry no steps.

    A metric that equals its best has not improved. Raises `ConfigError` for a patience below 1.
    """
    if any(patience < 1 for patience in patiences):
        raise ConfigError(f"patiences={list(patiences)}: at least 1")
    if not has_steps(evidence.board):
        return []
    part, _ = next(iter(panels(evidence)))
    return [
        _replayed(run, measure, metric, run.means(part.x[m]), run.means(part.y[k]), patience)
        for run in series_of(part, series)
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
        series=run.name,
        measure=measure,
        metric=metric,
        patience=patience,
        stopped=float(run.steps[now]),
        shipped=float(run.steps[best]),
        value=float(y[best]),
        best_step=float(run.steps[top]),
        best_value=float(y[top]),
        regret=float(y[top] - y[best]),
        saved=float(run.steps[-1] - run.steps[now]),
        n_steps=len(x),
    )
