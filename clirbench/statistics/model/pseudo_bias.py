"""How much better does a metric look by pseudo-relevance than by human judgments?"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.model.jackknife import Interval, jackknifed, taus
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.claims import ALONG, real_metrics
from clirbench.types import Doubles, Ints

RELEVANCE = "|rel:"
JUDGED = f"{RELEVANCE}qrels"


@dataclass(frozen=True)
class PseudoBias:
    """`bias` = tau(metric, pseudo) - tau(metric, judged), between units, with its interval of confidence .95.

    `pseudo`, `judged`: one measure by pseudo-relevance and by human judgments. NaN with the reason in `note`.
    """

    pseudo: str
    judged: str
    metric: str
    tau_pseudo: float
    tau_judged: float
    bias: float
    ci_low: float
    ci_high: float
    n_systems: int
    n_units: int
    note: str = ""


def pseudo_biases(board: Scoreboard, units: Units) -> list[PseudoBias]:
    """A row for every metric and every measure that a board has by pseudo-relevance and by human judgments.

    Over the systems that have all three values; along training there is no interval.
    """
    found = []
    for pseudo, judged in twice_judged(board):
        for metric in real_metrics(board):
            rows = np.flatnonzero(np.isfinite(metric.values + pseudo.values + judged.values))
            own = units.only(rows)
            if own.number < 2:
                continue
            x, a, b = (column.oriented[rows] for column in (metric, pseudo, judged))
            one = pseudo_bias(x, a, b, own.index)
            low, high, note = (np.nan, np.nan, ALONG) if own.along_training else (one.low, one.high, one.note)
            by_pseudo, by_people = (float(taus(x, y, own.index)[0]) for y in (a, b))
            row = PseudoBias(
                pseudo.name, judged.name, metric.name, by_pseudo, by_people, one.value, low, high, len(rows),
                own.number, note,
            )  # fmt: skip
            found.append(row)
    return found


def twice_judged(board: Scoreboard) -> Iterator[tuple[Column, Column]]:
    """(by pseudo-relevance, by human judgments): one measure of the same runs, `MAP` and `MAP[qrels]`."""
    for pseudo in board.measures:
        for judged in board.measures:
            two = RELEVANCE in pseudo.signature and JUDGED not in pseudo.signature and JUDGED in judged.signature
            if two and _measured(pseudo) == _measured(judged):
                yield pseudo, judged


def _measured(column: Column) -> tuple[str, str]:
    """The measure's name without its labels, and the retrieval and topics it is of."""
    return column.name.partition("[")[0], column.signature.partition(RELEVANCE)[0]


def pseudo_bias(x: Doubles, pseudo: Doubles, judged: Doubles, unit: Ints) -> Interval:
    """tau(metric, pseudo) - tau(metric, judged) over the same systems of different units, paired; 0 is no bias.

    `x`, `pseudo`, `judged`: (n,) finite, more is better; in [-2, 2]. Interval: delete-one-unit jackknife of the
    difference. **Source:** Miller 1974.
    """
    found = taus(x, pseudo, unit) - taus(x, judged, unit)
    return jackknifed(float(found[0]), found[1:].tolist())
