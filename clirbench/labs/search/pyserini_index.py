"""`retrieval=pyserini`: Lucene indexes that pyserini made, searched where they lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from clirbench.errors import ConfigError, InputError
from clirbench.labs.search.lucene import IndexedText, Lucene, commits
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import ByLanguage
from clirbench.retrieval.base import Search
from clirbench.steps.retrieve import Retrieve
from clirbench.text import Text, sha256_of
from clirbench.types import DocumentMap, Documents, Run, Topic

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
        if not self.index:
            raise ConfigError(
                "retrieval.index is not set: name a Lucene index, or a folder of them: retrieval.index=DIR"
            )
        _ = self.lucene  # its parameters are checked

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
