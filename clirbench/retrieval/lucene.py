"""Lucene itself, from pyserini's wheel: the engine that `bm25` is held against."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clirbench.errors import ResourceError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import English
from clirbench.retrieval.jvm import anserini_jar, java
from clirbench.retrieval.queries import Query, check_parameters, empty_collection, query
from clirbench.types import Documents, Floats, Ints, Run, Topic

LUCENE = "org.apache.lucene."
_HIT = re.compile(r"fields=\[([^,]+), (\d+)\]")


@dataclass(frozen=True)
class Lucene:
    """Ranks by Lucene's BM25Similarity (Lucene 9.9.1, Anserini 1.7.1's jar), in a Java machine started on first use.

    Formula, arguments and scores are `bm25`'s with its default `idf` and `lengths`; scores are Lucene's own float32,
    not Anserini's, which are rounded to four decimals. With `analyzer=english` text goes through Anserini's own
    English analyser; other analysers are ours, and Lucene indexes the terms they give. The index lies in a
    temporary folder that is removed whatever happens. Needs the extra `lucene`; raises `ResourceError` without it.

    **Source:** Apache Lucene 9.9.1, `BM25Similarity`; J. Lin et al. (2021), Pyserini, SIGIR.
    """

    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    analyzer: Analyzer = field(default_factory=English)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)

    @property
    def signature(self) -> str:
        version = anserini_jar().name.removeprefix("anserini-").removesuffix("-fatjar.jar")
        analyzer = self.analyzer.signature
        if isinstance(self.analyzer, English):
            analyzer = f"anserini-english,stop:{self.analyzer.stop_words},stem:{self.analyzer.stem}".lower()
        return (
            f"lucene:anserini-{version}|k1:{self.k1:g}|b:{self.b:g}|idf:lucene|lengths:lucene|qtf:sum"
            f"|an:{analyzer}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        autoclass = java()
        from jnius import JavaException

        with tempfile.TemporaryDirectory(prefix="clirbench-lucene-") as folder:
            try:
                path = autoclass("java.io.File")(folder).toPath()
                directory = autoclass(LUCENE + "store.FSDirectory").open(path)
                text = _Text(self.analyzer)
                _index(documents, text, directory)
                return _search(self, documents, [query(topic, text) for topic in topics], directory)
            except JavaException as error:
                raise ResourceError(f"retrieval=lucene: Java failed: {error}") from error


class _Text:
    """The analyser on Java's side, and what a text must be turned into before it goes there."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.signature = analyzer.signature
        self._utilities = java()("io.anserini.analysis.AnalyzerUtils")
        self.java = self._english(analyzer) if isinstance(analyzer, English) else self._white_space()

    def _english(self, analyzer: English) -> Any:
        english = java()("io.anserini.analysis.DefaultEnglishAnalyzer")
        stop_words = java()(LUCENE + "analysis.CharArraySet").EMPTY_SET
        if analyzer.stem:
            return (
                english.newStemmingInstance("porter")
                if analyzer.stop_words
                else english.newStemmingInstance("porter", stop_words)
            )
        return english.newNonStemmingInstance() if analyzer.stop_words else english.newNonStemmingInstance(stop_words)

    def _white_space(self) -> Any:
        return java()(LUCENE + "analysis.core.WhitespaceAnalyzer")()

    def indexed(self, text: str) -> str:
        """`text` as it goes to Lucene: as it is for Lucene's own analyser, else the terms with spaces between."""
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return text if isinstance(self.analyzer, English) else " ".join(self.analyzer.terms(text))

    def terms(self, text: str) -> list[str]:
        """The terms of a query's text, as Lucene has them."""
        return list(self._utilities.analyze(self.java, self.indexed(text)).toArray())


def _index(documents: Documents, text: _Text, directory: Any) -> None:
    """Index every document, with its doc_id's place among all doc_ids to sort ties by."""
    autoclass = java()
    configuration = autoclass(LUCENE + "index.IndexWriterConfig")(text.java)
    writer = autoclass(LUCENE + "index.IndexWriter")(directory, configuration)
    try:
        contents = autoclass(LUCENE + "document.TextField")(
            "contents", "", autoclass(LUCENE + "document.Field$Store").NO
        )
        place = autoclass(LUCENE + "document.NumericDocValuesField")("place", 0)
        one = autoclass(LUCENE + "document.Document")()
        one.add(contents)
        one.add(place)
        for document, rank in zip(documents, documents.map.id_rank.tolist(), strict=True):
            contents.setStringValue(text.indexed(document.text))
            place.setLongValue(rank)
            writer.addDocument(one)
    finally:
        writer.close()


def _search(engine: Lucene, documents: Documents, queries: Sequence[Query], directory: Any) -> Run:
    """Search for every topic, ties sorted by doc_id on Lucene's side."""
    autoclass = java()
    reader = autoclass(LUCENE + "index.DirectoryReader").open(directory)
    try:
        if reader.getDocCount("contents") == 0:
            raise empty_collection(documents)
        searcher = autoclass(LUCENE + "search.IndexSearcher")(reader.getContext())
        searcher.setSimilarity(autoclass(LUCENE + "search.similarities.BM25Similarity")(engine.k1, engine.b))
        autoclass(LUCENE + "search.IndexSearcher").setMaxClauseCount(1 << 20)
        by_place = np.argsort(documents.map.id_rank)
        ranked, unmatched, n_matched = [], [], []
        for one in queries:
            ordinals, scores, n = _hits(searcher, one, engine.depth, by_place)
            ranked.append((one.topic_id, ordinals, scores))
            n_matched.append(n)
            unmatched.append([term for term in one.weights if reader.docFreq(_term(term)) == 0])
        return Run.build(documents.map, ranked, unmatched=unmatched, n_matched=n_matched)
    finally:
        reader.close()


def _hits(searcher: Any, one: Query, depth: int, by_place: Ints) -> tuple[Ints, Floats, int]:
    """(ordinals, scores) of a topic's list and how many documents match; read from the hits' text form.

    One call brings all hits over; Java writes a float with as many digits as tell it apart from its neighbours.
    """
    autoclass = java()
    asked = _java_query(one)
    fields = autoclass(LUCENE + "search.SortField")
    by_score_and_place = autoclass(LUCENE + "search.Sort")(
        fields.FIELD_SCORE, fields("place", autoclass(LUCENE + "search.SortField$Type").LONG)
    )
    top = searcher.search(asked, depth, by_score_and_place, True)
    hits = _HIT.findall(autoclass("java.util.Arrays").toString(top.scoreDocs))
    ordinals = by_place[np.array([int(place) for _, place in hits], dtype=np.int64)]
    scores = np.array([float(score) for score, _ in hits], dtype=np.float32)
    return ordinals, scores, int(searcher.count(asked))


def _java_query(one: Query) -> Any:
    """Any of the terms, each with its weight, as Anserini's bag of words has it."""
    autoclass = java()
    builder = autoclass(LUCENE + "search.BooleanQuery$Builder")()
    should = autoclass(LUCENE + "search.BooleanClause$Occur").SHOULD
    for term, weight in one.weights.items():
        term_query = autoclass(LUCENE + "search.TermQuery")(_term(term))
        builder.add(autoclass(LUCENE + "search.BoostQuery")(term_query, weight), should)
    return builder.build()


def _term(term: str) -> Any:
    return java()(LUCENE + "index.Term")("contents", term)
