"""Documents as JSON lines: one object a line with `doc_id` and `text` (others' `id` and `contents` are understood)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from clirbench.errors import InputError
from clirbench.files.tables import first_of, json_lines
from clirbench.text import BLOCK, TextFile, check_name, current_limits, in_blocks, limit_error, replace_lone_surrogates

ID_KEYS = ("doc_id", "id", "docid", "docno", "_id")
TEXT_KEYS = ("text", "contents")


@dataclass(frozen=True)
class JsonlText(TextFile):
    """The texts of a JSON-lines file, one document a line: a newline inside a text becomes a space."""

    newline: ClassVar[str] = " "

    @property
    def fingerprint(self) -> str:
        # Not the hash of the file alone: the same bytes read as plain lines are another text.
        return hashlib.sha256(f"jsonl {super().fingerprint}".encode()).hexdigest()

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        lines = (text.replace("\n", self.newline) for _, text in self.documents())
        return in_blocks((line.encode("utf-8") + b"\n" for line in lines), size)

    def lines(self) -> tuple[str, ...]:
        return tuple(text.replace("\n", self.newline) for _, text in self.documents())

    def doc_ids(self) -> tuple[str, ...]:
        """The document ids in file order; raises `InputError` where one stands twice."""
        first: dict[str, int] = {}
        for number, (doc_id, _) in enumerate(self.documents(), start=1):
            if doc_id in first:
                said = f"{self.path}: line {number}:"
                raise InputError(f"{said} doc_id {doc_id!r} stands on line {first[doc_id]} already")
            check_name(f"{self.path}: line {number}", "document", doc_id)
            first[doc_id] = number
            if number > current_limits().lines:
                raise limit_error(self.where, "lines", "more than {:,} lines")
        return tuple(first)

    def documents(self) -> Iterator[tuple[str, str]]:
        """(doc_id, text) of each line; raises `InputError` naming the line that cannot be read."""
        for number, record in json_lines(self.path):
            doc_id = doc_id_of(record, f"{self.path}: line {number}")
            text = first_of(record, TEXT_KEYS)
            if len(doc_id.split()) != 1:
                raise InputError(f"{self.path}: line {number}: doc_id {doc_id!r} holds white space, run files cannot")
            if not isinstance(text, str):
                raise InputError(f"{self.path}: line {number}: no text (a string); keys here: {', '.join(record)}")
            yield replace_lone_surrogates(doc_id), replace_lone_surrogates(text)


def doc_id_of(record: dict[str, Any], where: str) -> str:
    """The id of a document, a text or a whole number under the first of `ID_KEYS`; raises `InputError` without one."""
    doc_id = first_of(record, ID_KEYS)
    if not isinstance(doc_id, str | int) or isinstance(doc_id, bool) or not str(doc_id).strip():
        raise InputError(f"{where}: no doc_id; a line is an object with doc_id and text")
    return str(doc_id)
