"""TREC documents: `<DOC> <DOCNO> id </DOCNO> ... <TEXT> ... </TEXT> </DOC>`, many in a file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.errors import ConfigError, InputError
from clirbench.labs.formats.documents import files_under
from clirbench.text import whole_text

DOCUMENT = re.compile(r"<(/?)DOC\s*>", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
FIELD = re.compile(r"[A-Za-z][A-Za-z0-9]*")


@dataclass(frozen=True)
class TrecDocuments:
    """A file or a folder of TREC documents (plain or gzip); the text is that of `fields`, in the document's order.

    Tags inside a field become spaces. A document without any of the fields is an empty document, but a file in which
    none has one is an error. Raises `InputError` naming file and line for text outside of documents, a document that
    is not closed, or has no or two DOCNO.
    """

    fields: Sequence[str] = ("TITLE", "HEADLINE", "TEXT")

    def __post_init__(self) -> None:
        if isinstance(self.fields, str) or not self.fields or not all(FIELD.fullmatch(f) for f in self.fields):
            raise ConfigError(f"corpus.reader.fields={self.fields!r}: a list of names such as TEXT was expected")
        object.__setattr__(self, "fields", tuple(self.fields))  # hashable, whatever list the config gave

    def files(self, path: Path) -> Sequence[Path]:
        return files_under(path)

    def documents(self, path: Path, every: bool = False) -> Iterator[tuple[str, str]]:
        for file in self.files(path):
            with_field = n = 0
            for line, content in _documents(file):
                numbers = list(enclosed(content, ["DOCNO"]))
                if len(numbers) != 1 or not numbers[0].strip():
                    raise InputError(f"{file}: line {line}: a document has one DOCNO, this has {len(numbers)}")
                texts = list(enclosed(content, self.fields))
                with_field, n = with_field + bool(texts), n + 1
                yield numbers[0].strip(), TAG.sub(" ", " ".join(texts)).strip()
            if n and not with_field:
                raise InputError(f"{file}: no document has any of the fields {', '.join(self.fields)}")


def enclosed(content: str, names: Sequence[str]) -> Iterator[str]:
    """The text of each element of these names, in order; an element that is not closed is skipped."""
    opening = re.compile(rf"<({'|'.join(names)})\s*>", re.IGNORECASE)
    unclosed: set[str] = set()  # what nothing closes any more is not looked for again: the text is read once for each
    end = 0
    while found := opening.search(content, end):
        end, name = found.end(), found[1].upper()
        closing = None if name in unclosed else re.compile(rf"</{name}\s*>", re.IGNORECASE).search(content, end)
        if closing is None:
            unclosed.add(name)
            continue
        yield content[end : closing.start()]
        end = closing.end()


def _documents(file: Path) -> Iterator[tuple[int, str]]:
    """(line of <DOC>, text between the tags) of each document."""
    content = whole_text(file).removesuffix("\n")
    line, counted, opened, end = 1, 0, -1, 0
    for tag in DOCUMENT.finditer(content):
        line += content.count("\n", counted, tag.start())
        counted = tag.start()
        if tag[1] == "" and opened < 0 and not content[end : tag.start()].strip():
            opened, opened_line = tag.end(), line
        elif tag[1] and opened >= 0:
            yield opened_line, content[opened : tag.start()]
            opened, end = -1, tag.end()
        else:
            what = "</DOC> closes no document" if tag[1] else "<DOC> within a document, or after text outside of one"
            raise InputError(f"{file}: line {line}: {what}")
    if opened >= 0:
        raise InputError(f"{file}: line {opened_line}: the document is not closed by </DOC>")
    if content[end:].strip():
        rest = line if end else 1
        raise InputError(f"{file}: line {rest}: text outside of <DOC> ... </DOC>")
