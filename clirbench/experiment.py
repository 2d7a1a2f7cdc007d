"""The straight line, read top-down: inputs -> statistics and runs -> scoreboard -> tau table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np

from clirbench.analysis.base import Analysis, AnalysisTable
from clirbench.analysis.correlation import Correlation, correlate
from clirbench.analysis.evidence import Evidence
from clirbench.corpora.base import Corpus, CorpusSource
from clirbench.engine import Engine
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.metrics.per_system import per_system
from clirbench.relevance.base import Relevance
from clirbench.retrieval.base import Retriever
from clirbench.scoreboard import Column, Scoreboard, aligned
from clirbench.scores import ScoreTables
from clirbench.status import Plan, Planned
from clirbench.steps import Evaluate, Failure, Retrieve, SegmentStatistics, sound
from clirbench.store import Shelf, opened
from clirbench.systems.base import SystemSource
from clirbench.systems.translation import completed
from clirbench.text import Text
from clirbench.topics.base import TopicSource
from clirbench.trec import read_ideal, read_runs
from clirbench.types import Doubles, Judged, Run, Topic, Translation

Value = TypeVar("Value")

MANY_SYSTEMS = 50
"""Up to so many systems every run file is written unless the configuration says otherwise; 1,000 would be gigabytes."""


class Watch(Protocol):
    """Shows progress: passes the values through while it counts them."""

    def __call__(self, title: str, values: Iterable[Value], total: int) -> Iterator[Value]: ...


def unwatched(title: str, values: Iterable[Value], total: int) -> Iterator[Value]:
    """A `Watch` that shows nothing."""
    return iter(values)


@dataclass(frozen=True)
class Experiment:
    """Everything a run needs, as plain values and components; built from the configuration by `config.build`.

    `topics` and `relevance` map a label to a component; the first of each has the empty label, and the measures of
    another carry its label in their names (`MAP[qrels]`). Without a corpus only score tables are read. `paper` is a
    published table to hold against ours; it may bring its own scores and texts.
    """

    name: str
    engine: Engine
    corpus: CorpusSource | None = None
    systems: SystemSource | None = None
    topics: Mapping[str, TopicSource] = field(default_factory=lambda: MappingProxyType({}))
    retriever: Retriever | None = None
    runs: Path | None = None
    relevance: Mapping[str, Relevance] = field(default_factory=lambda: MappingProxyType({}))
    metrics: tuple[Metric, ...] = ()
    measures: tuple[Measure, ...] = ()
    tables: ScoreTables | None = None
    table_title: str = ""
    coefficients: tuple[str, ...] = ("kendall", "spearman", "pearson")
    alpha: float = 0.05
    p_value: str = "scipy"
    complete_pairs: bool = False
    analyses: tuple[Analysis, ...] = ()
    paper: Analysis | None = None
    write_runs: str = "auto"
    plan: Plan | None = None
    seed: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Inputs:
    """What was read and aligned before any work starts; `topics` by label."""

    corpus: Corpus
    translations: tuple[Translation, ...]
    topics: Mapping[str, tuple[Topic, ...]]


@dataclass(frozen=True)
class Counts:
    """What one set of judgments scored, and what it dropped and why.

    `share_relevant` is the median over scored topics of relevant documents retrieved by the English side, over the
    documents it matched; `None` where no topic was scored.
    """

    documents: int
    topics: int
    scored: int
    unmatched: tuple[str, ...]
    unjudged: tuple[str, ...]
    median_matched: float | None
    share_relevant: float | None


@dataclass(frozen=True, eq=False)
class Retrieval:
    """The IR side for one set of topics: the English side's run, judgments, every system's run, per-topic values.

    `judged` and `counts` are by label of the judgments; `per_topic[(label, measure)]` is systems x scored topics, for
    the systems of `runs`; `failed` are those that could not be searched or scored.
    """

    ideal: Run
    judged: Mapping[str, Judged]
    counts: Mapping[str, Counts]
    runs: Mapping[str, Run]
    per_topic: Mapping[tuple[str, str], Doubles]
    failed: Mapping[str, Failure] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, eq=False)
class Result:
    """Everything a report is made from; `retrieval` is by label of the topics."""

    experiment: Experiment
    board: Scoreboard
    correlations: tuple[Correlation, ...]
    inputs: Inputs | None = None
    retrieval: Mapping[str, Retrieval] = field(default_factory=lambda: MappingProxyType({}))
    statistics: Mapping[tuple[str, str], Any] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    tables: tuple[AnalysisTable, ...] = ()

    def judgments(self) -> Iterator[tuple[str, str, Retrieval]]:
        """(label of the topics, label of the judgments, retrieval), in order."""
        for topics, retrieval in self.retrieval.items():
            for relevance in retrieval.judged:
                yield topics, relevance, retrieval

    def evidence(self) -> Evidence:
        """The scoreboard with the segments and topics its columns were summed from, for the statistics.

        Systems that lack statistics or a run are holes of the board; their per-topic rows are NaN.
        """
        systems = self.board.systems
        per_topic: dict[str, Doubles] = {}
        by_name = {measure.name: measure for measure in self.experiment.measures}
        measures: dict[str, Measure] = {}
        collection = "" if self.inputs is None else self.inputs.corpus.collection
        for topics, retrieval in self.retrieval.items():
            row = {system: i for i, system in enumerate(retrieval.runs)}
            for (relevance, name), values in retrieval.per_topic.items():
                column = marked(name, collection, topics, relevance)
                holes = np.full(values.shape[1], np.nan)
                per_topic[column] = np.stack([values[row[s]] if s in row else holes for s in systems])
                measures[column] = by_name[name]
        metrics = {metric.name: metric for metric in self.experiment.metrics}
        return Evidence(self.board, self.statistics, metrics, per_topic, measures)


def run(experiment: Experiment, watch: Watch = unwatched) -> Result:
    """The whole line. Raises a `ClirbenchError` for everything a user can mend."""
    inputs, untranslated = translated(read_inputs(experiment), watch)
    if inputs is not None and experiment.plan is not None:
        experiment.plan.add(expected(experiment, inputs))
    statistics, failed = segment_statistics(experiment, inputs, watch) if inputs else ({}, {})
    retrieval = {label: retrieve(experiment, inputs, label, watch) for label in inputs.topics} if inputs else {}
    board, notes = scoreboard(experiment, inputs, statistics, retrieval)
    rows = correlate(
        board,
        experiment.coefficients,
        alpha=experiment.alpha,
        p_value=experiment.p_value,
        complete=experiment.complete_pairs,
    )
    notes = [*experiment.remarks, *untranslated, *notes, *holes(failed, retrieval), *unwritten(experiment, retrieval)]
    result = Result(experiment, board, tuple(rows), inputs, retrieval, statistics, tuple(notes))
    analyses = (*experiment.analyses, *([experiment.paper] if experiment.paper else []))
    found = watch("analyses", (analysis.tables(result) for analysis in analyses), len(analyses))
    return replace(result, tables=tuple(table for tables in found for table in tables))


def read_inputs(experiment: Experiment) -> Inputs | None:
    """Read and align everything; every problem of corpus, systems and topics at once."""
    if experiment.corpus is None:
        if experiment.tables is None and experiment.paper is None:
            raise ConfigError("nothing to do: neither a corpus (folder=DIR) nor score tables (scores.tables=[FILE])")
        return None
    if experiment.systems is None:
        raise ConfigError("no systems are configured: choose systems=files")
    if experiment.measures and not (experiment.topics and experiment.retriever and experiment.relevance):
        raise ConfigError("measures need topics, retrieval and relevance; or compute none: measures=[]")
    corpus = experiment.corpus.read()
    problems: list[ClirbenchError] = []
    translations: tuple[Translation, ...] = ()
    topics: dict[str, tuple[Topic, ...]] = {}
    with gathered(problems):
        translations = tuple(experiment.systems.translations(corpus))
    if experiment.measures:
        for label, source in experiment.topics.items():
            with gathered(problems):
                topics[label] = tuple(source.topics(corpus.english))
    raise_all(problems)
    return Inputs(corpus, translations, topics)


def translated(inputs: Inputs | None, watch: Watch) -> tuple[Inputs | None, list[str]]:
    """Systems that are translators are run now; one that failed has no texts from here on, and a note says why."""
    if inputs is None:
        return None, []
    translations, errors = completed(inputs.translations, watch)
    return replace(inputs, translations=translations), [f"{name}: not translated: {e}" for name, e in errors.items()]


def expected(experiment: Experiment, inputs: Inputs) -> Iterator[Planned]:
    """What will be done for each system, before it is known under which keys."""
    for translation in inputs.translations:
        if translation.test is not None and experiment.metrics:
            yield Planned(translation.system, SegmentStatistics.__name__)
        if translation.collection is not None and inputs.topics:
            if experiment.runs is None:
                yield Planned(translation.system, Retrieve.__name__)
            yield Planned(translation.system, Evaluate.__name__)


def segment_statistics(
    experiment: Experiment, inputs: Inputs, watch: Watch
) -> tuple[Mapping[tuple[str, str], Any], dict[tuple[str, str], Failure]]:
    """(metric name, system) -> statistics of every segment, or why there are none.

    The metrics of one system run one after the other.
    """
    texts = {t.system: t.test for t in inputs.translations if t.test is not None}
    resolved = [per_system(metric, texts, inputs.corpus.test) for metric in experiment.metrics]
    work = [
        (of_system[translation.system], translation)
        for translation in inputs.translations
        for of_system in resolved
        if translation.system in of_system
    ]
    items = [(metric, translation.test) for metric, translation in work]
    names = [translation.system for _, translation in work]
    found = experiment.engine.pmap(SegmentStatistics(inputs.corpus.test), items, names)
    keys = [(metric.name, translation.system) for metric, translation in work]
    good, failed = sound(dict(zip(keys, watch("MT metrics", found, len(items)), strict=True)))
    return Shelf(good), failed


def retrieve(experiment: Experiment, inputs: Inputs, label: str, watch: Watch) -> Retrieval:
    """Search the English side with one set of topics, judge, search every system's copy, score."""
    assert experiment.retriever is not None
    english, topics = inputs.corpus.english, inputs.topics[label]
    search = Retrieve(experiment.retriever, topics, english.map)
    pmap = experiment.engine.pmap
    if experiment.runs is None:
        ideal = english_run(search, english.text, pmap)
        searched = {t.system: t.collection for t in inputs.translations if t.collection is not None}
        found = pmap(search, list(searched.values()), tuple(searched))
        runs = dict(zip(searched, watch(marked("retrieval", label), found, len(searched)), strict=True))
    else:
        runs, own = runs_of_others(experiment.runs, inputs)
        ideal = own or english_run(search, english.text, pmap)
    judged = {
        name: Judged(rule.judge(ideal, english, topics), ideal, len(english))
        for name, rule in experiment.relevance.items()
    }
    counts = {name: count(english.map.doc_ids, topics, found) for name, found in judged.items()}
    values = pmap(Evaluate(experiment.measures, judged), list(runs.values()), tuple(runs))
    scored = zip(runs, watch(marked("IR measures", label), values, len(runs)), strict=True)
    good, failed = sound(dict(scored))
    shelf = Shelf({system: runs[system] for system in good})
    return Retrieval(ideal, judged, counts, shelf, _by_measure(list(good.values())), failed)


def runs_of_others(folder: Path, inputs: Inputs) -> tuple[dict[str, Run], Run | None]:
    """The runs of a folder for the systems that take part, and the English side's own run where it lies there too.

    A document that is not part of the collection is an error; a system without a run is one too, by name.
    """
    known = frozenset(inputs.corpus.english.map.doc_ids)
    found = read_runs(folder, known)
    systems = [translation.system for translation in inputs.translations]
    if missing := [system for system in systems if system not in found]:
        raise InputError(
            f"{folder}: no run of {', '.join(missing)}; a system's run is NAME.run. Leave such systems out with "
            "'systems.exclude=[NAME]'"
        )
    return {system: found[system] for system in systems}, read_ideal(folder, known)


def english_run(search: Retrieve, english: Text, pmap: Callable[..., Iterator[Any]]) -> Run:
    """The English side's own run; raises `InputError` where it cannot be searched: nothing can be judged then."""
    found, _ = sound(dict(zip(["english side"], pmap(search, [english], ["(English side)"]), strict=True)))
    run: Run = opened(found["english side"])
    return run


def unwritten(experiment: Experiment, retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note where run files are left out because there are many."""
    if experiment.write_runs == "auto" and any(len(found.runs) > MANY_SYSTEMS for found in retrieval.values()):
        yield (
            f"run files: only the English side's was written, there are more than {MANY_SYSTEMS} systems; "
            "output.runs=all writes every one"
        )


def holes(failed: Mapping[tuple[str, str], Failure], retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note for each hole that a failed step left in the table; one for all metrics that failed for one reason."""
    metrics: dict[tuple[str, str], list[str]] = {}
    for (metric, system), failure in failed.items():
        metrics.setdefault((system, failure.reason), []).append(metric)
    for (system, reason), names in metrics.items():
        yield f"{system} has no {', '.join(names)}: {reason}"
    for label, found in retrieval.items():
        for system, failure in found.failed.items():
            yield f"{system} has no {marked('IR measures', label)}: {failure.reason}"


def _by_measure(by_system: Sequence[Mapping[tuple[str, str], Doubles]]) -> dict[tuple[str, str], Doubles]:
    keys = list(by_system[0]) if by_system else []
    return {key: np.stack([values[key] for values in by_system]) for key in keys}


def count(doc_ids: Sequence[str], topics: Sequence[Topic], judged: Judged) -> Counts:
    """How many topics were scored, which were dropped, and how much of what matches is relevant."""
    ideal = judged.ideal
    matched = dict(zip(ideal.topic_ids, ideal.n_matched.tolist(), strict=True))
    scored = judged.topic_ids
    shares = [
        sum(judged.qrels.grades[topic_id].get(doc_id, 0) > 0 for doc_id in ideal.ranking(topic_id)) / matched[topic_id]
        for topic_id in scored
        if matched[topic_id]
    ]
    unmatched = tuple(topic.topic_id for topic in topics if not matched[topic.topic_id])
    left = set(unmatched) | set(scored)
    return Counts(
        documents=len(doc_ids),
        topics=len(topics),
        scored=len(scored),
        unmatched=unmatched,
        unjudged=tuple(topic.topic_id for topic in topics if topic.topic_id not in left),
        median_matched=float(np.median([matched[topic_id] for topic_id in scored])) if scored else None,
        share_relevant=float(np.median(shares)) if shares else None,
    )


def scoreboard(
    experiment: Experiment,
    inputs: Inputs | None,
    statistics: Mapping[tuple[str, str], Any],
    retrieval: Mapping[str, Retrieval],
) -> tuple[Scoreboard, list[str]]:
    """Computed columns, joined by system with the imported ones, and notes on what did not join."""
    if inputs is None:
        return (Scoreboard((), ()) if experiment.tables is None else experiment.tables.read()), []
    systems = tuple(translation.system for translation in inputs.translations)
    columns = metric_columns(experiment, systems, statistics, len(inputs.corpus.test.references))
    for label, found in retrieval.items():
        columns += measure_columns(experiment, inputs, systems, label, found)
    computed = Scoreboard(systems, tuple(columns), _metadata(inputs.translations))
    tables = score_tables(experiment, inputs.corpus)
    return (computed, []) if tables is None else joined(computed, tables.read([column.name for column in columns]))


def score_tables(experiment: Experiment, corpus: Corpus) -> ScoreTables | None:
    """The configured score tables, and the scores.tsv that lies in the folder of the test set."""
    layout = corpus.test_layout
    if layout is None or "scores.tsv" not in layout.singles:
        return experiment.tables
    file = layout.singles["scores.tsv"]
    tables = ScoreTables() if experiment.tables is None else experiment.tables
    return tables.with_table(layout.files.locate([file])[file])


def metric_columns(
    experiment: Experiment, systems: Sequence[str], statistics: Mapping[tuple[str, str], Any], n_references: int
) -> list[Column]:
    """One column for each metric: the corpus score from summed statistics."""
    return [
        Column(
            metric.name,
            "metric",
            aligned(
                {
                    system: float(metric.score(np.asarray(statistics[metric.name, system].sum(axis=0)).reshape(-1)))
                    for system in systems
                    if (metric.name, system) in statistics
                },
                systems,
            ),
            metric.higher_is_better,
            f"nrefs:{n_references}|{metric.signature}",
        )
        for metric in experiment.metrics
    ]


def measure_columns(
    experiment: Experiment, inputs: Inputs, systems: Sequence[str], topics: str, retrieval: Retrieval
) -> list[Column]:
    """One column for each measure and set of judgments: the aggregate of its per-topic values."""
    by_name = {measure.name: measure for measure in experiment.measures}
    columns = []
    for (relevance, name), per_topic in retrieval.per_topic.items():
        measure = by_name[name]
        values = dict(zip(retrieval.runs, measure.aggregate(per_topic).tolist(), strict=True))
        columns.append(
            Column(
                marked(name, inputs.corpus.collection, topics, relevance),
                "measure",
                aligned(values, systems),
                measure.higher_is_better,
                measure_signature(experiment, measure, topics, relevance),
                experiment.table_title,
            )
        )
    return columns


def marked(name: str, *marks: str) -> str:
    """`MAP`; `MAP[news]` of a second collection, `MAP[news,qrels]` of second judgments there."""
    kept = ",".join(mark for mark in marks if mark)
    return f"{name}[{kept}]" if kept else name


def measure_signature(experiment: Experiment, measure: Measure, topics: str, relevance: str) -> str:
    """Everything that can move an IR number: engine, topics, relevance, the measure's own parameters."""
    assert experiment.retriever is not None
    searched = f"topics:{experiment.topics[topics].signature}"
    judged = f"rel:{experiment.relevance[relevance].signature}"
    engine = experiment.retriever.signature if experiment.runs is None else "runs:of others"
    return "|".join((engine, searched, judged, measure.signature))


def joined(computed: Scoreboard, imported: Scoreboard) -> tuple[Scoreboard, list[str]]:
    """Imported columns beside the computed ones, for the systems of this run; what did not join is a note."""
    notes = []
    if extra := [system for system in imported.systems if system not in computed.systems]:
        notes.append(f"score tables: systems that are not part of this run were left out: {', '.join(extra)}")
    if missing := [system for system in computed.systems if system not in imported.systems]:
        notes.append(f"score tables have no row for: {', '.join(missing)}")
    columns = [
        replace(
            column,
            values=aligned(dict(zip(imported.systems, column.values.tolist(), strict=True)), computed.systems),
        )
        for column in imported.columns
    ]
    rows = {system: i for i, system in enumerate(imported.systems)}
    metadata = dict(computed.metadata)
    for name, texts in imported.metadata.items():
        metadata.setdefault(name, tuple(texts[rows[s]] if s in rows else "" for s in computed.systems))
    metrics = [c for c in (*computed.columns, *columns) if c.role == "metric"]
    measures = [c for c in (*columns, *computed.columns) if c.role == "measure"]
    return Scoreboard(computed.systems, (*metrics, *measures), metadata), notes


def _metadata(translations: Sequence[Translation]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(name for translation in translations for name in translation.metadata)
    return {name: tuple(t.metadata.get(name, "") for t in translations) for name in names}
