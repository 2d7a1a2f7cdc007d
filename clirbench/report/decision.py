"""Which system to choose, as findings and tables: the recommended, those tied with it, what metrics would choose.

Learning curves are here too: metrics and measures over training steps, a line for each run.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.files.tables import as_number
from clirbench.later import keep_recent
from clirbench.pages import Finding, Table, listed, many, number, percent, short
from clirbench.report.answer import checkpoints, findings, training_runs
from clirbench.report.figures import Dot, Panel, axis_label, panels, write_drawing
from clirbench.result import Result
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.belonging import SEED, is_step
from clirbench.statistics.decision import POPULATION, BaselineComparison, Decision, Pick, Standing
from clirbench.statistics.grades import SHOWN

TURNED = {
    "value": "value", "low": "high", "high": "low", "difference": "difference", "difference_low": "difference_high",
    "difference_high": "difference_low",
}  # fmt: skip
"""Number of a standing -> the one that is there, with the other sign, where less is better."""
VERDICTS = {
    "better": ("Better than {baseline}", "{systems} is better than {baseline} by {measure}"),
    "not worse": (
        "Not worse than {baseline} by more than MARGIN",
        "{systems} is not worse than {baseline} by more than MARGIN {measure}",
    ),
    "worse": ("Worse than {baseline}", "{systems} is worse than {baseline} by {measure}"),
    "open": (
        "No system is shown to be better or worse than {baseline}",
        "Whether {systems} is better than {baseline} by {measure} is open",
    ),
}
"""Sentences on several candidates, and on one."""


@keep_recent(1)
def decision_findings(result: Result) -> tuple[Finding, ...]:
    """What a run decides, `baseline` first; one finding where it decides nothing."""
    return (*_against(result), *(() if result.decision is None else _chosen(result, result.decision)))


def decision_sentences(result: Result) -> tuple[str, ...]:
    """The sentences of `decision_findings`."""
    return tuple(str(finding) for finding in decision_findings(result))


def decision_tables(result: Result) -> tuple[Table, ...]:
    """`decision` (a row for each system, best first), `picks` (for each metric) and `baseline`, where there are any."""
    return (*_decision_table(result), *_picks_table(result), *_baseline_table(result))


def recommended(result: Result) -> str:
    """The system that the decision of the run recommends, the first of equal ones; empty where nothing is decided."""
    decision = result.decision
    return decision.recommended[0] if decision is not None and decision.standings else ""


def _against(result: Result) -> Iterator[Finding]:
    """What is known of each candidate against the baseline, those with a verdict first."""
    found, several = result.against_baseline, len(result.against_baseline) > 1
    margin = short(result.experiment.margin)
    corrected = f" by {{measure}}, corrected for {len(found)} candidates"
    for verdict, said in VERDICTS.items():
        names = [name for name, row in found.items() if row.verdict == verdict]
        if not names or (several and verdict == "open" and len(names) < len(found)):
            continue
        values: dict[str, Any] = {"baseline": result.experiment.baseline, "measure": result.decided_by}
        values |= {"verdict": verdict, "systems": names}
        row, text = found[names[0]], said[not several].replace("MARGIN", margin)
        if several and verdict == "open":
            values["note"] = row.note
            text += f"{corrected}{' ({note})' if row.note else ''}."
        elif several:
            of_them = "{systems}" if verdict != "worse" else "all of them" if result.worse else f"{len(names)} of them"
            text += f"{corrected}: {of_them}."
        elif row.note:
            values["note"] = row.note
            text = "clirbench cannot tell whether {systems} is better than {baseline} by {measure}: {note}."
        else:
            values |= {"difference": row.difference, "interval": (row.low, row.high), "p_better": row.p_better}
            text += f": {'+' if row.difference > 0 else ''}{{difference}} {{interval}}, P(better) {{p_better}}"
            if row.margin:
                values["p_loss"] = row.p_loss
                text += f", P(loss > {margin}) {{p_loss}}"
            text += f", {row.n_topics} topics."
        yield Finding("baseline", text, values)


def _chosen(result: Result, decision: Decision) -> Iterator[Finding]:
    measure, systems, tied = decision.measure, decision.recommended, decision.tied
    if decision.reason:
        yield Finding("recommendation", "clirbench cannot recommend a system: {reason}.", {"reason": decision.reason})
        return
    others, wanted = decision.standings[len(systems) :], result.board.first_measure
    values: dict[str, Any] = {"measure": measure, "systems": systems, "tied": tied}
    said = "By {measure}"
    if wanted is not None and wanted.name != measure:
        values["instead_of"] = wanted.name
        said += " ({instead_of} has no topics)"
    if tied and len(tied) == len(others):
        values["n"] = len(decision.standings)
        said += ", all {n} systems are statistically tied; {systems} has the highest value. "
        said += "Choose the cheapest, or add topics."
    elif tied:
        said += ", clirbench recommends {systems}; statistically tied with it: {tied}."
    else:
        near = max(others, key=lambda row: row.difference)
        values |= {"nearest": near.system, "difference": near.difference}
        values["interval"] = (near.difference_low, near.difference_high)
        rest = "{nearest}" if len(others) == 1 else f"all {len(others)} others; the nearest is {{nearest}}"
        said += f", clirbench recommends {{systems}}: significantly better than {rest} ({{difference}} {{interval}})."
    yield Finding("recommendation", said, values)
    if (english := result.monolingual) > 0:
        value = decision[systems[0]].value
        said = "{system} reaches {percent} of the reference side's {measure} ({value} of {english})."
        values = {"system": systems[0], "percent": percent(value / english), "measure": measure}
        yield Finding("monolingual", said, values | {"value": value, "english": english})
    steps = dict(zip(result.board.systems, result.units.steps.tolist(), strict=True))
    if result.units.along_training and all(np.isfinite(steps[system]) for system in (*systems, *tied)):
        first = min((*systems, *tied), key=lambda system: steps[system])
        if steps[first] < steps[systems[0]]:
            values = {"system": first, "step": short(steps[first])}
            yield Finding("cheapest", "The cheapest of the tied systems is {system} (step {step}).", values)
    yield from _picked(decision)
    # What one point of the answer's first metric is worth, if that agrees and its interval excludes chance.
    headline = next((one for one in findings(result) if one.kind == "agreement" and one["grade"] in SHOWN), None)
    for pick in decision.picks:
        if headline is not None and pick.metric == headline["metric"] and pick.better_low > 0.5:
            said = "+1 {metric} between two of these systems means better {measure} with probability {p_better} "
            values = {"metric": pick.metric, "measure": measure, "p_better": pick.better}
            yield Finding("rise", f"{said}{{interval}}.", values | {"interval": (pick.better_low, pick.better_high)})


def _picked(decision: Decision) -> Iterator[Finding]:
    """The metrics that choose the recommended system, those that choose a tied one, and the choice that loses most."""
    here = [pick.metric for pick in decision.picks if pick.system in decision.recommended]
    tied = [pick for pick in decision.picks if pick.system in decision.tied]
    losing = [pick for pick in decision.picks if pick.system not in (*decision.recommended, *decision.tied)]
    if here:
        said = f"{{metrics}} {'chooses' if len(here) == 1 else 'choose'} {{systems}} too."
        yield Finding("choice", said, {"metrics": here, "systems": decision.recommended})
    if tied:
        names = list(dict.fromkeys(pick.system for pick in tied))
        values: dict[str, Any] = {"metrics": [pick.metric for pick in tied], "systems": names}
        values |= {"recommended": decision.recommended, "loss_high": max(_loss(decision, name)[2] for name in names)}
        values["measure"] = decision.measure
        said = f"{{metrics}} {'chooses' if len(tied) == 1 else 'choose'} "
        said += "{systems}, which is" if len(names) == 1 else "systems that are"
        said += " statistically tied with {recommended}: at most {loss_high} {measure} worse."
        yield Finding("choice", said, values)
    if losing:
        worst = min((decision[pick.system] for pick in losing), key=lambda row: row.difference).system
        loss, *interval = _loss(decision, worst)
        values = {"metrics": [pick.metric for pick in losing if pick.system == worst], "systems": [worst]}
        values |= {"loss": loss, "interval": tuple(interval), "measure": decision.measure}
        yield Finding("choice", "Choosing by {metrics} ({systems}) would lose {loss} {interval} {measure}.", values)


def _loss(decision: Decision, system: str) -> tuple[float, float, float]:
    """What choosing it loses, and the interval: its difference from the recommended system, turned round."""
    row = decision[system]
    return -row.difference or 0.0, -row.difference_high or 0.0, -row.difference_low or 0.0


def _decision_table(result: Result) -> Iterator[Table]:
    decision = result.decision
    if decision is None or not decision.standings:
        return
    english, measure = result.monolingual, decision.measure
    less, seeds = not result.board[measure].higher_is_better, _over_seeds(result, decision)
    names = [field.name for field in fields(Standing)]
    rows = []
    for row in decision.standings:
        cells: dict[str, Any] = {"system": row.system, "measure": measure, "value": 0, "mean_over_seeds": ""}
        for name in names:
            turned = less and name in TURNED
            cells[name] = (-getattr(row, TURNED[name]) or 0.0) if turned else getattr(row, name)
        cells |= {"mean_over_seeds": seeds.get(row.system, ""), "in_set": str(row.in_set).lower()}
        unseeded = "" if seeds else "no mean_over_seeds: systems.tsv has no column seed"
        note = "; ".join(filter(None, [cells.pop("note"), unseeded]))
        rows.append(cells | ({"of_english": row.value / english} if english > 0 else {}) | {"note": note})
    told = [
        f"value: as measured on {many(decision.n_topics, 'topic')}; low and high: the .95 interval of its mean over "
        f"{POPULATION}. difference: from {decision.standings[0].system}, with a .95 interval that allows for its "
        "choice by the same topics. in_set: statistically tied with it; the set has the best system with P = .95."
    ]
    if english > 0:
        told.append(f"of_english: value divided by that of the reference side, {number(english)}.")
    if left := [name for name in result.board.systems if name not in {row.system for row in decision.standings}]:
        told.append(f"Left out, because they have no {measure}: {listed(left)}.")
    made = tuple(tuple(row.values()) for row in rows)
    title = f"Which system is the best by {measure}?"
    yield Table("decision", title, tuple(rows[0]), made, tuple(told), shown=20, records=decision.standings)


def _over_seeds(result: Result, decision: Decision) -> Mapping[str, float]:
    """The measured mean of each system's configuration and step over seeds; nothing without a column `seed`."""
    metadata = result.board.metadata
    if SEED not in metadata:
        return {}
    columns = [cells for name, cells in metadata.items() if name != SEED and not is_step(name)]
    keys = list(zip(*columns, map(str, result.units.steps.tolist()), strict=True))
    of = dict(zip(result.board.systems, keys, strict=True))
    values = dict(zip(result.board.systems, result.board[decision.measure].values.tolist(), strict=True))
    seeds: dict[Any, list[float]] = {}
    for row in decision.standings:
        seeds.setdefault(of[row.system], []).append(values[row.system])
    return {row.system: float(np.mean(seeds[of[row.system]])) for row in decision.standings}


def _picks_table(result: Result) -> Iterator[Table]:
    decision = result.decision
    if decision is None or not decision.picks:
        return
    later = [field.name for field in fields(Pick)[2:]]
    rows = []
    for pick in decision.picks:
        tied = str(decision[pick.system].in_set).lower()
        rows.append(
            (pick.metric, pick.system, decision.measure, *_loss(decision, pick.system), tied, *astuple(pick)[2:])
        )
    told = (
        f"loss: what choosing the metric's first system loses in {decision.measure} against "
        f"{decision.standings[0].system}, with its .95 interval. better: of two of these systems whose metric differs "
        "by 1, the probability that the higher one is better, with its .95 interval."
    )
    header = ("metric", "system", "measure", "loss", "loss_low", "loss_high", "tied", *later)
    yield Table("picks", "What would each metric choose?", header, rows, (told,), records=decision.picks)


def _baseline_table(result: Result) -> Iterator[Table]:
    found = result.against_baseline
    if not found:
        return
    told = (
        f"difference: {result.decided_by} of the system less that of {result.experiment.baseline}, more is better, "
        f"with an interval that holds for all {len(found)} together with P = .95; p_better and p_loss (of more than "
        f"{short(result.experiment.margin)}) have a flat prior; p_value: exact randomisation of topics, for each alone."
    )
    header = ("system", *(field.name for field in fields(BaselineComparison)))
    rows = [(name, *astuple(row)) for name, row in found.items()]
    title = f"Is another system better than {result.experiment.baseline}?"
    yield Table("baseline", title, header, rows, (told,), shown=20, records=tuple(found.values()))


def write(folder: Path, result: Result) -> None:
    """Write `learning_curves.FORMAT` where systems carry steps."""
    plots = learning_curves(result.board, recommended(result))
    for ending in result.experiment.figures if plots else ():
        title = "Learning curves: columns over training steps"
        write_drawing(folder / f"learning_curves.{ending}", panels(list(plots.values())), title)


def learning_curves(board: Scoreboard, shipped: str = "") -> dict[str, Panel]:
    """A plot for each measure and metric over the steps, by its name; none where systems have no steps.

    A line for each run, and one for their mean with one standard deviation to both sides, at steps that two runs have;
    an upright line at the step of `shipped`. The title says where the column alone would stop.
    """
    if not checkpoints(board):
        return {}
    runs, cells = training_runs(board), board.metadata["step"]
    read = [as_number(cell.replace(",", "").replace("_", "")) for cell in cells]
    steps = np.array([math.nan if step is None else step for step in read])
    plots = {}
    for column in (*board.measures, *board.metrics):
        kept = np.flatnonzero(np.isfinite(steps + column.values))
        if not len(kept):
            continue
        lines: dict[str, Sequence[Dot]] = {}
        for at, name in enumerate(runs.names):
            own = sorted((i for i in kept.tolist() if runs.group_of[i] == at), key=lambda i: steps[i])
            tips = [f"{board.systems[i]}\nstep {cells[i]}, {column.name} {short(column.values[i], 4)}" for i in own]
            lines[name] = [Dot(float(steps[i]), float(column.values[i]), t) for i, t in zip(own, tips, strict=True)]
        of_step = {float(s): column.values[kept][steps[kept] == s] for s in np.unique(steps[kept])}
        means = {s: (float(v.mean()), float(v.std(ddof=1))) for s, v in of_step.items() if len(v) > 1}
        if len(means) > 1:
            lines["mean over runs, with one standard deviation"] = [Dot(s, mean) for s, (mean, _) in means.items()]
        if shipped in board.systems:
            at_step, values = float(steps[board.systems.index(shipped)]), column.values[kept]
            lines[f"recommended: {shipped}"] = [Dot(at_step, float(end)) for end in (values.min(), values.max())]
        beside = [[(s, mean + sign * sd) for s, (mean, sd) in means.items()] for sign in (-1, 1)]
        title = f"best: step {short(steps[kept[np.argmax(column.oriented[kept])]])}"
        plots[column.name] = Panel("step", axis_label(column), lines, outlines=beside, title=title)
    return plots
