"""Line-aligned texts with document boundaries, as one file or folder of a foreign format gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clirbench.corpora.alignment import check_doc_id, first_ten
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import Layout, NamedFiles
from clirbench.corpora.sides import SideSettings, read_corpus
from clirbench.errors import InputError
from clirbench.text import Text, TextLines

Key = tuple[str, str]
"""(doc_id, segment id): what aligns the sides of a release."""
Side = tuple[str, str]
"""What it is, one of FILES, and its name."""
Segments = Mapping[Key, str]
FILES = {"reference": "reference-{}.txt", "source": "source.txt", "system": "systems/{}.txt"}
"""What a side is called as a file in a layout."""


@dataclass(frozen=True, eq=False)
class HeldLayout(Layout):
    """A layout whose texts are held in memory, by the file names that the layout lists."""

    held: Mapping[str, Text] = field(default_factory=dict)

    def texts(self, files: Sequence[str]) -> tuple[Text, ...]:
        return tuple(self.held[file] for file in files)

    def single(self, name: str) -> Path | None:
        """None: what a folder keeps in a file of its own (docs.tsv, systems.tsv) a release holds itself."""
        return None


@dataclass(frozen=True, eq=False)
class Release:
    """Sides by (document, segment); the source's order, else the first reference's, holds."""

    where: str
    sides: Mapping[Side, Segments]

    def corpus(self, references: str | Sequence[str] = "first", collection: str = "") -> Corpus:
        """The corpus: every segment is a line, in both the test set and the collection.

        A system or reference with missing segments is left out, with a note. Raises `InputError` where there is no
        segment, a document is interleaved with another, or no complete reference is left.
        """
        first = next((side for kind in ("source", "reference") for side in self.sides if side[0] == kind), None)
        keys = tuple(self.sides[first]) if first else ()
        if not keys:
            raise InputError(f"{self.where}: no segments with a source or a reference")
        for doc_id in dict.fromkeys(doc_id for doc_id, _ in keys):
            check_doc_id(self.where, doc_id)
        notes: list[str] = []
        held: dict[str, Text] = {}
        named: dict[str, dict[str, str]] = {kind: {} for kind in FILES}
        for (kind, name), segments in sorted(self.sides.items(), key=lambda item: item[0][0]):
            if lacking := [f"{doc_id} {number}" for doc_id, number in keys if (doc_id, number) not in segments]:
                missing = f"{len(lacking)} of {len(keys)} segments are missing: {first_ten(lacking)}"
                notes.append(f"{self.where}: {kind} {name} is left out, {missing}")
            else:
                file = named[kind][name] = FILES[kind].replace("{}", name)
                held[file] = TextLines(tuple(segments[key] for key in keys))
        if not named["reference"]:
            raise InputError(notes[0] if notes else f"{self.where}: no reference in it")
        singles = {file: file for file in named["source"].values()}
        files = (NamedFiles({}), named["reference"], named["system"], singles)
        documents = (self.where, [doc_id for doc_id, _ in keys])
        layout = HeldLayout(self.where, *files, doc_ids=documents, held=held)
        corpus = read_corpus(layout, layout, SideSettings(references), collection)
        return replace(corpus, notes=(*corpus.notes, *notes))


def one_line(text: str) -> str:
    """A segment as one line: mark-up's line breaks and indents are white space, its ends are trimmed."""
    return " ".join(text.split(None)) if "\n" in text or "\r" in text else text.strip()
