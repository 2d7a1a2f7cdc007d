"""Alignment is checked, never assumed: how many lines a text has, and which lines make which document."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clirbench.errors import AlignmentError, ClirbenchError, InputError, raise_all
from clirbench.files.lines import line_ends, n_blank
from clirbench.files.tables import table_rows
from clirbench.text import Text, check_name
from clirbench.types import DocumentMap, Ints

SHOWN = 10


@dataclass(frozen=True)
class Survey:
    """What one pass over a text finds: how many lines it has, and how many of them are blank."""

    n_lines: int
    n_empty: int


def survey(text: Text) -> Survey:
    """Count the lines of a text of any size, block by block; raises what `line_ends` raises."""
    n_lines = n_empty = 0
    for block, ends in line_ends(text.blocks(), text.where):
        n_lines += len(ends)
        n_empty += n_blank(block, ends)
    return Survey(n_lines, n_empty)


def unequal_lines_error(where: str, found: int, expected_where: str, expected: int) -> AlignmentError:
    """The error for two texts that must have the same number of lines."""
    return AlignmentError(
        f"{where} has {found} lines, {expected_where} has {expected}; both must have one segment a line, "
        "and lines end at '\\n' alone"
    )


def first_ten(items: "Sequence[object] | Ints") -> str:
    """The first ten of many, for a message."""
    more = f", ... ({len(items)} in all)" if len(items) > SHOWN else ""
    return ", ".join(str(item) for item in items[:SHOWN]) + more


def read_document_map(path: Path, n_lines: int, text_where: str) -> DocumentMap:
    """docs.tsv: a header with `line` (1-based) and `doc_id`; further columns are ignored, rows come in any order.

    Every line of the text stands exactly once, and the lines of a document are contiguous. Raises `AlignmentError`
    (naming the first ten lines) for lines missed, repeated or beyond the text, and for interleaved documents;
    `InputError` for a missing column, a number that is none, a doc_id that is empty or holds white space.
    """
    rows = table_rows(path)
    _, header = next(rows)
    if missing := [name for name in ("line", "doc_id") if name not in header]:
        raise InputError(f"{path}: no column {', '.join(missing)}; columns: {', '.join(header)}")
    found: list[int] = []
    doc_ids: list[str] = []
    for number, cells in rows:
        doc_id, cell = cells[header.index("doc_id")], cells[header.index("line")]
        if not (cell.isascii() and cell.isdigit()) or len(cell) > 18:
            raise InputError(f"{path}: line {number}: {cell!r} is not a line number")
        check_doc_id(f"{path}: line {number}", doc_id)
        found.append(int(cell))
        doc_ids.append(doc_id)
    numbers = np.array(found, dtype=np.int64)
    raise_all(_line_errors(path, numbers, n_lines, text_where))
    order = np.argsort(numbers, kind="stable")
    return contiguous_documents(str(path), [doc_ids[i] for i in order.tolist()])


def _line_errors(path: Path, numbers: Ints, n_lines: int, text: str) -> list[ClirbenchError]:
    inside = numbers[(numbers >= 1) & (numbers <= n_lines)]
    counts = np.bincount(inside, minlength=n_lines + 1)[1:]
    wrong = [
        (f"misses lines of {text} ({n_lines} lines)", np.flatnonzero(counts == 0) + 1, ""),
        ("repeats lines", np.flatnonzero(counts > 1) + 1, "; a line belongs to one document"),
        (f"names lines that {text} ({n_lines} lines) does not have", np.setdiff1d(numbers, inside), ""),
    ]
    return [AlignmentError(f"{path}: {what}: {first_ten(lines)}{why}") for what, lines, why in wrong if len(lines)]


def check_doc_id(where: str, doc_id: str) -> None:
    """Raise `InputError` for an id that is empty, holds white space or a control character, or is too long."""
    if len(doc_id.split()) != 1 or doc_id.strip() != doc_id:
        raise InputError(f"{where}: doc_id {doc_id!r} is empty or holds white space, run files cannot")
    check_name(where, "document", doc_id)


def contiguous_documents(where: str, doc_ids: Sequence[str]) -> DocumentMap:
    """Runs of equal ids, in line order, are the documents; raises `AlignmentError` for an id that comes back later."""
    lengths: dict[str, int] = {}
    again: dict[str, int] = {}
    previous: str | None = None
    for line, doc_id in enumerate(doc_ids, start=1):
        if doc_id != previous and doc_id in lengths:
            again.setdefault(doc_id, line)
        lengths[doc_id] = lengths.get(doc_id, 0) + 1
        previous = doc_id
    if again:
        back = first_ten([f"{doc_id} comes back on line {line}" for doc_id, line in again.items()])
        raise AlignmentError(f"{where}: the lines of a document must be contiguous: {back}")
    return DocumentMap(tuple(lengths), np.fromiter(lengths.values(), dtype=np.int64, count=len(lengths)))
