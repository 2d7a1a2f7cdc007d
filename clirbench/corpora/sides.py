"""The two sides of a corpus read from a layout: the MT test set, and the English side that is searched.

Alignment is checked, never assumed: how many lines a text has, and which lines make which document.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clirbench.checks import name_list
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.layout import Layout, chosen_references, crossed_references
from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.files.lines import Lines, line_ends, n_blank
from clirbench.files.tables import require_columns, table_rows
from clirbench.pages import many
from clirbench.text import Text, check_name, to_new_file
from clirbench.types import DocumentMap, Documents, Ints, TestSet

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


def unequal_lines_error(where: str, found: int, expected_where: str, expected: int, cure: str = "") -> AlignmentError:
    """The error for two texts that must have the same number of lines; `cure`: what to do, if it is known."""
    ends = ", and lines end at '\\n' alone" if found and Path(where).exists() else ""
    said = f"{where} has {many(found, 'line')}, {expected_where} has {expected}; both must have one segment a line"
    header = f"; if its line 1 is a header, type {to_new_file('sed 1d', where)}, and put new.txt in its place"
    return AlignmentError(f"{said}{ends}{header if ends and found == expected + 1 else ''}{cure}")


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
    require_columns(str(path), ("line", "doc_id"), header)
    found: list[int] = []
    doc_ids: list[str] = []
    for number, cells in rows:
        doc_id, cell = cells[header.index("doc_id")], cells[header.index("line")]
        if not (cell.isascii() and cell.isdigit()) or len(cell) > 18:
            raise InputError(f"{path}: line {number}: {cell!r} is not a line number")
        check_doc_id(f"{path}: line {number}", doc_id)
        found.append(int(cell))
        doc_ids.append(doc_id)
    numbers, every = np.array(found, dtype=np.int64), np.arange(1, n_lines + 1)
    wrong = {
        "misses": np.setdiff1d(every, numbers),
        "repeats": np.sort(numbers)[1:][np.diff(np.sort(numbers)) == 0],
        "names beyond the text": np.setdiff1d(numbers, every),
    }
    if told := [f"{what} {first_ten(lines)}" for what, lines in wrong.items() if len(lines)]:
        said = f"{path}: each of the {n_lines} lines of {text_where} must be listed once;"
        raise AlignmentError(f"{said} it {', '.join(told)}")
    return contiguous_documents(str(path), [doc_ids[i] for i in np.argsort(numbers).tolist()])


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


@dataclass(frozen=True)
class SideTexts:
    """The texts of both sides before they are read: the source side, and the references that are searched or score.

    `where`: the folder, whose name may tell the languages.
    """

    where: str
    source: Text | None
    target: tuple[Text, ...]


def side_texts(test: Layout, searched: Layout, references: str | Sequence[str]) -> SideTexts:
    """What tells the languages of a corpus; raises as `chosen_references` does."""
    english, scoring = crossed_references(searched, references) or (references, references)
    files = [(searched, english_name(searched, english)), (test, chosen_references(test, scoring)[0])]
    texts = dict.fromkeys(layout.text(layout.references[name]) for layout, name in files)
    return SideTexts(searched.where, searched.source or test.source, tuple(texts))


def read_corpus(
    test: Layout,
    searched: Layout,
    references: str | Sequence[str],
    collection: str = "",
    documents_size: int = 1,
    read_source: bool = True,
) -> Corpus:
    """Both sides, read and aligned; raises everything that is wrong with either at once.

    `references` are those of `chosen_references` or `crossed_references`; `documents_size`: the lines of a document
    where no docs.tsv says it.
    """
    crossed = crossed_references(searched, references)
    english, scoring = crossed or (references, references)
    if crossed and test is not searched:
        raise ConfigError("references=cross: the test set and the collection are one folder; leave out the other")
    errors: list[ClirbenchError] = []
    with gathered(errors):
        test_set = read_test_set(test, scoring, read_source)
    with gathered(errors):
        documents, found = read_english(searched, english, documents_size, read_source)
    raise_all(errors)
    every = (english_name(searched, english), *name_list("references", references), *sorted(searched.references))
    named = f"reference {crossed[0]} is searched, metrics score against reference {crossed[1]}" if crossed else ""
    empty = f"{documents.text.where}: {found.n_empty} of {found.n_lines} lines are empty (they are searched as such)"
    return Corpus(
        test=test_set,
        english=documents,
        source=searched.source if read_source else None,
        collection=collection,
        test_layout=test,
        collection_layout=searched,
        crossed=crossed,
        references={name: searched.text(held[name]) for name in every if name in (held := searched.references)},
        notes=tuple(filter(None, (named, empty if found.n_empty else ""))),
    )


def read_test_set(layout: Layout, references: str | Sequence[str], read_source: bool = True) -> TestSet:
    """References (and the source, where there is one), read once.

    Raises `AlignmentError` where line counts differ, `InputError` for an empty line in a reference (the first ten
    are listed): a metric would score it as if nothing should have been written.
    """
    files = [layout.references[name] for name in chosen_references(layout, references)]
    n = len(files)
    if read_source and "source.txt" in layout.singles:
        files.append(layout.singles["source.txt"])
    errors: list[ClirbenchError] = []
    read: list[Lines] = []
    texts = layout.texts(files)
    for text in texts:
        with gathered(errors):
            read.append(Lines.of(text))
    raise_all(errors)
    for number, lines in enumerate(read):
        if number < n and not lines:
            raise InputError(f"{lines.where}: has no lines")
        if len(lines) != len(read[0]):
            errors.append(unequal_lines_error(lines.where, len(lines), read[0].where, len(read[0])))
        if empty := [at for at, line in enumerate(lines if number < n else (), start=1) if not line.strip()]:
            said = f"empty lines in an MT reference: {first_ten(empty)}; fill or remove them"
            errors.append(InputError(f"{lines.where}: {said}"))
    raise_all(errors)
    return TestSet(tuple(read[:n]), read[n] if len(read) > n else None)


def read_english(
    layout: Layout, references: str | Sequence[str], documents_size: int, read_source: bool
) -> tuple[Documents, Survey]:
    """The searched side, which is counted but never held in memory, and what the counting found."""
    text = layout.text(layout.references[english_name(layout, references)])
    found = survey(text)
    if not found.n_lines:
        raise InputError(f"{text.where}: has no lines")
    errors: list[ClirbenchError] = []
    with gathered(errors):
        source = layout.source if read_source else None
        if source is not None and (lines := survey(source).n_lines) != found.n_lines:
            errors.append(unequal_lines_error(source.where, lines, text.where, found.n_lines))
    with gathered(errors):
        map_ = document_map(layout, text, found.n_lines, documents_size)
    raise_all(errors)
    return Documents(text, map_), found


def english_name(layout: Layout, references: str | Sequence[str]) -> str:
    """Which reference is searched: the first chosen, or the only one where the collection does not have that name."""
    if len(layout.references) == 1 and references != "all":
        return next(iter(layout.references))
    return chosen_references(layout, references)[0]


def document_map(layout: Layout, text: Text, n_lines: int, size: int) -> DocumentMap:
    """From the JSON-lines file itself, else from docs.tsv, else `size` lines are one document."""
    if isinstance(text, JsonlText):
        ids = text.doc_ids()
        return DocumentMap(ids, np.ones(len(ids), dtype=np.int64))
    if layout.doc_ids is not None:
        where, lines = layout.doc_ids
        if len(lines) != n_lines:
            raise unequal_lines_error(where, len(lines), text.where, n_lines)
        return contiguous_documents(where, lines)
    path = layout.single("docs.tsv")
    return read_document_map(path, n_lines, text.where) if path is not None else DocumentMap.blocks_of(n_lines, size)
