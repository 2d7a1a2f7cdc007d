"""One table over several experiments: language pairs, domains, collections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import mean, median, stdev

from clirbench.statistics.correlation import Correlation


@dataclass(frozen=True)
class Aggregate:
    """One metric for one measure over all experiments that have both.

    `wins`: experiments where its significant coefficient is the highest of the significant ones, ties shared by all;
    `left_out`: experiments that the exclusion rule dropped from mean, median and SD.
    """

    measure: str
    metric: str
    coefficient: str
    mean: float
    median: float
    sd: float
    wins: int
    experiments: int
    left_out: str
    note: str = ""


def aggregate(
    correlations: Mapping[str, Sequence[Correlation]], *, exclude_not_significant: bool = False
) -> list[Aggregate]:
    """Mean, median, SD (n - 1) and wins over experiments (label -> rows of its correlations.tsv).

    Every experiment counts by default. With `exclude_not_significant`, the rule of Gowda et al. 2021: an experiment
    leaves mean, median and SD of a measure if any metric's coefficient is not significant there (this favours what
    was significant by luck, so it is not the default). Undefined coefficients never count, and are noted.
    """
    keys = dict.fromkeys((row.measure, row.coefficient) for rows in correlations.values() for row in rows)
    found = []
    for measure, name in keys:
        table = {
            label: {row.metric: row for row in rows if (row.measure, row.coefficient) == (measure, name)}
            for label, rows in correlations.items()
        }
        table = {label: rows for label, rows in table.items() if rows}
        out = [
            label
            for label, rows in table.items()
            if exclude_not_significant and any(row.significant != "true" for row in rows.values())
        ]
        metrics = dict.fromkeys(metric for rows in table.values() for metric in rows)
        found += [_row(measure, name, metric, table, out) for metric in metrics]
    return found


def _row(
    measure: str, name: str, metric: str, table: Mapping[str, Mapping[str, Correlation]], out: Sequence[str]
) -> Aggregate:
    held = {label: rows[metric] for label, rows in table.items() if metric in rows and label not in out}
    values = [row.value for row in held.values() if not isnan(row.value)]
    undefined = [label for label, row in held.items() if isnan(row.value)]
    wins = sum(_wins(metric, rows) for rows in table.values())
    return Aggregate(
        measure=measure,
        metric=metric,
        coefficient=name,
        mean=mean(values) if values else nan,
        median=median(values) if values else nan,
        sd=stdev(values) if len(values) > 1 else nan,
        wins=wins,
        experiments=len(values),
        left_out=", ".join(out),
        note=f"undefined in {', '.join(undefined)}" if undefined else "",
    )


def _wins(metric: str, rows: Mapping[str, Correlation]) -> bool:
    significant = [row.value for row in rows.values() if row.significant == "true"]
    own = rows.get(metric)
    return own is not None and own.significant == "true" and own.value >= max(significant) - 1e-12
