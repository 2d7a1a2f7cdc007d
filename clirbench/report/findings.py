"""What a run found about its metrics, as data: kinds with values out of the run's tables; `answer` makes sentences."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np

from clirbench.pages.finding import Finding
from clirbench.result import Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import KENDALL, Correlation, between, reliabilities
from clirbench.statistics.grades import GRADES, NOISY, OPEN, SHOWN, WEAK, topics_to_add
from clirbench.statistics.model.pseudo_bias import twice_judged, twice_searched
from clirbench.statistics.units.agreement import groups_needed
from clirbench.statistics.units.belonging import NONE, NUMBERED, Units, covariates, units_of
from clirbench.statistics.units.given import Beyond, Permuting, beyond_known, explaining, real_metrics, within_strata

FEWEST_RUNS = 5
"""Training runs of which some order is rarer than .05, two-sided."""

OF_ROW = (
    "measure", "metric", "grade", "lowered", "tau", "low", "high", "lower", "upper", "p_value", "p_adjusted", "systems",
    "groups",
)  # fmt: skip
"""What an agreement has of its row of correlations.tsv, by the names of these cells or by those of `CELLS`."""
CELLS = {"tau": "value", "low": "ci_low", "high": "ci_high", "systems": "n_systems"}


def findings(result: Result) -> list[Finding]:
    """Everything about the primary measure, in reading order; nothing without a measure or a metric."""
    measure, metrics = result.board.first_measure, real_metrics(result.board)
    if measure is None or not metrics:
        missing = "IR measure" if measure is None else "MT metric"
        return [Finding("nothing", values={"missing": missing})]
    if result.units.along_training:
        return [*_along(result, measure, metrics), _judged(result.board, measure)]
    rows = [row for row in result.correlations if row.coefficient == KENDALL and row.measure == measure.name]
    made = sorted(
        (agreement(row, result) for row in rows if row.metric in {metric.name for metric in metrics}),
        key=lambda found: (_place(found["grade"]), -found["lower"] if not isnan(found["lower"]) else 2.0),
    )
    if not made:
        return []
    top = made[0]
    others = _seconds(result, measure, top["metric"])
    scorings = [*_scorings(result, top["metric"]), *_readings(result, measure, top)]
    return [
        *made,
        *_limits(result, measure, top),
        *_given(result, measure),
        _judged(result.board, measure),
        *scorings,
        *others,
    ]


def _place(grade: str) -> int:
    return GRADES.index(grade) if grade else len(GRADES)


def agreement(row: Correlation, result: Result) -> Finding:
    """One row of correlations.tsv, and what it would take to decide what is not shown."""
    units, topics = result.units, result.evidence.topics(row.measure)
    needed = None
    if row.grade == OPEN and not isnan(row.p_adjusted):
        needed = groups_needed(row.value, result.experiment.alpha / _tested(result, row.measure))
    values = {
        **{name: getattr(row, CELLS.get(name, name)) for name in OF_ROW},
        "grouped_by": "" if units.independent else units.source,
        "declared": declared(result),
        "better_half": row.better_half,
        "reliability": row.reliability,
        "topics": topics,
        "topics_to_add": topics_to_add(row.reliability, topics) if row.grade == NOISY else None,
        "groups_needed": needed,
        "judged_by": _source(result.board[row.measure]),
        "note": row.note,
    }
    return Finding("agreement", values=values)


def _tested(result: Result, measure: str) -> int:
    """How many metrics were tested with the measure."""
    rows = (row for row in result.correlations if row.measure == measure and row.coefficient == KENDALL)
    return max(1, sum(bool(row.grade) for row in rows))


def declared(result: Result) -> bool:
    """Whether the user or a column of metadata says which systems belong together."""
    return bool(result.experiment.units) or result.units.source in result.board.metadata


def _source(measure: Column) -> str:
    return "imported" if measure.origin == "imported" else measure.judged_by


def _judged(board: Scoreboard, measure: Column) -> Finding:
    known = ("lexical_model", "searched_reference", "scoring_reference")
    values = {name: measure.declared.get(name) or "" for name in known}
    values |= {"measure": measure.name, "judged_by": _source(measure), "first_listed": board.first_is_listed}
    return Finding("judged", values=values)


def _readings(result: Result, measure: Column, top: Finding) -> Iterator[Finding]:
    """The groups that names or the order of scores suggest with which the first metric's grade would be the lowest."""
    if top["grade"] not in SHOWN or not result.other_readings:
        return
    by = {name: _grades(result, measure, units)[top["metric"]] for name, units in result.other_readings.items()}
    name = max(by, key=lambda name: _place(by[name]))
    if _place(by[name]) > _place(top["grade"]):
        groups = result.other_readings[name].number
        yield Finding("reading", values={"metric": top["metric"], "units": name, "grade": by[name], "groups": groups})


def _grades(result: Result, measure: Column, units: Units) -> dict[str, str]:
    """The grade of every metric with other groups."""
    known = reliabilities(result.evidence).get(measure.name, nan)
    rows = between(result.board, measure, units, result.experiment.alpha, result.experiment.seed, known)
    return {name: row.grade for name, row in rows.items()}


def _scorings(result: Result, metric: str) -> Iterator[Finding]:
    """In how many other scorings of the same topics the first metric is shown."""
    shown = [row.shown for row in result.scoring_taus if row.metric == metric and not row.half]
    if shown:
        yield Finding("scorings", values={"metric": metric, "shown": sum(shown), "scorings": len(shown)})


def _limits(result: Result, measure: Column, top: Finding) -> Iterator[Finding]:
    """What limits the first metric's agreement: outliers, a covariate, noise, the range of the systems."""
    row = next(r for r in result.correlations if r.metric == top["metric"] and r.measure == measure.name)
    if top["lowered"]:
        yield Finding("lowered", values={"metric": top["metric"], "by": top["lowered"]})
    if top["grade"] in SHOWN:
        yield from _covariate(result, measure, top)
        if not isnan(top["better_half"]):
            values = {"metric": top["metric"], "tau": top["better_half"], "ceiling": row.better_half_ceiling}
            yield Finding("range", values=values)
        return
    if row.ceiling < SHOWN["strong"]:
        yield Finding("noise", values={"measure": measure.name, "ceiling": row.ceiling, "topics": top["topics"]})


def _covariate(result: Result, measure: Column, top: Finding) -> Iterator[Finding]:
    """The covariate that orders the systems about as well, and the metric between systems of equal covariate."""
    metric, known = result.board[top["metric"]], covariates(result.board, result.units)
    found = explaining(known, result.units, metric, measure, top["tau"], top["low"])
    if found is not None:
        values = {
            "covariate": found.covariate,
            "tau": found.tau,
            "metric": metric.name,
            "right": found.equal.right,
            "pairs": found.equal.pairs,
            "p_value": found.equal.p_value,
            "grade": WEAK if found.equal.p_value <= result.experiment.alpha else OPEN,
        }
        yield Finding("covariate", values=values)


def _given(result: Result, measure: Column) -> Iterator[Finding]:
    """What the metrics add to `given`, Bonferroni-corrected."""
    given = result.experiment.given
    if not given:
        return
    how = Permuting(result.experiment.alpha, seed=result.experiment.seed)
    found = beyond_known(result.board, result.units, given, how)
    rows = {metric: row for (name, metric), row in found.items() if name == measure.name}
    note = "; ".join(dict.fromkeys(row.note for row in rows.values() if row.note))
    values = {"measure": measure.name, "given": list(given), **_adding(rows, result.experiment.alpha), "note": note}
    yield Finding("given", values=values)


def _adding(rows: Mapping[str, Beyond], alpha: float) -> dict[str, Any]:
    """Which metrics are shown to add (of how many), Bonferroni-corrected; their largest p, or the least of any."""
    tested = {metric: row for metric, row in rows.items() if not isnan(row.p_value)}
    corrected = {metric: min(1.0, row.p_value * len(tested)) for metric, row in tested.items()}
    more = [metric for metric, p in corrected.items() if p < alpha and tested[metric].tau > 0]
    p_value = max((corrected[metric] for metric in more), default=min(corrected.values(), default=nan))
    return {"metrics": more, "tested": len(tested), "p_value": p_value}


def _seconds(result: Result, measure: Column, metric: str) -> Iterator[Finding]:
    """The first metric by MAP, by another retriever, or by the other kind of judgments of the same measure."""
    pairs = [*twice_searched(result.board), *twice_judged(result.board)]
    names = [b.name if a.name == measure.name else a.name for a, b in pairs if measure.name in (a.name, b.name)]
    _, bracket, marks = measure.name.partition("[")
    by_map = f"MAP{bracket}{marks}"
    for name in dict.fromkeys([by_map, *names] if measure.name != by_map else names):
        for row in result.correlations:
            if (row.measure, row.metric, row.coefficient) == (name, metric, KENDALL) and not isnan(row.lower):
                yield Finding("by MAP" if name == by_map else "second", values=agreement(row, result).values)


def _along(result: Result, measure: Column, metrics: Sequence[Column]) -> Iterator[Finding]:
    """Along training: tau describes; runs are tested against each other at the same steps where there are enough."""
    units, alpha = result.units, result.experiment.alpha
    yield Finding("training", values={"measure": measure.name, "runs": units.number, "systems": len(units.labels)})
    if units.source == NUMBERED and not result.experiment.units:
        grades = _grades(result, measure, units_of(result.board, NONE))
        best = min(grades, key=lambda name: _place(grades[name]))
        if grades[best] in SHOWN:
            values = {"metric": best, "units": NONE, "grade": grades[best], "groups": len(units.labels)}
            yield Finding("reading", values=values)
    whole = measure.values + units.steps + sum(metric.values for metric in metrics)
    rows = np.flatnonzero(np.isfinite(whole))
    own = units.only(rows)
    if own.number < FEWEST_RUNS:
        return
    x, y = np.stack([metric.oriented[rows] for metric in metrics]), measure.oriented[rows]
    found = within_strata(x, y, own.index, own.steps.tolist(), Permuting(alpha, seed=result.experiment.seed))
    values = _adding(dict(zip((metric.name for metric in metrics), found, strict=True)), alpha)
    if values["tested"]:
        yield Finding("same step", values={"measure": measure.name, **values})
