"""MT metrics on some of the documents that are searched: the In / In+Ext design.

In the CLSSTS experiments (Gowda et al. 2021, Table 4) MT metrics are computed on the analysis documents alone (In),
retrieval on these (In) or on more (In+Ext). Here: one folder holds everything that is searched, and a list names the
documents whose lines are the test set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import Layout, folder_layout
from clirbench.corpora.sides import SideSettings, first_ten, read_english, read_test_set
from clirbench.errors import ConfigError, InputError
from clirbench.text import BLOCK, Text, TextFile
from clirbench.types import DocumentMap, Ints


@dataclass(frozen=True)
class SomeLines:
    """Some lines of a text, by 0-based number, in order."""

    text: Text
    numbers: tuple[int, ...]

    @property
    def where(self) -> str:
        return f"{self.text.where} ({len(self.numbers)} lines of it)"

    @property
    def fingerprint(self) -> str:
        chosen = np.array(self.numbers, dtype=np.int64).tobytes()
        return sha256(self.text.fingerprint.encode() + chosen).hexdigest()

    @property
    def size(self) -> int:
        return self.text.size

    @property
    def files(self) -> tuple[Path, ...]:
        return self.text.files

    def lines(self) -> tuple[str, ...]:
        lines = self.text.lines()
        if self.numbers and self.numbers[-1] >= len(lines):
            raise InputError(f"{self.text.where}: has {len(lines)} lines, line {self.numbers[-1] + 1} was asked for")
        return tuple(lines[number] for number in self.numbers)

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        content = "".join(f"{line}\n" for line in self.lines()).encode("utf-8")
        if content:
            yield content


@dataclass(frozen=True, eq=False)
class SubsetLayout(Layout):
    """A layout of whose texts only some lines count."""

    numbers: tuple[int, ...] = ()

    def texts(self, files: Sequence[str]) -> tuple[Text, ...]:
        return tuple(SomeLines(text, self.numbers) for text in super().texts(files))


@dataclass(frozen=True)
class SubsetCorpus:
    """A folder of MT outputs that is searched as a whole, while MT metrics see the documents listed in a file.

    `test_documents` is a file with one doc_id a line (blank lines do not count); the rest is as in `FolderCorpus`.
    `read` raises `ConfigError`, or `InputError` for a listed document that the folder does not have.
    """

    folder: str | Path | None = None
    test_documents: str | Path | None = None
    references: str | Sequence[str] = "first"
    documents_size: int = 1
    collection: str = ""

    def __post_init__(self) -> None:
        if not self.folder or not self.test_documents:
            raise ConfigError("folder and corpus.test_documents are not set: name a folder and a list of documents")
        whole_number("documents.size", self.documents_size)

    def read(self) -> Corpus:
        layout = folder_layout(str(self.folder))
        choice = SideSettings(self.references, self.documents_size)
        english, _ = read_english(layout, choice)
        chosen = self.chosen(english.map)
        numbers = lines_of(english.map, chosen)
        test_layout = SubsetLayout(**{**vars(layout), "numbers": tuple(numbers.tolist())})
        part, whole = f"{len(chosen)} of {len(english)} documents", f"{english.map.n_lines} lines"
        return Corpus(
            test=read_test_set(test_layout, choice),
            english=english,
            source=layout.source,
            collection=self.collection,
            test_layout=test_layout,
            collection_layout=layout,
            notes=(f"MT metrics are computed on {part} ({len(numbers)} of {whole}); all are searched",),
        )

    def chosen(self, documents: DocumentMap) -> tuple[str, ...]:
        """The listed documents, each once."""
        path = Path(self.test_documents or "")
        named = {line.strip(): number for number, line in enumerate(TextFile(path).lines(), start=1) if line.strip()}
        if not named:
            raise InputError(f"{path}: lists no document; one doc_id a line was expected")
        unknown = [f"{doc_id} (line {named[doc_id]})" for doc_id in named.keys() - set(documents.doc_ids)]
        if unknown:
            raise InputError(f"{path}: not in {self.folder}: {first_ten(sorted(unknown))}")
        return tuple(named)


def lines_of(documents: DocumentMap, doc_ids: Sequence[str]) -> Ints:
    """The 0-based numbers of the lines of some documents, in the order of the text."""
    wanted = set(doc_ids)
    kept = np.array([doc_id in wanted for doc_id in documents.doc_ids])
    return np.flatnonzero(np.repeat(kept, documents.lengths)).astype(np.int64)
