"""Which system to choose, as findings and tables: the recommended, those tied with it, what metrics would choose."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from clirbench.later import keep_recent
from clirbench.pages import Finding, Table, listed, many, number, percent, short
from clirbench.report.answer import answered, judged
from clirbench.result import Result
from clirbench.statistics.belonging import SEED, connected, is_step
from clirbench.statistics.decision import POPULATION, Decision, Standing
from clirbench.statistics.given import real_metrics
from clirbench.statistics.grades import CONTRADICTED, MODERATE, SHOWN, STRONG
from clirbench.types import by_key


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
    if (decision := result.decision) is None:
        return ()
    measure, found, baseline = decision.measure, result.against_baseline, result.experiment.baseline
    first, english, margin = next(iter(decision.recommended), ""), result.monolingual, result.experiment.margin
    said = f"value: as measured on {many(decision.n_topics, 'topic')}; low and high: the .95 interval of its mean over "
    said += f"{POPULATION}. difference: from {first}, by paired topics. in_set: it may be the best; the set has the "
    text = [said + "best system with P = .95."]
    text += [f"of_english: value divided by that of the reference side, {number(english)}."] if english > 0 else []
    if left := [name for name in result.board.systems if name not in {row.system for row in decision.standings}]:
        text.append(f"Left out, because they have no {measure}: {listed(left)}.")
    title, rows = f"Which system is the best by {measure}?", _ranked(result, decision)
    made = _table("decision", title, rows, *text, records=decision.standings)
    rows = ({"reference": by} | asdict(row) for by, of in result.decisions.items() for row in of.standings)
    said = "difference: from the first by the same reference, by its topics. Recommended is what is in_set by each."
    made += _table("references", "Is it the same system by another reference?", rows, said)
    said = f"loss: what choosing the metric's first system loses in {measure} against {first}, with its .95 interval. "
    said += "better: of two of these systems whose metric differs by 1, the probability that the higher one is better, "
    said += "with its .95 interval."
    made += _table("picks", "What would each metric choose?", _picks(decision), said, shown=60, records=decision.picks)
    said = f"difference: {measure} of the system less that of {baseline}, more is better, with an interval that holds "
    said += f"for all {len(found)} together with P = .95; p_better and p_loss (of more than "
    said += f"{short(margin)}) have a flat prior; p_value: exact randomisation of topics, for each alone."
    rows = ({"system": of} | asdict(row) for of, row in found.items())
    title = f"Is another system better than {baseline}?"
    return made + _table("baseline", title, rows, said, records=(*found.values(),))


def _table(name: str, title: str, rows: Iterable[dict[str, Any]], *text: str, **more: Any) -> tuple[Table, ...]:
    """The table of rows by column, where there are any; what is true or false is there as files have it."""
    kept = [{n: str(v).lower() if isinstance(v, bool) else v for n, v in row.items()} for row in rows]
    cells = [tuple(row.values()) for row in kept]
    return (Table(name, title, tuple(kept[0]), cells, text, **{"shown": 20} | more),) if kept else ()


def _ranked(result: Result, decision: Decision) -> Iterator[dict[str, Any]]:
    """Every system as measured, with the mean of its configuration and step over seeds."""
    board, english = result.board, result.monolingual
    columns = [cells for name, cells in board.metadata.items() if name != SEED and not is_step(name)]
    of = dict(zip(board.systems, zip(*columns, result.units.steps.astype(str), strict=True), strict=True))
    rows = decision.standings if board[decision.measure].higher_is_better else [*map(_turned, decision.standings)]
    values = by_key((of[row.system], row.value) for row in rows)
    unseeded = "" if SEED in board.metadata else "no mean_over_seeds: systems.tsv has no column seed"
    for row in rows:
        mean = "" if unseeded else float(np.mean(values[of[row.system]]))
        cells = {"system": "", "measure": decision.measure, "value": "", "mean_over_seeds": mean} | asdict(row)
        note = "; ".join(filter(None, [str(cells.pop("note")), unseeded]))  # the last of them
        yield cells | ({"of_english": row.value / english} if english > 0 else {}) | {"note": note}


def _picks(decision: Decision) -> Iterator[dict[str, Any]]:
    """What each metric would choose, and what that loses."""
    for pick in decision.picks:
        row = _turned(decision[pick.system])
        losses = {"loss": row.difference, "loss_low": row.difference_low, "loss_high": row.difference_high}
        names = {"metric": pick.metric, "system": pick.system, "measure": decision.measure}
        yield names | losses | {"tied": row.in_set} | asdict(pick)


def _turned(row: Standing) -> Standing:
    """With the other sign: as measured where less is better, and what choosing the system loses as its difference."""
    low, high = -row.difference_high or 0.0, -row.difference_low or 0.0
    ends: dict[str, Any] = {"difference": -row.difference or 0.0, "difference_low": low, "difference_high": high}
    return replace(row, value=-row.value or 0.0, low=-row.high or 0.0, high=-row.low or 0.0, **ends)


def _loss(row: Standing, name: str = "loss", interval: str = "interval") -> dict[str, Any]:
    """What choosing the system loses, and the interval, as values of a finding under these names."""
    turned = _turned(row)
    return {name: turned.difference, interval: (turned.difference_low, turned.difference_high)}


def _against(result: Result) -> Iterator[Finding]:
    """What is known of each candidate against the baseline, those with a verdict first."""
    found, by, margin = result.against_baseline, next(iter(result.decisions), ""), short(result.experiment.margin)
    measure = "{measure} (reference {by})" if by else "{measure}"
    of = by_key((row.verdict, name) for name, row in found.items())
    for verdict in [name for name in ("better", "not worse", "worse") if name in of] or of:
        names, more = of[verdict], f" by more than {margin}" * (verdict == "not worse")
        row = found[names[0]]
        values: dict[str, Any] = {"baseline": result.experiment.baseline, "measure": result.decided_by}
        values |= {"verdict": verdict, "systems": names} | ({"note": row.note} if row.note else {})
        if len(found) > 1:
            than = "No system is shown to be better or worse" if verdict == "open" else verdict.capitalize()
            text = f"{than} than the baseline {{baseline}}{more} by {measure}, corrected for {len(found)} candidates"
            worse = ": all of them" if len(names) == len(found) else f": {len(names)} of the {len(found)} others"
            text += {"worse": worse, "open": " ({note})" if row.note else ""}.get(verdict, ": {systems}")
        elif row.note:
            text = f"clirbench cannot tell whether {{systems}} is better than {{baseline}} by {measure}: {{note}}"
        else:
            asks = f"Whether {{systems}} is better than {{baseline}} by {measure} is undecided"
            text = asks if verdict == "open" else f"{{systems}} is {verdict} than {{baseline}}{more or ' by'} {measure}"
            values |= {"difference": row.difference, "interval": (row.low, row.high), "p_better": row.p_better}
            values |= {"p_loss": row.p_loss} if row.margin else {}
            text += f": {'+' * (row.difference > 0)}{{difference}} {{interval}}, P(better) {{p_better}}"
            text += f"{f', P(loss > {margin}) {{p_loss}}' * bool(row.margin)}, {row.n_topics} topics"
        yield Finding("baseline", f"{text}.", values | ({"by": by} if by else {}))


def _chosen(result: Result, decision: Decision) -> Iterator[Finding]:
    """What to choose by every reference that was asked, be it one or several."""
    measure, column, systems = decision.measure, result.board[decision.measure], result.recommended
    foreign = {row.system for row in result.health if row.foreign}
    hardly = "most systems share hardly any text with the reference" * (2 * len(foreign) > len(result.board.systems))
    if reason := hardly or decision.reason:
        names = np.array(result.board.systems)[column.oriented == np.nanmax(column.oriented, initial=-np.inf)].tolist()
        highest = f" {{highest}} {'has' if len(names) == 1 else 'have'} the highest {{measure}}." if names else ""
        values: dict[str, Any] = {"reason": reason, "measure": measure, "highest": names}
        yield Finding("recommendation", f"clirbench cannot recommend a system: {{reason}}.{highest}", values)
        return
    by_each, by_reference = result.decisions or {"": decision}, column.judged_by == "pseudo-relevance"
    others, tied = decision.standings[len(systems) :], tuple(name for name in result.agreed if name not in systems)
    values, all_tied = {"measure": measure, "systems": systems, "tied": tied}, 0 < len(tied) == len(others)
    nearest = result.resemblances.nearest if by_reference else {}
    flagged = [name for name in decision.recommended if name in nearest]
    alike = dict(zip(result.board.systems, connected(result.board.systems, [*result.resemblances.near]), strict=True))
    copies = " (of nearly the same text)" * (len({alike[name] for name in (*systems, *tied)}) == 1)
    doubt, by, ties = flagged and not result.decisions, "", f"statistically tied: {{tied}}{copies}"
    first = "{systems} is first" if doubt else "clirbench recommends {systems}, which retrieval itself puts first"
    first += " by {measure}"
    if result.decisions:
        by, each = "By references {references}, ", "both" if len(by_each) == 2 else "all"
        tied_by = [name for name, of in by_each.items() if not {*systems} <= {*of.recommended}]
        values |= {"references": [*by_each], "tied_by": tied_by, "by": [n for n in by_each if n not in tied_by]}
        where = "by reference {by} first in {measure}, by {tied_by}" if values["by"] else f"by {each} in {{measure}}"
        first = f"clirbench recommends {{systems}}, {where} statistically tied with the first" if tied_by else first
        ties = f"tied by {each}: {{tied}}{copies}" if tied else "no other is tied"
    elif (wanted := getattr(result.board.first_measure, "name", "")) != measure:
        values["instead_of"], by = wanted, "By {measure} ({instead_of} has no topics), "
    elif by_reference:
        by = f"By this {'ranking' if judged(column, real_metrics(result.board))['other_text'] else 'reference'}, "
        by = "By this reference, which may favour it, " if doubt else by
    said = f"{by}{first}; {ties}"
    if all_tied:
        values["n"] = len(decision.standings)
        said = f"{by}{'all' if by else 'All'} {{n}} systems are statistically tied; {{systems}} has the highest "
        said += "{measure}. Choose the cheapest, or add topics"
    elif not (tied or result.decisions):
        values |= {"nearest": others[0].system} | _loss(others[0], "lead")
        rest = f"all {len(others)} others; the nearest, {{nearest}}, is {{lead}} {{interval}} behind"
        rest = rest if len(others) > 1 else "{nearest}, by {lead} {interval}"
        said = f"{by}{first}: significantly better than {rest}"
    yield Finding("recommendation", f"{said}.", values) if systems else _disagreement(by_each)
    if flagged:
        other = next((row.system for row in decision.standings if doubt and row.system not in nearest), "")
        only = "the reference has; by another reference it may not be first, and grades may differ"
        only = only if doubt else "reference {by} has, so figures by {by} may favour it"
        said = f"{{systems}} repeats wording that only {only}."
        said += " clirbench recommends no system before another reference compares it with {instead}." if other else ""
        yield Finding("near reference", said, {"systems": flagged, "instead": other, "by": next(iter(by_each))})
    if (english := result.monolingual) > 0:
        value = decision[systems[0]].value
        said = "{system} reaches {percent} of the reference side's {measure} ({value} of {english})."
        values = {"system": systems[0], "percent": percent(value / english), "measure": measure}
        yield Finding("monolingual", said, values | {"value": value, "english": english})
    steps = dict(zip(result.board.systems, result.units.steps.tolist(), strict=True))
    first = min((*systems, *tied), key=lambda system: (np.isfinite(steps[system]), steps[system]), default="")
    if first and result.units.along_training and steps[first] < steps[systems[0]]:
        yield Finding.of("cheapest", "The cheapest of the tied systems, trained least, is {system}.", system=first)
    if not all_tied:
        yield from _picked(result, by_each, " by the reference in doubt" if doubt else "")
    # What one point of the answer's first metric is worth, if choosing by it is advised or warned of, and its interval
    # excludes chance.
    first, grade = next(iter(answered(result).grades.items()), ("", ""))
    for pick in decision.picks if grade in (STRONG, MODERATE, CONTRADICTED) else ():
        if pick.metric == first and (pick.better_low > 0.5 or pick.better_high < 0.5):
            said = "Of two of these systems 1 point of {metric} apart, the higher one is better by {measure} with "
            said, ends = f"{said}probability {{p_better}} {{interval}}.", (pick.better_low, pick.better_high)
            yield Finding.of("rise", said, metric=first, measure=measure, p_better=pick.better, interval=ends)


def _disagreement(by_each: Mapping[str, Decision]) -> Finding:
    """The first system by the searched reference, and the first by the one where that system loses most."""
    by, own = next(iter(by_each.items()))
    first = own.recommended[0]
    _, by_other = _worst(by_each, first)
    other = by_each[by_other].recommended[0]
    values: dict[str, Any] = {"measure": own.measure, "systems": [], "references": [*by_each], "by": by}
    values |= {"by_other": by_other, "first": first} | _loss(own[other], "gap", "gap_interval")
    said = "By reference {by}, {first} is first by {measure} and {other} {gap} {gap_interval} behind; by {by_other}, "
    said += "{other} is first and {first} {lead} {interval} behind. The references disagree, so clirbench recommends "
    said += "no system; one more reference, or relevance judged by people, would help."
    return Finding("recommendation", said, values | {"other": other} | _loss(by_each[by_other][first], "lead"))


def _worst(by_each: Mapping[str, Decision], system: str) -> tuple[float, str]:
    """The most that a system is behind by a reference, of those by which it is not tied with the first, and which."""
    return min((of[system].difference, by) for by, of in by_each.items() if not of[system].in_set)


def _picked(result: Result, by_each: Mapping[str, Decision], doubt: str) -> Iterator[Finding]:
    """The metrics whose first system is the recommended or a tied one; then all others, those that lose most first.

    `doubt`: what a loss is measured by, where that is in doubt.
    """
    decision, grades = next(iter(by_each.values())), answered(result).grades
    of = by_key((pick.system, pick.metric) for pick in decision.picks)
    losing = {system: _worst(by_each, system) for system in of if system not in result.agreed}
    if right := [system for system in of if system not in losing]:
        said, values = "picks {systems}", dict[str, Any]()
        if not {*right} <= {*result.recommended}:
            values = {"picked": right} if len(right) == 1 else {}
            said = f"picks {'{picked}, tied with {systems}' if values else '{systems} or a system tied with it'}"
        yield _choice([metric for system in right for metric in of[system]], result.recommended, said, **values)
    for system, (_, by) in sorted(losing.items(), key=lambda item: item[1][0]):
        values = {"measure": decision.measure} | ({"by": by} if by else {}) | _loss(by_each[by][system])
        said = f"picks {{systems}}; that costs {{loss}} {{interval}} {{measure}}{' by reference {by}' if by else doubt}"
        if all(grades.get(metric) in SHOWN for metric in of[system]):
            said += f", though {'each' if len(of[system]) > 1 else 'it'} orders most pairs rightly"
        yield _choice(of[system], [system], said, **values)
    if holes := [name for name in grades if np.isnan(result.board[name].values).any()]:
        yield _choice(holes, [], "has no value for some systems, so it picks none")


def _choice(metrics: Sequence[str], systems: Sequence[str], said: str, **values: Any) -> Finding:
    """What each of the metrics picks: all are named, however many, as that is no matter of room."""
    each = "Each of " * (len(metrics) > 1) + listed(metrics, len(metrics)).replace("{", "{{").replace("}", "}}")
    return Finding.of("choice", f"{each} {said}.", metrics=metrics, systems=systems, **values)
