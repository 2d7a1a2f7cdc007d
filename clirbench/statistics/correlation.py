"""The tau table: every IR measure against every MT metric, across the systems of a scoreboard.

Does a metric agree with retrieval under other scorings of the same topics too?

One table over several experiments: language pairs, domains, collections.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan
from statistics import mean, median, stdev
from typing import Literal

import numpy as np

from clirbench.pages import number
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import MOST, Agreement, agreements, taus, too_many
from clirbench.statistics.belonging import Units, covariates, units_of
from clirbench.statistics.ceiling import better_half_ceiling, without_noise
from clirbench.statistics.coefficients import GRIDS, UNTESTED, Coefficient, coefficient, complete_pairs, significance
from clirbench.statistics.given import ALONG, explaining, real_metrics
from clirbench.statistics.grades import SHOWN, Evidence, Graded, after_scorings, at_most_weak, graded, reliability
from clirbench.statistics.resampling import Bootstrap, intervals
from clirbench.types import Doubles, Ints

KENDALL = "kendall"
FEWEST_HALVED = 8
"""Fewer independent groups have no better half to compute tau in."""
NO_METRIC = "this column counts steps of training: it is no metric"
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
    `kendall`: tau between the independent `groups`; `p_adjusted` one-sided, for all metrics of the run together
    (step-down max-T), by which it is `significant`; `ci_low`, `ci_high` of this pair alone; `lower`, `upper` one-sided
    bounds for all metrics together (`Agreement`); `grade` (`grades`) and what `lowered` it; `better_half`: tau within
    the better half of the systems by the measure, `better_half_ceiling` its ceiling; `reliability` of the measure over
    topics. `scheme` names what the interval is of. `corrected`: tau without measurement noise, `ceiling`: expected of a
    metric without error (`with_corrections`), with .95 intervals.
    """

    measure: str
    metric: str
    coefficient: str
    value: float
    p_value: float
    n_systems: int
    significant: Significance
    note: str = ""
    ci_low: float = nan
    ci_high: float = nan
    scheme: str = ""
    p_method: str = ""
    p_error: float = 0.0
    corrected: float = nan
    corrected_low: float = nan
    corrected_high: float = nan
    corrected_note: str = ""
    ceiling: float = nan
    ceiling_low: float = nan
    ceiling_high: float = nan
    groups: int = 0
    lower: float = nan
    upper: float = nan
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
            tests = between(board, measure, units, alpha, seed, known.get(measure.name, nan))
        for metric, name in product(board.metrics, coefficients):
            found, note = _found(board, measure, metric, name, alone, complete, seed)
            if many and not name.startswith(KENDALL):
                note = "; ".join(filter(None, [too_many(found.n), note]))
            method = "" if isnan(found.p_value) else found.p_method
            row = Correlation(
                measure.name, metric.name, name, found.value, found.p_value, found.n,
                significance(found.p_value, alpha), note, p_method=method, p_error=found.p_error,
            )  # fmt: skip
            rows.append(row if isnan(row.value) else _tested(row, tests, units))
    return rows


def _tested(row: Correlation, tests: Mapping[str, Correlation], units: Units) -> Correlation:
    """A row of kendall with what is known between groups; of other coefficients, why there is no test."""
    if row.coefficient != KENDALL:
        why = FOR_KENDALL if not units.independent else "" if isnan(row.p_value) else OF_KENDALL
        return replace(row, note=_and(row, why))
    found = tests.get(row.metric)
    if found is None:
        why = NO_METRIC if tests else ""
        return replace(row, p_value=nan, significant="undefined", p_method="", p_error=0.0, note=_and(row, why))
    return replace(
        found,
        value=row.value if isnan(found.value) else found.value,
        n_systems=row.n_systems,
        p_value=row.p_value,
        p_method=row.p_method,
        p_error=row.p_error,
        note=_and(row, found.note, "" if units.independent else NOT_ALONE),
    )


def between(
    board: Scoreboard, measure: Column, units: Units, alpha: float, seed: int, known: float
) -> dict[str, Correlation]:
    """The row of kendall of every metric with one measure, between independent groups; `known`: its reliability."""
    metrics = real_metrics(board)
    empty = {
        metric.name: Correlation(measure.name, metric.name, KENDALL, nan, nan, 0, "undefined", reliability=known)
        for metric in metrics
    }
    if units.along_training:
        return {name: replace(row, note=ALONG) for name, row in empty.items()}
    if not metrics:
        return {}
    x, y = np.stack([metric.oriented for metric in metrics]), measure.oriented
    found = agreements(x, y, units.index, alpha=alpha, seed=seed)
    words = graded(found, x, y, units.index, reliability=known, alpha=alpha, seed=seed)
    of = f"tau of these topics and segments between {units.said}"
    rows, told = {}, covariates(board, units)
    for metric, one, word in zip(metrics, found, words, strict=True):
        tested = not isnan(one.p_value)
        explained = explaining(told, units, metric, measure, one.tau, one.low) if word.grade in SHOWN else None
        if explained is not None and explained.equal.p_value > alpha:
            word = at_most_weak(word)
        rows[metric.name] = replace(
            empty[metric.name],
            value=one.tau,
            p_adjusted=one.p_value,
            significant=significance(one.p_value, alpha),
            note="; ".join(filter(None, [one.note, _within(one)])),
            ci_low=one.low,
            ci_high=one.high,
            scheme=f"95 %: {of}; systems are a sample; t copula" if tested else "",
            groups=one.groups,
            lower=one.lower,
            upper=one.upper,
            grade=word.grade,
            lowered=word.lowered,
            better_half=better_half(metric.oriented, y, units.index),
        )
    return rows


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


def _within(found: Agreement) -> str:
    return "" if isnan(found.within) else f"tau within groups {number(found.within)}"


def _and(row: Correlation, *notes: str) -> str:
    """Both as one note: first `notes`, such as why nothing was tested, then the row's own."""
    return "; ".join(filter(None, dict.fromkeys((*notes, row.note))))


def with_intervals(
    rows: Sequence[Correlation], evidence: Evidence, how: Bootstrap, complete: bool = False, units: Units | None = None
) -> list[Correlation]:
    """The rows with resampled intervals of spearman and pearson, where systems are independent.

    `scheme` says what the interval is of and how it was made; a note of the interval joins the row's.
    """
    units = units_of(evidence.board) if units is None else units
    names = [name for name in dict.fromkeys(row.coefficient for row in rows) if name in GRIDS]
    if not units.independent or not names or len(evidence.systems) > MOST:
        return list(rows)
    found = intervals(evidence, names, how, complete)
    joined = []
    for row in rows:
        interval = found.get((row.measure, row.metric, row.coefficient))
        if interval is not None:
            known = not interval.note or interval.note in row.note or isnan(row.value)
            note = row.note if known else "; ".join(filter(None, [row.note, interval.note]))
            row = replace(row, ci_low=interval.low, ci_high=interval.high, scheme=how.scheme, note=note)
        joined.append(row)
    return joined


def with_corrections(
    rows: Sequence[Correlation], evidence: Evidence, units: Units, *, same_lines: bool = False, seed: int = 0
) -> list[Correlation]:
    """The rows of kendall with tau without noise and its ceiling, or `corrected_note`, why there is none."""
    found = without_noise(evidence, units, same_lines=same_lines, seed=seed)
    joined = []
    for row in rows:
        if row.coefficient == KENDALL and (row.measure, row.metric) in found:
            true, top = found[row.measure, row.metric].corrected, found[row.measure, row.metric].ceiling
            y, half = evidence.board[row.measure].oriented, nan
            if not isnan(row.better_half):
                kept = np.flatnonzero(np.isfinite(y))
                half = better_half_ceiling(top.value, y[kept], units.index[kept])
            row = replace(
                row, corrected=true.value, corrected_low=true.low, corrected_high=true.high, corrected_note=true.note,
                ceiling=top.value, ceiling_low=top.low, ceiling_high=top.high, better_half_ceiling=half,
            )  # fmt: skip
        joined.append(row)
    return joined


def _found(
    board: Scoreboard, measure: Column, metric: Column, name: str, p_value: str, complete: bool, seed: int
) -> tuple[Coefficient, str]:
    """The coefficient and its note."""
    x, y = metric.oriented, measure.oriented
    n_all = len(board.systems)
    kept, others = complete_pairs(x, y)
    over = "" if len(kept) == n_all else f"correlation.complete_pairs=true takes the other {len(kept)}"
    if complete:
        x, y = kept, others
        over = f"over {len(x)} of {n_all} systems (correlation.complete_pairs)" if over else ""
    found: Coefficient = coefficient(name)(x, y, p_value=p_value, seed=seed)
    return found, "; ".join(filter(None, [over, found.note]))


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
    half: bool = False


def scoring_taus(
    scorings: Sequence[Scoring], metrics: Sequence[Column], units: Units, *, alpha: float = 0.05, seed: int = 0
) -> list[ScoringTau]:
    """A row for every scoring and metric; shown: the lower bound for all metrics together is above 0."""
    if not metrics:
        return []
    x = np.stack([metric.oriented for metric in metrics])
    rows = []
    for scoring in scorings:
        found = agreements(x, scoring.values, units.index, alpha=alpha, seed=seed)
        rows += [
            ScoringTau(scoring.name, metric.name, one.tau, one.lower > 0, scoring.half)
            for metric, one in zip(metrics, found, strict=True)
        ]
    return rows


def lowered_by_scorings(rows: Iterable[Correlation], measure: str, taus: Iterable[ScoringTau]) -> Iterator[Correlation]:
    """The rows; a grade with `measure` that fewer than half of its other scorings show is one step lower."""
    shown: dict[str, list[bool]] = {}
    for one in taus:
        if not one.half:
            shown.setdefault(one.metric, []).append(one.shown)
    for row in rows:
        if (row.measure, row.coefficient) == (measure, KENDALL) and row.metric in shown:
            found = after_scorings(Graded(row.grade, row.lowered), sum(shown[row.metric]), len(shown[row.metric]))
            row = replace(row, grade=found.grade, lowered=found.lowered)
        yield row


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
