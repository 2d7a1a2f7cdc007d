"""The tau table: every IR measure against every MT metric, across the systems of a scoreboard.

Over several experiments too (language pairs, domains, collections).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan
from statistics import mean, median, stdev
from typing import Literal

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import MOST, agreements, taus, too_many
from clirbench.statistics.belonging import Units, covariates, units_of
from clirbench.statistics.ceiling import better_half_ceiling, ceilings
from clirbench.statistics.coefficients import UNTESTED, coefficient, complete_pairs, significance
from clirbench.statistics.given import ALONG, explaining, real_metrics
from clirbench.statistics.grades import COVARIATE, GRADES, SHOWN, WEAK, Evidence, grade, reliability
from clirbench.types import Doubles, Ints

KENDALL = "kendall"
FEWEST_HALVED = 8
"""Fewer independent groups have no better half to compute tau in."""
FOR_KENDALL = "systems are not independent: tested for kendall alone"
NOT_ALONE = "systems are not independent: no p_value of a pair alone"
OF_KENDALL = "p_adjusted is of kendall alone"
Significance = Literal["true", "false", "undefined"]


@dataclass(frozen=True)
class Correlation:
    """One row of correlations.tsv: does `metric` order the systems as `measure` does?

    `value` in [-1, 1] (more is closer agreement; columns where less is better were turned round before), `n_systems`
    how many systems it was computed over. `p_value`: of this pair alone, two-sided, by `p_method` (`exact`, `normal`,
    `permutation`, `scipy`), for independent systems alone; `p_error`: the standard error of a sampled p. For
    `kendall` alone: tau between the independent `groups`; `p_adjusted` one-sided, for all metrics of the run together,
    by which it is `significant`; `ci_low`, `ci_high` its interval, corrected likewise (`Agreement`), `scheme` what it
    is of; `grade` (`grades`) and what `lowered` it, separated by spaces;
    `better_half`: tau within the better half of the systems by the measure, `better_half_ceiling` its ceiling;
    `reliability` of the measure over topics; `ceiling`: tau expected of a metric without error, with its .95 interval.
    """

    measure: str
    metric: str
    coefficient: str
    value: float = nan
    p_value: float = nan
    n_systems: int = 0
    significant: Significance = "undefined"
    note: str = ""
    ci_low: float = nan
    ci_high: float = nan
    scheme: str = ""
    p_method: str = ""
    p_error: float = 0.0
    ceiling: float = nan
    ceiling_low: float = nan
    ceiling_high: float = nan
    groups: int = 0
    grade: str = ""
    lowered: str = ""
    better_half: float = nan
    better_half_ceiling: float = nan
    reliability: float = nan
    p_adjusted: float = nan


def correlate(
    board: Scoreboard,
    coefficients: Sequence[str] = ("kendall", "spearman", "pearson"),
    *,
    alpha: float = 0.05,
    p_value: str = "exact",
    complete: bool = True,
    seed: int = 0,
    units: Units | None = None,
    reliabilities: Mapping[str, float] | None = None,
) -> list[Correlation]:
    """Every coefficient of every (measure, metric) pair, in the order of the columns.

    `significant` is `p_adjusted < alpha` of kendall, `p_value < alpha` of others. A pair with a hole is computed over
    the systems that have both values, and `n_systems` and the note say so; without `complete` it is undefined.
    `units`: default, what `units_of` finds; `reliabilities`: of measures over their topics, where they are known.
    `p_value` is how each pair is tested by itself; `untested`: none is. Of more than 2,000 systems only Kendall's tau
    is tested, for all metrics together.
    """
    units = units_of(board) if units is None else units
    known, rows = reliabilities or {}, []
    many = len(board.systems) > MOST
    # What units replace is not worked out, nor orders of very many systems.
    alone = p_value if units.independent and not many else UNTESTED
    for measure in board.measures:
        tests = {}
        if KENDALL in coefficients and p_value != UNTESTED:
            tests = between(board, measure, units, alpha, known.get(measure.name, nan))
        for metric, name in product(board.metrics, coefficients):
            row = _alone(board, measure, metric, name, alone, complete, seed, alpha)
            if many and not name.startswith(KENDALL):
                row = replace(row, note=_joined(too_many(row.n_systems), row.note))
            rows.append(row if isnan(row.value) else _tested(row, tests, units))
    return rows


def _alone(
    board: Scoreboard, measure: Column, metric: Column, name: str, p_value: str, complete: bool, seed: int, alpha: float
) -> Correlation:
    """The coefficient of a pair by itself."""
    x, y = metric.oriented, measure.oriented
    kept, n_all = complete_pairs(x, y), len(board.systems)
    holed = len(kept[0]) < n_all
    over = f"correlation.complete_pairs=true takes the other {len(kept[0])}" if holed else ""
    if complete:
        x, y = kept
        over = f"over {len(x)} of {n_all} systems (correlation.complete_pairs)" if holed else ""
    found = coefficient(name)(x, y, p_value=p_value, seed=seed)
    return Correlation(
        measure.name, metric.name, name, found.value, found.p_value, found.n, significance(found.p_value, alpha),
        _joined(over, found.note), p_method="" if isnan(found.p_value) else found.p_method, p_error=found.p_error,
    )  # fmt: skip


def _tested(row: Correlation, tests: Mapping[str, Correlation], units: Units) -> Correlation:
    """A row of kendall with what is known between groups; of other coefficients, why there is no test."""
    if row.coefficient != KENDALL:
        why = FOR_KENDALL if not units.independent else "" if isnan(row.p_value) else OF_KENDALL
        return replace(row, note=_joined(why, row.note))
    if (found := tests.get(row.metric)) is None:
        why = "this column counts steps of training: it is no metric" if tests else ""
        return replace(row, p_value=nan, significant="undefined", p_method="", p_error=0.0, note=_joined(why, row.note))
    kept = {name: getattr(row, name) for name in ("n_systems", "p_value", "p_method", "p_error")}
    note = _joined(found.note, "" if units.independent else NOT_ALONE, row.note)
    return replace(found, **kept, value=row.value if isnan(found.value) else found.value, note=note)


def between(board: Scoreboard, measure: Column, units: Units, alpha: float, known: float) -> dict[str, Correlation]:
    """The row of kendall of every metric with one measure, between independent groups; `known`: its reliability."""
    metrics = real_metrics(board)
    empty = [Correlation(measure.name, metric.name, KENDALL, reliability=known) for metric in metrics]
    if units.along_training:
        return {row.metric: replace(row, note=ALONG) for row in empty}
    if not metrics:
        return {}
    x, y = np.stack([metric.oriented for metric in metrics]), measure.oriented
    found = agreements(x, y, units.index, alpha=alpha)
    sure = f"{100 * (1 - alpha):g} %, corrected for all metrics"
    of = f"{sure}: tau of these topics and segments between {units.said}; systems are a sample"
    rows, told = {}, covariates(board, units)
    for row, metric, one in zip(empty, metrics, found, strict=True):
        row = replace(
            row, value=one.tau, p_adjusted=one.p_value, significant=significance(one.p_value, alpha), note=one.note,
            ci_low=one.low, ci_high=one.high, scheme="" if isnan(one.p_value) else of, groups=one.groups,
            grade=grade(one.low, one.high, known), better_half=better_half(metric.oriented, y, units.index),
        )  # fmt: skip
        explained = explaining(told, units, metric, measure, one.tau, one.low) if row.grade in SHOWN else None
        if explained is not None and explained.equal.p_value > alpha:
            row = weakened(row, WEAK, COVARIATE)
        rows[metric.name] = row
    return rows


def weakened(row: Correlation, other: str, why: str) -> Correlation:
    """The row; where its grade is above chance and the `other` weaker, that one takes its place, for this reason."""
    if row.grade not in SHOWN or other not in GRADES or GRADES.index(other) <= GRADES.index(row.grade):
        return row
    return replace(row, grade=other, lowered=f"{row.lowered} {why}".strip())


def better_half(x: Doubles, y: Doubles, unit: Ints) -> float:
    """tau between groups within the better half of the systems by y; NaN for fewer than 8 groups or 2,000 systems."""
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(np.unique(unit[rows])) < FEWEST_HALVED or len(rows) > MOST:
        return nan
    better = rows[y[rows] >= np.median(y[rows])]
    labels, own = np.unique(unit[better], return_inverse=True)
    return float(taus(x[better], y[better], own)[0]) if len(labels) >= FEWEST_HALVED // 2 else nan


def reliabilities(evidence: Evidence) -> dict[str, float]:
    """The reliability over topics of every measure whose value is the mean over its topics."""
    return {name: reliability(evidence.per_topic[name]) for name in evidence.per_topic if evidence.is_mean(name)}


def _joined(*notes: str) -> str:
    """Those that say something, each once, as one note."""
    return "; ".join(filter(None, dict.fromkeys(notes)))


def with_ceilings(rows: Iterable[Correlation], evidence: Evidence, units: Units) -> Iterator[Correlation]:
    """The rows; those of kendall without holes have the ceiling of their measure and of its better half."""
    found = ceilings(evidence, units)
    whole = {column.name for column in evidence.board.columns if np.isfinite(column.values).all()}
    for row in rows:
        if row.coefficient == KENDALL and row.measure in found and row.metric in whole:
            top, half = found[row.measure], nan
            if not isnan(row.better_half):
                half = better_half_ceiling(top.value, evidence.board[row.measure].oriented, units.index)
            row = replace(row, ceiling=top.value, ceiling_low=top.low, ceiling_high=top.high, better_half_ceiling=half)
        yield row


@dataclass(frozen=True)
class Aggregate:
    """One metric for one measure over all experiments that have both.

    `wins`: experiments where its significant coefficient is the highest of the significant ones, ties shared by all.
    """

    measure: str
    metric: str
    coefficient: str
    mean: float
    median: float
    sd: float
    wins: int
    experiments: int
    note: str = ""


def aggregate(correlations: Mapping[str, Sequence[Correlation]]) -> list[Aggregate]:
    """Mean, median, SD (n - 1) and wins over experiments (label -> rows of its correlations.tsv).

    Undefined coefficients never count, and are noted.
    """
    highest: dict[tuple[str, str, str], float] = {}
    table: dict[tuple[str, str], dict[str, dict[str, Correlation]]] = {}
    for label, rows in correlations.items():
        for row in rows:
            key = (row.measure, row.coefficient)
            table.setdefault(key, {}).setdefault(row.metric, {})[label] = row
            if row.significant == "true":
                highest[*key, label] = max(row.value, highest.get((*key, label), row.value))
    found = []
    for (measure, name), metrics in table.items():
        for metric, cells in metrics.items():
            values = [row.value for row in cells.values() if not isnan(row.value)]
            undefined = [label for label, row in cells.items() if isnan(row.value)]
            won = [
                row.significant == "true" and row.value >= highest[measure, name, label] - 1e-12
                for label, row in cells.items()
            ]
            found.append(
                Aggregate(
                    measure, metric, name, mean(values) if values else nan, median(values) if values else nan,
                    stdev(values) if len(values) > 1 else nan, sum(won), len(values),
                    f"undefined in {', '.join(undefined)}" if undefined else "",
                )
            )  # fmt: skip
    return found
