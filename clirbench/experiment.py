"""The straight line, read top-down: inputs -> statistics and runs -> scoreboard -> tau table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clirbench import steps as of_all
from clirbench.columns import holes, regraded, scoreboard, tied_runs, unwritten_runs_note, without_segments_note
from clirbench.corpora.jsonl import JsonlText
from clirbench.engines.local import Processes, Serial
from clirbench.errors import NothingCompared, changed_error, raise_all
from clirbench.inputs import (
    adapt_to_inputs,
    distinct,
    near_copy_notes,
    preflight,
    read_inputs,
    runs_of_others,
    second_measure,
)
from clirbench.later import Shelf, load_value
from clirbench.measures.base import Measure
from clirbench.metrics.base import counter
from clirbench.metrics.segments import per_system
from clirbench.relevance.base import fitted
from clirbench.result import Experiment, Inputs, Result, Retrieval, Watch, count, no_watch, with_marks
from clirbench.retrieval.base import Retriever, Search, Staged
from clirbench.scoreboard import NO_ROWS
from clirbench.statistics.correlation import Correlation
from clirbench.steps import Retrieve, measured, score, search, statistics
from clirbench.store.cached import TRANSLATE, Cached, Call, Pass, Plan, Planned, Shared, cached_result, run_jobs
from clirbench.store.store import Store, read_through_snapshot
from clirbench.systems.base import makers
from clirbench.systems.health import compared_sides, examined, health, health_table, is_given, reference_texts, side_of
from clirbench.systems.likeness import References, Resemblances, resemblances, worded
from clirbench.text import Text
from clirbench.types import Failure, Judged, Run, split_failures

REFERENCES = "(reference side)"

Found = Mapping[str, Mapping[tuple[str, ...], Any]]
"""By system and name of a result, values or why there is none. Names: ("statistics", metric), ("score", metric),
("run", label), ("value", label, judgments, measure), ("health", side), ("worded",)."""


def run(experiment: Experiment, watch: Watch = no_watch) -> Result:
    """The whole line. Raises a `ClirbenchError` for everything a user can mend."""
    with read_through_snapshot() as snapshot:
        experiment, inputs = adapt_to_inputs(experiment, read_inputs(experiment))
        foretold = preflight(experiment, inputs)
        work = compute_steps(experiment, inputs, watch)
        result = conclude(replace(work, notes=(*foretold, *work.notes)), watch)
        raise_all([changed_error(file) for file in snapshot.changed()])
    if inputs is None or inputs.corpus.crossed is None:
        return result
    from clirbench.inputs import both_ways, exchanged  # no other run pays for loading it

    other = exchanged(experiment, inputs.corpus.crossed)
    return result if other is None else both_ways(result, run(other, watch))


def compute_steps(experiment: Experiment, inputs: Inputs | None, watch: Watch = no_watch) -> Result:
    """What costs time, and what the store keeps: the English side is searched and judged, then one pass over each text
    of a system gives what metrics, retrieval, health and the search for copies need."""
    inputs, unmade = completed(experiment, inputs, watch)
    if inputs is None:
        return Result(experiment)
    empty = inputs.left_out
    asked = [(label, name) for name in experiment.retrievers for label in inputs.topics]
    judged = {",".join(filter(None, one)): judge(experiment, inputs, *one, watch) for one in asked}
    if (first := second_measure(experiment, inputs)) is not None:
        once = replace(experiment, relevance={"": experiment.relevance[""]})
        for label in inputs.second:
            with suppress(NothingCompared):
                judged[label] = judge(once, inputs, label, "", watch)
    found = pass_over(experiment, inputs, judged, watch, first)
    healthy, alike = looked_over(experiment, inputs, found)
    inputs, told = distinct(experiment, inputs, alike)
    rows, strange = health(inputs.corpus, inputs.translations, healthy)
    systems = [t.system for t in inputs.translations]
    known = {(name[1], s): one for s in systems for name, one in found[s].items() if name[0] == "score"}
    scores, failed = split_failures(known)
    # Statistics of which a resample has no score are left out: all that is known is then one score a system.
    statistics_ = {(m, s): found[s]["statistics", m] for (m, s), one in scores.items() if np.isfinite(one[1])}
    notes = [f"{system} is pending: {why}" for system, why in inputs.pending.items()]
    notes += [f"{system} is left out: {why}" for system, why in empty.items()]
    notes += [*unmade.values(), *told, *strange]
    notes += [note for maker in makers(inputs.translations) for note in maker.notes(inputs.translations)]
    retrieval = {label: scored(one, found, label, inputs.searched) for label, one in judged.items()}
    second = {label: retrieval.pop(label) for label in inputs.second if label in retrieval}
    return Result(
        experiment,
        inputs=inputs,
        retrieval=retrieval,
        second={label: one for label, one in second.items() if one.per_topic},
        statistics=Shelf(statistics_),
        scores={key: float(one[0]) for key, one in scores.items()},
        failures=failed,
        lost=tuple(unmade),
        health=tuple(rows),
        notes=tuple(notes),
        resemblances=alike,
    )


def completed(experiment: Experiment, inputs: Inputs | None, watch: Watch) -> tuple[Inputs | None, dict[str, str]]:
    """Texts that are still to be made are made now; systems that failed have none from here on, and a note says why."""
    if inputs is None:
        return None, {}

    def plan(rows: Iterable[tuple[str, str, str]]) -> None:
        if experiment.plan is not None:
            experiment.plan.add(Planned(system, TRANSLATE, "", file, failed) for system, file, failed in rows)

    # Past the store: who makes texts keeps them.
    engine = experiment.engine.engine if isinstance(experiment.engine, Cached) else experiment.engine
    pmap = None if isinstance(engine, Serial | Processes) else engine.pmap
    failed: dict[str, str] = {}
    for maker in makers(inputs.translations):
        translations, reasons = maker.make(inputs.translations, watch, plan, pmap)
        inputs, failed = replace(inputs, translations=translations), {**failed, **reasons}
    return inputs, failed


def judge(experiment: Experiment, inputs: Inputs, label: str, name: str, watch: Watch) -> Retrieval:
    """Search the English side for one set of topics by the retriever of that name, and judge. Among its runs are those
    that no pass over a text makes: of others, and of a retriever of several steps."""
    retriever, (topics, english) = experiment.retrievers[name], inputs.asked(label)
    assert retriever is not None
    task = Search(topics, english.map, experiment.engine.pmap, watch)
    runs, ideal = dict[str, Any](), None
    if experiment.runs is not None and not name:
        runs, ideal = runs_of_others(experiment.runs, inputs)
    if ideal is None:
        ideal = english_run(retriever, task, english.text) if inputs.corpus.has_english else Run.build(english.map, [])
    rules = {name: fitted(rule, ideal, topics) for name, rule in experiment.relevance.items()}
    judged = {name: Judged(rule.judge(ideal, english, topics), ideal, len(english)) for name, rule in rules.items()}
    counts = {name: count(english.map.doc_ids, topics, found) for name, found in judged.items()}
    for by, counted in counts.items():
        if not judged[by].topic_ids:
            said = f"the reference side matches {len(topics) - len(counted.unmatched)} of them, and"
            said += f" {len(counted.unjudged)} of those lack a relevant document; are these the topics and judgments of"
            where = f"{with_marks('topics', label, by)}: none of {len(topics)} is left to score"
            raise NothingCompared(f"{where}: {said} this collection?")
    if not runs and isinstance(retriever, Staged):
        found = search(retriever, task.of_systems(inputs.searched))
        shown = watch(with_marks("retrieval", label), found, len(inputs.searched))
        runs = dict(zip(inputs.searched, shown, strict=True))
    return Retrieval(ideal, judged, counts, runs, {}, topic_label=label, retriever=name, rules=rules)


def english_run(retriever: Retriever, task: Search, english: Text) -> Run:
    """The English side's own run; raises `InputError` where it cannot be searched: nothing can be judged then."""
    (found,) = search(retriever, task.of_english(english))
    searched, _ = split_failures({"english side": found})
    run: Run = load_value(searched["english side"])
    return run


def pass_over(
    experiment: Experiment, inputs: Inputs, judged: Mapping[str, Retrieval], watch: Watch, first: Measure | None = None
) -> Found:
    """What one pass over each text of each system gives; a text that is both sides is read once. `first`: the one
    measure that is computed by the second kind of topics and by further references."""
    jobs = list(jobs_of(experiment, inputs, judged, first))
    found: dict[str, dict[tuple[str, ...], Any]] = {t.system: {} for t in (*inputs.translations, *inputs.baselines)}
    for job, values in zip(jobs, watch("systems", run_jobs(experiment.engine, jobs), len(jobs)), strict=True):
        found[job.system] |= values
    return found


def jobs_of(
    experiment: Experiment, inputs: Inputs, judged: Mapping[str, Retrieval], first: Measure | None = None
) -> Iterator[Pass]:
    """The jobs of every system: one for each of its texts. Metrics that count the same are counted once."""
    corpus, test = inputs.corpus, Shared(inputs.corpus.test)
    tested = {t.system: t.test for t in inputs.translations if t.test is not None}
    metrics = [per_system(metric, tested, corpus.test) for metric in experiment.metrics]
    sides = {side: Shared(reference) for side, reference in compared_sides(corpus).items()}
    references = References.of(corpus, inputs.translations)
    copied = None if made_from_reference(experiment) else Shared(references)
    steps = {
        label: Retrieve(experiment.retrievers[of.retriever], inputs.asked(of.topic_label)[0], corpus.document_map)  # type: ignore[arg-type]
        for label, of in judged.items()
        if not of.runs
    }
    shared: dict[int, Shared] = {}

    def known(value: Any) -> Shared:
        return shared.setdefault(id(value), Shared(value))

    def scores(system: str, text: Shared) -> Iterator[tuple[tuple[str, ...], Call]]:
        for metric in (of[system] for of in metrics if system in of):
            counts = counter(metric, corpus.test)
            counted = Call(known(statistics), (known(counts), test, text), counts.name, bulky=True)
            yield ("statistics", metric.name), counted
            yield ("score", metric.name), Call(known(score), (known(metric), counted), metric.name)

    def values(system: str, text: Shared) -> Iterator[tuple[tuple[str, ...], Call]]:
        for label, of in judged.items():
            run: Any = of.runs.get(system)
            if label in steps:
                run = Call(known(steps[label]), (text,), label, bulky=True)
                yield ("run", label), run
            for judgments, by in of.judged.items():
                # What compares with the English side's own run is the same under every set of judgments.
                wanted = (one for one in experiment.measures if one.uses_qrels or not judgments)
                for measure in (first,) if label in inputs.second and first else wanted:
                    part = with_marks(measure.name, judgments)
                    call = Call(measured, (known(measure), known(by), run), part, many=True)
                    yield ("value", label, judgments, measure.name), call

    for t in (*inputs.translations, *inputs.baselines):
        ours = t not in inputs.baselines
        for side, texts in {"collection": t.collection, "test": side_of(t, "test")}.items():
            if texts is None:
                continue
            text, calls = Shared(texts), dict[tuple[str, ...], Call]()
            if texts == t.test:
                calls |= scores(t.system, text)
            if side == "collection":
                calls |= values(t.system, text)
            if ours and side in sides and is_given(texts) and not isinstance(texts, JsonlText):
                calls["health", side] = Call(examined, (sides[side], text))
            if ours and copied and texts == references.compared(t):
                calls["worded",] = Call(worded, (copied, text))
            if calls:
                yield Pass(calls, text, t.system)


def made_from_reference(experiment: Experiment) -> bool:
    """Whether systems are simulated: texts like the reference are then no mistake."""
    return getattr(experiment.systems, "made_from_reference", False)


def looked_over(
    experiment: Experiment, inputs: Inputs, found: Found
) -> tuple[dict[tuple[str, str], Any], Resemblances]:
    """The health of every text, by (system, side) and (reference, ""), and what the texts share."""
    named, references = reference_texts(inputs.corpus), References.of(inputs.corpus, inputs.translations)
    jobs = [Pass({"": Call(examined, (None, text))}, Shared(text), REFERENCES) for text in named.values()]
    if not made_from_reference(experiment):
        jobs += [Pass({"": Call(worded, (references, text))}, Shared(text), REFERENCES) for text in references.texts]
    of_references = [one[""] for one in run_jobs(experiment.engine, jobs)]
    healthy = {(name, ""): one for name, one in zip(named, of_references, strict=False)}
    healthy |= {(s, name[1]): one for s, of in found.items() for name, one in of.items() if name[0] == "health"}
    ours = {s: of["worded",] for s, of in found.items() if ("worded",) in of}
    if not ours:
        return healthy, Resemblances()
    return healthy, resemblances(of_references[len(named) :], ours, searched=references.searched, seed=experiment.seed)


def scored(judged: Retrieval, found: Found, label: str, systems: Iterable[str]) -> Retrieval:
    """What was judged with the runs of systems and their values; a system without one of them is failed."""
    ours = {s: {name[2:]: v for name, v in found[s].items() if name[:2] == ("value", label)} for s in systems}
    whole = {s: next((v for v in of.values() if isinstance(v, Failure)), of) for s, of in ours.items()}
    good, failed = split_failures(whole)
    runs = {s: judged.runs[s] if judged.runs else found[s]["run", label] for s in good}
    keys = next(iter(good.values()), {})
    per_topic: Any = {key: np.stack([values[key] for values in good.values()]) for key in keys}
    return replace(judged, runs=Shelf(runs), per_topic=per_topic, failed=failed)


def conclude(work: Result, watch: Watch) -> Result:
    """The result for the report: what was computed, with its scoreboard and all that is found in it."""
    experiment, inputs = work.experiment, work.inputs
    board, notes = scoreboard(experiment, inputs, work.scores, work.retrieval)
    baselines = NO_ROWS
    if inputs is not None and inputs.baselines:
        baselines, _ = scoreboard(experiment, replace(inputs, translations=inputs.baselines), {}, work.retrieval)
    notes = [*experiment.remarks, *work.notes, *notes, *holes(work.failures, work.retrieval)]
    notes += [*unwritten_runs_note(experiment, work.retrieval), *tied_runs(experiment, work.retrieval)]
    notes += without_segments_note(board, work.statistics)
    result = replace(work, board=board, baselines=baselines, notes=tuple(notes))
    alike = near_copy_notes(result.units, board.systems, result.resemblances)
    result = _with(result, notes=(*result.notes, *alike))
    result = _with(result, correlations=tuple(regraded(result, correlations(result, watch), result.units)))
    analyses = (*experiment.analyses, *([experiment.paper] if experiment.paper else []))
    made = watch("analyses", (analysis.tables(result) for analysis in analyses), len(analyses))
    healthy = [health_table(work.health)] if work.health else []
    return _with(result, tables=(*(table for tables in made for table in tables), *healthy))


def _with(result: Result, **changes: Any) -> Result:
    """`replace` of fields from which nothing was worked out: evidence, kinds of topics and all that is kept stays."""
    made = replace(result, **changes)
    vars(made).update({**vars(result), **vars(made)})
    return made


def correlations(result: Result, watch: Watch) -> list[Correlation]:
    """The tau table, with tests, intervals and grades."""
    experiment = result.experiment
    how: dict[str, Any] = {"alpha": experiment.alpha, "p_value": experiment.p_value, "seed": experiment.seed}
    how |= {"coefficients": experiment.coefficients, "complete": experiment.complete_pairs}
    step = partial(of_all.correlations, **how)
    rows = cached_result(experiment.engine, step, (result.evidence, result.units), ["(all systems)"])
    (found,) = watch("intervals", rows, 1)
    return [Correlation(**row) for row in found]


@contextmanager
def with_store(
    experiment: Experiment, cache: Path, plan: Path, tell: Callable[..., None] = Cached.tell
) -> Iterator[Experiment]:
    """The experiment with the store in `cache`, so that it computes only what is missing, and a new plan.

    `tell` gets an event for each step: how many of its results the store has.
    The store is in use until the block ends; statistics of the result may be read from it until then.
    """
    store = Store(cache / "store")
    store.sweep()
    begun = Plan.begin(plan, store.path)
    try:
        with store.used(), read_through_snapshot():
            yield replace(experiment, engine=Cached(experiment.engine, store, begun, tell), plan=begun)
    finally:
        store.sweep()  # a worker that was killed has left what it was writing; the run went on without it


def retrieve(experiment: Experiment, inputs: Inputs, label: str, watch: Watch) -> Retrieval:
    """Search the English side with one set of topics, judge, search every system's copy, score."""
    judged = judge(experiment, inputs, label, "", watch)
    searched = tuple(replace(t, test=None) for t in inputs.translations)
    found = pass_over(replace(experiment, metrics=()), replace(inputs, translations=searched), {label: judged}, watch)
    return scored(judged, found, label, inputs.searched)
