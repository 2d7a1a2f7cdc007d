"""Collections of WMT submissions: YEAR/PAIR of one folder is a folder of MT outputs; references may be crossed."""

from dataclasses import dataclass, replace
from pathlib import Path

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.sides import SideTexts
from clirbench.errors import ConfigError


@dataclass(frozen=True)
class WmtFolder:
    """One language pair of one year as test set and collection.

    `part` is YEAR/PAIR of the folder `mirror` (`wmt22/de-en`). After it, /X-Y (`wmt22/de-en/A-B`) searches reference X
    and scores against reference Y; else the first reference is both. A document is what docs.tsv says, else
    `documents_size` consecutive lines. `read` raises as `FolderCorpus` does.
    """

    mirror: str | None = None
    part: str | None = None
    documents_size: int = 10
    collection: str = ""

    def __post_init__(self) -> None:
        parts = Path(self.part or "").parts
        if not self.mirror or len(parts) not in (2, 3) or ".." in parts or "/" in parts:
            raise ConfigError(
                f"corpus.part={self.part}: YEAR/PAIR of paths.mirror was expected, such as wmt22/de-en, or "
                "wmt22/de-en/A-B to search reference A and to score against reference B"
            )

    def read(self) -> Corpus:
        corpus = self._folder.read()
        notes = list(corpus.notes)
        if corpus.test_layout is not None and "docs.tsv" not in corpus.test_layout.singles:
            notes.append(f"{self.part}: no docs.tsv; {self.documents_size} consecutive lines are a document")
        return replace(corpus, notes=tuple(notes))

    def side_texts(self) -> SideTexts:
        """What tells the languages."""
        return self._folder.side_texts()

    @property
    def _folder(self) -> FolderCorpus:
        year, pair, *named = Path(self.part or "").parts
        references = tuple(dict.fromkeys(named[0].split("-"))) if named else ("first",)
        folder = str(Path(self.mirror or "").expanduser() / year / pair)
        crossed = ("cross", *references) if len(references) > 1 else references
        return FolderCorpus(folder, None, crossed, self.documents_size, self.collection)
