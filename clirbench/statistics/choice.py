"""Which checkpoint would a metric choose, where would it stop, and what retrieval does that lose?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.resampling import measure_values
from clirbench.statistics.training import Series, has_steps, series_of
from clirbench.types import Doubles, Ints


@dataclass(frozen=True)
class Choice:
    """What shipping the best of a metric's `shortlist` first systems costs, in units of the measure.

    `pick`: the system shipped (for a short list, the best of it by the measure); `regret` = best_value - value >= 0.
    `regret_split`: the same, but the best system (and the best of the short list) is named on one half of the topics
    and all are compared on the other, averaged over `splits` random halves; `split_low`, `split_high` hold the middle
    95 % of splits. It compares with choosing by half the topics, not with the truly best system, so it is no estimate
    of what is lost (it is often below 0). NaN without per-topic values.
    """

    measure: str
    metric: str
    shortlist: int
    pick: str
    value: float
    best: str
    best_value: float
    regret: float
    regret_split: float
    split_low: float
    split_high: float
    n_systems: int
    n_topics: int
    splits: int
    seed: int
    note: str = ""


def choices(
    evidence: Evidence,
    shortlists: Sequence[int] = (1, 2, 3, 5),
    *,
    splits: int = 500,
    seed: int = 0,
    complete: bool = False,
) -> list[Choice]:
    """A row for every measure, metric and short-list size (sizes above the number of systems are left out).

    Metrics are oriented, so a pick is the system with the highest oriented score; ties go to the first in the
    board's order and are noted. Raises `ConfigError` for a size below 1 or fewer than 2 splits.
    """
    if any(k < 1 for k in shortlists) or splits < 2:
        raise ConfigError(f"shortlists={list(shortlists)}, splits={splits}: sizes from 1, splits from 2")
    found = []
    for part, note in panels(evidence, complete):
        for k, measure in enumerate(part.measure_names):
            halves = _halves(part, measure, splits, seed)
            for m, metric in enumerate(part.metric_names):
                for size in shortlists:
                    if size <= len(part.systems):
                        found.append(
                            _choice(part, measure, metric, part.y[k], part.x[m], size, halves, splits, seed, note)
                        )
    return found


def _choice(
    evidence: Evidence,
    measure: str,
    metric: str,
    y: Doubles,
    x: Doubles,
    size: int,
    halves: tuple[Doubles, Doubles] | None,
    splits: int,
    seed: int,
    note: str,
) -> Choice:
    listed = np.argsort(-x, kind="stable")[:size]
    pick, best = int(listed[np.argmax(y[listed])]), int(np.argmax(y))
    lost = np.full(1, nan)
    if halves is not None:
        named, compared = halves
        rows = np.arange(len(named))
        lost = compared[rows, named.argmax(axis=1)] - compared[rows, listed[named[:, listed].argmax(axis=1)]]
    tied = int((x == x[listed[-1]]).sum()) - int((x[listed] == x[listed[-1]]).sum())
    notes = [note, f"{tied} more tied with the last of the list; the first in order was taken" if tied else ""]
    low, high = np.quantile(lost, [0.025, 0.975])
    return Choice(
        measure=measure,
        metric=metric,
        shortlist=size,
        pick=evidence.systems[pick],
        value=float(y[pick]),
        best=evidence.systems[best],
        best_value=float(y[best]),
        regret=float(y[best] - y[pick]),
        regret_split=float(lost.mean()),
        split_low=float(low),
        split_high=float(high),
        n_systems=len(evidence.systems),
        n_topics=evidence.topics(measure),
        splits=0 if halves is None else splits,
        seed=seed,
        note="; ".join(filter(None, notes)),
    )


def _halves(evidence: Evidence, measure: str, splits: int, seed: int) -> tuple[Doubles, Doubles] | None:
    """The measure on random halves of the topics and on their complements: (splits, systems) each."""
    n = evidence.topics(measure)
    if n < 2:
        return None
    order: Ints = np.random.default_rng([seed, n]).permuted(np.tile(np.arange(n), (splits, 1)), axis=1)
    named = measure_values(evidence, measure, order[:, : n // 2])
    return named, measure_values(evidence, measure, order[:, n // 2 :])


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
