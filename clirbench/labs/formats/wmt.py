"""Test sets of WMT: XML (since 2021) has source, references and system outputs in one file, with document ids.

    <dataset> <collection> <doc id="..."> <src lang="..."> <p> <seg id="1">text</seg> ... </src>
                                      <ref lang="..." translator="A"> ... <hyp lang="..." system="..."> ...

SGML (to 2020) is one file for the source, one for each reference and each system.

    <srcset|refset|tstset setid="..." ...> <doc docid="..." sysid="..."> <p> <seg id="1">text</seg> ...

SGML is rarely well-formed (bare ampersands, doubled attributes), so the tags of both are found where they are, and the
five entities of XML (in XML also numbers of characters) are resolved, nothing else: what a file declares cannot grow.

Collections of WMT submissions: YEAR/PAIR of one folder is a folder of MT outputs; references may be crossed.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.sides import SideTexts
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.labs.formats.documents import entries_of
from clirbench.labs.formats.mtme import Key, Side, corpus_of, one_line
from clirbench.text import whole_text

SIDES = {"src": ("source", ""), "ref": ("reference", "translator"), "hyp": ("system", "system")}
"""The elements of XML that hold a side's segments: what it is, and the attribute that names it."""
TAG = re.compile(r"<(?:(/?)(doc|src|ref|hyp|seg)\b|(!--)|(!\[CDATA\[))", re.IGNORECASE)
# A name begins where none went on and nothing is tried twice: a tag of any length is read in one go.
ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos);")
NUMBERED = re.compile(rf"{ENTITY.pattern}|&#(?:\d{{1,7}}|x[0-9a-fA-F]{{1,6}});")
LETTERS = 26
SUFFIX = re.compile(r"\.(sgml?|xml)(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True)
class WmtXmlCorpus:
    """A WMT XML file (plain or gzip) as test set and collection; its systems take part by `systems=files`.

    `references` is `first`, `all`, a translator's name or several; a reference without a translator is called A.
    `read` raises as `read_sides` does.
    """

    path: str | Path | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""

    def __post_init__(self) -> None:
        if not str(self.path or ""):
            raise ConfigError("corpus.path is not set: name a WMT XML file, corpus.path=FILE")

    def read(self) -> Corpus:
        return corpus_of(str(self.path), read_sides(Path(self.path or "")), self.references, self.collection)


@dataclass(frozen=True)
class SgmlCorpus:
    """SGML files as test set and collection: `reference` (one file or several), `source`, and a folder `systems`.

    References are called A, B, ... in the order given; a system is called as its file, without `.sgm`. A file may be
    packed with gzip. `read` raises as `read_sides` does, for all files at once.
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
                sides |= read_sides(path, side)
        raise_all(errors)
        return corpus_of(str(self.source or references[0]), sides, self.references, self.collection)


def read_sides(path: Path, alone: Side | None = None) -> dict[Side, dict[Key, str]]:
    """The segments of each side of a file by (document, segment).

    alone: the side of an SGML file, which has one; else it is XML, in which src, ref and hyp say it. Raises
    `InputError`, naming file and line, for a document, side or segment without what names it, a segment outside of
    one, twice, or not closed, and for a file without segments.
    """
    content = whole_text(path, "utf-8-sig")
    sides: dict[Side, dict[Key, str]] = {}
    doc_id, side, within, opened = "", alone, "", None
    for tag in _tags(path, content):
        if opened and (tag.name, tag.closing) != ("seg", True):
            raise InputError(f"{opened.where}: <seg> is not closed")
        if within and tag.name != "seg" and (tag.name, tag.closing) != (within, True):
            raise InputError(f"{tag.where}: <{within}> is not closed")
        if tag.name == "doc":
            doc_id = "" if tag.closing else tag.value("docid", "id")
        elif tag.name in SIDES and alone is None:
            kind, named_by = SIDES[tag.name]
            unnamed = {"ref": "A", "src": ""}.get(tag.name)
            within, side = ("", None) if tag.closing else (tag.name, (kind, tag.value(named_by, default=unnamed)))
        elif tag.name == "seg" and not tag.closing:
            opened = tag
        elif tag.name == "seg":
            if opened is None:
                raise InputError(f"{tag.where}: </seg> closes no segment")
            if not doc_id or side is None:
                outside = "src, ref and hyp" if doc_id else "a document"
                raise InputError(f"{opened.where}: <seg> stands outside {outside}")
            key, text = (doc_id, opened.value("id")), content[opened.end : tag.start]
            segments = sides.setdefault(side, {})
            if key in segments:
                twice = f"segment {key[1]} of document {doc_id!r} stands twice in {' '.join(side)}"
                raise InputError(f"{opened.where}: {twice}")
            if alone is None and "<" in text:
                raise InputError(f"{opened.where}: mark-up within a segment")
            segments[key], opened = one_line(resolved(text, ENTITY if alone else NUMBERED)), None
    if opened or within:
        raise InputError(f"{path}: <{'seg' if opened else within}> is not closed at the end of the file")
    if not sides:
        raise InputError(f"{path}: no <seg> in it; a test set was expected")
    return sides


def resolved(text: str, entity: re.Pattern[str]) -> str:
    """The text with the characters that entities stand for."""
    return entity.sub(lambda found: html.unescape(found[0]), text)


@dataclass(frozen=True)
class Tag:
    """`<name ...>` or `</name>`: file and line, the first value of each attribute, and where it is in the content."""

    where: str
    name: str
    closing: bool
    attributes: Mapping[str, str]
    start: int
    end: int

    def value(self, *names: str, default: str | None = None) -> str:
        """The first of the attributes that has a value; raises `InputError` where none has and there is no default."""
        values = (self.attributes.get(name, "").strip() for name in names)
        value = next(filter(None, values), default)
        if value is None:
            raise InputError(f"{self.where}: <{self.name}> has no attribute {' or '.join(names)}")
        return resolved(value, NUMBERED)


def _tags(path: Path, content: str) -> Iterator[Tag]:
    """The tags in order, `<seg/>` as two; what has no `>` after it is none, and nothing behind it either."""
    line, counted, end = 1, 0, 0
    while (found := TAG.search(content, end)) and (end := content.find("-->" if found[3] else ">", found.end()) + 1):
        line += content.count("\n", counted, found.start())
        counted = found.start()
        where, name, inside = f"{path}: line {line}", (found[2] or "").lower(), content[found.end() : end - 1]
        if found[4]:
            raise InputError(f"{where}: <![CDATA[ is not read; write its text with &lt; and &amp;")
        if name:
            last_first = reversed([*ATTRIBUTE.finditer(inside)])  # of two of one name the first holds
            attributes = {one[1].lower(): one[2] or one[3] or one[4] or "" for one in last_first}
            yield Tag(where, name, bool(found[1]), attributes, found.start(), end)
            if inside.endswith("/") and not found[1]:
                yield Tag(where, name, True, {}, end, end)


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
            said = f"corpus.part={self.part}: YEAR/PAIR of paths.mirror was expected, such as wmt22/de-en, or"
            raise ConfigError(f"{said} wmt22/de-en/A-B to search reference A and to score against reference B")

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
