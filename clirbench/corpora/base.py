"""What a corpus is: the test set of the MT metrics, and the collection that is searched."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, Protocol, runtime_checkable

from clirbench.corpora.layout import Layout, OfficialScores
from clirbench.corpora.sentences import SentenceSplitter
from clirbench.errors import ConfigError
from clirbench.metrics.base import Metric
from clirbench.text import BLOCK, Text
from clirbench.types import DocumentMap, Documents, TestSet

NO_TEST = TestSet(((),))
"""The test set of a corpus that has none: no segment, so that it counts as false."""


@dataclass(frozen=True)
class NoEnglish:
    """The text of the English side of a collection that has none; whatever reads it ends in a `ConfigError`."""

    where: str
    fingerprint: str = ""
    size: int = 0
    files: tuple[Path, ...] = ()

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        self._refuse()

    def lines(self) -> tuple[str, ...]:
        self._refuse()

    def _refuse(self) -> NoReturn:
        said = f"{self.where}: this collection has no reference side: name one, corpus.english=PATH, or choose parts"
        raise ConfigError(f"{said} that do without it, such as topics=jsonl and relevance=qrels")


@dataclass(frozen=True, eq=False)
class Corpus:
    """The two sides of an experiment, where systems put their translations of each, and scores that lie beside.

    `test` and `english` may come from the same folder. `collection` names a second collection (`news`): its
    measures carry the name, `MAP[news]`; empty for the experiment's own. Without an English side `english` has its
    documents' ids and a text that nobody can read (`NoEnglish`); without a test set `test` is `NO_TEST`. `scores` are
    metrics that came with the corpus, `official` the scores that its organisers published. `sentences` cuts the
    source's documents for a translator, where they are lines. `crossed`: the reference that is searched and the other
    one that metrics score against; `references`: of the collection, the searched one first; `references_left_out`: what
    is used instead of each. A layout is None where translations of that side are not files. `notes`: for the report.
    """

    test: TestSet
    english: Documents
    source: Text | None = None
    collection: str = ""
    test_layout: Layout | None = None
    collection_layout: Layout | None = None
    crossed: tuple[str, str] | None = None
    sentences: SentenceSplitter | None = None
    scores: tuple[Metric, ...] = ()
    official: OfficialScores = field(default_factory=OfficialScores)
    references_left_out: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, Text] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def document_map(self) -> DocumentMap:
        return self.english.map

    @property
    def has_english(self) -> bool:
        return not isinstance(self.english.text, NoEnglish)


@runtime_checkable
class CorpusSource(Protocol):
    """A reader of corpora; a frozen dataclass whose fields are its configuration."""

    def read(self) -> Corpus:
        """Read and align everything; raises `InputError` or `Problems` with all that is wrong."""
