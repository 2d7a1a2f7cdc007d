"""`+experiment=folder`: a folder of MT outputs, and perhaps another folder with the MT test set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import Layout, chosen_references, folder_layout, official_scores
from clirbench.corpora.sides import SideTexts, read_corpus, side_texts
from clirbench.errors import ClirbenchError, ConfigError, gathered, raise_all
from clirbench.pages import listed


@dataclass(frozen=True)
class FolderCorpus:
    """A corpus in the folder layout of `clirbench.corpora.layout`.

    `folder` is the retrieval collection; `test_folder` (None: the same) is where MT metrics are computed; both hold
    the same systems. `references` is `first`, `all`, a name or a list of names: MT metrics use all of them, the
    first is the English side that is searched. Where there is no docs.tsv, `documents_size` consecutive lines are a
    document. `collection` names a second collection, so that its measures are called `MAP[name]`.

    `read` raises `ConfigError`, `InputError`, `AlignmentError`, or all of them at once as `Problems`.
    """

    folder: str
    test_folder: str | None = None
    references: str | Sequence[str] = "first"
    documents_size: int = 1
    collection: str = ""

    def __post_init__(self) -> None:
        if not self.folder:
            raise ConfigError("folder is not set: name the folder of MT outputs, folder=DIR")
        whole_number("documents.size", self.documents_size)

    def read(self) -> Corpus:
        test, searched = self._layouts()
        corpus = read_corpus(test, searched, self.references, self.collection, self.documents_size)
        used = corpus.crossed or chosen_references(test, self.references)
        unused = {name: f"{listed(used)} is; references={name}" for name in sorted({*test.references} - {*used})}
        scoring = used[1] if corpus.crossed else used[0]
        return replace(corpus, official=official_scores(test, scoring), references_left_out=unused)

    def side_texts(self) -> SideTexts:
        """What tells the languages."""
        return side_texts(*self._layouts(), self.references)

    def _layouts(self) -> tuple[Layout, Layout]:
        """The folder of the test set, and the one that is searched."""
        errors: list[ClirbenchError] = []
        layouts: list[Layout] = []
        for folder in dict.fromkeys([str(self.folder), str(self.test_folder or self.folder)]):
            with gathered(errors):
                layouts.append(folder_layout(folder, "" if folder == str(self.folder) else "test_folder="))
        raise_all(errors)
        return layouts[-1], layouts[0]
