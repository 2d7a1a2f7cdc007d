"""The two sides of a corpus read from a layout: the MT test set, and the English side that is searched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clirbench.corpora.alignment import (
    Survey,
    contiguous_documents,
    first_ten,
    read_document_map,
    survey,
    unequal_lines_error,
)  # fmt: skip
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.layout import Layout, chosen_references, crossed_references
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.files.lines import Lines
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, TestSet


@dataclass(frozen=True)
class SideSettings:
    """How the two sides are read: which references, how many lines a document has where no docs.tsv says it.

    `references` are those of `chosen_references`; `read_corpus` also takes those of `crossed_references`.
    """

    references: str | Sequence[str] = "first"
    documents_size: int = 1
    read_source: bool = True


@dataclass(frozen=True)
class SideTexts:
    """The texts of both sides before they are read: the source side, and the references that are searched or score.

    `where`: the folder, whose name may tell the languages.
    """

    where: str
    source: Text | None
    target: tuple[Text, ...]


def side_texts(test: Layout, searched: Layout, choice: SideSettings) -> SideTexts:
    """What tells the languages of a corpus; raises as `chosen_references` does."""
    choice, scoring, _ = _ways(searched, choice)
    files = [(searched, english_name(searched, choice)), (test, chosen_references(test, scoring.references)[0])]
    texts = dict.fromkeys(layout.text(layout.references[name]) for layout, name in files)
    return SideTexts(searched.where, searched.source or test.source, tuple(texts))


def _ways(searched: Layout, choice: SideSettings) -> tuple[SideSettings, SideSettings, tuple[str, str] | None]:
    """The side that is searched, that which scores, and the two references where these are crossed."""
    crossed = crossed_references(searched, choice.references)
    if crossed is None:
        return choice, choice, None
    return replace(choice, references=crossed[0]), replace(choice, references=crossed[1]), crossed


def read_corpus(test: Layout, searched: Layout, choice: SideSettings, collection: str = "") -> Corpus:
    """Both sides, read and aligned; raises everything that is wrong with either at once."""
    choice, scoring, crossed = _ways(searched, choice)
    if crossed and test is not searched:
        raise ConfigError("references=cross: the test set and the collection are one folder; leave out the other")
    errors: list[ClirbenchError] = []
    test_sets: list[TestSet] = []
    english: list[tuple[Documents, Survey]] = []
    with gathered(errors):
        test_sets.append(read_test_set(test, scoring))
    for error in errors:
        error.__traceback__ = None  # it holds the lines of the test set, which may be many
    with gathered(errors):
        english.append(read_english(searched, choice))
    if errors:
        for layout in dict.fromkeys([test, searched]):
            errors += misaligned_systems(layout, choice)
    raise_all(errors)
    documents, found = english[0]
    named = f"reference {crossed[0]} is searched, metrics score against reference {crossed[1]}" if crossed else ""
    return Corpus(
        test=test_sets[0],
        english=documents,
        source=searched.source if choice.read_source else None,
        collection=collection,
        test_layout=test,
        collection_layout=searched,
        crossed=crossed,
        notes=tuple(filter(None, (named, *_notes(test, searched, documents, found)))),
    )


def misaligned_systems(layout: Layout, choice: SideSettings) -> list[ClirbenchError]:
    """What is wrong with the systems' files where the reference is refused too, so that one message has all of it."""
    errors: list[ClirbenchError] = []
    with gathered(errors):
        reference = layout.text(layout.references[english_name(layout, choice)])
        expected = survey(reference).n_lines
        for text in layout.texts(list(layout.systems.values())) if expected else ():
            with gathered(errors):
                found = survey(text).n_lines
                if found != expected:
                    errors.append(unequal_lines_error(text.where, found, reference.where, expected))
    return errors


def read_test_set(layout: Layout, choice: SideSettings) -> TestSet:
    """References (and the source, where there is one), read once.

    Raises `AlignmentError` where line counts differ, `InputError` for an empty line in a reference (the first ten
    are listed): a metric would score it as if nothing should have been written.
    """
    names = chosen_references(layout, choice.references)
    files = [layout.references[name] for name in names]
    if choice.read_source and "source.txt" in layout.singles:
        files.append(layout.singles["source.txt"])
    errors: list[ClirbenchError] = []
    read: list[Lines] = []
    texts = layout.texts(files)
    for text in texts:
        with gathered(errors):
            read.append(Lines.of(text))
    raise_all(errors)
    for number, (text, lines) in enumerate(zip(texts, read, strict=True)):
        reference = number < len(names)
        if reference and not lines:
            raise InputError(f"{text.where}: has no lines")
        if len(lines) != len(read[0]):
            errors.append(unequal_lines_error(text.where, len(lines), texts[0].where, len(read[0])))
        empty = np.flatnonzero(np.fromiter((not line.strip() for line in (lines if reference else ())), dtype=bool))
        if len(empty):
            errors.append(
                InputError(f"{text.where}: empty lines in an MT reference: {first_ten(empty + 1)}; fill or remove them")
            )
    raise_all(errors)
    return TestSet(tuple(read[: len(names)]), read[-1] if len(read) > len(names) else None)


def read_english(layout: Layout, choice: SideSettings) -> tuple[Documents, Survey]:
    """The searched side, which is counted but never held in memory, and what the counting found."""
    text = layout.text(layout.references[english_name(layout, choice)])
    found = survey(text)
    if not found.n_lines:
        raise InputError(f"{text.where}: has no lines")
    errors: list[ClirbenchError] = []
    with gathered(errors):
        source = layout.source if choice.read_source else None
        if source is not None and (lines := survey(source).n_lines) != found.n_lines:
            errors.append(unequal_lines_error(source.where, lines, text.where, found.n_lines))
    with gathered(errors):
        map_ = document_map(layout, text, found.n_lines, choice.documents_size)
    raise_all(errors)
    return Documents(text, map_), found


def english_name(layout: Layout, choice: SideSettings) -> str:
    """Which reference is searched: the first chosen, or the only one where the collection does not have that name."""
    if len(layout.references) == 1 and choice.references != "all":
        return next(iter(layout.references))
    return chosen_references(layout, choice.references)[0]


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
    if path is not None:
        return read_document_map(path, n_lines, text.where)
    return DocumentMap.blocks_of(n_lines, size)


def _notes(test: Layout, searched: Layout, documents: Documents, found: Survey) -> Iterator[str]:
    if found.n_empty:
        empty = f"{found.n_empty} of {found.n_lines} lines are empty (they are searched as such)"
        yield f"{documents.text.where}: {empty}"
    for layout in dict.fromkeys([test, searched]):
        if strange := [name for name in layout.ignored if name.startswith("systems/")]:
            yield f"{layout.where}: no .txt, .txt.gz or .jsonl, left out: {first_ten(strange)}"
