"""WMT's XML test sets (since 2021): source, references and system outputs in one file, with document ids.

<dataset> <collection> <doc id="..."> <src lang="..."> <p> <seg id="1">text</seg> ... </src>
                                      <ref lang="..." translator="A"> ... <hyp lang="..." system="..."> ...

WMT's SGML test sets (to 2020): one file for the source, one for each reference and each system.

    <srcset|refset|tstset setid="..." ...> <doc docid="..." sysid="..."> <p> <seg id="1">text</seg> ...

The files are rarely well-formed (bare ampersands, doubled attributes), so tags are found where they stand and the
five entities of XML are resolved, nothing else.

Collections of WMT submissions: YEAR/PAIR of one folder is a folder of MT outputs; references may be crossed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.parsers import expat

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.sides import SideTexts
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.labs.formats.documents import entries_of
from clirbench.labs.formats.mtme import Key, Release, Side, one_line
from clirbench.text import whole_content, whole_text

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


TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b", re.IGNORECASE)
# A name begins where none went on and nothing is tried twice: a tag of any length is read in one go.
ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
LETTERS = 26
SUFFIX = re.compile(r"\.(sgml?|xml)(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True)
class SgmlCorpus:
    """SGML files as test set and collection: `reference` (one file or several), `source`, and a folder `systems`.

    References are called A, B, ... in the order given; a system is called as its file, without `.sgm`. A file may be
    packed with gzip. `read` raises `InputError` naming file and line, of all files at once.
    """

    reference: str | Sequence[str] | None = None
    source: str | None = None
    systems: str | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""

    def __post_init__(self) -> None:
        if not self.reference:
            raise ConfigError("corpus.reference is not set: name an SGML file or a list of them")
        if not isinstance(self.reference, str) and len(self.reference) > LETTERS:
            raise ConfigError(f"corpus.reference: {len(self.reference)} files; letters name at most {LETTERS}")

    def read(self) -> Corpus:
        references = [self.reference] if isinstance(self.reference, str) else list(self.reference or ())
        files = {("source", ""): Path(self.source)} if self.source else {}
        files |= {("reference", chr(ord("A") + number)): Path(file) for number, file in enumerate(references)}
        errors: list[ClirbenchError] = []
        with gathered(errors):
            systems = entries_of(Path(self.systems), SUFFIX) if self.systems else {}
            files |= {("system", name): path for name, path in systems.items()}
        sides: dict[Side, dict[Key, str]] = {}
        for side, path in files.items():
            with gathered(errors):
                sides[side] = read_sgml(path)
        raise_all(errors)
        return Release(str(self.source or references[0]), sides).corpus(self.references, self.collection)


def read_sgml(path: Path) -> dict[Key, str]:
    """The segments of one file by (document, segment).

    Raises `InputError`, naming file and line, for a document or segment without id, a segment outside a document,
    twice, or not closed, and for a file without segments.
    """
    content = whole_text(path, "utf-8-sig")
    segments: dict[Key, str] = {}
    doc_id: str | None = None
    for line, name, attributes, text in _elements(path, content):
        if name == "doc":
            doc_id = _required(path, line, attributes, "docid", "doc")
            continue
        if doc_id is None:
            raise InputError(f"{path}: line {line}: <seg> stands outside a document")
        key = (doc_id, _required(path, line, attributes, "id", "seg"))
        if key in segments:
            raise InputError(f"{path}: line {line}: segment {key[1]} of document {doc_id!r} stands twice")
        segments[key] = one_line(ENTITY.sub(lambda m: ENTITIES[m[1]], text))
    if not segments:
        raise InputError(f"{path}: no <seg> in it; an SGML test set was expected")
    return segments


def _elements(path: Path, content: str) -> Iterator[tuple[int, str, dict[str, str], str]]:
    """(line, `doc` or `seg`, attributes, text of a segment) in order."""
    line, counted = 1, 0
    open_at: tuple[int, int, dict[str, str]] | None = None
    for start, end, tag in _tags(content):
        line += content.count("\n", counted, start)
        counted = start
        closing, name = bool(tag[1]), tag[2].lower()
        if name == "seg" and closing:
            if open_at is None:
                raise InputError(f"{path}: line {line}: </seg> closes no segment")
            yield open_at[0], "seg", open_at[2], content[open_at[1] : start]
            open_at = None
        elif open_at is not None:
            raise InputError(f"{path}: line {open_at[0]}: <seg> is not closed before the next tag, line {line}")
        elif name == "seg":
            open_at = (line, end, _attributes(content[tag.end() : end - 1]))
        elif name == "doc" and not closing:
            yield line, "doc", _attributes(content[tag.end() : end - 1]), ""
    if open_at is not None:
        raise InputError(f"{path}: line {open_at[0]}: <seg> is not closed")


def _tags(content: str) -> Iterator[tuple[int, int, re.Match[str]]]:
    """(start, end, its `<` and name) of each tag; what has no `>` after it is none, and nothing behind it either."""
    end = 0
    while (tag := TAG.search(content, end)) and (end := content.find(">", tag.end()) + 1):
        yield tag.start(), end, tag


def _attributes(text: str) -> dict[str, str]:
    """The first value of each attribute, names in lower case."""
    found: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(text):
        found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
    return found


def _required(path: Path, line: int, attributes: dict[str, str], key: str, element: str) -> str:
    value = attributes.get(key, "").strip()
    if not value:
        raise InputError(f"{path}: line {line}: <{element}> has no attribute {key}")
    return value


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
