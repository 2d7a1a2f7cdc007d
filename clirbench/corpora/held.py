"""A corpus that Python holds: the lines of the systems and of their references (`cb.run(texts=...)`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import HeldLayout, located
from clirbench.corpora.sides import SideTexts, check_doc_id, read_corpus, side_texts
from clirbench.files.lines import Lines
from clirbench.text import TextLines, check_name


@dataclass(frozen=True, eq=False, repr=False)
class HeldCorpus:
    """Texts by system and references by letter, read as the same texts in a folder are (`FolderCorpus`).

    `references`: all of them are used, the first is searched. `documents`: the document of each line; without it
    `documents_size` lines are one. Messages name a text as the caller has it, `texts['A']`; references
    as `called` does.

    `read` raises `AlignmentError`, `InputError`, or all of them at once as `Problems`.
    """

    texts: Mapping[str, Sequence[str]]
    references: Mapping[str, Sequence[str]]
    source: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    documents_size: int = 1
    called: Mapping[str, str] = field(default_factory=dict)
    layout: HeldLayout = field(init=False)

    def __post_init__(self) -> None:
        whole_number("documents.size", self.documents_size)
        for name in self.texts:
            check_name("texts", "system", name)
        for doc_id in dict.fromkeys(self.documents or ()):
            check_doc_id("documents", doc_id)
        files = {f"reference-{name}.txt": (self.called.get(name, name), of) for name, of in self.references.items()}
        files |= {f"systems/{name}.txt": (f"texts[{name!r}]", lines) for name, lines in self.texts.items()}
        files |= {"source.txt": ("source", self.source)} if self.source is not None else {}
        layout = HeldLayout(
            "texts",
            partial(located, {}),
            {name: f"reference-{name}.txt" for name in self.references},
            {name: f"systems/{name}.txt" for name in self.texts},
            {"source.txt": "source.txt"} if self.source is not None else {},
            doc_ids=("documents", self.documents) if self.documents is not None else None,
            held={file: Lines(TextLines(of).blocks(), f"{where}{_broken(of)}") for file, (where, of) in files.items()},
        )
        object.__setattr__(self, "layout", layout)

    def __repr__(self) -> str:
        return f"texts of {len(self.texts)} systems, {len(next(iter(self.references.values())))} lines"

    def read(self) -> Corpus:
        return read_corpus(self.layout, self.layout, tuple(self.references), documents_size=self.documents_size)

    def side_texts(self) -> SideTexts:
        """What tells the languages; no folder around it is called by them."""
        return replace(side_texts(self.layout, self.layout, tuple(self.references)), where="/")


def _broken(lines: Sequence[str]) -> str:
    """Which of the lines holds a line break, where one does."""
    return next((f" (its line {at} has a line break in it)" for at, line in enumerate(lines, 1) if "\n" in line), "")
