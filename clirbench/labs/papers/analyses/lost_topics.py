"""`analysis=[lost_topics]`: where one of two systems loses, the query terms it lost, the segments concerned."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import ClassVar

import numpy as np

from clirbench.computed import Inputs
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.analyses.favoritism import favoritism
from clirbench.labs.papers.analyses.two_systems import TwoSystems, chosen_pair, searches_test_set
from clirbench.pages.table import Table
from clirbench.result import Result
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.types import DocumentMap, Documents, Doubles, Need

MOST = 10
"""How many documents in which a system lost a term are named at most."""


@dataclass(frozen=True)
class LostTopicsAnalysis:
    """For two systems: which topics differ, which query terms a system lost in which documents, and in which segments.

    `measure`: the IR measure whose per-topic values differ (default: the run's first). `metric`: whose favoritism is
    summed over the segments concerned (default: the run's first; needs the searched text to be the test set). `top`:
    for how many topics, those with the largest differences, terms are listed. Raises `ConfigError` without retrieval.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"english"})
    pair: Sequence[str] | None = None
    measure: str | None = None
    metric: str | None = None
    top: int = 20

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ConfigError(f"analyses.lost_topics.top={self.top}: at least 1")

    def check(self, result: Result) -> tuple[Inputs, str, TwoSystems]:
        """The texts, the measure and the pair; raises `ConfigError` where they are not to be had."""
        inputs = result.texts("lost_topics")
        if not result.retrieval or not result.experiment.measures:
            raise ConfigError("analysis lost_topics needs retrieval: name measures=[MAP]")
        analyzer_of(result)
        measure = self.measure or result.experiment.measures[0].name
        label, _, _ = result.topic_values(measure)
        metrics = [metric.name for metric in result.experiment.metrics]
        if self.metric and self.metric not in metrics:
            raise UnknownName("analyses.lost_topics.metric", self.metric, metrics)
        return inputs, measure, chosen_pair(self.pair, tuple(result.retrieval[label].runs), "lost_topics")

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, measure, pair = self.check(result)
        found = list(self.lost(result, inputs, measure, pair))
        topics, terms = [topic for topic, _ in found], [term for _, terms in found for term in terms]
        text = (reading_notes(pair, measure), *topic_findings(topics, pair, measure))
        title = f"Topics on which {pair.a} and {pair.b} differ"
        return (
            Table.of("lost_topics", title, LostTopic, topics, text, said=min(10, len(topics))),
            Table.of("lost_terms", f"{title}: their query terms", LostTerm, terms),
        )

    def lost(
        self, result: Result, inputs: Inputs, measure: str, pair: TwoSystems
    ) -> Iterator[tuple["LostTopic", list["LostTerm"]]]:
        """The topics with the largest difference and their terms, first those on which the second system lost."""
        label, relevance, values = result.topic_values(measure)
        retrieval = result.retrieval[label]
        a, b = (tuple(retrieval.runs).index(system) for system in pair)
        difference, topic_ids = values[a] - values[b], retrieval.topics(relevance, measure)
        known = np.isfinite(difference)
        order = [i for i in np.argsort(-np.abs(np.where(known, difference, 0)), kind="stable").tolist() if known[i]]
        kept = [i for i in order if difference[i] != 0][: self.top]
        texts = {topic.topic_id: topic.text for topic in inputs.topics[retrieval.topic_label]}
        analyzer, grades = analyzer_of(result), retrieval.judged[relevance].qrels.grades
        relevant = {i: [d for d, grade in grades[topic_ids[i]].items() if grade > 0] for i in kept}
        wanted = {doc for docs in relevant.values() for doc in docs}
        english = terms_of(inputs.corpus.english, wanted, analyzer)
        sides = [terms_of(documents_of(inputs, system), wanted, analyzer) for system in pair]
        delta = self.favoritism(result, inputs, pair)
        for i in sorted(kept, key=lambda i: (-difference[i], i)):
            topic_id = topic_ids[i]
            terms = [
                lost_term(topic_id, term, relevant[i], english, *sides)
                for term in dict.fromkeys(analyzer.terms(texts[topic_id]))
            ]
            refs = sum(term.refs for term in terms)
            yield (
                LostTopic(
                    topic_id=topic_id,
                    topic=texts[topic_id],
                    measure=measure,
                    difference=float(difference[i]),
                    relevant=len(relevant[i]),
                    recall_a=_recall(sum(term.match_a for term in terms), refs),
                    recall_b=_recall(sum(term.match_b for term in terms), refs),
                    lost_terms=explaining(terms, 1 if difference[i] >= 0 else -1),
                    favoritism=nan if delta is None else sum_lines(delta, inputs.corpus.english.map, relevant[i]),
                ),
                terms,
            )

    def favoritism(self, result: Result, inputs: Inputs, pair: TwoSystems) -> Doubles | None:
        """Of every segment; None where the searched text is not the test set."""
        metrics = {metric.name: metric for metric in result.experiment.metrics}
        name = self.metric or next(iter(metrics), None)
        if name is None or not searches_test_set(inputs):
            return None
        if any((name, system) not in result.statistics for system in pair):
            return None
        return favoritism(metrics[name], *(result.statistics[name, system] for system in pair))


@dataclass(frozen=True)
class LostTopic:
    """One topic on which two systems, a and b, differ: by how much, and what of its query terms each has.

    `recall_a`, `recall_b`: per cent of the terms' occurrences in the relevant documents; `favoritism`: summed over
    the segments of these documents, NaN where the searched text is not the test set.
    """

    topic_id: str
    topic: str
    measure: str
    difference: float
    relevant: int
    recall_a: float
    recall_b: float
    lost_terms: str
    favoritism: float


@dataclass(frozen=True)
class LostTerm:
    """One query term of a listed topic: in how many relevant documents, how often, and matched by each system."""

    topic_id: str
    term: str
    documents: int
    refs: int
    match_a: int
    match_b: int
    recall_a: float
    recall_b: float
    lost_in: str


def _recall(match: int, refs: int) -> float:
    return 100 * match / refs if refs else nan


def documents_of(inputs: Inputs, system: str) -> Documents:
    """A system's translation of the searched documents."""
    return Documents(inputs.searched[system], inputs.corpus.english.map)


def sum_lines(delta: Doubles, document_map: DocumentMap, documents: Sequence[str]) -> float:
    """The sum of a value of every line over the lines of these documents."""
    place, starts = {doc_id: i for i, doc_id in enumerate(document_map.doc_ids)}, document_map.starts
    return float(sum(delta[starts[place[d]] : starts[place[d] + 1]].sum() for d in documents))


def analyzer_of(result: Result) -> Analyzer:
    """The retriever's analyser; raises `ConfigError` for a retriever that has none of its own."""
    analyzer = getattr(result.experiment.retriever, "analyzer", None)
    if not isinstance(analyzer, Analyzer):
        raise ConfigError("analysis lost_topics needs a retriever with an analyser, such as retrieval=bm25")
    return analyzer


def terms_of(documents: Documents, wanted: set[str], analyzer: Analyzer) -> dict[str, Counter[str]]:
    """How often each term occurs in each of the wanted documents."""
    return {doc.doc_id: Counter(analyzer.terms(doc.text)) for doc in documents if doc.doc_id in wanted}


def lost_term(
    topic_id: str,
    term: str,
    documents: Sequence[str],
    english: Mapping[str, Counter[str]],
    ours: Mapping[str, Counter[str]],
    theirs: Mapping[str, Counter[str]],
) -> LostTerm:
    """REFS and MATCH of one term over documents, and the documents where one system has it less often.

    MATCH clips at the English side's count in each document, so recall = MATCH / REFS is at most 1.
    """
    having = [doc for doc in documents if english[doc][term]]
    a = {doc: min(english[doc][term], ours[doc][term]) for doc in having}
    b = {doc: min(english[doc][term], theirs[doc][term]) for doc in having}
    fewer = [f"{doc} ({a[doc]}/{b[doc]} of {english[doc][term]})" for doc in having if a[doc] != b[doc]]
    refs, match_a, match_b = sum(english[doc][term] for doc in having), sum(a.values()), sum(b.values())
    return LostTerm(
        topic_id=topic_id,
        term=term,
        documents=len(having),
        refs=refs,
        match_a=match_a,
        match_b=match_b,
        recall_a=_recall(match_a, refs),
        recall_b=_recall(match_b, refs),
        lost_in=", ".join(fewer[:MOST]) + (f" and {len(fewer) - MOST} more" if len(fewer) > MOST else ""),
    )


def explaining(terms: Sequence[LostTerm], sign: int) -> str:
    """The terms that the side that did worse (the second: 1) has less often: `harbour (2), bridge (1)`."""
    fewer = [(term.term, sign * (term.match_a - term.match_b)) for term in terms]
    most_first = sorted(((term, n) for term, n in fewer if n > 0), key=lambda item: -item[1])
    return ", ".join(f"{term} ({n})" for term, n in most_first)


def reading_notes(pair: TwoSystems, measure: str) -> str:
    """What a reader must know of the numbers."""
    return (
        f"difference: {measure} of {pair.a} less that of {pair.b}, so above 0 {pair.b} lost the topic. recall: which "
        "share (%) of the query terms' occurrences in the topic's relevant English documents each system's translation "
        "has too; lost_terms: those that the losing side has less often, with how many occurrences. Terms are compared "
        "after analysis (stop words left out, stems), as the search sees them. favoritism: the metric's favoritism "
        f"summed over the segments of these documents, above 0 for {pair.a}. A lost term is a likely cause, no proof."
    )


def topic_findings(found: Sequence[LostTopic], pair: TwoSystems, measure: str) -> Iterator[str]:
    """How many of the listed topics have a lost term on the losing side, and how often favoritism agrees."""
    if not found:
        yield f"{pair.a} and {pair.b} have the same {measure} on every topic."
        return
    with_lost_term = sum(bool(topic.lost_terms) for topic in found)
    yield (
        f"Of the {len(found)} topics with the largest difference, {with_lost_term} have a query term that the "
        "losing side lost."
    )
    signed = [topic for topic in found if np.isfinite(topic.favoritism)]
    if signed:
        agree = sum((topic.favoritism > 0) == (topic.difference > 0) for topic in signed)
        yield f"On {agree} of {len(signed)} of them the metric's favoritism of the segments has the same sign."
