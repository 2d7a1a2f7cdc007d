"""Which system to choose, as findings and tables: the recommended, those tied with it, what metrics would choose.

About how much processor time and memory a run will take, from sizes: for `check=true`.

Time is a sum: what every run takes, a rate for each system, a rate for each byte of text that a metric or a retriever
reads and whose result is not in the store, and one for each value of a measure. The rates are those of runs measured
one by one on a 2-core virtual machine (benchmarks/RESULTS.md, "Estimates"), where it holds within a factor of 3.
Translators, training, commands, servers and models of one's own are named instead, because their cost is unknown.

Learning curves: metrics and measures over training steps, a line for each run, and where each would have stopped.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.engines.base import available_cores
from clirbench.experiment import jobs_of
from clirbench.files.tables import as_number
from clirbench.later import keep_recent, load_value
from clirbench.pages import Finding, Table, fixed, grouped, listed, many, number, percent, short
from clirbench.report.answer import checkpoints, findings, training_runs
from clirbench.report.figures import Dot, Panel, axis_label, panels, write_drawing
from clirbench.result import Experiment, Inputs, Result
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.belonging import SEED, is_step
from clirbench.statistics.decision import POPULATION, BaselineComparison, Decision, Pick
from clirbench.statistics.grades import SHOWN
from clirbench.steps import readings, statistics
from clirbench.store.cached import Pass, calls_on
from clirbench.store.store import Store
from clirbench.systems.base import makers
from clirbench.text import Text
from clirbench.types import Doubles


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


def _chosen(result: Result, decision: Decision) -> Iterator[Finding]:
    measure, systems, tied = decision.measure, decision.recommended, decision.tied
    if decision.reason:
        yield Finding("recommendation", "clirbench cannot recommend a system: {reason}.", {"reason": decision.reason})
        return
    others = decision.standings[len(systems) :]
    values: dict[str, object] = {"measure": measure, "systems": systems, "tied": tied}
    wanted = result.board.first_measure
    by = "By {measure}"
    if wanted is not None and wanted.name != measure:
        values["instead_of"] = wanted.name
        by += " ({instead_of} has no topics)"
    if tied and len(tied) == len(others):
        said = f"{by}, all {{n}} systems are statistically tied; {{systems}} has the highest value. "
        said += "Choose the cheapest, or add topics."
        values["n"] = len(decision.standings)
    elif tied:
        said = f"{by}, clirbench recommends {{systems}}; statistically tied with it: {{tied}}."
    else:
        nearest = max(others, key=lambda row: row.difference)
        values |= {
            "nearest": nearest.system,
            "difference": nearest.difference,
            "interval": (nearest.difference_low, nearest.difference_high),
        }
        rest = "{nearest}" if len(others) == 1 else f"all {len(others)} others; the nearest is {{nearest}}"
        said = (
            f"{by}, clirbench recommends {{systems}}: significantly better than {rest} ({{difference}} {{interval}})."
        )
    yield Finding("recommendation", said, values)
    if result.monolingual > 0:
        value = decision[systems[0]].value
        values = {
            "system": systems[0], "percent": percent(value / result.monolingual), "measure": measure, "value": value,
            "english": result.monolingual,
        }  # fmt: skip
        said = "{system} reaches {percent} of the reference side's {measure} ({value} of {english})."
        yield Finding("monolingual", said, values)
    yield from _cheapest(result, [*systems, *tied])
    yield from _picked(decision)
    yield from _rise(result, decision)


def _cheapest(result: Result, systems: list[str]) -> Iterator[Finding]:
    """The checkpoint of the earliest step among those that may be chosen, if it is not the first of them."""
    steps = dict(zip(result.board.systems, result.units.steps.tolist(), strict=True))
    if result.units.along_training and all(np.isfinite(steps[system]) for system in systems):
        cheapest = min(systems, key=lambda system: steps[system])
        if steps[cheapest] < steps[systems[0]]:
            values = {"system": cheapest, "step": f"{short(steps[cheapest])}"}
            yield Finding("cheapest", "The cheapest of the tied systems is {system} (step {step}).", values)


def _picked(decision: Decision) -> Iterator[Finding]:
    """The metrics that choose the recommended system, those that choose a tied one, and the choice that loses most."""
    here = [pick.metric for pick in decision.picks if pick.system in decision.recommended]
    tied = [pick for pick in decision.picks if pick.system in decision.tied]
    if here:
        verb = "chooses" if len(here) == 1 else "choose"
        values: dict[str, object] = {"metrics": here, "systems": decision.recommended}
        yield Finding("choice", f"{{metrics}} {verb} {{systems}} too.", values)
    if tied:
        names = list(dict.fromkeys(pick.system for pick in tied))
        values = {
            "metrics": [pick.metric for pick in tied], "systems": names, "recommended": decision.recommended,
            "loss_high": max(_loss(decision, name)[2] for name in names), "measure": decision.measure,
        }  # fmt: skip
        verb = "chooses" if len(tied) == 1 else "choose"
        which = "{systems}, which is" if len(names) == 1 else "systems that are"
        said = f"{{metrics}} {verb} {which} statistically tied with {{recommended}}: "
        yield Finding("choice", f"{said}at most {{loss_high}} {{measure}} worse.", values)
    losing = [pick for pick in decision.picks if pick.system not in (*decision.recommended, *decision.tied)]
    if losing:
        worst = min((decision[pick.system] for pick in losing), key=lambda row: row.difference)
        loss, low, high = _loss(decision, worst.system)
        values = {
            "metrics": [pick.metric for pick in losing if pick.system == worst.system], "systems": [worst.system],
            "loss": loss, "interval": (low, high), "measure": decision.measure,
        }  # fmt: skip
        yield Finding("choice", "Choosing by {metrics} ({systems}) would lose {loss} {interval} {measure}.", values)


def _rise(result: Result, decision: Decision) -> Iterator[Finding]:
    """What one point of the answer's first metric is worth, if that agrees and its interval excludes chance."""
    first = next((found for found in findings(result) if found.kind == "agreement"), None)
    headline = first["metric"] if first is not None and first["grade"] in SHOWN else ""
    known = [pick for pick in decision.picks if pick.metric == headline and pick.better_low > 0.5]
    if known:
        pick = known[0]
        values = {
            "metric": pick.metric, "measure": decision.measure, "p_better": pick.better,
            "interval": (pick.better_low, pick.better_high),
        }  # fmt: skip
        said = "+1 {metric} between two of these systems means better {measure} with probability {p_better} {interval}."
        yield Finding("rise", said, values)


def _loss(decision: Decision, system: str) -> tuple[float, float, float]:
    """What choosing it loses, and the interval: its difference from the recommended system, turned round."""
    row = decision[system]
    return -row.difference or 0.0, -row.difference_high or 0.0, -row.difference_low or 0.0


def _decision_table(result: Result) -> Iterator[Table]:
    decision = result.decision
    if decision is None or not decision.standings:
        return
    column = result.board[decision.measure]
    sign = 1.0 if column.higher_is_better else -1.0
    seeds = _over_seeds(result, decision)
    unseeded = "" if seeds else "no mean_over_seeds: systems.tsv has no column seed"
    rows = [
        (
            row.system,
            decision.measure,
            sign * row.value,
            seeds.get(row.system, ""),
            *sorted((sign * row.low, sign * row.high)),
            sign * row.difference or 0.0,
            *sorted((sign * row.difference_low or 0.0, sign * row.difference_high or 0.0)),
            row.p_best,
            row.expected_loss,
            str(row.in_set).lower(),
            *([row.value / result.monolingual] if result.monolingual > 0 else []),
            "; ".join(filter(None, [row.note, unseeded])),
        )
        for row in decision.standings
    ]
    header = (
        "system", "measure", "value", "mean_over_seeds", "low", "high", "difference", "difference_low",
        "difference_high", "p_best", "expected_loss", "in_set",
        *(["of_english"] if result.monolingual > 0 else []), "note",
    )  # fmt: skip
    told = [
        f"value: as measured on {many(decision.n_topics, 'topic')}; low and high: the .95 interval of its mean over "
        f"{POPULATION}. difference: from {decision.standings[0].system}, with a .95 interval that allows for its "
        "choice by the same topics. in_set: statistically tied with it; the set has the best system with P = .95."
    ]
    if result.monolingual > 0:
        told.append(f"of_english: value divided by that of the reference side, {number(result.monolingual)}.")
    left = [name for name in result.board.systems if name not in {row.system for row in decision.standings}]
    if left:
        told.append(f"Left out, because they have no {decision.measure}: {listed(left)}.")
    title = f"Which system is the best by {decision.measure}?"
    yield Table("decision", title, header, tuple(rows), tuple(told), shown=20, records=decision.standings)


def _over_seeds(result: Result, decision: Decision) -> Mapping[str, float]:
    """The measured mean of each system's configuration and step over seeds; nothing without a column `seed`."""
    metadata = result.board.metadata
    if SEED not in metadata:
        return {}
    columns = [cells for name, cells in metadata.items() if name != SEED and not is_step(name)]
    steps = map(str, result.units.steps.tolist())
    of = dict(zip(result.board.systems, map("\t".join, zip(*columns, steps, strict=True)), strict=True))
    values = dict(zip(result.board.systems, result.board[decision.measure].values.tolist(), strict=True))
    seeds: dict[str, list[float]] = {}
    for row in decision.standings:
        seeds.setdefault(of[row.system], []).append(values[row.system])
    return {row.system: float(np.mean(seeds[of[row.system]])) for row in decision.standings}


def _picks_table(result: Result) -> Iterator[Table]:
    decision = result.decision
    if decision is None or not decision.picks:
        return
    header = (
        "metric", "system", "measure", "loss", "loss_low", "loss_high", "tied", *(f.name for f in fields(Pick)[2:]),
    )  # fmt: skip
    rows = tuple(
        (
            pick.metric,
            pick.system,
            decision.measure,
            *_loss(decision, pick.system),
            str(decision[pick.system].in_set).lower(),
            *astuple(pick)[2:],
        )
        for pick in decision.picks
    )
    told = (
        f"loss: what choosing the metric's first system loses in {decision.measure} against "
        f"{decision.standings[0].system}, with its .95 interval. better: of two of these systems whose metric differs "
        "by 1, the probability that the higher one is better, with its .95 interval."
    )
    yield Table("picks", "What would each metric choose?", header, rows, (told,), records=decision.picks)


def _against(result: Result) -> Iterator[Finding]:
    """What is known of each candidate against the baseline, those with a verdict first."""
    found, baseline, measure = result.against_baseline, result.experiment.baseline, result.decided_by
    if not found:
        return
    values: dict[str, object] = {"baseline": baseline, "measure": measure}
    if len(found) == 1:
        ((name, row),) = found.items()
        yield _verdict(name, row, values)
        return
    corrected = f"by {{measure}}, corrected for {len(found)} candidates"
    for verdict in ("better", "not worse"):
        names = [name for name, row in found.items() if row.verdict == verdict]
        if names:
            by = f" by more than {short(result.experiment.margin)}" if verdict == "not worse" else ""
            said = f"{verdict.capitalize()} than {{baseline}}{by} {corrected}: {{systems}}."
            yield Finding("baseline", said, {**values, "verdict": verdict, "systems": names})
    worse = [name for name, row in found.items() if row.verdict == "worse"]
    if worse:
        number = "all" if result.worse else len(worse)
        said = f"Worse than {{baseline}} {corrected}: {number} of them."
        yield Finding("baseline", said, {**values, "verdict": "worse", "systems": worse})
    elif all(row.verdict == "open" for row in found.values()):
        note = next(iter(found.values())).note
        said = f"No system is shown to be better or worse than {{baseline}} {corrected}{' ({note})' if note else ''}."
        yield Finding("baseline", said, {**values, "verdict": "open", "systems": list(found), "note": note})


def _verdict(name: str, row: BaselineComparison, values: dict[str, object]) -> Finding:
    values = {**values, "verdict": row.verdict, "systems": [name]}
    if row.note:
        said = "clirbench cannot tell whether {systems} is better than {baseline} by {measure}: {note}."
        return Finding("baseline", said, {**values, "note": row.note})
    margin = f"{short(row.margin)}"
    told = {
        "better": "{systems} is better than {baseline} by {measure}",
        "worse": "{systems} is worse than {baseline} by {measure}",
        "not worse": f"{{systems}} is not worse than {{baseline}} by more than {margin} {{measure}}",
        "open": "Whether {systems} is better than {baseline} by {measure} is open",
    }[row.verdict]
    values |= {"difference": row.difference, "interval": (row.low, row.high), "p_better": row.p_better}
    loss = ""
    if row.margin:
        values["p_loss"] = row.p_loss
        loss = f", P(loss > {margin}) {{p_loss}}"
    plus = "+" if row.difference > 0 else ""
    return Finding(
        "baseline",
        f"{told}: {plus}{{difference}} {{interval}}, P(better) {{p_better}}{loss}, {row.n_topics} topics.",
        values,
    )


def _baseline_table(result: Result) -> Iterator[Table]:
    found = result.against_baseline
    if not found:
        return
    header = ("system", *(field.name for field in fields(BaselineComparison)))
    rows = tuple((name, *astuple(row)) for name, row in found.items())
    told = (
        f"difference: {result.decided_by} of the system less that of {result.experiment.baseline}, more is better, "
        f"with an interval that holds for all {len(rows)} together with P = .95; p_better and p_loss (of more than "
        f"{short(result.experiment.margin)}) have a flat prior; p_value: exact randomisation of topics, for each alone."
    )
    title = f"Is another system better than {result.experiment.baseline}?"
    yield Table("baseline", title, header, rows, (told,), shown=20, records=tuple(found.values()))


def recommended(result: Result) -> str:
    """The system that the decision of the run recommends, the first of equal ones; empty where nothing is decided."""
    decision = result.decision
    return decision.recommended[0] if decision is not None and decision.standings else ""


STORED, FRESH, SYSTEM, VALUE = 1.5, 1.5, 0.015, 8e-5
"""Seconds of a run that finds everything, more of one that does not, of each system, of each measure of each topic."""
READING = {
    "BLEU": 40, "BLEUPlus1": 40, "BS": 110, "CDER": 15, "ChrF": 100, "CopyRate": 70, "LengthRatio": 20, "METEOR": 2000,
    "TypeAverage": 40, "NIST": 40, "PER": 35, "RIBES": 3500, "RandomMetric": 15, "SentBLEU": 40, "TER": 250,
    "TermF": 150, "TotalBS": 110, "WER": 30, "ScoreFile": 20, "SegmentScores": 20,
    "BM25": 8, "BM25S": 300, "Lucene": 150, "RankBM25": 1700, "RM3": 1000,
}  # fmt: skip
"""Nanoseconds for each byte of text, by the class of a metric, a retriever or an encoder."""
ANALYSES = {"MultiverseAnalysis": 0.3, "PowerAnalysis": 0.1}
OTHER = 0.01
"""Seconds for each system, by the class of an analysis."""
BASE, HELD, MOST_HELD, EACH = 2.5e8, 20, 1.5e7, 6e5
"""Bytes of memory: of every run; of each byte of test set (in work, and kept, up to `MOST_HELD`); of each system."""
PACKED = 2.6
"""Bytes in one of a packed file."""


def estimate(experiment: Experiment, inputs: Inputs, store: Store) -> str:
    """A sentence on time and memory, and on what is not in them."""
    lacking = {text for maker in makers(inputs.translations) for text in maker.missing(inputs.translations)}
    ready = tuple(t for t in inputs.translations if not {t.test, t.collection} & lacking)
    known = [metric for metric in experiment.metrics if rate(metric) is not None]
    asked = replace(experiment, metrics=tuple(known))  # a command would be run for its version
    jobs = [
        job for job in jobs_of(asked, replace(inputs, translations=ready), {}) if "statistics" in next(iter(job.calls))
    ]
    work = list(missing_calls(store, jobs, statistics.__name__))
    texts = [t.collection for t in ready if t.collection is not None]
    readers = []
    for topics in inputs.topics.values() if experiment.runs is None else ():
        for retriever in filter(None, experiment.retrievers.values()):
            for reader, step in readings(retriever, topics, inputs.corpus.english.map):
                work += [(reader, text) for _, text in missing_calls(store, calls_on(step, texts))]
                readers.append(reader)
    seconds = sum((rate(reader) or 0) * size(text) / 1e9 for reader, text in work)
    values = len(experiment.measures) * sum(map(len, inputs.topics.values())) * len(experiment.relevance)
    systems = len(inputs.translations)
    seconds += STORED + systems * (SYSTEM + (VALUE * values + FRESH / systems if work else 0))
    seconds += sum(systems * ANALYSES.get(type(analysis).__name__, OTHER) for analysis in experiment.analyses)
    tests = [size(t.test) for t in ready if t.test is not None] if experiment.metrics else [0.0]
    at_once = min(getattr(experiment.engine, "workers", 1) or available_cores(), systems)
    held = HELD * (min(sum(tests), MOST_HELD) + at_once * max(tests, default=0.0))
    unknown = [
        *(["translating"] if lacking else []),
        *(metric.name for metric in experiment.metrics if metric not in known),
    ]
    unknown += dict.fromkeys(type(reader).__name__ for reader in readers if rate(reader) is None)
    said = f"; not in it: {', '.join(unknown)}" if unknown else ""
    return (
        f"about {round_digits(seconds)} s of processor time and {fixed((BASE + held + EACH * systems) / 1e9, 1)} GB of "
        f"memory (measured runs were within a factor of 3, on a 2-core AMD EPYC){said}"
    )


def missing_calls(store: Store, jobs: Sequence[Pass], step: str = "") -> Iterator[tuple[Any, Text]]:
    """(the first that a call gets, the text) for each call of a step, or of any, whose result is not in the store."""
    for job in jobs:
        held = store.find(job.folder, [call.fingerprint for call in job.calls.values()])
        calls = {call.fingerprint: call for call in job.calls.values() if step in ("", call.step)}
        yield from ((load_value(call.inputs[0]), job.text.value) for key, call in calls.items() if key not in held)


def rate(reader: Any) -> float | None:
    """Nanoseconds for each byte that a metric, a retriever or an encoder reads; None for what nobody has measured."""
    return next((READING[kind.__name__] for kind in type(reader).__mro__ if kind.__name__ in READING), None)


def size(text: Text) -> float:
    """Bytes of a text, unpacked."""
    return text.size * (PACKED if any(file.suffix == ".gz" for file in text.files) else 1.0)


def round_digits(seconds: float) -> str:
    """To one digit, two from 10 on: 4, 12, 350, 2,000."""
    digits = 0 if seconds < 100 else -1 if seconds < 1000 else -2
    return grouped(round(max(seconds, 1.0), digits))


TITLE = "Learning curves: columns over training steps"


def write(folder: Path, result: Result) -> None:
    """Write `learning_curves.FORMAT` where systems carry steps."""
    plots = learning_curves(result.board, recommended(result))
    for ending in result.experiment.figures if plots else ():
        write_drawing(folder / f"learning_curves.{ending}", panels(list(plots.values())), TITLE)


def learning_curves(board: Scoreboard, shipped: str = "") -> dict[str, Panel]:
    """A plot for each measure and metric over the steps, by its name; none where systems have no steps.

    A line for each run, and one for their mean with one standard deviation to both sides; an upright line at the step
    of `shipped`. The title says where the column alone would stop.
    """
    if not checkpoints(board):
        return {}
    runs, cells = training_runs(board), board.metadata["step"]
    steps = np.array([_step(cell) for cell in cells])
    plots = {}
    for column in (*board.measures, *board.metrics):
        kept = np.flatnonzero(np.isfinite(steps + column.values))
        if not len(kept):
            continue
        lines: dict[str, list[Dot]] = {name: [] for name in runs.names}
        for i in sorted(kept.tolist(), key=lambda i: steps[i]):
            tip = f"{board.systems[i]}\nstep {cells[i]}, {column.name} {short(column.values[i], 4)}"
            lines[runs.names[runs.group_of[i]]].append(Dot(float(steps[i]), float(column.values[i]), tip))
        at, mean, sd = spread(steps[kept], column.values[kept])
        if len(at) > 1:
            lines["mean over runs, with one standard deviation"] = list(map(Dot, at.tolist(), mean.tolist()))
        if shipped in board.systems:
            at_step, ends = (
                float(steps[board.systems.index(shipped)]),
                (column.values[kept].min(), column.values[kept].max()),
            )
            lines[f"recommended: {shipped}"] = [Dot(at_step, float(end)) for end in ends]
        beside = [list(zip(at.tolist(), (mean + sign * sd).tolist(), strict=True)) for sign in (-1, 1)]
        best = kept[np.argmax(column.oriented[kept])]
        title = f"best: step {short(steps[best])}"
        plots[column.name] = Panel("step", axis_label(column), lines, outlines=beside, title=title)
    return plots


def spread(steps: Doubles, values: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Steps that at least two runs have, and the mean and standard deviation over runs there."""
    found = [(s, v.mean(), v.std(ddof=1)) for s in np.unique(steps) if len(v := values[steps == s]) > 1]
    at, mean, sd = np.array(found).T if found else np.empty((3, 0))
    return at, mean, sd


def _step(cell: str) -> float:
    step = as_number(cell.replace(",", "").replace("_", ""))
    return math.nan if step is None else step
