"""Line-aligned texts with document boundaries, as one file or folder of a foreign format gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clirbench.corpora.alignment import check_doc_id, document_map, first_ten
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import Layout, NamedFiles, chosen_references
from clirbench.corpora.sides import SideSettings, read_test_set
from clirbench.errors import InputError
from clirbench.text import Text, TextLines
from clirbench.types import Documents

Key = tuple[str, str]
"""(doc_id, segment id): what aligns the sides of a release."""

Segments = Mapping[Key, str]


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
    """Source, references and systems by (document, segment); the source's order, else the first reference's, holds."""

    where: str
    source: Segments
    references: Mapping[str, Segments]
    systems: Mapping[str, Segments]

    def corpus(self, references: str | Sequence[str] = "first", collection: str = "") -> Corpus:
        """The corpus: every segment is a line, in both the test set and the collection.

        A system or reference with missing segments is left out, with a note. Raises `InputError` where there is no
        segment, a document is interleaved with another, or no complete reference is left.
        """
        keys = tuple(self.source or next(iter(self.references.values()), {}))
        if not keys:
            raise InputError(f"{self.where}: no segments with a source or a reference")
        for doc_id in dict.fromkeys(doc_id for doc_id, _ in keys):
            check_doc_id(self.where, doc_id)
        sides = {"reference": self.references, "system": self.systems}
        gaps = {
            (kind, name): lacking
            for kind, named in sides.items()
            for name, segments in named.items()
            if (lacking := [key for key in keys if key not in segments])
        }
        complete = {kind: [name for name in named if (kind, name) not in gaps] for kind, named in sides.items()}
        layout = self._layout(keys, complete)
        notes = tuple(
            f"{self.where}: {kind} {name} is left out, {len(lacking)} of {len(keys)} segments are missing: "
            + first_ten([f"{doc_id} {segment}" for doc_id, segment in lacking])
            for (kind, name), lacking in gaps.items()
        )
        if not layout.references:
            raise InputError(notes[0] if gaps else f"{self.where}: no reference in it")
        english = layout.text(layout.references[chosen_references(layout, references)[0]])
        return Corpus(
            test=read_test_set(layout, SideSettings(references)),
            english=Documents(english, document_map(self.where, [doc_id for doc_id, _ in keys])),
            source=layout.source,
            collection=collection,
            test_layout=layout,
            collection_layout=layout,
            notes=notes,
        )

    def _layout(self, keys: Sequence[Key], complete: Mapping[str, Sequence[str]]) -> HeldLayout:
        references = {name: f"reference-{name}.txt" for name in complete["reference"]}
        systems = {name: f"systems/{name}.txt" for name in complete["system"]}
        held: dict[str, Text] = {}
        for name, file in references.items():
            held[file] = TextLines(tuple(self.references[name][key] for key in keys))
        for name, file in systems.items():
            held[file] = TextLines(tuple(self.systems[name][key] for key in keys))
        singles = {"source.txt": "source.txt"} if self.source else {}
        if self.source:
            held["source.txt"] = TextLines(tuple(self.source[key] for key in keys))
        return HeldLayout(self.where, NamedFiles({}), references, systems, singles, held=held)


def one_line(text: str) -> str:
    """A segment as one line: mark-up's line breaks and indents are white space, its ends are trimmed."""
    return " ".join(text.split(None)) if "\n" in text or "\r" in text else text.strip()


def merge_files(releases: Sequence[Release]) -> Release:
    """Several files of one release as one; raises `InputError` where two of them name the same side."""
    first, *others = releases
    for other in others:
        for kind, mine, theirs in (
            ("reference", first.references, other.references),
            ("system", first.systems, other.systems),
        ):
            if doubled := sorted(mine.keys() & theirs.keys()):
                raise InputError(f"{other.where}: {kind} {doubled[0]!r} is already in {first.where}")
        if first.source and other.source:
            raise InputError(f"{other.where}: a source is already in {first.where}")
        first = replace(
            first,
            source=first.source or other.source,
            references={**first.references, **other.references},
            systems={**first.systems, **other.systems},
        )
    return first
