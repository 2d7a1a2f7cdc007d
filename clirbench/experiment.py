"""The straight line, read top-down: inputs -> statistics and runs -> scoreboard -> tau table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.columns import scoreboard
from clirbench.computed import Counts, Inputs, Retrieval, StepResults, with_marks
from clirbench.engines.local import Serial
from clirbench.errors import NothingCompared
from clirbench.files.trec import tied_topics
from clirbench.inputs.distinct import distinct, near_copy_notes
from clirbench.inputs.preflight import preflight
from clirbench.inputs.reading import adapt_to_inputs, read_inputs, runs_of_others
from clirbench.later import Shelf, load_value
from clirbench.metrics.base import Metric, counter
from clirbench.metrics.per_system import per_system
from clirbench.pages.table import Table
from clirbench.relevance.base import fitted
from clirbench.result import MANY_SYSTEMS, Experiment, Result, Watch, no_watch
from clirbench.retrieval.base import Retriever, Search
from clirbench.scoreboard import NO_ROWS, Scoreboard
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.statistics.coefficients import UNTESTED
from clirbench.statistics.correlation import Correlation, correlate
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.scorings import lowered_by_scorings
from clirbench.statistics.units.belonging import NEAR_COPIES, NONE, units_of
from clirbench.steps.correlations import Correlations
from clirbench.steps.evaluate import Evaluate
from clirbench.steps.examine import FileHealth, health
from clirbench.steps.retrieve import Retrieve
from clirbench.steps.score import CorpusScore
from clirbench.steps.search import search
from clirbench.steps.statistics import SegmentStatistics
from clirbench.store.cached import Cached, cached_result, tell_nobody
from clirbench.store.plan import TRANSLATE, Plan, Planned
from clirbench.store.snapshot import Snapshot, read_through_snapshot
from clirbench.store.store import Store
from clirbench.systems.base import makers
from clirbench.text import Text
from clirbench.types import Doubles, Failure, Judged, Run, Topic, split_failures

MANY_TOPICS = 25_000
HEALTH = "health"

MetricOf = tuple[str, str]
"""The name of a metric, and that of the system it is of."""


def run(experiment: Experiment, watch: Watch = no_watch) -> Result:
    """The whole line. Raises a `ClirbenchError` for everything a user can mend."""
    with read_through_snapshot() as snapshot:
        experiment, inputs = adapt_to_inputs(experiment, read_inputs(experiment))
        foretold = preflight(experiment, inputs)
        work = compute_steps(experiment, inputs, watch)
        work = replace(work, notes=(*foretold, *work.notes))
        result = conclude(experiment, work.without(work.changed(snapshot)), snapshot, watch)
    if inputs is None or inputs.corpus.crossed is None:
        return result
    from clirbench.inputs.crossing import both_ways, exchanged  # no other run pays for loading it

    other = exchanged(experiment, inputs.corpus.crossed)
    return result if other is None else both_ways(result, run(other, watch))


def compute_steps(experiment: Experiment, inputs: Inputs | None, watch: Watch = no_watch) -> StepResults:
    """All steps of all systems: what costs time, and what the store keeps."""
    inputs, unmade = completed(experiment, inputs, watch)
    empty = inputs.left_out if inputs else {}
    inputs, alike, told = distinct(experiment, inputs)
    if inputs is not None and experiment.plan is not None:
        experiment.plan.add(expected(experiment, inputs))
    statistics, scores, failed = score_translations(experiment, inputs, watch) if inputs else ({}, {}, {})
    retrieval = retrievals(experiment, inputs, watch) if inputs else {}
    rows, strange = health(inputs.corpus, inputs.translations, experiment.engine.pmap) if inputs else ([], [])
    if inputs:
        strange += [note for maker in makers(inputs.translations) for note in maker.notes(inputs.translations)]
    waiting = [f"{system} is pending: {why}" for system, why in inputs.pending.items()] if inputs else []
    waiting += [f"{system} is left out: {why}" for system, why in empty.items()]
    notes = (*waiting, *unmade.values(), *told, *strange)
    return StepResults(inputs, statistics, scores, failed, retrieval, notes, tuple(unmade), tuple(rows), alike)


@contextmanager
def with_store(
    experiment: Experiment, cache: Path, plan: Path, tell: Callable[..., None] = tell_nobody
) -> Iterator[Experiment]:
    """The experiment with the store in `cache`, so that it computes only what is missing, and a new plan.

    `tell` gets an event for each step: how many of its results the store has.

    The store is in use until the block ends; statistics of the result may be read from it until then.
    """
    store = Store(cache / "store")
    store.sweep()
    begun = Plan.begin(plan, store.path)
    try:
        with store.used(), read_through_snapshot(store.path):
            yield replace(experiment, engine=Cached(experiment.engine, store, begun, tell), plan=begun)
    finally:
        store.sweep()  # a worker that was killed has left what it was writing; the run went on without it


def conclude(experiment: Experiment, work: StepResults, snapshot: Snapshot, watch: Watch) -> Result:
    """The result for the report; systems whose files changed during the run are left out and it is made again."""
    board, notes = scoreboard(experiment, work.inputs, work.scores, work.retrieval)
    baselines = NO_ROWS
    if work.inputs is not None and work.inputs.baselines:
        alone = replace(work.inputs, translations=work.inputs.baselines)
        baselines, _ = scoreboard(experiment, alone, {}, work.retrieval)
    notes = [
        *experiment.remarks,
        *work.notes,
        *notes,
        *holes(work.failed, work.retrieval),
        *unwritten_runs_note(experiment, work.retrieval),
        *tied_runs(experiment, work.retrieval),
        *without_segments_note(board, work.statistics),
    ]
    broken = {
        *work.lost,
        *(system for _, system in work.failed),
        *(s for r in work.retrieval.values() for s in r.failed),
    }
    result = Result(
        experiment, board, (), work.inputs, work.retrieval, work.statistics, tuple(notes),
        failed=tuple(sorted(broken)), baselines=baselines, resemblances=work.resemblances,
    )  # fmt: skip
    if result.units.source == NEAR_COPIES:
        groups = result.units.groups(result.board.systems)
        result = replace(result, notes=(*result.notes, *near_copy_notes(groups, result.resemblances)))
    result = _with(result, correlations=tuple(correlations(result, watch)))
    if measure := result.board.first_measure:
        lowered = lowered_by_scorings(result.correlations, measure.name, result.scoring_taus)
        result = _with(result, correlations=tuple(lowered))
    analyses = (*experiment.analyses, *([experiment.paper] if experiment.paper else []))
    found = watch("analyses", (analysis.tables(result) for analysis in analyses), len(analyses))
    tables = (*(table for tables in found for table in tables), *([health_table(work.health)] if work.health else []))
    result = _with(result, tables=tables)
    changed = work.changed(snapshot)
    return conclude(experiment, work.without(changed), snapshot, watch) if changed else result


def _with(result: Result, **changes: Any) -> Result:
    """`replace` of fields from which nothing was worked out: evidence, other scorings and all that is kept stays."""
    made = replace(result, **changes)
    vars(made).update({**vars(result), **vars(made)})
    return made


def health_table(rows: Sequence[FileHealth]) -> Table:
    """What is strange about the systems' files comes first, and alone is shown."""
    strange = [row for row in rows if row.strange]
    ordered = [*strange, *(row for row in rows if not row.strange)]
    text = [
        f"{len(strange)} of {len(rows)} texts are strange; looked for: blank lines, copies, CRLF, byte order marks, "
        "lost lines, missing files, names that look alike."
    ]
    return Table.of(HEALTH, "Health of the systems' files", FileHealth, ordered, text, shown=len(strange))


def correlations(result: Result, watch: Watch) -> list[Correlation]:
    """The tau table, with intervals where they are asked for."""
    experiment = result.experiment
    how = None if experiment.intervals is None else affordable_intervals(experiment.intervals, result.evidence)
    step = Correlations(
        tuple(experiment.coefficients),
        experiment.alpha,
        experiment.p_value,
        experiment.complete_pairs,
        experiment.seed,
        how,
        result.same_lines,
    )
    item = result.evidence, result.units
    rows = cached_result(experiment.engine, step, item, ["(all systems)"])
    (found,) = watch("intervals", rows, 1, partial(without_tests, result))
    return [Correlation(**row) for row in found]


def without_tests(result: Result) -> Result:
    """The result with plain tau-b of all systems, without groups, which is there long before the tests."""
    alone = units_of(result.board, NONE)
    rows = correlate(result.board, ["kendall"], p_value=UNTESTED, complete=False, units=alone)
    return replace(result, correlations=tuple(rows))


def affordable_intervals(how: Bootstrap, evidence: Evidence) -> Bootstrap:
    """The intervals without drawing segments where systems or segments are many, nor topics where those are.

    The scheme of every interval says what was drawn. What is many is not what is uncertain.
    """
    left_out = {"segments"} if evidence.bulky else set()
    if any(evidence.topics(name) > MANY_TOPICS for name in evidence.measure_names):
        left_out.add("topics")
    levels = [level for level in how.draws.levels if level not in left_out]
    if len(levels) == len(how.draws.levels):
        return how
    return replace(how, draws=replace(how.draws, levels=levels or ["systems"]))


def completed(experiment: Experiment, inputs: Inputs | None, watch: Watch) -> tuple[Inputs | None, dict[str, str]]:
    """Texts that are still to be made are made now; systems that failed have none from here on, and a note says why."""
    if inputs is None:
        return None, {}

    def plan(rows: Iterable[tuple[str, str, str]]) -> None:
        if experiment.plan is not None:
            experiment.plan.add(Planned(system, TRANSLATE, "", file, failed) for system, file, failed in rows)

    # Past the store: who makes texts keeps them.
    engine = experiment.engine.engine if isinstance(experiment.engine, Cached) else experiment.engine
    pmap = None if isinstance(engine, Serial) else engine.pmap
    failed: dict[str, str] = {}
    for maker in makers(inputs.translations):
        translations, reasons = maker.make(inputs.translations, watch, plan, pmap)
        inputs, failed = replace(inputs, translations=translations), {**failed, **reasons}
    return inputs, failed


def expected(experiment: Experiment, inputs: Inputs) -> Iterator[Planned]:
    """What will be done for each system, before it is known under which keys."""
    for translation in inputs.translations:
        if translation.test is not None and experiment.metrics:
            yield Planned(translation.system, SegmentStatistics.__name__)
            yield Planned(translation.system, CorpusScore.__name__)
        if translation.collection is not None and inputs.topics:
            if experiment.runs is None:
                yield Planned(translation.system, Retrieve.__name__)
            yield Planned(translation.system, Evaluate.__name__)


def score_translations(
    experiment: Experiment, inputs: Inputs, watch: Watch
) -> tuple[Mapping[MetricOf, Any], dict[MetricOf, float], dict[MetricOf, Failure]]:
    """(metric name, system) -> statistics of every segment; its score; or why there is none.

    Metrics that count the same are counted once. Those of one system run one after the other. Statistics of which a
    resample has no score are left out: all that is known is then one score a system, as of a score table.
    """
    test, pmap = inputs.corpus.test, experiment.engine.pmap
    metrics, counts, items = counters(experiment.metrics, inputs)
    found = pmap(SegmentStatistics(test), list(items.values()), [system for _, system in items])
    counted = dict(zip(items, watch("MT metrics", found, len(items)), strict=True))
    statistics, failed = split_failures({key: counted[counts[key]] for key in metrics})
    scores = pmap(CorpusScore(), [(metrics[key], of) for key, of in statistics.items()], [s for _, s in statistics])
    scored, unscored = split_failures(dict(zip(statistics, watch("scores", scores, len(statistics)), strict=True)))
    resampled = Shelf({key: statistics[key] for key, score in scored.items() if np.isfinite(score[1])})
    return resampled, {key: float(score[0]) for key, score in scored.items()}, {**failed, **unscored}


def counters(
    metrics: Sequence[Metric], inputs: Inputs
) -> tuple[dict[MetricOf, Metric], dict[MetricOf, MetricOf], dict[MetricOf, tuple[Metric, Text]]]:
    """The metric of each system by its name, what it is counted as, and what counts each of those in which text."""
    test = inputs.corpus.test
    texts = {t.system: t.test for t in inputs.translations if t.test is not None}
    resolved = [per_system(metric, texts, test) for metric in metrics]
    named = {(of[system].name, system): of[system] for system in texts for of in resolved if system in of}
    counting = {key: counter(metric, test) for key, metric in named.items()}
    counts = {key: key if counting[key] is named[key] else (counting[key].signature, key[1]) for key in named}
    return named, counts, {counts[key]: (metric, texts[key[1]]) for key, metric in counting.items()}


def retrievals(experiment: Experiment, inputs: Inputs, watch: Watch) -> dict[str, Retrieval]:
    """The IR side for every set of topics, by every retriever: by both of their labels."""
    return {
        ",".join(filter(None, (label, name))): replace(
            retrieve(
                replace(experiment, retriever=retriever, runs=None if name else experiment.runs), inputs, label, watch
            ),
            topic_label=label,
            retriever=name,
        )
        for name, retriever in experiment.retrievers.items()
        for label in inputs.topics
    }


def retrieve(experiment: Experiment, inputs: Inputs, label: str, watch: Watch) -> Retrieval:
    """Search the English side with one set of topics, judge, search every system's copy, score."""
    assert experiment.retriever is not None
    english, topics = inputs.corpus.english, inputs.topics[label]
    none = Run.build(english.map, [])
    pmap = experiment.engine.pmap
    task = Search(topics, english.map, pmap, watch)
    if experiment.runs is None:
        ideal = english_run(experiment.retriever, task, english.text) if inputs.corpus.has_english else none
        searched = inputs.searched
        found = search(experiment.retriever, task.of_systems(searched))
        runs = dict(zip(searched, watch(with_marks("retrieval", label), found, len(searched)), strict=True))
    else:
        runs, own = runs_of_others(experiment.runs, inputs)
        ideal = own or (english_run(experiment.retriever, task, english.text) if inputs.corpus.has_english else none)
    rules = {name: fitted(rule, ideal, topics) for name, rule in experiment.relevance.items()}
    judged = {name: Judged(rule.judge(ideal, english, topics), ideal, len(english)) for name, rule in rules.items()}
    counts = {name: count(english.map.doc_ids, topics, found) for name, found in judged.items()}
    for name, counted in counts.items():
        if not judged[name].topic_ids:
            raise NothingCompared(
                f"{with_marks('topics', label, name)}: none of {len(topics)} is left to score: the reference side "
                f"matches {len(topics) - len(counted.unmatched)} of them, and {len(counted.unjudged)} of those lack a "
                "relevant document; are these the topics and judgments of this collection?"
            )
    values = pmap(Evaluate(experiment.measures, judged), list(runs.values()), tuple(runs))
    scored = zip(runs, watch(with_marks("IR measures", label), values, len(runs)), strict=True)
    good, failed = split_failures(dict(scored))
    shelf = Shelf({system: runs[system] for system in good})
    return Retrieval(ideal, judged, counts, shelf, _by_measure(list(good.values())), failed, rules=rules)


def english_run(retriever: Retriever, task: Search, english: Text) -> Run:
    """The English side's own run; raises `InputError` where it cannot be searched: nothing can be judged then."""
    (found,) = search(retriever, task.of_english(english))
    searched, _ = split_failures({"english side": found})
    run: Run = load_value(searched["english side"])
    return run


def unwritten_runs_note(experiment: Experiment, retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note where run files are left out because there are many."""
    if experiment.write_runs == "auto" and any(len(found.runs) > MANY_SYSTEMS for found in retrieval.values()):
        yield (
            f"run files: only the reference side's was written, there are more than {MANY_SYSTEMS} systems; "
            "output.runs=all writes every one"
        )


def without_segments_note(board: Scoreboard, statistics: Mapping[MetricOf, Any]) -> Iterator[str]:
    """A note on the metrics of a run with texts of which only one score a system is known."""
    known = {name for name, _ in statistics}
    scored = [c.name for c in board.metrics if c.origin == "computed" and np.isfinite(c.values).any()]
    if fixed := [name for name in scored if name not in known]:
        yield (
            f"{', '.join(fixed)}: one score a system and no segments, so nothing is resampled; "
            "analyses of segments leave it out, others keep its scores as they are"
        )


def tied_runs(experiment: Experiment, retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note on runs of others in which documents have equal scores: our rule (doc_id ascending) ordered them."""
    if experiment.runs is None:
        return
    for found in retrieval.values():
        ties = {system: n for system in found.runs if (n := tied_topics(found.runs[system]))}
        if ties and not found.retriever:
            listed = ", ".join(f"{system} ({n})" for system, n in list(ties.items())[:10])
            yield f"runs with documents of equal score, ordered by doc_id (topics with ties): {listed}"


def holes(failed: Mapping[tuple[str, str], Failure], retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note for each hole that a failed step left in the table; one for all metrics that failed for one reason."""
    metrics: dict[tuple[str, str], list[str]] = {}
    for (metric, system), failure in failed.items():
        metrics.setdefault((system, failure.reason), []).append(metric)
    for (system, reason), names in metrics.items():
        yield f"{system} has no {', '.join(names)}: {reason}"
    for label, found in retrieval.items():
        for system, failure in found.failed.items():
            yield f"{system} has no {with_marks('IR measures', label)}: {failure.reason}"


def _by_measure(by_system: Sequence[Mapping[tuple[str, str], Doubles]]) -> dict[tuple[str, str], Doubles]:
    keys = list(by_system[0]) if by_system else []
    return {key: np.stack([values[key] for values in by_system]) for key in keys}


def count(doc_ids: Sequence[str], topics: Sequence[Topic], judged: Judged) -> Counts:
    """How many topics have a relevant document, which were dropped, what share of matches is ranked and relevant."""
    ideal = judged.ideal
    matched = dict(zip(ideal.topic_ids, ideal.n_matched.tolist(), strict=True))
    scored = judged.with_relevant.topic_ids
    shares = [
        sum(judged.qrels.grades[topic_id].get(doc_id, 0) > 0 for doc_id in ideal.ranking(topic_id)) / matched[topic_id]
        for topic_id in scored
        if matched and matched[topic_id]
    ]
    unmatched = tuple(topic.topic_id for topic in topics if matched and not matched[topic.topic_id])
    relevant = set(scored)
    without = tuple(topic_id for topic_id in judged.topic_ids if topic_id not in relevant)
    left = {*unmatched, *judged.topic_ids}
    return Counts(
        documents=len(doc_ids),
        topics=len(topics),
        scored=len(scored),
        without_relevant=without,
        unmatched=unmatched,
        unjudged=tuple(topic.topic_id for topic in topics if topic.topic_id not in left),
        median_matched=float(np.median([matched[topic_id] for topic_id in scored])) if scored and matched else None,
        share_relevant=float(np.median(shares)) if shares else None,
    )
