"""WMT's XML test sets (since 2021): source, references and system outputs in one file, with document ids.

<dataset> <collection> <doc id="..."> <src lang="..."> <p> <seg id="1">text</seg> ... </src>
                                      <ref lang="..." translator="A"> ... <hyp lang="..." system="..."> ...
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from clirbench.corpora.base import Corpus
from clirbench.errors import ConfigError, InputError
from clirbench.labs.formats.released import Key, Release, Side, one_line
from clirbench.text import whole_content

SIDES = {"src": ("source", ""), "ref": ("reference", "translator"), "hyp": ("system", "system")}
"""The elements that hold a side's segments: what it is, and the attribute that names it."""


@dataclass(frozen=True)
class WmtXmlCorpus:
    """A WMT XML file (plain or gzip) as test set and collection; its systems take part by `systems=files`.

    `references` is `first`, `all`, a translator's name or several; a reference without a translator is called A.
    `read` raises `InputError` naming file and line for XML that is not well-formed, segments without a document or
    an id, and doubled segments.
    """

    path: str | Path | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""

    def __post_init__(self) -> None:
        if not str(self.path or ""):
            raise ConfigError("corpus.path is not set: name a WMT XML file, corpus.path=FILE")

    def read(self) -> Corpus:
        return read_wmt_xml(Path(self.path or "")).corpus(self.references, self.collection)


def read_wmt_xml(path: Path) -> Release:
    """All sides of the file; raises `InputError` as `WmtXmlCorpus.read` does."""
    reader = _Reader(path)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reader.parser = parser
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.doctype
    try:
        parser.Parse(whole_content(path), True)  # in one go: a tag that goes on is not read again for each piece
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise InputError(f"{path}: line {error.lineno}: not well-formed XML ({reason})") from None
    except (LookupError, ValueError) as error:
        raise InputError(f"{path}: the XML declaration names an encoding that cannot be read ({error})") from None
    return Release(str(path), reader.sides)


@dataclass
class _Reader:
    """Where in the file the parser is, and what it has found; expat calls the methods."""

    path: Path
    sides: dict[Side, dict[Key, str]] = field(default_factory=dict)
    parser: expat.XMLParserType | None = None
    doc_id: str | None = None
    side: Side | None = None
    segment: str | None = None
    held: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "doc":
            self.doc_id = self._required(attributes, "id", "doc")
        elif name in SIDES:
            if self.doc_id is None:
                raise self._error(f"<{name}> stands outside a document")
            kind, named_by = SIDES[name]
            self.side = (kind, attributes.get(named_by) or self._unnamed(name))
        elif name == "seg":
            if self.side is None:
                raise self._error("<seg> stands outside src, ref and hyp")
            self.segment, self.held = self._required(attributes, "id", "seg"), []

    def end(self, name: str) -> None:
        if name == "doc":
            self.doc_id = None
        elif name in SIDES:
            self.side = None
        elif name == "seg" and self.doc_id is not None and self.side is not None and self.segment is not None:
            segments, key = self.sides.setdefault(self.side, {}), (self.doc_id, self.segment)
            if key in segments:
                what = " ".join(part for part in self.side if part)
                raise self._error(f"segment {key[1]} of document {key[0]!r} stands twice in {what}")
            segments[key] = one_line("".join(self.held))
            self.segment = None

    def text(self, text: str) -> None:
        if self.segment is not None:
            self.held.append(text)

    def doctype(self, *_: object) -> None:
        """What declares entities can grow without bound, attributes cost time for each; a test set needs neither."""
        raise self._error("the file declares a document type (DOCTYPE, entities); test sets are read without")

    def _unnamed(self, kind: str) -> str:
        if kind == "hyp":
            raise self._error("<hyp> has no attribute system")
        return "A" if kind == "ref" else ""

    def _required(self, attributes: dict[str, str], key: str, element: str) -> str:
        if not attributes.get(key, "").strip():
            raise self._error(f"<{element}> has no attribute {key}")
        return attributes[key].strip()

    def _error(self, what: str) -> InputError:
        line = self.parser.CurrentLineNumber if self.parser is not None else 0
        return InputError(f"{self.path}: line {line}: {what}")
