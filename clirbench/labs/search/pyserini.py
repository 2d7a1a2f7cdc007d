"""What pyserini has: Lucene indexes that it made, searched where they lie; topics and judgments by its names."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

from clirbench.errors import ConfigError, DownloadError, InputError, MissingData, UnknownName
from clirbench.labs.search.jvm import java
from clirbench.labs.search.lucene import IndexedText, Lucene, commits
from clirbench.relevance.qrels import Judgments
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import ByLanguage
from clirbench.retrieval.base import Search
from clirbench.steps.retrieve import Retrieve
from clirbench.text import Text, sha256_of
from clirbench.topics.files import FieldedTopics, RawTopic
from clirbench.types import DocumentMap, Documents, Judge, Run, Topic

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
    """The topics that `pyserini.search.get_topics(name)` gives; `fields` and `weights` as in `TrecTopics`.

    `download`: whether pyserini may fetch them. Raises `UnknownName` for a name that pyserini does not know,
    `MissingData` where the topics are not here and must not be fetched, `ResourceError` without the extra `lucene`, and
    what `topics_of` raises.
    """

    name: str = ""
    fields: str | Sequence[str] = ("title",)
    weights: Sequence[float] | None = None
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
    search = _search()
    found = search.JTopicReader.getTopicsWithStringIds(search.topics_mapping[name])
    ids = sorted(found.keySet().toArray(), key=lambda one: (not one.isdecimal(), len(one) * one.isdecimal(), one))
    return {one: {field: found.get(one).get(field) for field in found.get(one).keySet().toArray()} for one in ids}


@lru_cache(maxsize=8)
def file_named(kind: str, name: str, download: bool) -> Path:
    """Where pyserini keeps `topics` or `qrels` of that name.

    Raises `UnknownName` for a name that it does not know, `MissingData` where the file is not there and must not be
    downloaded, `DownloadError` where pyserini cannot, `ResourceError` without the extra `lucene`.
    """
    search = _search()
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


def _search() -> Any:
    java()
    from pyserini.search import _base

    return _base
