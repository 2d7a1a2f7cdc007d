"""Corpus, systems, topics and runs of others, read and aligned."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from clirbench.computed import Inputs, with_marks
from clirbench.corpora.base import Corpus
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
from clirbench.files.trec import read_ideal, read_runs
from clirbench.relevance.needs import offered_by_judgments, sorted_out, unmet_needs
from clirbench.result import ENGLISH_SIDE, NO_TRANSLATION, Experiment
from clirbench.steps.of_all import made_topics
from clirbench.store.cached import cached_result
from clirbench.text import current_limits, limit_error
from clirbench.topics.base import TopicSource
from clirbench.types import Documents, Run, Topic, Translation


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
            searched = corpus.has_english and experiment.runs is None
            baselines = (no_translation(corpus), *([english_side(corpus)] if searched else []))
        names = [translation.system for translation in (*translations, *baselines) if not translation.left_out]
        if experiment.baseline and experiment.baseline not in names:
            raise UnknownName("system of baseline", experiment.baseline, names)
    if experiment.measures:
        for label, source in experiment.topics.items():
            with gathered(problems):
                topics[label] = topics_of(source, corpus.english, experiment.engine)
                check_size(with_marks("topics", label), len(topics[label]), len(corpus.english))
    raise_all(problems)
    pending = {t.system: t.pending for t in translations if t.pending}
    left_out = {t.system: t.left_out for t in translations if t.left_out}
    if left_out and len(left_out) + len(pending) == len(translations):
        raise NothingCompared(f"no system has enough text: {shorten(_reasons(left_out | pending), 1000)}")
    if len(pending) == len(translations):
        raise NothingCompared(f"every system is pending: {shorten(_reasons(pending), 1000)}")
    there = tuple(t for t in translations if not (t.pending or t.left_out))
    return Inputs(corpus, there, topics, pending, baselines, left_out)


def _reasons(systems: Mapping[str, str]) -> str:
    return "; ".join(f"{system} ({why})" for system, why in systems.items())


def topics_of(source: TopicSource, english: Documents, engine: Engine) -> tuple[Topic, ...]:
    """The topics of a source; those that take work (`kept`) are found again in the store."""
    if not getattr(source, "kept", False):
        return tuple(source.topics(english))
    (rows,) = cached_result(engine, partial(made_topics, source=source), (english.text, english.map))
    return tuple(Topic(topic_id, tuple(map(tuple, parts))) for topic_id, parts in rows)


def no_translation(corpus: Corpus) -> Translation:
    """The baseline that leaves the collection as it is: what translation must beat, with nothing for MT metrics."""
    if corpus.source is None:
        raise InputError("untranslated=true searches the source side: put source.txt beside the reference")
    return Translation(NO_TRANSLATION, None, corpus.source)


def english_side(corpus: Corpus) -> Translation:
    """The baseline that searches the English side itself: what perfect translation would reach."""
    return Translation(ENGLISH_SIDE, None, corpus.english.text)


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
        errors.append(
            ConfigError(
                "MT metrics need a test set: name a folder of the same systems' outputs with a reference, "
                "test_folder=DIR, or compute none: metric=[] (metrics may come from scores.tables=[FILE])"
            )
        )
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
        raise limit_error(
            where, "pairs", f"{topics:,} of them times {documents:,} documents are more than {{:,}} pairs"
        )


def runs_of_others(folder: Path, inputs: Inputs) -> tuple[dict[str, Run], Run | None]:
    """The runs of a folder for the systems that take part, and the English side's own run where it lies there too.

    A document that is not part of the collection is an error; a system without a run is one too, by name.
    """
    known = frozenset(inputs.corpus.english.map.doc_ids)
    found = read_runs(folder, known)
    systems = [translation.system for translation in (*inputs.translations, *inputs.baselines)]
    if missing := [system for system in systems if system not in found]:
        raise InputError(
            f"{folder}: no run of {', '.join(missing)}; a system's run is NAME.run. Leave such systems out with "
            "'systems.exclude=[NAME]'"
        )
    return {system: found[system] for system in systems}, read_ideal(folder, known)
