"""Collections that come as documents, each side in its own files: no lines that align, only ids that do.

The Europarl release format: one file for each sitting (or item), with mark-up lines between the text's lines.

    <CHAPTER ID=1>          a heading follows
    <SPEAKER ID=1 LANGUAGE="DE" NAME="President">
    text, one paragraph (or, sentence-split, one sentence) a line
    <P>                     ends a paragraph

What is kept is what Lignos et al. 2019 kept: a parenthesis at the head of a line ("(Applause)", "(DE)") goes, `<BRK>`
goes, a line that is then empty goes, a line from `<` to `>` is mark-up. A document with fewer than 3 kept lines is
dropped.

How that explains the published counts (europarl-en-line-counts.tsv): they count every line of the release's file,
mark-up too. 4,346 of the 9,672 English files have 2 lines, a chapter mark and its heading: 1 kept line, dropped. 960
have 4: a mark, a heading, a speaker, a paragraph: 2 kept lines, dropped. So at most 4,366 files remain. A sample that
is sentence-split and aligned with another language has more text lines and fewer speeches (a speech whose paragraphs
do not pair off is cut out); where nothing was cut, joining its lines into paragraphs gives the published count back.

**Source:** Koehn, Europarl, MT Summit 2005; Lignos et al., EMNLP 2019 (public repository, retrieval_src).
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from clirbench.checks import whole_number
from clirbench.corpora.base import NO_TEST, Corpus, NoEnglish
from clirbench.corpora.jsonl import JsonlText, doc_id_of
from clirbench.corpora.layout import HeldLayout, folder_layout, is_jsonl, located
from clirbench.corpora.sentences import PARAGRAPH, SentenceSplitter
from clirbench.corpora.sides import check_doc_id, first_ten, read_test_set
from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.files.tables import json_lines
from clirbench.text import Text, TextFile, check_name
from clirbench.types import DocumentMap, Documents


@runtime_checkable
class DocumentReader(Protocol):
    """A format of documents; a frozen dataclass whose fields are its options."""

    def documents(self, path: Path, every: bool = False) -> Iterator[tuple[str, str]]:
        """(doc_id, text) of each document of a file or folder, in order; raises `InputError` naming file and line.

        `every`: also those that the reader's own limits drop, for a side whose documents another side has chosen.
        """

    def files(self, path: Path) -> Sequence[Path]:
        """The files that `documents` reads: their content and the reader's options are the collection's identity."""


@dataclass(frozen=True)
class ReadText(JsonlText):
    """The documents of a file or folder, one a line, as a reader gives them; `only` keeps those of another side."""

    reader: DocumentReader
    only: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self.reader.files(self.path))

    @property
    def fingerprint(self) -> str:
        parts = [repr(self.reader), *(TextFile(path).fingerprint for path in self.files)]
        return hashlib.sha256("\n".join([*parts, *self.only]).encode()).hexdigest()

    def documents(self) -> Iterator[tuple[str, str]]:
        kept = frozenset(self.only)
        for doc_id, text in self.reader.documents(self.path, every=bool(kept)):
            check_doc_id(str(self.path), doc_id)
            if not kept or doc_id in kept:
                yield doc_id, text


@dataclass(frozen=True)
class SourceText(ReadText):
    """Documents that are cut into sentences later: a newline, which always ends one, stays to be seen."""

    newline: ClassVar[str] = PARAGRAPH


@dataclass(frozen=True)
class DocumentsCorpus:
    """A collection of documents in the format of `reader`, and perhaps a folder of MT outputs for the MT metrics.

    `english` (a file or folder) is its English side, where it has one. `translations` is a folder with one entry a
    system: a file or folder in the same format, a `.jsonl` file, or a `.txt` file with one document a line in the
    order of the English side. Or `source` has the documents in their own language, for systems that translate here,
    cut by `sentences`. The ids of documents are those of english, else of source, else of the first system: further
    documents of another side are left out, a missing one is an error. `test_folder` holds the same systems'
    outputs of a test set, of which `references` chooses the references.

    `read` raises `ConfigError`, `InputError`, `AlignmentError`, or all of them at once as `Problems`.
    """

    reader: DocumentReader
    english: str | Path | None = None
    translations: str | Path | None = None
    test_folder: str | Path | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""
    source: str | Path | None = None
    sentences: SentenceSplitter | None = None

    def __post_init__(self) -> None:
        if not (self.translations or self.source):
            said = "corpus.translations and corpus.source are not set: name the systems' translations of the documents,"
            raise ConfigError(f"{said} a folder, or the documents themselves, for systems that translate them here")

    def read(self) -> Corpus:
        errors: list[ClirbenchError] = []
        unnamed: list[ClirbenchError] = []
        entries: dict[str, Path] = {}
        with gathered(unnamed):
            entries = entries_of(Path(self.translations)) if self.translations else {}
        raise_all([] if self.english or self.source else unnamed)
        first = Path(self.english or self.source or next(iter(entries.values()), ""))
        ids: tuple[str, ...] = ()
        with gathered(errors):
            ids = self._documents(first).doc_ids()
            if not ids:
                raise InputError(f"{first}: no documents in it")
        layout, test = None, NO_TEST
        with gathered(errors):
            if self.test_folder:
                layout = folder_layout(str(self.test_folder), "test_folder=")
                test = read_test_set(layout, self.references)
        raise_all([*errors, *unnamed])
        source = self._source(ids) if self.source else None
        files = {name: f"systems/{name}" for name in entries}
        held = {files[name]: self._text(path, ids) for name, path in entries.items()}
        systems = HeldLayout(str(self.translations), partial(located, {}), {}, files, {}, held=held)
        unlike = "no reference side: nothing is compared with a search of it (RBO and others)"
        english = ReadText(Path(self.english), self.reader) if self.english else NoEnglish(str(first))
        return Corpus(
            test=test,
            english=Documents(english, DocumentMap(ids, np.ones(len(ids), dtype=np.int64))),
            source=source,
            collection=self.collection,
            test_layout=layout,
            collection_layout=systems if entries else None,
            sentences=self.sentences,
            notes=() if self.english else (unlike,),
        )

    def _source(self, ids: tuple[str, ...]) -> Text:
        """The documents to be translated, in the order of the English side; raises where one is not there."""
        kind = SourceText if self.sentences else ReadText
        source = kind(Path(self.source or ""), self.reader, ids if self.english else ())
        if self.english and (found := source.doc_ids()) != ids:
            lacking = sorted(set(ids) - set(found))
            what = f"does not have the documents {first_ten(lacking)}" if lacking else ""
            raise AlignmentError(f"{source.path}: {what or 'has the documents in another order'} of {self.english}")
        return source

    def _text(self, path: Path, ids: tuple[str, ...]) -> Text:
        plain = path.name.removesuffix(".gz")
        return TextFile(path) if path.is_file() and plain.endswith(".txt") else self._documents(path, ids)

    def _documents(self, path: Path, ids: tuple[str, ...] = ()) -> ReadText:
        foreign = path.is_file() and is_jsonl(path) and not isinstance(self.reader, JsonDocuments)
        return ReadText(path, JsonDocuments() if foreign else self.reader, ids)


def entries_of(folder: Path, only: re.Pattern[str] | None = None) -> dict[str, Path]:
    """The files and folders of a folder by the systems' names; raises `InputError` where there are none, or two.

    only: what their names have, of others nothing is read.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; one file or folder for each system was expected")
    entries: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or (only and not only.search(path.name)):
            continue
        name = path.name if path.is_dir() else system_name(path)
        check_name(folder, "system name", name)
        if name in entries:
            raise InputError(f"{folder}: system {name!r} has two entries; keep one of them")
        entries[name] = path
    if not entries:
        raise InputError(f"{folder}: no systems in it; one file or folder for each was expected")
    return entries


def system_name(path: Path) -> str:
    """The name of the file without `.gz` and without its last suffix."""
    return Path(path.name.removesuffix(".gz")).stem


def files_under(path: Path, suffix: str) -> list[Path]:
    """The file itself, or all files of a folder and its folders that end so, by path; hidden ones are left out."""
    if not path.is_dir():
        return [path]
    shown = (p for p in path.rglob("*") if not any(part.startswith(".") for part in p.relative_to(path).parts))
    files = (p for p in shown if p.is_file())
    paths = sorted(p for p in files if p.name.removesuffix(".gz").endswith(suffix))
    if not paths:
        raise InputError(f"{path}: no files in it that end in {suffix}")
    return paths


@dataclass(frozen=True)
class JsonDocuments:
    """JSON lines with `doc_id` (or `id`, ...); the text is those of `fields` that are there, a newline between.

    `fields=("title", "text")` reads HC4 and Patapsco documents as they are searched there. Raises `InputError` naming
    the line for an object without an id or with none of the fields.
    """

    fields: Sequence[str] = ("text",)

    def __post_init__(self) -> None:
        if not self.fields or isinstance(self.fields, str):
            raise ConfigError(f"corpus.reader.fields={self.fields!r}: a list of at least one field was expected")
        object.__setattr__(self, "fields", tuple(self.fields))  # hashable, whatever list the config gave

    def files(self, path: Path) -> Sequence[Path]:
        return files_under(path, ".jsonl")

    def documents(self, path: Path, every: bool = False) -> Iterator[tuple[str, str]]:
        for file in self.files(path):
            for number, record in json_lines(file):
                doc_id = doc_id_of(record, f"{file}: line {number}")
                texts = [record[field] for field in self.fields if isinstance(record.get(field), str)]
                if not texts:
                    listed = ", ".join(self.fields)
                    raise InputError(f"{file}: line {number}: none of the fields {listed}; keys: {', '.join(record)}")
                yield doc_id, "\n".join(texts)


MARK = re.compile(r"<(?:CHAPTER|P|SPEAKER)\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class EuroparlDocuments:
    """A folder of Europarl files (`ep-*.txt`, plain or gzip; also in folders below): each is a document, by its name.

    Documents with fewer than `min_lines` kept lines are dropped. Kept lines are joined by a space. Raises
    `InputError` naming file and line for mark-up that is none of CHAPTER, SPEAKER and P.
    """

    min_lines: int = 3

    def __post_init__(self) -> None:
        whole_number("corpus.reader.min_lines", self.min_lines, least=0)

    def files(self, path: Path) -> Sequence[Path]:
        return files_under(path, ".txt")

    def documents(self, path: Path, every: bool = False) -> Iterator[tuple[str, str]]:
        for file in self.files(path):
            lines = list(kept_lines(file))
            if every or len(lines) >= self.min_lines:
                yield file.name.removesuffix(".gz").removesuffix(".txt"), " ".join(lines)


def kept_lines(file: Path) -> Iterator[str]:
    """The lines of a file that are text."""
    for number, raw in enumerate(TextFile(file).lines(), start=1):
        line = without_parenthesis(raw.strip()).replace("<BRK>", "").strip()
        if line and not (line.startswith("<") and line.endswith(">")):
            yield line
        elif line and not MARK.fullmatch(line):
            known = "CHAPTER, P, SPEAKER"
            raise InputError(f"{file}: line {number}: {line[:60]!r} is no mark-up of Europarl; that is {known}")


def without_parenthesis(line: str) -> str:
    """The line less a parenthesis at its head: a stage direction or the language that is spoken."""
    return re.sub(r"\A\([^)]*\)\s*", "", line)
