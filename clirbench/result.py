"""What a run is given (`Experiment`), what it reads (`Inputs`), and what it computes and finds (`Result`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from clirbench import steps as of_all
from clirbench.corpora.base import Corpus, CorpusSource
from clirbench.corpora.layout import Languages
from clirbench.engines.base import Engine
from clirbench.errors import ConfigError, UnknownName
from clirbench.files.score_tables import ScoreTables
from clirbench.keys import setting
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.pages import Table
from clirbench.relevance.base import Relevance
from clirbench.retrieval.base import Retriever
from clirbench.scoreboard import NO_ROWS, Scoreboard
from clirbench.statistics.belonging import FOUND, Units, readings, units_of
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.decision import BaselineComparison, Decision, candidates, measure_with_topics
from clirbench.statistics.given import Beyond, Permuting, beyond_known
from clirbench.statistics.grades import RELIABLE, Evidence, reliability
from clirbench.statistics.kinds import Kinds, KindTau, compared_kinds
from clirbench.statistics.pairs import SeparablePairs, separable_pairs
from clirbench.store.cached import Plan, cached_result
from clirbench.systems.base import SystemSource
from clirbench.systems.health import FileHealth
from clirbench.systems.likeness import Resemblances
from clirbench.text import Text
from clirbench.topics.base import BY_REFERENCE, SECOND, TopicSource, described
from clirbench.types import JUDGES, Documents, Doubles, Failure, Judged, Run, Topic, Translation

MOST_RELEVANT = 0.5
"""Above this share, what matches is mostly relevant: precision then says which documents match, not their order."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What was read and aligned before any work starts; `topics` by label; `pending` systems are still written.

    `baselines` are searched like the systems of `translations`, and are none of them (`untranslated=true`). `left_out`:
    why systems are no longer among `translations`. `second`: the topics of another kind, or of another reference, and
    the text that is searched for them, by `SECOND` or `BY_REFERENCE` and a name.
    """

    corpus: Corpus
    translations: tuple[Translation, ...]
    topics: Mapping[str, tuple[Topic, ...]]
    pending: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    baselines: tuple[Translation, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    second: Mapping[str, tuple[tuple[Topic, ...], Documents]] = field(default_factory=lambda: MappingProxyType({}))

    def asked(self, label: str) -> tuple[tuple[Topic, ...], Documents]:
        """The topics of a label, or of one of `second`, and the text that is searched for them."""
        return self.second.get(label) or (self.topics[label], self.corpus.english)

    @property
    def searched(self) -> dict[str, Text]:
        """The text of every system and baseline that is searched, by name."""
        every = (*self.translations, *self.baselines)
        return {t.system: t.collection for t in every if t.collection is not None}


@dataclass(frozen=True)
class Counts:
    """What one set of judgments scored, and what it dropped and why.

    `scored` topics have a relevant document; those `without_relevant` are judged too, and scored by the measures that
    count false alarms. `share_relevant` is the median over scored topics of relevant documents retrieved by the English
    side, over the documents it matched; `None` where no topic was scored.
    """

    documents: int
    topics: int
    scored: int
    unmatched: tuple[str, ...]
    unjudged: tuple[str, ...]
    median_matched: float | None
    share_relevant: float | None
    without_relevant: tuple[str, ...] = ()

    @property
    def unordered(self) -> bool:
        """Whether most matching documents are relevant, so that MAP and P@k do not depend on their order."""
        return self.share_relevant is not None and self.share_relevant > MOST_RELEVANT


def count(doc_ids: Sequence[str], topics: Sequence[Topic], judged: Judged) -> Counts:
    """How many topics have a relevant document, which were dropped, what share of matches is ranked and relevant."""
    ideal, scored = judged.ideal, judged.with_relevant.topic_ids
    matched = dict(zip(ideal.topic_ids, ideal.n_matched.tolist(), strict=True))
    ranked = {t: [judged.qrels.grades[t].get(d, 0) > 0 for d in ideal.ranking(t)] for t in scored if matched.get(t)}
    shares = [sum(relevant) / matched[topic] for topic, relevant in ranked.items()]
    unmatched = tuple(topic.topic_id for topic in topics if matched and not matched[topic.topic_id])
    relevant, left = set(scored), {*unmatched, *judged.topic_ids}
    return Counts(
        len(doc_ids),
        len(topics),
        len(scored),
        unmatched,
        tuple(topic.topic_id for topic in topics if topic.topic_id not in left),
        float(np.median([matched[topic] for topic in scored])) if scored and matched else None,
        float(np.median(shares)) if shares else None,
        tuple(topic for topic in judged.topic_ids if topic not in relevant),
    )


@dataclass(frozen=True, eq=False)
class Retrieval:
    """The IR side for one set of topics and one retriever: English run, judgments, systems' runs, per-topic values.

    `judged` and `counts` are by label of the judgments; `per_topic[(label, measure)]` is systems x the topics that the
    measure scores (`topics`), for the systems of `runs`; `failed` are those that could not be searched or scored.
    `topic_label` and `retriever` are the labels of what was asked and of what searched; `rules` judged, by their label.
    """

    ideal: Run
    judged: Mapping[str, Judged]
    counts: Mapping[str, Counts]
    runs: Mapping[str, Run]
    per_topic: Mapping[tuple[str, str], Doubles]
    failed: Mapping[str, Failure] = field(default_factory=lambda: MappingProxyType({}))
    topic_label: str = ""
    retriever: str = ""
    rules: Mapping[str, Relevance] = field(default_factory=lambda: MappingProxyType({}))

    def topics(self, label: str, measure: str) -> tuple[str, ...]:
        """The topics that a measure scores: all that are judged, or those with a relevant document.

        The two differ in number, so the number of values tells which it was.
        """
        judged = self.judged[label]
        n = self.per_topic[label, measure].shape[1]
        return judged.topic_ids if n == len(judged.topic_ids) else judged.with_relevant.topic_ids


def with_marks(name: str, *marks: str) -> str:
    """`MAP`; `MAP[news]` of a second collection, `MAP[news,qrels]` of second judgments there."""
    kept = ",".join(mark for mark in marks if mark)
    return f"{name}[{kept}]" if kept else name


def of_systems(known: Iterable[str], values: Doubles, systems: Sequence[str]) -> Doubles:
    """(systems, topics) of values in the order of `known`; NaN for a system that is not among them."""
    row, holes = {system: i for i, system in enumerate(known)}, np.full(values.shape[1], np.nan)
    return np.stack([values[row[system]] if system in row else holes for system in systems])


Value = TypeVar("Value")
Row = TypeVar("Row")

REGRET = "regret"
NO_TRANSLATION, ENGLISH_SIDE = "no translation", "reference side"
"""The rows of `untranslated=true`."""
MANY_SYSTEMS = 50
"""Up to this number of systems run files are written unless the configuration sets it; 1,000 would be gigabytes."""


@runtime_checkable
class Analysis(Protocol):
    """A further analysis; a frozen dataclass whose fields are its configuration (conf/analyses/NAME.yaml)."""

    def tables(self, result: "Result") -> Sequence[Table]:
        """The tables; raises `ConfigError`, before any long work, where the run does not have what it needs."""


Watch: TypeAlias = Callable[[str, Iterable[Any], int], Iterator[Any]]
"""Shows progress under a title: passes the values through while it counts them; the number is how many there are."""


def no_watch(title: str, values: Iterable[Value], total: int) -> Iterator[Value]:
    """A `Watch` that shows nothing."""
    return iter(values)


@dataclass(frozen=True)
class Experiment:
    """Everything a run needs: values of keys (`setting`) and components; `configuration.building.build` makes it.

    `topics` and `relevance` map a label to a component; the first of each has the empty label, and the measures of
    another carry its label in their names (`MAP[qrels]`). Without a corpus only score tables are read. `paper` is a
    published table to hold against ours; it may bring its own scores and texts. `also_retriever`: a second one by its
    label. `units`: the metadata column that tells which systems belong together, `none`, or nothing (found, see
    `units_of`); `given`: numbers that are known beforehand, which metrics must add to. `untranslated`: further rows
    search the source as it is, and the English side. `baseline`: the system in use, which others are held against; a
    loss of up to `margin`, in units of the measure, is allowed. `primary`: the measure that the answer is about, where
    it is named; `objective`: see `Result.objective`. `keep_copies`: a system that copies the reference takes part.
    `languages`: of the collection. `second_topics`: another kind, by which the first measure is computed too; it makes
    no columns; `second_references`: whether further references are asked likewise.
    """

    name: str
    engine: Engine
    corpus: CorpusSource | None = None
    systems: SystemSource | None = None
    topics: Mapping[str, TopicSource] = field(default_factory=lambda: MappingProxyType({}))
    retriever: Retriever | None = None
    also_retriever: Mapping[str, Retriever] = field(default_factory=lambda: MappingProxyType({}))
    runs: Path | None = None
    relevance: Mapping[str, Relevance] = field(default_factory=lambda: MappingProxyType({}))
    metrics: tuple[Metric, ...] = ()
    measures: tuple[Measure, ...] = ()
    tables: ScoreTables | None = None
    table_title: str = setting("title")
    coefficients: tuple[str, ...] = setting("correlation.coefficients")
    alpha: float = setting("correlation.alpha")
    p_value: str = setting("correlation.p_value")
    complete_pairs: bool = setting("correlation.complete_pairs")
    analyses: tuple[Analysis, ...] = ()
    paper: Analysis | None = None
    write_runs: str = setting("output.runs")
    figures: tuple[str, ...] = setting("output.figures")
    table_formats: tuple[str, ...] = setting("output.tables")
    plan: Plan | None = None
    seed: int = setting("seed")
    units: str = setting("units")
    given: tuple[str, ...] = setting("given")
    baseline: str = setting("baseline")
    untranslated: bool = setting("untranslated")
    margin: float = setting("margin")
    remarks: tuple[str, ...] = setting("remarks")
    keep_copies: bool = setting("keep_copies")
    primary: str = setting("primary")
    objective: str = setting("objective")
    languages: Languages | None = None
    second_topics: TopicSource | None = None
    second_references: bool = setting("second_topics")

    @property
    def retrievers(self) -> dict[str, Retriever | None]:
        """Every retriever by its label, which its measures carry; the first has none."""
        return {"": self.retriever, **self.also_retriever}


@dataclass(frozen=True, eq=False)
class Result:
    """Everything that a run has computed and found; a report is made from it.

    `scores`, `statistics`, `failures` are by (metric, system), `retrieval` by label of topics and retriever. `notes`:
    why systems were left out, and what is strange. `lost`: systems that were not translated. `baselines` are printed
    below the systems of `board`, and nothing counts them; both have the same columns. `second`: the first measure by
    the second kind of topics and by further references, by label.
    """

    experiment: Experiment
    board: Scoreboard = NO_ROWS
    correlations: tuple[Correlation, ...] = ()
    inputs: Inputs | None = None
    retrieval: Mapping[str, Retrieval] = field(default_factory=lambda: MappingProxyType({}))
    statistics: Mapping[tuple[str, str], Any] = field(default_factory=lambda: MappingProxyType({}))
    scores: Mapping[tuple[str, str], float] = field(default_factory=lambda: MappingProxyType({}))
    failures: Mapping[tuple[str, str], Failure] = field(default_factory=lambda: MappingProxyType({}))
    lost: tuple[str, ...] = ()
    health: tuple[FileHealth, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    baselines: Scoreboard = NO_ROWS
    resemblances: Resemblances = field(default_factory=Resemblances)
    second: Mapping[str, Retrieval] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def failed(self) -> tuple[str, ...]:
        """The systems with a hole."""
        unranked = (system for found in self.retrieval.values() for system in found.failed)
        return tuple(sorted({*self.lost, *(system for _, system in self.failures), *unranked}))

    def texts(self, analysis: str) -> Inputs:
        """What an analysis of texts reads; raises `ConfigError` where the run was made from score tables alone."""
        if self.inputs is None:
            raise ConfigError(f"analysis {analysis} reads texts, and this run has score tables only: give folder=DIR")
        return self.inputs

    @property
    def metrics_of_segments(self) -> tuple[Metric, ...]:
        """The computed metrics whose segments are known, of one system at least."""
        known = {name for name, _ in self.statistics}
        return tuple(metric for metric in self.experiment.metrics if metric.name in known)

    def rows(self, kind: type[Row]) -> tuple[Row, ...]:
        """Everything of one kind that the analyses computed, such as every `Difference`; none where none was asked."""
        return tuple(row for table in self.tables for row in table.records if isinstance(row, kind))

    def judgments(self) -> Iterator[tuple[str, str, Retrieval]]:
        """(label of the topics and retriever, label of the judgments, retrieval), in order."""
        for topics, retrieval in self.retrieval.items():
            for relevance in retrieval.judged:
                yield topics, relevance, retrieval

    def topic_values(self, measure: str) -> tuple[str, str, Doubles]:
        """Labels of topics and judgments, and (systems, topics) values of a measure; raises `UnknownName`."""
        for label, retrieval in self.retrieval.items():
            for (relevance, name), values in retrieval.per_topic.items():
                if name == measure:
                    return label, relevance, values
        names = [name for retrieval in self.retrieval.values() for _, name in retrieval.per_topic]
        raise UnknownName("measure", measure, names)

    @cached_property
    def units(self) -> Units:
        """Which systems belong together, and which lie along training."""
        return units_of(self.board, self.experiment.units, list(self.resemblances.near), self.resemblances.stems)

    @cached_property
    def other_readings(self) -> Mapping[str, Units]:
        """Other groups where a cut or names decide, by the `units=` to type; none where units are declared."""
        found = not self.experiment.units and self.units.source in FOUND
        return readings(self.board, self.units, list(self.resemblances.near)) if found else {}

    @cached_property
    def taus(self) -> Mapping[tuple[str, str], Correlation]:
        """The rows of Kendall's tau by (measure, metric)."""
        return {(row.measure, row.metric): row for row in self.correlations if row.coefficient == KENDALL}

    @property
    def decided_by(self) -> str:
        """The measure that systems are chosen by: the first, or if it has no topics, the next with topics; or none."""
        measure = self.board.first_measure
        return "" if measure is None else measure_with_topics(self.evidence, measure.name)

    @cached_property
    def kinds(self) -> Mapping[str, Kinds]:
        """The first measure by the first kind of topics beside each of `second`, by its label."""
        return self.kinds_by(self.units)

    def kinds_by(self, units: Units) -> Mapping[str, Kinds]:
        """`kinds` with these groups of systems."""
        name, made = getattr(self.board.first_measure, "name", ""), self.experiment
        found = dict[str, Kinds | None]()
        for label, values in self._second_values.items():
            kind = label if label != SECOND else str(getattr(made.second_topics, "kind", SECOND))
            said = described(made.topics[""], self.evidence.topics(name)), kind
            found[label] = compared_kinds(self.evidence, units, name, values, said, made.alpha, made.seed)
        return {label: kinds for label, kinds in found.items() if kinds}

    @property
    def by_reference(self) -> dict[str, tuple[KindTau, ...]]:
        """Every metric by each other reference that was asked and has a vote, by its name."""
        return references_of(self.kinds)

    @property
    def _second_values(self) -> dict[str, Doubles]:
        """(systems, topics) of the first measure by each label of `second`."""
        each = ((label, of.runs, next(iter(of.per_topic.values()))) for label, of in self.second.items())
        return {label: of_systems(runs, values, self.board.systems) for label, runs, values in each}

    @cached_property
    def decision(self) -> Decision | None:
        """Which system to choose, or why clirbench cannot recommend one; None without a measure."""
        return self._decided(self.evidence) if self.decided_by else None

    def _decided(self, evidence: Evidence) -> Decision:
        step = partial(of_all.decision, measure=self.decided_by, seed=self.experiment.seed)
        (held,) = cached_result(self.experiment.engine, step, (evidence, self.units))
        return of_all.as_decision(held)

    @cached_property
    def decisions(self) -> Mapping[str, Decision]:
        """By each reference with pairs that differ, the searched one first; empty where no other has any."""
        column, own, found = self.board.first_measure, self.decision, dict[str, Decision]()
        if self.inputs is None or column is None or own is None or not own.standings or column.name != own.measure:
            return {}
        votes = {label: values for label, values in self._second_values.items() if reliability(values) >= RELIABLE}
        for label, values in votes.items():
            measure = replace(column, values=self.evidence.measures[column.name].aggregate(values))
            board, per_topic = replace(self.board, columns=(*self.board.metrics, measure)), {column.name: values}
            of = self._decided(replace(self.evidence, board=board, per_topic=per_topic)) if label != SECOND else None
            if of and len(of.standings) == len(own.standings):
                found[label.removeprefix(BY_REFERENCE)] = of
        return {next(iter(self.inputs.corpus.references)): own, **found} if found else {}

    @cached_property
    def agreed(self) -> tuple[str, ...]:
        """The systems that are first, or statistically tied with the first, by every reference that was asked, those
        first that the decision recommends."""
        own, sets = self.decision or Decision(""), [{*of.recommended, *of.tied} for of in self.decisions.values()]
        return tuple(system for system in (*own.recommended, *own.tied) if all(system in of for of in sets))

    @property
    def recommended(self) -> tuple[str, ...]:
        """The systems to choose: the first ones by the searched reference if all references allow them, else the best
        that they do allow; none where the references have none in common."""
        first = (self.decision or Decision("")).recommended
        return tuple(system for system in first if system in self.agreed) or self.agreed[:1]

    @property
    def objective(self) -> float | None:
        """The best system's value of the measure `objective`, or what choosing by the first metric loses (`loss` of
        picks.tsv); NaN where that is unknown, None where nothing is asked for."""
        name, decision = self.experiment.objective, self.decision
        if not name:
            return None
        if name == REGRET:
            metric = self.board.metrics[0].name if self.board.metrics else ""
            chosen = [decision[pick.system] for pick in decision.picks if pick.metric == metric] if decision else []
            return -chosen[0].difference or 0.0 if chosen else np.nan
        column = self.board[name]
        return float(column.values[np.nanargmax(column.oriented)]) if np.isfinite(column.values).any() else np.nan

    @cached_property
    def separable(self) -> tuple[SeparablePairs, ...]:
        """How many pairs of systems differ significantly by the first measure, and how many a metric orders so."""
        measure, seed = self.board.first_measure, self.experiment.seed
        return () if measure is None else separable_pairs(self.evidence, measure.name, self.units, seed=seed)

    @cached_property
    def beyond_given(self) -> Mapping[tuple[str, str], Beyond]:
        """What each metric says of each measure beyond `given`, by (measure, metric); nothing without it."""
        made = self.experiment
        how, declared = Permuting(made.alpha, seed=made.seed), bool(made.units)
        return beyond_known(self.board, self.units, made.given, how, declared=declared) if made.given else {}

    @cached_property
    def against_baseline(self) -> Mapping[str, BaselineComparison]:
        """Every other system against `baseline` by the measure of the decision; nothing without either of them."""
        measure, experiment = self.decided_by, self.experiment
        if not measure or not experiment.baseline:
            return {}
        if experiment.baseline not in (*self.board.systems, *self.baselines.systems):
            raise UnknownName("system", experiment.baseline, self.board.systems)
        among = self.evidence
        if experiment.baseline in self.baselines.systems:
            others = [name for name in self.baselines.systems if name != experiment.baseline]
            among = self.evidence_of(self.printed).only(~np.isin(self.printed.systems, others))
        return candidates(among, measure, experiment.baseline, experiment.margin, seed=experiment.seed)

    @property
    def monolingual(self) -> float:
        """What the English side reaches by the measure of the decision, where judgments say what is relevant; else NaN.

        By a ranking of the English side itself it would reach the most that there is.
        """
        measure = self.decided_by
        if ENGLISH_SIDE not in self.baselines.systems or not measure:
            return np.nan
        column = self.baselines[measure]
        judged = column.judged_by in JUDGES and column.higher_is_better
        return float(column.values[self.baselines.systems.index(ENGLISH_SIDE)]) if judged else np.nan

    @property
    def printed(self) -> Scoreboard:
        """The systems, and below them the baselines."""
        return self.board.above(self.baselines)

    @property
    def worse(self) -> bool:
        """Whether every other system is shown to be worse than `baseline`."""
        found = self.against_baseline.values()
        return bool(found) and all(comparison.verdict == "worse" for comparison in found)

    @cached_property
    def evidence(self) -> Evidence:
        """The scoreboard with the segments and topics its columns were summed from, for the statistics."""
        return self.evidence_of(self.board)

    def evidence_of(self, board: Scoreboard) -> Evidence:
        """These rows with their segments and topics; what a system has none of is a hole, or NaN for each topic."""
        systems = board.systems
        per_topic: dict[str, Doubles] = {}
        by_name = {measure.name: measure for measure in self.experiment.measures}
        measures: dict[str, Measure] = {}
        collection = "" if self.inputs is None else self.inputs.corpus.collection
        for topics, retrieval in self.retrieval.items():
            for (relevance, name), values in retrieval.per_topic.items():
                column = with_marks(name, collection, topics, relevance)
                per_topic[column] = of_systems(retrieval.runs, values, systems)
                measures[column] = by_name[name]
        metrics = {metric.name: metric for metric in self.experiment.metrics}
        return Evidence(board, self.statistics, metrics, per_topic, measures)


def references_of(kinds: Mapping[str, Kinds]) -> dict[str, tuple[KindTau, ...]]:
    """Every metric by each further reference that was asked and has a vote, by its name; `kinds`: of a result."""
    others = [(label.removeprefix(BY_REFERENCE), of) for label, of in kinds.items() if label != SECOND]
    return {by: of.metrics for by, of in others if of.votes}
