"""WMT's SGML test sets (to 2020): one file for the source, one for each reference and each system.

    <srcset|refset|tstset setid="..." ...> <doc docid="..." sysid="..."> <p> <seg id="1">text</seg> ...

The files are rarely well-formed (bare ampersands, doubled attributes), so tags are found where they stand and the
five entities of XML are resolved, nothing else.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.base import Corpus
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.labs.formats.documents import entries_of
from clirbench.labs.formats.released import Key, Release, Side, one_line
from clirbench.text import whole_text

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
