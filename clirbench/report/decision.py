"""Which system to choose, as findings and tables: the recommended, those tied with it, what metrics would choose."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from clirbench.later import keep_recent
from clirbench.pages import Finding, Table, listed, many, number, percent, short
from clirbench.report.answer import findings, judged
from clirbench.result import Result
from clirbench.statistics.belonging import NUMBERED, SEED, is_step, numbers_in
from clirbench.statistics.decision import POPULATION, Decision, Standing
from clirbench.statistics.given import real_metrics
from clirbench.statistics.grades import CONTRADICTED, MODERATE, SHOWN, STRONG

FIRST = "which retrieval itself puts first by {measure}"
"""The recommended system: measured, no metric chose it."""


@keep_recent(1)
def decision_findings(result: Result) -> tuple[Finding, ...]:
    """What a run decides, `baseline` first; one finding where it decides nothing."""
    return (*_against(result), *(() if result.decision is None else _chosen(result, result.decision)))


def decision_sentences(result: Result) -> tuple[str, ...]:
    """The sentences of `decision_findings`."""
    return tuple(str(finding) for finding in decision_findings(result))


def decision_tables(result: Result) -> tuple[Table, ...]:
    """`decision` (a row for each system, best first), `references` (for each reference and system), `picks` (for each
    metric) and `baseline`, where there are any."""
    return () if result.decision is None else tuple(_tables(result, result.decision))


def _tables(result: Result, decision: Decision) -> Iterator[Table]:
    measure, found, baseline = decision.measure, result.against_baseline, result.experiment.baseline
    first, english = next(iter(decision.recommended), ""), result.monolingual
    text = [
        f"value: as measured on {many(decision.n_topics, 'topic')}; low and high: the .95 interval of its mean over "
        f"{POPULATION}. difference: from {first}, by paired topics. in_set: it may be the best; the set has the best "
        "system with P = .95."
    ]
    text += [f"of_english: value divided by that of the reference side, {number(english)}."] if english > 0 else []
    if left := [name for name in result.board.systems if name not in {row.system for row in decision.standings}]:
        text.append(f"Left out, because they have no {measure}: {listed(left)}.")
    title, rows = f"Which system is the best by {measure}?", _ranked(result, decision)
    yield from _table("decision", title, rows, *text, records=decision.standings)
    rows = ({"reference": by} | asdict(row) for by, of in result.decisions.items() for row in of.standings)
    said = "difference: from the first by the same reference, by its topics. Recommended is what is in_set by each."
    yield from _table("references", "Is it the same system by another reference?", rows, said)
    said = (
        f"loss: what choosing the metric's first system loses in {measure} against {first}, with its .95 interval. "
        "better: of two of these systems whose metric differs by 1, the probability that the higher one is better, "
        "with its .95 interval."
    )
    rows, title = _picks(decision), "What would each metric choose?"
    yield from _table("picks", title, rows, said, shown=60, records=decision.picks)
    said = (
        f"difference: {measure} of the system less that of {baseline}, more is better, with an interval that holds for "
        f"all {len(found)} together with P = .95; p_better and p_loss (of more than "
        f"{short(result.experiment.margin)}) have a flat prior; p_value: exact randomisation of topics, for each alone."
    )
    rows = ({"system": name} | asdict(row) for name, row in found.items())
    yield from _table("baseline", f"Is another system better than {baseline}?", rows, said, records=(*found.values(),))


def _table(name: str, title: str, rows: Iterable[dict[str, Any]], *text: str, **more: Any) -> Iterator[Table]:
    """The table of rows by column, where there are any; what is true or false is there as files have it."""
    if kept := [{n: str(v).lower() if isinstance(v, bool) else v for n, v in row.items()} for row in rows]:
        cells = [tuple(row.values()) for row in kept]
        yield Table(name, title, tuple(kept[0]), cells, text, **{"shown": 20} | more)


def _ranked(result: Result, decision: Decision) -> Iterator[dict[str, Any]]:
    """Every system as measured, with the mean of its configuration and step over seeds."""
    metadata, english, values = result.board.metadata, result.monolingual, dict[Any, list[float]]()
    columns = [cells for name, cells in metadata.items() if name != SEED and not is_step(name)]
    keys = zip(*columns, map(str, result.units.steps.tolist()), strict=True)
    of = dict(zip(result.board.systems, keys, strict=True))
    more = result.board[decision.measure].higher_is_better
    rows = [row if more else _turned(row) for row in decision.standings]
    for row in rows:
        values.setdefault(of[row.system], []).append(row.value)
    unseeded = "" if SEED in metadata else "no mean_over_seeds: systems.tsv has no column seed"
    for row in rows:
        mean = "" if unseeded else float(np.mean(values[of[row.system]]))
        cells = {"system": row.system, "measure": decision.measure, "value": row.value, "mean_over_seeds": mean}
        cells |= asdict(row)
        del cells["note"]  # the last of them
        cells |= {"of_english": row.value / english} if english > 0 else {}
        yield cells | {"note": "; ".join(filter(None, [row.note, unseeded]))}


def _picks(decision: Decision) -> Iterator[dict[str, Any]]:
    """What each metric would choose, and what that loses."""
    for pick in decision.picks:
        row = decision[pick.system]
        losses = dict(zip(("loss", "loss_low", "loss_high"), _loss(row), strict=True))
        names = {"metric": pick.metric, "system": pick.system, "measure": decision.measure}
        yield names | losses | {"tied": row.in_set} | asdict(pick)


def _turned(row: Standing) -> Standing:
    """As measured, where less is better: the other sign."""
    loss, low, high = _loss(row)
    measured = replace(row, value=-row.value or 0.0, low=-row.high or 0.0, high=-row.low or 0.0)
    return replace(measured, difference=loss, difference_low=low, difference_high=high)


def _loss(row: Standing) -> tuple[float, float, float]:
    """What choosing the system loses, and the interval: its difference from the first, turned round."""
    return -row.difference or 0.0, -row.difference_high or 0.0, -row.difference_low or 0.0


def recommended(result: Result) -> str:
    """The system that the decision of the run recommends, the first of equal ones; empty where nothing is decided."""
    return next(iter(result.recommended), "")


def _against(result: Result) -> Iterator[Finding]:
    """What is known of each candidate against the baseline, those with a verdict first."""
    found, several = result.against_baseline, len(result.against_baseline) > 1
    margin = short(result.experiment.margin)
    corrected = f" by {{measure}}, corrected for {len(found)} candidates"
    for verdict in ("better", "not worse", "worse", "open"):
        names = [name for name, row in found.items() if row.verdict == verdict]
        if not names or (several and verdict == "open" and len(names) < len(found)):
            continue
        values: dict[str, Any] = {"baseline": result.experiment.baseline, "measure": result.decided_by}
        values |= {"verdict": verdict, "systems": names}
        row, more = found[names[0]], f" by more than {margin}" if verdict == "not worse" else ""
        if row.note and (verdict == "open" or not several):
            values["note"] = row.note
        if several and verdict == "open":
            text = "No system is shown to be better or worse than the baseline {baseline}" + corrected
            text += " ({note})." if row.note else "."
        elif several:
            worse = "all of them" if result.worse else f"{len(names)} of the {len(found)} others"
            text = f"{verdict.capitalize()} than the baseline {{baseline}}{more}{corrected}: "
            text += f"{worse if verdict == 'worse' else '{systems}'}."
        elif row.note:
            text = "clirbench cannot tell whether {systems} is better than {baseline} by {measure}: {note}."
        else:
            text = f"{{systems}} is {verdict} than {{baseline}}{more or ' by'} {{measure}}: "
            if verdict == "open":
                text = "Whether {systems} is better than {baseline} by {measure} is undecided: "
            values |= {"difference": row.difference, "interval": (row.low, row.high), "p_better": row.p_better}
            text += f"{'+' if row.difference > 0 else ''}{{difference}} {{interval}}, P(better) {{p_better}}"
            if row.margin:
                values["p_loss"] = row.p_loss
                text += f", P(loss > {margin}) {{p_loss}}"
            text += f", {row.n_topics} topics."
        if result.decisions:
            values["by"] = next(iter(result.decisions))
            text = text.replace("{measure}", "{measure} (reference {by})")
        yield Finding("baseline", text, values)


def _chosen(result: Result, decision: Decision) -> Iterator[Finding]:
    measure, systems, by_each = decision.measure, result.recommended, result.decisions
    if decision.reason:
        column = result.board[measure]
        held = np.flatnonzero(column.oriented == np.nanmax(column.oriented, initial=-np.inf)).tolist()
        values: dict[str, Any] = {"reason": decision.reason, "measure": measure}
        values["highest"] = [result.board.systems[at] for at in held]
        highest = f" {{highest}} {'has' if len(held) == 1 else 'have'} the highest {{measure}}." if held else ""
        yield Finding("recommendation", f"clirbench cannot recommend a system: {{reason}}.{highest}", values)
        return
    others, wanted = decision.standings[len(systems) :], result.board.first_measure
    tied = tuple(system for system in result.agreed if system not in systems)
    values = {"measure": measure, "systems": systems, "tied": tied}
    by_reference = result.board[measure].judged_by == "pseudo-relevance"
    other_text = judged(result.board[measure], real_metrics(result.board))["other_text"]
    by = f"By this {'ranking' if other_text else 'reference'}, " if by_reference else ""
    if wanted is not None and wanted.name != measure:
        values["instead_of"], by = wanted.name, "By {measure} ({instead_of} has no topics), "
    nearest = result.resemblances.nearest if by_reference else ()
    flagged = [name for name in decision.recommended if name in nearest]
    first, ties = f"clirbench recommends {{systems}}, {FIRST}", "; statistically tied: {tied}."
    if by_each:
        by, each = "By references {references}, ", "both" if len(by_each) == 2 else "all"
        tied_by = [name for name, of in by_each.items() if not {*systems} <= {*of.recommended}]
        values |= {"references": [*by_each], "tied_by": tied_by, "by": [n for n in by_each if n not in tied_by]}
        where = "by reference {by} first in {measure}, by {tied_by}" if values["by"] else f"by {each} in {{measure}}"
        first = f"clirbench recommends {{systems}}, {where} statistically tied with the first" if tied_by else first
        ties = f"; tied by {each}: {{tied}}." if tied else "; no other is tied."
    elif flagged:
        first = "{systems} is first by {measure}"
    if all_tied := 0 < len(tied) == len(others):
        values["n"] = len(decision.standings)
        tied_all = f"{by}{'all' if by else 'All'} {{n}} systems are statistically tied; {{systems}} has the highest"
        said = f"{tied_all} {{measure}}. Choose the cheapest, or add topics."
    elif tied or by_each:
        said = f"{by}{first}{ties}"
    else:
        near = max(others, key=lambda row: row.difference)
        lead, *interval = _loss(near)
        values |= {"nearest": near.system, "lead": lead, "interval": tuple(interval)}
        rest = f"all {len(others)} others; the nearest, {{nearest}}, is {{lead}} {{interval}} behind"
        rest = rest if len(others) > 1 else "{nearest}, by {lead} {interval}"
        said = f"{by}{first}: significantly better than {rest}."
    yield Finding("recommendation", said, values) if systems else _disagreement(decision, by_each)
    if flagged:
        other = next((row.system for row in decision.standings if row.system not in nearest), "")
        said = "{systems} repeats wording that only the reference has; by another reference it may not be first."
        said += " clirbench recommends no system before another reference compares it with {instead}." if other else ""
        if by_each:
            said, other = "{systems} repeats wording that only reference {by} has.", ""
        yield Finding("near reference", said, {"systems": flagged, "instead": other, "by": next(iter(by_each), "")})
    if (english := result.monolingual) > 0:
        value = decision[systems[0]].value
        said = "{system} reaches {percent} of the reference side's {measure} ({value} of {english})."
        values = {"system": systems[0], "percent": percent(value / english), "measure": measure}
        yield Finding("monolingual", said, values | {"value": value, "english": english})
    steps = dict(zip(result.board.systems, result.units.steps.tolist(), strict=True))
    first = min((*systems, *tied), key=lambda system: (math.isfinite(steps[system]), steps[system]), default="")
    if first and result.units.along_training and steps[first] < steps[systems[0]]:
        values = {"system": first, "by": _trained_by(result), "step": short(steps[first])}
        yield Finding("cheapest", "The cheapest of the tied systems is {system} ({by} {step}).", values)
    grades = {one["metric"]: one["grade"] for one in findings(result) if one.kind == "agreement"}
    if not all_tied:
        yield from _picked(result, decision, grades, " by the reference in doubt" if flagged and not by_each else "")
    # What one point of the answer's first metric is worth, if choosing by it is advised or warned of, and its interval
    # excludes chance.
    first, grade = next(iter(grades.items()), ("", ""))
    for pick in decision.picks if grade in (STRONG, MODERATE, CONTRADICTED) else ():
        if pick.metric == first and (pick.better_low > 0.5 or pick.better_high < 0.5):
            said = "Of two of these systems 1 point of {metric} apart, the higher one is better by {measure} with "
            values = {"metric": first, "measure": measure, "p_better": pick.better}
            values["interval"] = (pick.better_low, pick.better_high)
            yield Finding("rise", f"{said}probability {{p_better}} {{interval}}.", values)


def _disagreement(decision: Decision, by_each: Mapping[str, Decision]) -> Finding:
    """The first system by the searched reference, and the first by the one where that system loses most."""
    first, by = decision.recommended[0], next(iter(by_each))
    of = by_each[other := _worst(by_each, first)]
    (gap, *ends), (lead, *interval) = _loss(decision[of.recommended[0]]), _loss(of[first])
    values: dict[str, Any] = {
        "measure": of.measure,
        "systems": [],
        "references": [*by_each],
        "by": by,
        "by_other": other,
    }
    values |= {"first": first, "gap": gap, "gap_interval": tuple(ends)}
    values |= {"other": of.recommended[0], "lead": lead, "interval": tuple(interval)}
    said = "By reference {by}, {first} is first by {measure} and {other} {gap} {gap_interval} behind; by {by_other}, "
    said += "{other} is first and {first} {lead} {interval} behind. The references disagree, so clirbench recommends "
    said += "no system; one more reference, or relevance judged by people, would help."
    return Finding("recommendation", said, values)


def _worst(by_each: Mapping[str, Decision], system: str) -> str:
    """The reference by which a system loses most, of those by which it is not tied with the first."""
    return min((of[system].difference, by) for by, of in by_each.items() if not of[system].in_set)[1]


def _picked(result: Result, decision: Decision, grades: Mapping[str, str], by: str) -> Iterator[Finding]:
    """The metrics whose first system is the recommended or a tied one; then all others, those that lose most first.

    `by`: what a loss is measured by, where that is in doubt.
    """
    by_each = result.decisions or {"": decision}
    of = {pick.system: [p.metric for p in decision.picks if p.system == pick.system] for pick in decision.picks}
    losing = {system: _worst(by_each, system) for system in of if system not in result.agreed}
    if right := [metric for system in of if system not in losing for metric in of[system]]:
        picked = [system for system in of if system not in losing]
        tied = {"picked": picked} if len(picked) == 1 and picked[0] not in result.recommended else {}
        said = "{picked}, tied with {systems}" if tied else "{systems}"
        said += "" if tied or {*picked} <= {*result.recommended} else " or a system tied with it"
        values: dict[str, Any] = {"metrics": right, "systems": result.recommended}
        yield Finding("choice", f"{_each(right)} picks {said}.", values | tied)
    for system in sorted(losing, key=lambda system: by_each[losing[system]][system].difference):
        loss, *interval = _loss(by_each[losing[system]][system])
        values = {"metrics": of[system], "systems": [system], "measure": decision.measure}
        values |= {"by": losing[system]} if result.decisions else {}
        by = " by reference {by}" if result.decisions else by
        said = f"{_each(of[system])} picks {{systems}}; that costs {{loss}} {{interval}} {{measure}}{by}"
        if all(grades.get(metric) in SHOWN for metric in of[system]):
            said += f", though {'each' if len(of[system]) > 1 else 'it'} orders most pairs rightly"
        yield Finding("choice", f"{said}.", values | {"loss": loss, "interval": tuple(interval)})


def _each(metrics: Sequence[str]) -> str:
    """All of them, however many: what a metric picks is no matter of room."""
    names = listed(metrics, len(metrics)).replace("{", "{{").replace("}", "}}")
    return names if len(metrics) == 1 else f"Each of {names}"


def _trained_by(result: Result) -> str:
    """What the numbers along training are: the column that has them, else `step` or `number in the name`."""
    units = result.units
    if units.step_source != "name":
        return units.step_source
    columns = {name: numbers_in(cells) for name, cells in result.board.metadata.items()}
    same = (name for name, held in columns.items() if held is not None and np.array_equal(held, units.steps))
    return next(same, "number in the name" if units.source == NUMBERED else "step")
