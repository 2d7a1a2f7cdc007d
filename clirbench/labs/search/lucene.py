"""Lucene itself, from pyserini's wheel: the engine that `bm25` is held against."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from clirbench.errors import InputError, ResourceError
from clirbench.labs.search.jvm import anserini_jar, java
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import ByLanguage, English
from clirbench.retrieval.queries import Query, check_parameters, empty_collection, query
from clirbench.text import BLOCK, Text, sha256_of
from clirbench.types import Documents, Floats, Ints, Run, Topic

LUCENE = "org.apache.lucene."
_HIT = re.compile(r"fields=\[([^,]+), \[?([0-9a-f ]*)\]")


@dataclass(frozen=True)
class Lucene:
    """Ranks by Lucene's BM25Similarity (Lucene 9.9.1, Anserini 1.7.1's jar), in a Java machine started on first use.

    Formula, arguments and scores are `bm25`'s with its default `idf` and `lengths`; scores are Lucene's own float32,
    not Anserini's, which are rounded to four decimals. With `analyzer=english` text goes through Anserini's own
    English analyser; other analysers are ours, and Lucene indexes the terms they give. The index is in a
    temporary folder, which is always removed. Needs the extra `lucene`; raises `ResourceError` without it.

    **Source:** Apache Lucene 9.9.1, `BM25Similarity`; J. Lin et al. (2021), Pyserini, SIGIR.
    """

    kind: ClassVar[str] = "lucene"
    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)

    @property
    def signature(self) -> str:
        version = anserini_jar().name.removeprefix("anserini-").removesuffix("-fatjar.jar")
        analyzer = self.analyzer.signature
        if isinstance(self.analyzer, English):
            analyzer = f"anserini-english,stop:{self.analyzer.stop_words},stem:{self.analyzer.stem}".lower()
        return (
            f"{self.kind}:anserini-{version}|k1:{self.k1:g}|b:{self.b:g}|idf:lucene|lengths:lucene|qtf:sum"
            f"|an:{analyzer}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        java()
        from jnius import JavaException

        with tempfile.TemporaryDirectory(prefix="clirbench-lucene-") as folder:
            try:
                text = _Text(self.analyzer)
                queries = [query(topic, text) for topic in topics]
                if isinstance(documents.text, IndexedText):
                    return _search(self, documents, queries, _directory(documents.text.index), _ById(documents))
                directory = _directory(folder)
                _index(documents, text, directory)
                return _search(self, documents, queries, directory, _ByPlace(documents))
            except JavaException as error:
                raise ResourceError(f"Lucene, {documents.text.where}: Java failed: {error}") from error


@dataclass(frozen=True)
class IndexedText:
    """A text whose Lucene index lies ready, with the fields `id` and `contents` as pyserini makes them."""

    text: Text
    index: Path

    @property
    def where(self) -> str:
        return str(self.index)

    @property
    def fingerprint(self) -> str:
        # Lucene writes a file once; each commit has a segments_N of its own, with a random id in it.
        return sha256_of(path.read_bytes() for path in commits(self.index)[-1:])

    @property
    def size(self) -> int:
        return self.text.size

    @property
    def files(self) -> tuple[Path, ...]:
        return self.text.files

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        return self.text.blocks(size)

    def lines(self) -> tuple[str, ...]:
        return self.text.lines()


def commits(folder: Path) -> list[Path]:
    """The commits of an index, the newest last; none where the folder is not an index."""
    return sorted(folder.glob("segments_*"), key=lambda path: int(path.name.removeprefix("segments_"), 36))


def _lucene(name: str) -> Any:
    """A class of Lucene."""
    return java()(LUCENE + name)


class _Text:
    """The analyser on Java's side, and what a text must be turned into before it goes there."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.signature = analyzer.signature
        self._utilities = java()("io.anserini.analysis.AnalyzerUtils")
        ours = _lucene("analysis.core.WhitespaceAnalyzer")
        self.java = self._english(analyzer) if isinstance(analyzer, English) else ours()

    def _english(self, analyzer: English) -> Any:
        english = java()("io.anserini.analysis.DefaultEnglishAnalyzer")
        none = () if analyzer.stop_words else (_lucene("analysis.CharArraySet").EMPTY_SET,)
        return english.newStemmingInstance("porter", *none) if analyzer.stem else english.newNonStemmingInstance(*none)

    def indexed(self, text: str) -> str:
        """`text` as it goes to Lucene: as it is for Lucene's own analyser, else the terms with spaces between."""
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return text if isinstance(self.analyzer, English) else " ".join(self.analyzer.terms(text))

    def terms(self, text: str) -> list[str]:
        """The terms of a query's text, as Lucene has them."""
        return list(self._utilities.analyze(self.java, self.indexed(text)).toArray())


def _directory(folder: str | Path) -> Any:
    # Java keeps the working folder that it was started in.
    return _lucene("store.FSDirectory").open(java()("java.io.File")(str(Path(folder).absolute())).toPath())


def _index(documents: Documents, text: _Text, directory: Any) -> None:
    """Index every document, with its doc_id's place among all doc_ids to sort ties by."""
    configuration = _lucene("index.IndexWriterConfig")(text.java)
    writer = _lucene("index.IndexWriter")(directory, configuration)
    try:
        contents = _lucene("document.TextField")("contents", "", _lucene("document.Field$Store").NO)
        place = _lucene("document.NumericDocValuesField")("place", 0)
        one = _lucene("document.Document")()
        one.add(contents)
        one.add(place)
        for document, rank in zip(documents, documents.map.id_rank.tolist(), strict=True):
            contents.setStringValue(text.indexed(document.text))
            place.setLongValue(rank)
            writer.addDocument(one)
    finally:
        writer.close()


class _ByPlace:
    """Ties in an index of ours: by the place of the doc_id among all."""

    field, type = "place", "LONG"

    def __init__(self, documents: Documents) -> None:
        self._by_place = np.argsort(documents.map.id_rank)

    def ordinals(self, found: Sequence[str]) -> Ints:
        return self._by_place[np.array([int(place) for place in found], dtype=np.int64)]


class _ById:
    """Ties in an index of pyserini's: by its field `id`, whose bytes Java writes as hexadecimal numbers."""

    field, type = "id", "STRING_VAL"

    def __init__(self, documents: Documents) -> None:
        self._where = documents.text.where
        self._ordinals = {doc_id: ordinal for ordinal, doc_id in enumerate(documents.map.doc_ids)}

    def ordinals(self, found: Sequence[str]) -> Ints:
        doc_ids = [bytes.fromhex(one).decode() for one in found]
        if unknown := next((one for one in doc_ids if one not in self._ordinals), None):
            raise InputError(f"{self._where}: document {unknown!r} is not in the collection: is this its index?")
        return np.array([self._ordinals[doc_id] for doc_id in doc_ids], dtype=np.int64)


def _search(
    engine: Lucene, documents: Documents, queries: Sequence[Query], directory: Any, ties: _ByPlace | _ById
) -> Run:
    """Search for every topic, ties sorted by doc_id on Lucene's side."""
    reader = _lucene("index.DirectoryReader").open(directory)
    try:
        if reader.getDocCount("contents") == 0:
            raise empty_collection(documents)
        if reader.numDocs() > len(documents):
            raise InputError(
                f"{documents.text.where}: an index of {reader.numDocs():,} documents, but the collection has "
                f"{len(documents):,}: is this its index?"
            )
        searcher = _lucene("search.IndexSearcher")(reader.getContext())
        searcher.setSimilarity(_lucene("search.similarities.BM25Similarity")(engine.k1, engine.b))
        _lucene("search.IndexSearcher").setMaxClauseCount(1 << 20)
        ranked, unmatched, n_matched = [], [], []
        for one in queries:
            ordinals, scores, n = _hits(searcher, one, engine.depth, ties)
            ranked.append((one.topic_id, ordinals, scores))
            n_matched.append(n)
            unmatched.append([term for term in one.weights if reader.docFreq(_term(term)) == 0])
        return Run.build(documents.map, ranked, unmatched=unmatched, n_matched=n_matched)
    finally:
        reader.close()


def _hits(searcher: Any, one: Query, depth: int, ties: _ByPlace | _ById) -> tuple[Ints, Floats, int]:
    """(ordinals, scores) of a topic's list and how many documents match; read from the hits' text form.

    One call brings all hits over; Java writes a float with enough digits to read it back exactly.
    """
    asked = _java_query(one)
    fields = _lucene("search.SortField")
    by_score_and_id = _lucene("search.Sort")(
        fields.FIELD_SCORE, fields(ties.field, getattr(_lucene("search.SortField$Type"), ties.type))
    )
    top = searcher.search(asked, depth, by_score_and_id, True)
    hits = _HIT.findall(java()("java.util.Arrays").toString(top.scoreDocs))
    scores = np.array([float(score) for score, _ in hits], dtype=np.float32)
    return ties.ordinals([tie for _, tie in hits]), scores, int(searcher.count(asked))


def _java_query(one: Query) -> Any:
    """Any of the terms, each with its weight, as Anserini's bag of words has it."""
    builder = _lucene("search.BooleanQuery$Builder")()
    should = _lucene("search.BooleanClause$Occur").SHOULD
    for term, weight in one.weights.items():
        term_query = _lucene("search.TermQuery")(_term(term))
        builder.add(_lucene("search.BoostQuery")(term_query, weight), should)
    return builder.build()


def _term(term: str) -> Any:
    return _lucene("index.Term")("contents", term)
