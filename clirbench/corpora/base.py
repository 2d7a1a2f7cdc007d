"""What a corpus is: the test set of the MT metrics, and the collection that is searched."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from clirbench.corpora.layout import Layout
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, TestSet


@dataclass(frozen=True, eq=False)
class Corpus:
    """The two sides of an experiment, and where systems put their translations of each.

    `test` and `english` may come from the same folder. `collection` names a second collection (`news`): its
    measures carry the name, `MAP[news]`; empty for the collection of the experiment itself. A layout is None where
    translations of that side are not files (a corpus held in memory, simulated systems). `notes` are plain
    sentences for the report: what was counted, chosen or left out.
    """

    test: TestSet
    english: Documents
    source: Text | None = None
    collection: str = ""
    test_layout: Layout | None = None
    collection_layout: Layout | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def document_map(self) -> DocumentMap:
        return self.english.map


@runtime_checkable
class CorpusSource(Protocol):
    """A reader of corpora; a frozen dataclass whose fields are its configuration."""

    def read(self) -> Corpus:
        """Read and align everything; raises `InputError` or `Problems` with all that is wrong."""
