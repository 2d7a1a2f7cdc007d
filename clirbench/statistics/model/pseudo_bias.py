"""How much better does a metric look by pseudo-relevance than by other judgments, or by one retriever than another?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.concordance import taus
from clirbench.statistics.units.given import ALONG, real_metrics
from clirbench.statistics.units.jackknife import jackknifed
from clirbench.types import JUDGES


@dataclass(frozen=True)
class TauGap:
    """`gap` = tau(metric, first) - tau(metric, second), between units, with its interval of confidence .95.

    `first`, `second`: one measure by pseudo-relevance and by other judgments, or by two retrievers. NaN with the
    reason in `note`.
    """

    first: str
    second: str
    metric: str
    tau_first: float
    tau_second: float
    gap: float
    ci_low: float
    ci_high: float
    n_systems: int
    n_units: int
    note: str = ""


def tau_gaps(board: Scoreboard, units: Units, pairs: Iterable[tuple[Column, Column]]) -> list[TauGap]:
    """A row for every metric and every pair of measures (`twice_judged`, `twice_searched`).

    Over the systems that have all three values; along training there is no interval, else that of a delete-one-unit
    jackknife of the difference. **Source:** Miller 1974.
    """
    found = []
    for one, other in pairs:
        for metric in real_metrics(board):
            rows = np.flatnonzero(np.isfinite(metric.values + one.values + other.values))
            own = units.only(rows)
            if own.number < 2:
                continue
            x, a, b = (column.oriented[rows] for column in (metric, one, other))
            by_one, by_other = taus(x, a, own.index), taus(x, b, own.index)
            bias = jackknifed(float((by_one - by_other)[0]), (by_one - by_other)[1:])
            low, high, note = (np.nan, np.nan, ALONG) if own.along_training else (bias.low, bias.high, bias.note)
            both = float(by_one[0]), float(by_other[0])
            sizes = len(rows), own.number
            found.append(TauGap(one.name, other.name, metric.name, *both, bias.value, low, high, *sizes, note))
    return found


def twice_searched(board: Scoreboard) -> Iterator[tuple[Column, Column]]:
    """(by the first retriever, by another): one measure of the same topics and judgments, `MAP` and `MAP[dense]`."""
    for one, other in combinations(board.measures, 2):
        same = one.parts[1:] == other.parts[1:] != () and _root(one) == _root(other)
        if same and one.parts[0] != other.parts[0]:
            yield one, other


def twice_judged(board: Scoreboard) -> Iterator[tuple[Column, Column]]:
    """(by pseudo-relevance, by other judgments): one measure of the same runs, `MAP` and `MAP[qrels]`."""
    for pseudo in board.measures:
        for judged in board.measures:
            two = pseudo.judged_by == "pseudo-relevance" and judged.judged_by in JUDGES
            if two and _root(pseudo) == _root(judged) and pseudo.parts[:2] == judged.parts[:2]:
                yield pseudo, judged


def _root(column: Column) -> str:
    return column.name.partition("[")[0]
