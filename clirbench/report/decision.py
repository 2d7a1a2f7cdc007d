"""Which system to ship, in words and as a table: what cannot be told from it, what metrics would have picked."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, fields
from math import isnan

import numpy as np

from clirbench.analyses.wording import join_names, number, plural
from clirbench.report.picking import bounds, expectation
from clirbench.result import AnalysisTable, Result
from clirbench.statistics.model.baseline import BaselineComparison
from clirbench.statistics.model.decision import POPULATION, Decision, seeds_averaged
from clirbench.statistics.units.belonging import SEED, is_step

MOST = 15
"""So many names at most of systems that cannot be told from the best."""
PICKS = 3
"""So many picks of metrics at most."""


def decision_sentences(result: Result) -> tuple[str, ...]:
    """What a run decides, `baseline` first; one line where it decides nothing."""
    return (*_against(result), *(() if result.decision is None else _shipped(result, result.decision)))


def decision_tables(result: Result) -> tuple[AnalysisTable, ...]:
    """`decision` (a row for each system, best first) and `baseline`, where there are any."""
    return (*_decision_table(result), *_baseline_table(result))


def _shipped(result: Result, decision: Decision) -> Iterator[str]:
    measure = decision.measure
    if decision.reason:
        yield f"Which system is the best by {measure} is not said: {decision.reason}."
        return
    first, n = decision.standings[0], len(decision.standings)
    alike = [row.system for row in decision.standings[1:] if row.in_set]
    told = [
        "" if isnan(first.p_best) else f"P(best) {probability(first.p_best)}",
        "" if isnan(first.expected_loss) else f"expected loss {expectation(first.expected_loss)} {measure}",
    ]
    sure = f" ({', '.join(filter(None, told))})" if any(told) else ""
    if len(alike) == n - 1:
        yield f"By {measure} any of these {n} systems may be the best; first comes {first.system}{sure}."
    elif alike:
        these = "This one" if len(alike) == 1 else f"These {len(alike)}"
        yield f"Ship {first.system}{sure}. {these} cannot be told from it: {join_names(alike, MOST)}."
    else:
        rest = "the other is worse" if n == 2 else "all others are worse"
        yield f"Ship {first.system}{sure}; {rest}, with 95 % confidence."
    yield from _cheapest(result, [first.system, *alike])
    if decision.silent and result.board.metrics:
        yield f"What choosing by a metric would lose on other topics is not said: {decision.silent}."
    yield from _picked(decision)


def _cheapest(result: Result, systems: list[str]) -> Iterator[str]:
    """The checkpoint of the earliest step among those that may be shipped, if it is not the first of them."""
    steps = dict(zip(result.board.systems, result.units.steps.tolist(), strict=True))
    if result.units.along_training and all(np.isfinite(steps[system]) for system in systems):
        cheapest = min(systems, key=lambda system: steps[system])
        if steps[cheapest] < steps[systems[0]]:
            yield f"The cheapest of them: {cheapest} (step {steps[cheapest]:g})."


def _picked(decision: Decision) -> Iterator[str]:
    """What metrics would have picked, the least expected loss first."""
    by_pick: dict[str, list[str]] = {}
    rows = sorted(decision.regrets, key=lambda row: row.expected)
    for row in rows:
        by_pick.setdefault(row.pick, []).append(row.metric)
    regrets = {row.pick: row for row in rows}
    told = [
        f"{join_names(metrics)} would have picked "
        + (
            "it too"
            if pick == decision.standings[0].system
            else f"{pick}, expected loss {expectation(regrets[pick].expected)} {decision.measure} "
            + bounds(regrets[pick].low, regrets[pick].high)
        )
        for pick, metrics in by_pick.items()
    ]
    if told:
        more = f"; {plural(len(told) - PICKS, 'more pick')}" if len(told) > PICKS else ""
        yield f"{'; '.join(told[:PICKS])}{more}."


def _decision_table(result: Result) -> Iterator[AnalysisTable]:
    decision = result.decision
    if decision is None or not decision.standings:
        return
    column = result.board[decision.measure]
    sign = 1.0 if column.higher_is_better else -1.0
    value = dict(zip(result.board.systems, column.values.tolist(), strict=True))
    seeds = _over_seeds(result, decision)
    rows = [
        (
            row.system,
            decision.measure,
            value[row.system],
            sign * row.mean,
            sign * seeds[row.system] if row.system in seeds else "",
            *sorted((sign * row.low, sign * row.high)),
            row.p_best,
            row.expected_loss,
            str(row.in_set).lower(),
        )
        for row in decision.standings
    ]
    header = (
        "system", "measure", "value", "mean", "mean_over_seeds", "low", "high", "p_best", "expected_loss", "in_set",
    )  # fmt: skip
    told = [
        f"Least expected loss first. value: as measured on {plural(decision.n_topics, 'topic')}; the other "
        f"columns are about {POPULATION}: mean with its .95 interval (none where systems form families), "
        "P(best), what shipping the system is expected to lose, and whether it may be the best (in_set)."
    ]
    left = [name for name in result.board.systems if name not in decision.systems]
    if left:
        told.append(f"Left out, because they have no {decision.measure}: {join_names(left)}.")
    title = f"Which system is the best by {decision.measure}?"
    yield AnalysisTable("decision", title, header, tuple(rows), tuple(told), shown=20, records=decision.standings)


def _over_seeds(result: Result, decision: Decision) -> Mapping[str, float]:
    """The mean of each system's configuration and step over seeds; nothing without a column `seed`."""
    metadata = result.board.metadata
    if SEED not in metadata:
        return {}
    columns = [cells for name, cells in metadata.items() if name != SEED and not is_step(name)]
    steps = map(str, result.units.steps.tolist())
    of = dict(zip(result.board.systems, map("\t".join, zip(*columns, steps, strict=True)), strict=True))
    means = seeds_averaged([of[system] for system in decision.systems], decision)
    return {system: means[of[system]] for system in decision.systems}


def _against(result: Result) -> Iterator[str]:
    """What is known of each candidate against the baseline, those with a verdict first."""
    found, baseline = result.against_baseline, result.experiment.baseline
    measure = result.board.first_measure
    if not found or measure is None:
        return
    if len(found) == 1:
        ((name, row),) = found.items()
        yield _verdict(name, row, baseline, measure.name)
        return
    corrected = f"by {measure.name}, corrected for {len(found)} candidates"
    for verdict in ("better", "not worse"):
        names = [f"{name} ({_difference(row)})" for name, row in found.items() if row.verdict == verdict]
        if names:
            by = f" by more than {result.experiment.margin:g}" if verdict == "not worse" else ""
            yield f"{verdict.capitalize()} than {baseline}{by} {corrected}: {join_names(names, MOST)}."
    verdicts = [row.verdict for row in found.values()]
    if worse := verdicts.count("worse"):
        yield f"Worse than {baseline} {corrected}: {'all' if result.worse else worse} of them."
    elif set(verdicts) == {"open"}:
        note = next(iter(found.values())).note
        yield f"No system is shown to be better or worse than {baseline} {corrected}{f' ({note})' if note else ''}."


def _verdict(name: str, row: BaselineComparison, baseline: str, measure: str) -> str:
    if row.note:
        return f"Whether {name} is better than {baseline} by {measure} cannot be said: {row.note}."
    margin = f"{row.margin:g}"
    told = {
        "better": f"{name} is better than {baseline} by {measure}",
        "worse": f"{name} is worse than {baseline} by {measure}",
        "not worse": f"{name} is not worse than {baseline} by more than {margin} {measure}",
        "open": f"Whether {name} is better than {baseline} by {measure} is open",
    }[row.verdict]
    loss = f", P(loss > {margin}) {probability(row.p_loss)}" if row.margin else ""
    return f"{told}: {_difference(row)}, P(better) {probability(row.p_better)}{loss}, {row.n_topics} topics."


def _difference(row: BaselineComparison) -> str:
    return f"{'+' if row.difference > 0 else ''}{number(row.difference)} {bounds(row.low, row.high)}"


def _baseline_table(result: Result) -> Iterator[AnalysisTable]:
    measure, found = result.board.first_measure, result.against_baseline
    if measure is None or not found:
        return
    header = ("system", *(field.name for field in fields(BaselineComparison)))
    rows = tuple((name, *astuple(row)) for name, row in found.items())
    told = (
        f"difference: {measure.name} of the system less that of {result.experiment.baseline}, more is better, with an "
        f"interval that holds for all {len(rows)} together with probability .95; p_better and p_loss (of more than "
        f"{result.experiment.margin:g}) have a flat prior; p_value: exact randomisation of topics, for each alone."
    )
    title = f"Is another system better than {result.experiment.baseline}?"
    yield AnalysisTable("baseline", title, header, rows, (told,), shown=20, records=tuple(found.values()))


def probability(value: float) -> str:
    """Three places; what rounds to 0 or 1 says so: `> .999`."""
    if value > 0.9995:
        return "> .999"
    return "< .001" if value < 0.0005 else number(value)
