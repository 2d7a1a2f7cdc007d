"""Does a metric agree with retrieval under other scorings of the same topics too?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clirbench.scoreboard import Column
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.concordance import taus
from clirbench.statistics.units.selection import adjusted_p_values, common_systems
from clirbench.types import Doubles, Ints

SAMPLES = 1999
"""Exchanges of systems: a count of sixteen needs no finer p-values."""


@dataclass(frozen=True, eq=False)
class Scoring:
    """The systems' values under one scoring; `values`: (systems,) in the order of the board, more is better, NaN holes.

    `half`: the measure of the run itself, on half of its topics.
    """

    name: str
    values: Doubles
    half: bool = False


@dataclass(frozen=True)
class ScoringTau:
    """One metric under one scoring: tau between groups, and whether its lower bound is above 0."""

    scoring: str
    metric: str
    tau: float
    shown: bool


def scoring_taus(
    scorings: Sequence[Scoring], metrics: Sequence[Column], units: Units, *, alpha: float = 0.05, seed: int = 0
) -> list[ScoringTau]:
    """A row for every scoring and metric; NaN for a metric whose holes are too many to be compared with the others."""
    if not metrics:
        return []
    x = np.stack([metric.oriented for metric in metrics])
    rows = []
    for scoring in scorings:
        tau, shown = np.full(len(metrics), np.nan), np.zeros(len(metrics), dtype=bool)
        compared, systems = common_systems(x, scoring.values)
        if len(compared) and len(systems) > 1:
            part = x[compared][:, systems]
            tau[compared], shown[compared] = bounded(
                part, scoring.values[systems], units.only(systems).index, alpha, seed
            )
        rows += [
            ScoringTau(scoring.name, metric.name, float(t), bool(above))
            for metric, t, above in zip(metrics, tau.tolist(), shown.tolist(), strict=True)
        ]
    return rows


def bounded(x: Doubles, y: Doubles, unit: Ints, alpha: float, seed: int) -> tuple[Doubles, NDArray[np.bool_]]:
    """(metrics,): tau between groups, and whether it is shown to be above 0, for all metrics at once (step-down).

    `x`: (metrics, n), `y`: (n,), finite.
    """
    if int(unit.max()) < 1:
        return np.full(len(x), np.nan), np.zeros(len(x), dtype=bool)
    tau = taus(x, y, unit)[:, 0]
    found = adjusted_p_values(x, y, unit, alpha=2 * alpha, samples=SAMPLES, seed=seed)
    return tau, (tau > 0) & (found.adjusted < 2 * alpha)
