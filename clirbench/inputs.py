"""What a run reads, and what can be known to fail before any work is done.

Corpus, systems, topics and runs of others are read and aligned. Then everything that a configuration and its files can
get wrong is asked of the code that would meet it, on a scoreboard without numbers, and said all at once.
`references=cross` is run both ways: each of two references is searched once while the other scores. Systems that copy
a reference are left out, near-copies are named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from clirbench.checks import name_list
from clirbench.columns import is_searched, scoreboard
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import contradicts, language_of, sample_of
from clirbench.engines.base import Engine
from clirbench.errors import (
    ClirbenchError,
    ConfigError,
    InputError,
    NothingCompared,
    UnknownName,
    gathered,
    raise_all,
    shorten,
)
from clirbench.files.lines import Lines
from clirbench.files.trec import read_ideal, read_runs
from clirbench.measures.base import Measure
from clirbench.measures.parsing import parse
from clirbench.pages import Table, short
from clirbench.relevance.base import offered_by_judgments, sorted_out, unmet_needs
from clirbench.relevance.top_k import TopK
from clirbench.result import ENGLISH_SIDE, NO_TRANSLATION, REGRET, Experiment, Inputs, Result, Retrieval, with_marks
from clirbench.statistics.belonging import NEAR_COPIES, STEM, Units
from clirbench.statistics.coefficients import P_VALUES, coefficient
from clirbench.statistics.correlation import KENDALL, Correlation, weakened
from clirbench.statistics.given import givens
from clirbench.steps import made_topics
from clirbench.store.cached import cached_result
from clirbench.systems.likeness import Resemblances
from clirbench.text import current_limits, limit_error
from clirbench.topics.base import BY_REFERENCE, SECOND, TopicSource
from clirbench.types import Documents, Run, Topic, Translation

MOST_REFERENCES = 2
"""Further references that are searched: each costs a pass over the systems."""


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
    baselines: tuple[Translation, ...] = ()
    topics: dict[str, tuple[Topic, ...]] = {}
    with gathered(problems):
        translations = tuple(experiment.systems.translations(corpus))
        if experiment.untranslated:
            baselines = tuple(baselines_of(corpus, corpus.has_english and experiment.runs is None))
        names = [translation.system for translation in (*translations, *baselines) if not translation.left_out]
        if experiment.baseline and experiment.baseline not in names:
            raise UnknownName("system of baseline", experiment.baseline, names)
    if experiment.measures:
        for label, source in experiment.topics.items():
            with gathered(problems):
                topics[label] = topics_of(source, corpus.english, experiment.engine)
                check_size(with_marks("topics", label), len(topics[label]), len(corpus.english))
    raise_all(problems)
    second: dict[str, tuple[tuple[Topic, ...], Documents]] = {}
    for label, source, searched in second_asked(experiment, corpus) if topics and experiment.runs is None else ():
        with suppress(InputError):  # a text without such topics is not asked
            second[label] = topics_of(source, searched, experiment.engine), searched
    pending = {t.system: t.pending for t in translations if t.pending}
    left_out = {t.system: t.left_out for t in translations if t.left_out}
    if left_out and len(left_out) + len(pending) == len(translations):
        raise NothingCompared(f"no system has enough text: {shorten(_reasons(left_out | pending), 1000)}")
    if len(pending) == len(translations):
        raise NothingCompared(f"every system is pending: {shorten(_reasons(pending), 1000)}")
    there = tuple(t for t in translations if not (t.pending or t.left_out))
    return Inputs(corpus, there, topics, pending, baselines, left_out, second)


def second_asked(experiment: Experiment, corpus: Corpus) -> Iterator[tuple[str, TopicSource, Documents]]:
    """By what else the first measure is computed: label, topics and the text that is searched. A second kind of topics,
    and up to two further references of the collection, each another text than the one that is searched and plainly in
    no other language, by which other systems may be best."""
    if experiment.second_topics is not None:
        yield SECOND, experiment.second_topics, corpus.english
    asked = experiment.second_references and corpus.has_english and not corpus.crossed
    for name, text in [*corpus.references.items()][1 : 1 + MOST_REFERENCES * asked]:
        with suppress(ClirbenchError):  # nobody asked for a text that cannot be read
            lines = Lines.of(text)
            other = contradicts(getattr(experiment.languages, "target", ""), language_of(sample_of(text)))
            if len(lines) == corpus.document_map.n_lines and not (other or is_searched(lines, corpus)):
                yield BY_REFERENCE + name, experiment.topics[""], Documents(text, corpus.document_map)


def _reasons(systems: Mapping[str, str]) -> str:
    return "; ".join(f"{system} ({why})" for system, why in systems.items())


def topics_of(source: TopicSource, english: Documents, engine: Engine) -> tuple[Topic, ...]:
    """The topics of a source; those that take work (`kept`) are found again in the store."""
    if not getattr(source, "kept", False):
        return tuple(source.topics(english))
    (rows,) = cached_result(engine, partial(made_topics, source=source), (english.text, english.map))
    return tuple(Topic(topic_id, tuple(map(tuple, parts))) for topic_id, parts in rows)


def baselines_of(corpus: Corpus, english: bool) -> Iterator[Translation]:
    """The collection as it is, which translation must beat, and the English side: what perfect translation reaches."""
    if corpus.source is None:
        raise InputError("untranslated=true searches the source side: put source.txt beside the reference")
    yield Translation(NO_TRANSLATION, None, corpus.source)
    if english:
        yield Translation(ENGLISH_SIDE, None, corpus.english.text)


def adapt_to_inputs(experiment: Experiment, inputs: Inputs | None) -> tuple[Experiment, Inputs | None]:
    """The same with the metrics that came with the corpus, the measures that it and the judgments allow, and a remark
    on the others.

    Raises for what cannot be left out: metrics without a test set, relevance that needs an English side.
    """
    if inputs is None:
        return experiment, None
    corpus = inputs.corpus
    named = {metric.name for metric in experiment.metrics}
    metrics = (*experiment.metrics, *(metric for metric in corpus.scores if metric.name not in named))
    parts: dict[str, Any] = {f"relevance={rule.signature}": rule for rule in experiment.relevance.values()}
    parts |= {type(analysis).__name__: analysis for analysis in experiment.analyses}
    errors: list[ClirbenchError] = list(unmet_needs(parts if experiment.measures else {}, corpus))
    if experiment.metrics and not corpus.test:
        said = "MT metrics need a test set: name a folder of the same systems' outputs with a reference, "
        cure = "test_folder=DIR, or compute none: metric=[] (metrics may come from scores.tables=[FILE])"
        errors.append(ConfigError(said + cure))
    kept, notes = experiment.measures, list[str]()
    with gathered(errors):
        topics = [topic for source in inputs.topics.values() for topic in source]
        gives = {need for rule in experiment.relevance.values() for need in offered_by_judgments(rule, topics)}
        kept, notes = sorted_out(experiment.measures, corpus, gives)
    raise_all(errors)
    return replace(experiment, metrics=metrics, measures=kept, remarks=(*experiment.remarks, *notes)), inputs


def check_size(where: str, topics: int, documents: int) -> None:
    """Raise `InputError` for more topics, or more topics times documents, than the limits allow."""
    if topics > current_limits().topics:
        raise limit_error(where, "topics", f"{topics:,} are more than {{:,}}")
    if topics * documents > current_limits().pairs:
        said = f"{topics:,} of them times {documents:,} documents are more than {{:,}} pairs"
        raise limit_error(where, "pairs", said)


def runs_of_others(folder: Path, inputs: Inputs) -> tuple[dict[str, Run], Run | None]:
    """The runs of a folder for the systems that take part, and the English side's own run where it lies there too.

    A document that is not part of the collection is an error; a system without a run is one too, by name.
    """
    known = frozenset(inputs.corpus.english.map.doc_ids)
    found = read_runs(folder, known)
    systems = [translation.system for translation in (*inputs.translations, *inputs.baselines)]
    if missing := [system for system in systems if system not in found]:
        said = f"{folder}: no run of {', '.join(missing)}; a system's run is NAME.run. Leave such systems out with"
        raise InputError(f"{said} 'systems.exclude=[NAME]'")
    return {system: found[system] for system in systems}, read_ideal(folder, known)


def preflight(experiment: Experiment, inputs: Inputs | None) -> list[str]:
    """Notes on settings without effect. Raises every error of the run that its inputs show, all at once."""
    errors: list[ClirbenchError] = []
    for name in experiment.coefficients:
        with gathered(errors):
            coefficient(name)
    if experiment.p_value not in P_VALUES:
        errors.append(UnknownName("correlation.p_value", experiment.p_value, P_VALUES))
    errors += _paper_problems(experiment.paper)
    if inputs is not None:
        _check_sources(experiment, inputs, errors)
    with gathered(errors):
        _check_columns(expected_result(experiment, inputs), errors)
    raise_all(errors)
    return [] if inputs is None else list(_notes(experiment, inputs))


def _paper_problems(paper: object) -> Iterator[ClirbenchError]:
    """An error for each file or folder of one's own that a published table is to read and that is not there."""
    for key in ("scores", "folders", "human"):
        for label, path in (getattr(paper, key, None) or {}).items():
            if not path.startswith("embedded:") and not Path(path).exists():
                yield InputError(f"paper.{key}: {path} of {label} does not exist")


def _check_columns(prospect: Result, errors: list[ClirbenchError]) -> None:
    """Primary measure, units, covariates and analyses: what is asked of systems and columns by name."""
    primary, measures = prospect.experiment.primary, [column.name for column in prospect.board.measures]
    if primary and primary not in measures:
        errors.append(UnknownName("measure of this run", primary, measures))
        with suppress(ClirbenchError):  # a measure that can be added
            if primary.lower() in [name.lower() for name in measures]:
                return
            parse(primary)
            both = ",".join(f'"{name}"' if "(" in name else name for name in (*measures, primary))
            errors[-1] = ConfigError(f"primary={primary}: is no measure of this run; type 'measures=[{both}]'")
        return
    objectives = [*measures, REGRET]
    if prospect.experiment.objective not in (*objectives, ""):
        errors.append(UnknownName("objective", prospect.experiment.objective, objectives))
    if prospect.board.systems:
        known, given = givens(prospect.board, prospect.units), prospect.experiment.given
        errors += [UnknownName("covariate", name, known) for name in given if name not in known]
        if given and not {metric.name for metric in prospect.board.metrics} - {*given}:
            errors.append(ConfigError(f"given={','.join(given)}: no other metric is there; metric=[A,B] names more"))
    _ask(prospect.experiment.analyses, errors, prospect)


def _ask(components: Iterable[Any], errors: list[ClirbenchError], *known: Any) -> None:
    """Ask each analysis, retriever, metric or relevance rule that has `check`, which raises where it would fail.

    An analysis is asked with the prospect of the run, which has every column, NaN for its numbers; a retriever that
    needs something ready, with the systems; a metric, with their texts and the test set; a rule, with the documents and
    the topics.
    """
    for component in components:
        if hasattr(component, "check"):
            with gathered(errors):
                component.check(*known)


def _check_sources(experiment: Experiment, inputs: Inputs, errors: list[ClirbenchError]) -> None:
    """Files of metrics, judgments and runs of others."""
    texts = {t.system: t.test for t in inputs.translations if t.test is not None}
    _ask(experiment.metrics, errors, texts, inputs.corpus.test)
    for topics in inputs.topics.values():
        _ask(experiment.relevance.values(), errors, inputs.corpus.english, topics)
    for name in {*experiment.topics, *experiment.relevance} & {*experiment.also_retriever}:
        errors.append(ConfigError(f"also_retrieval.{name}: topics or judgments have that name; choose another"))
    if inputs.topics:
        searched = [t.system for t in inputs.translations if t.collection is not None]
        _ask(experiment.retrievers.values(), errors, searched)
    if experiment.runs is not None and inputs.topics:
        with gathered(errors):
            runs_of_others(experiment.runs, inputs)


def _notes(experiment: Experiment, inputs: Inputs) -> Iterator[str]:
    n = len(inputs.corpus.english)
    for label, rule in experiment.relevance.items() if inputs.topics else ():
        if isinstance(rule, TopK) and rule.k is not None and rule.k >= n:
            said = f"{with_marks('relevance', label)}: the first {rule.k} of {n} documents are relevant, which is every"
            said += " one that a topic matches: MAP then says which documents match, not how they are ordered; choose"
            yield f"{said} a smaller relevance.k, such as {max(1, n // 10)}"


def expected_result(experiment: Experiment, inputs: Inputs | None) -> Result:
    """The result with every column that the run will have, its score tables read, and NaN for computed numbers."""
    retrieval: Mapping[str, Retrieval] = {}
    if inputs is not None:
        systems = [t.system for t in inputs.translations if t.collection is not None]
        nothing = np.full((len(systems), 1), np.nan)
        measures = [measure.name for measure in experiment.measures]
        per_topic = dict.fromkeys(product(experiment.relevance, measures), nothing)
        none = Retrieval(cast(Run, None), {}, {}, cast(Mapping[str, Run], dict.fromkeys(systems)), per_topic)
        retrieval = {
            ",".join(filter(None, of)): replace(none, topic_label=of[0], retriever=of[1])
            for of in product(inputs.topics, experiment.retrievers)
        }
    board, _ = scoreboard(experiment, inputs, {}, retrieval)
    return Result(experiment, board, (), inputs, retrieval)


def second_measure(experiment: Experiment, inputs: Inputs) -> Measure | None:
    """The measure that a second kind of topics and further references are searched for: the first one of the run, where
    the ranking of the English side for its own first topics judges it; None where nothing else is searched.
    """
    column = expected_result(experiment, inputs).board.first_measure if inputs.second else None
    if column is None or column.judged_by != "pseudo-relevance":
        return None
    names = {with_marks(measure.name, inputs.corpus.collection): measure for measure in experiment.measures}
    return names.get(column.name)


EXCHANGED = "exchanged"
ABOUT = {
    "exchanged_tau": "tau of the other way: the other reference is searched",
    "exchanged_ci_low": "lower end of the interval of exchanged_tau, corrected for all metrics",
    "exchanged_ci_high": "upper end of the interval of exchanged_tau, corrected for all metrics",
    "exchanged_p_adjusted": "one-sided p-value of exchanged_tau, for all metrics together",
    "exchanged_grade": "the grade of the other way",
    "grade": "the weaker grade of both ways",
}


def exchanged(experiment: Experiment, crossed: tuple[str, str]) -> Experiment | None:
    """The experiment the other way round, without analyses; None unless `references` is `cross` and no more.

    crossed: the reference that is searched, and the one that scores.
    """
    corpus, (searched, scoring) = experiment.corpus, crossed
    if name_list("references", getattr(corpus, "references", None)) != ("cross",):
        return None
    turned = replace(corpus, references=("cross", scoring, searched))  # type: ignore[type-var]
    return replace(experiment, corpus=turned, analyses=(), paper=None)


def both_ways(result: Result, other: Result) -> Result:
    """The result with table `exchanged`; what the other way shows less clearly has the grade of the other way."""
    rows: list[Correlation] = []
    cells: list[tuple[Any, ...]] = []
    header = ("measure", "metric", "tau", *ABOUT)
    for row in result.correlations:
        way = other.taus.get((row.measure, row.metric)) if row.coefficient == KENDALL else None
        if way is not None:
            row = weakened(row, way.grade, EXCHANGED)
            of_way = (way.value, way.ci_low, way.ci_high, way.p_adjusted, way.grade)
            cells.append((row.measure, row.metric, row.value, *of_way, row.grade))
        rows.append(row)
    searched, scoring = (result.inputs and result.inputs.corpus.crossed) or ("", "")
    text = f"The run searches reference {searched} and scores metrics against {scoring}. The other way searches "
    text += f"{scoring} and scores against {searched}: columns exchanged_... are its own. "
    text += "grade is the weaker of the two."
    title = "Is it the same with the two references exchanged?"
    said = sum(row[0] == cells[0][0] for row in cells)
    table = Table(EXCHANGED, title, header, cells, (text,), said=said, about=ABOUT)
    notes = [note for note in other.notes if note not in result.notes]
    return replace(result, correlations=tuple(rows), tables=(table, *result.tables), notes=(*result.notes, *notes))


def distinct(experiment: Experiment, inputs: Inputs, found: Resemblances) -> tuple[Inputs, list[str]]:
    """The systems without those that copy the reference, and notes on it; `found`: what the texts share.

    Raises `ConfigError` for a baseline that is a copy, and
    `NothingCompared` where no other system is left.
    """
    notes = []
    for system, dice in found.copies.items():
        grams, lines = (f"{short(100 * share, 3)} % of its" for share in (dice, found.repeated[system]))
        notes.append(f"{system} copies the reference ({grams} word 4-grams are the same, {lines} lines)")
    if experiment.keep_copies or not found.copies:
        return inputs, notes
    if experiment.baseline in found.copies:
        raise ConfigError(f"baseline={experiment.baseline} copies the reference; keep_copies=true compares with it")
    kept = tuple(translation for translation in inputs.translations if translation.system not in found.copies)
    if not kept:
        raise NothingCompared("every system copies the reference; keep_copies=true compares them")
    notes = [f"{note} and is left out; keep_copies=true keeps it" for note in notes]
    left_out = {**inputs.left_out, **dict.fromkeys(found.copies, "copies the reference; keep_copies=true")}
    return replace(inputs, translations=kept, left_out=left_out), notes


def near_copy_notes(units: Units, systems: Sequence[str], found: Resemblances) -> Iterator[str]:
    """A note for each group of systems that texts put together; `systems`: the names, as in the board."""
    for names in units.groups(systems) if units.source in (NEAR_COPIES, STEM) else ():
        near = [dice for (first, _), dice in found.near.items() if first in names]
        what, why = "near-copies count", ""
        if units.source == STEM and any(name in found.stems for name in names):
            what, why = "systems of one name count", "the texts of one name share more than others do; "
        if near:
            shared, cut = (f"{short(100 * share, 3)} %" for share in (min(near), found.cut))
            rule = f"near-copies share more than {cut} of their word 4-grams in this collection, these {shared}; "
            copy = f"they share {shared} of their word 4-grams, as a copy with edited words would; "
            why += rule if min(near) > found.cut else copy
        yield f"{what} as one system: {', '.join(names)}; {why}if they were made independently, units=none"
