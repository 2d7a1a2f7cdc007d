"""Would another reasonable choice have named another winner? The same question asked over a grid of choices."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan, nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.report.conditions import UniverseTau
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.coefficients import coefficient

Universe = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class MultiverseRow:
    """How a metric fares over all universes, for one measure.

    `lowest` ... `highest`: the distribution of its tau; `wins`: in how many universes it is best, ties shared;
    `share` = wins / universes that have a value.
    """

    measure: str
    metric: str
    lowest: float
    quarter: float
    median: float
    three_quarters: float
    highest: float
    wins: float
    share: float
    universes: int


def universes(choices: Mapping[str, Sequence[object]]) -> list[Universe]:
    """The grid: every combination of the values of every key, in order, the last key turning fastest.

    Raises `ConfigError` for a key without values.
    """
    empty = [key for key, values in choices.items() if not len(values)]
    if empty:
        raise ConfigError(f"multiverse: no values for {', '.join(empty)}")
    return [tuple(zip(choices, values, strict=True)) for values in product(*choices.values())]


def universe_taus(boards: Mapping[Universe, Scoreboard], name: str = "kendall") -> list[UniverseTau]:
    """Every coefficient in every universe; a measure has one name in all of them.

    `best` marks the highest value of its universe and measure (all that share it).
    """
    rows = []
    for number, (universe, board) in enumerate(boards.items(), 1):
        spelt = " ".join(f"{key}={value}" for key, value in universe)
        for measure in board.measures:
            found = [coefficient(name)(metric.oriented, measure.oriented, p_value="scipy") for metric in board.metrics]
            top = max((result.value for result in found if result.defined), default=nan)
            for metric, result in zip(board.metrics, found, strict=True):
                best = result.defined and result.value >= top - 1e-12
                row = UniverseTau(
                    universe=number,
                    choices=spelt,
                    measure=measure.name,
                    metric=metric.name,
                    value=result.value,
                    best=best,
                    note=result.note,
                )
                rows.append(row)
    return rows


def multiverse(rows: Sequence[UniverseTau]) -> list[MultiverseRow]:
    """The summary of `universe_taus` for every measure and metric; undefined taus are left out of it."""
    winners = Counter((tau.universe, tau.measure) for tau in rows if tau.best)
    summary = []
    for measure, metric in dict.fromkeys((row.measure, row.metric) for row in rows):
        here = [tau for tau in rows if (tau.measure, tau.metric) == (measure, metric) and not isnan(tau.value)]
        values = [tau.value for tau in here]
        lowest, quarter, middle, upper, highest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]) if here else [nan] * 5
        wins = sum(1 / winners[tau.universe, measure] for tau in here if tau.best)
        row = MultiverseRow(
            measure=measure,
            metric=metric,
            lowest=float(lowest),
            quarter=float(quarter),
            median=float(middle),
            three_quarters=float(upper),
            highest=float(highest),
            wins=wins,
            share=wins / len(here) if here else nan,
            universes=len(here),
        )
        summary.append(row)
    return summary
