"""How tau falls in the better half of the systems, and what of that a perfect metric would lose too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import asin, isnan, nan, pi, sqrt
from pathlib import Path

import numpy as np

from clirbench.files.run_files import numbers, read_run_table
from clirbench.labs.collections.statistics.settings import Collection
from clirbench.statistics.model.ceiling import better_half_ceiling


@dataclass(frozen=True)
class RangeOfTau:
    """A metric's mean tau over `collections`, of all systems and of the better half by the measure, each with the mean
    `ceiling`: the tau that is expected of a metric without error, because of the topics' noise."""

    metric: str
    collections: int
    tau: float
    ceiling: float
    better_half: float
    better_half_ceiling: float


def ranges(collections: Sequence[tuple[str, Collection, Path]], measure: str) -> Iterator[RangeOfTau]:
    """A row for each metric, the highest tau first; (name that counts once, its collection, the run's folder) of each
    run. Runs of one name are averaged first; those without a better half have no part.
    """
    found: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for name, collection, folder in collections:
        for metric, row in _of_run(collection, folder, measure):
            found.setdefault(metric, {}).setdefault(name, []).append(row)
    rows = []
    for metric, named in found.items():
        means = np.mean([np.mean(runs, axis=0) for runs in named.values()], axis=0).tolist()
        rows.append(RangeOfTau(metric, len(named), *means))
    yield from sorted(rows, key=lambda row: -row.tau)


def _of_run(collection: Collection, folder: Path, measure: str) -> Iterator[tuple[str, tuple[float, ...]]]:
    """(metric, (tau, ceiling, better half's tau, better half's ceiling)) of each metric of a run that has all four."""
    table = read_run_table(folder, "correlations", ("measure", "metric", "coefficient"))
    if not {"better_half", "reliability"} <= {*table.header}:
        return
    columns = [numbers(table, name) for name in ("value", "better_half", "reliability")]
    cells = zip(*(table.column(name) for name in ("measure", "metric", "coefficient")), *columns, strict=True)
    y, unit = collection.board[measure].oriented, collection.units.index
    for of, metric, coefficient, tau, half, reliable in cells:
        if (of, coefficient) == (measure, "kendall"):
            ceiling = nan if isnan(reliable) else 2 / pi * asin(sqrt(min(1.0, max(0.0, reliable))))
            row = (tau, ceiling, half, better_half_ceiling(ceiling, y, unit))
            if not any(map(isnan, row)):
                yield metric, row
