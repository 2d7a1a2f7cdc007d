"""Which system would be chosen: by the posterior, by each metric, and by stopping training early; what does it lose?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.decision import Decision, decide
from clirbench.statistics.training import Series, has_steps, series_of
from clirbench.statistics.units.belonging import Units
from clirbench.types import Doubles

MOST_SYSTEMS = 200
"""Along training the set held the best in 37 of 38 worlds with known truth of 200 systems, and in 9 of 12 of 400."""


def decided(evidence: Evidence, units: Units, measure: str, *, same_lines: bool = False, seed: int = 0) -> Decision:
    """The decision on a measure among the systems that have it; along training, units are runs with their steps.

    `same_lines`: see `decide`. `reason` says why there is none; more than 200 systems have none.
    """
    kept = np.isfinite(evidence.board[measure].values)
    if int(kept.sum()) > MOST_SYSTEMS:
        return Decision(measure, reason=f"{int(kept.sum())} systems: at most {MOST_SYSTEMS} are compared")
    own = units.only(np.flatnonzero(kept))
    step = own.steps if own.along_training and np.isfinite(own.steps).all() else None
    if step is not None:  # they need a logarithm: step 0 lies halfway before the first one
        step = np.where(step > 0, step, step[step > 0].min() / 2)
    return decide(evidence.only(kept), measure, unit=own.index, step=step, same_lines=same_lines, seed=seed)


@dataclass(frozen=True)
class Choice:
    """What shipping the best of a metric's `shortlist` first systems loses, in units of the measure.

    `pick`: the system shipped (for a short list, the best of it by the measure); `regret` = best_value - value >= 0
    on these topics. `expected_regret` >= 0 with `low`, `high` (central .95): by the posterior, in a population
    of topics; NaN where it is not known, `note` says why.
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
    unknown = decision.reason or decision.silent
    lost = np.full(1, nan) if unknown else decision.draws.max(axis=1) - decision.draws[:, pick]
    tied = int((x == x[listed[-1]]).sum()) - int((x[listed] == x[listed[-1]]).sum())
    ties = f"{tied} more tied with the last of the list; the first in order was taken" if tied else ""
    low, high = np.quantile(lost, [0.025, 0.975])
    return Choice(
        measure=decision.measure,
        metric=metric,
        shortlist=size,
        pick=evidence.systems[pick],
        value=float(y[pick]),
        best=evidence.systems[best],
        best_value=float(y[best]),
        regret=float(y[best] - y[pick]),
        expected_regret=float(lost.mean()),
        low=float(low),
        high=float(high),
        n_systems=len(evidence.systems),
        n_topics=evidence.topics(decision.measure),
        note="; ".join(filter(None, [note, ties, f"not expected: {unknown}" if unknown else ""])),
    )


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
