"""`systems=files`: one file for each MT system, as the layout of the corpus lists them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from clirbench.checks import name_list
from clirbench.corpora.alignment import first_ten, survey, unequal_lines_error
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.layout import Layout
from clirbench.errors import AlignmentError, ClirbenchError, InputError, UnknownName, gathered, raise_all
from clirbench.files.tables import read_table, system_column
from clirbench.systems.base import MOST_EMPTY
from clirbench.systems.pending import as_pending, check_settings, without_unfinished
from clirbench.text import Text
from clirbench.types import Translation


@dataclass(frozen=True)
class FileSystems:
    """Systems whose translations are files; the same names on both sides of the corpus.

    `include` and `exclude` are glob patterns of system names (`*` matches anything); `metadata` is a table that
    takes the place of the folder's systems.tsv. Line counts of every file are checked, without loading it.
    `unfinished="skip"`: a system whose file is short, touched within `quiet` seconds or on one side only is pending.

    `translations` raises `InputError` for no systems or a system missing on one side, `AlignmentError` for line
    counts, `UnknownName` for a pattern that matches nothing; all at once as `Problems`.
    """

    include: str | Sequence[str] = ("*",)
    exclude: str | Sequence[str] = ()
    metadata: str | None = None
    unfinished: str = "error"
    quiet: int = 5

    def __post_init__(self) -> None:
        check_settings(self.unfinished, self.quiet)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        test, searched = corpus.test_layout, corpus.collection_layout
        if searched is None or (test is None and corpus.test):
            raise InputError("systems=files: this corpus has no files of systems; choose another systems=")
        sided = [searched] if test is None else [searched, test]
        errors: list[ClirbenchError] = []
        names: tuple[str, ...] = ()
        with gathered(errors):
            names = self.chosen(sided[-1], searched)
        sides: list[Mapping[str, Text]] = []
        for layout in sided:
            with gathered(errors):
                there = [name for name in names if name in layout.systems]
                sides.append(dict(zip(there, layout.texts([layout.systems[name] for name in there]), strict=True)))
        described: Mapping[str, Mapping[str, str]] = {}
        with gathered(errors):
            described = self.described(sided[-1], searched)
        raise_all(errors)
        tested = {} if test is None else sides[-1]
        found = [Translation(n, tested.get(n), sides[0].get(n), described.get(n, {})) for n in names]
        if self.unfinished == "skip":
            lacking = "one of the two folders does not have it yet"
            whole = [t.collection and (t.test or test is None) for t in found]
            found = [t if ready else as_pending(t, lacking) for t, ready in zip(found, whole, strict=True)]
        return aligned(corpus, found, self.unfinished, self.quiet)

    def chosen(self, test: Layout, searched: Layout) -> tuple[str, ...]:
        """The names of the systems that take part, sorted."""
        if not searched.systems and not test.systems:
            seen = [name for name in searched.ignored if name.startswith("systems/")]
            hint = f"; files of another kind are there: {first_ten(seen)}" if seen else ""
            raise InputError(f"{searched.where}: no systems: there is no systems/NAME.txt or systems/NAME.txt.gz{hint}")
        everything = sorted({*test.systems, *searched.systems})
        errors: list[ClirbenchError] = [
            UnknownName("system", pattern, everything)
            for pattern in (*self._wanted, *self._unwanted)
            if not any(fnmatchcase(name, pattern) for name in everything)
        ]
        names = [name for name in everything if self._takes_part(name)]
        if not names and not errors:
            errors.append(InputError(f"systems.include and systems.exclude leave none of {first_ten(everything)}"))
        for layout in (searched, test) if searched is not test else ():
            missing = [name for name in names if name not in layout.systems]
            if missing and self.unfinished == "error":
                errors.append(
                    InputError(f"{layout.where}: systems of the other folder are missing: {first_ten(missing)}")
                )
        raise_all(errors)
        return tuple(names)

    def described(self, test: Layout, searched: Layout) -> Mapping[str, Mapping[str, str]]:
        """Metadata by system: of the named table, or of systems.tsv of the collection, then of the test folder."""
        paths = (
            [Path(self.metadata).expanduser()] if self.metadata else [s.single("systems.tsv") for s in (searched, test)]
        )
        return next((read_metadata(path) for path in paths if path is not None), {})

    def _takes_part(self, name: str) -> bool:
        wanted = any(fnmatchcase(name, pattern) for pattern in self._wanted)
        return wanted and not any(fnmatchcase(name, pattern) for pattern in self._unwanted)

    @property
    def _wanted(self) -> tuple[str, ...]:
        return name_list("systems.include", self.include)

    @property
    def _unwanted(self) -> tuple[str, ...]:
        return name_list("systems.exclude", self.exclude)


def aligned(
    corpus: Corpus, translations: Sequence[Translation], unfinished: str, quiet: float
) -> tuple[Translation, ...]:
    """The systems, checked against the English side; with `unfinished="skip"` those still written are pending.

    One of which a text is mostly empty has the reason in `left_out`. Raises the errors of `misaligned`.
    """
    found = tuple(translations) if unfinished == "error" else without_unfinished(corpus, translations, quiet)
    searched = {t.system: t.collection for t in found if t.collection is not None}
    empty: dict[str, str] = {}
    raise_all(misaligned(corpus, searched, {t.system: t.test for t in found if t.test is not None}, empty))
    return tuple(replace(t, left_out=empty.get(t.system, "")) for t in found)


def misaligned(
    corpus: Corpus, searched: Mapping[str, Text], test: Mapping[str, Text], empty: dict[str, str]
) -> list[ClirbenchError]:
    """An error for every file that has not as many lines (or not the documents) as its English side.

    `empty` gets each system with a text of which more than `MOST_EMPTY` is empty where the English side has text.
    """
    errors: list[ClirbenchError] = []

    def lines_of(name: str, text: Text, side: Text | None) -> int:
        seen = survey(text)
        if seen.n_empty > MOST_EMPTY * seen.n_lines:
            blank = survey(side).n_empty if side is not None else 0
            if seen.n_empty - blank > MOST_EMPTY * (seen.n_lines - blank):
                empty[name] = f"{seen.n_empty} of {seen.n_lines} lines are empty"
        return seen.n_lines

    english = corpus.english
    test_where = corpus.test_layout.where + " (its reference)" if corpus.test_layout else "the reference"
    for name, text in searched.items():
        with gathered(errors):
            ids = text.doc_ids() if isinstance(text, JsonlText) else None
            n_lines = lines_of(name, text, english.text)
            if n_lines != english.map.n_lines:
                errors.append(unequal_lines_error(text.where, n_lines, english.text.where, english.map.n_lines))
            elif ids is not None:
                errors += _other_documents(text, ids, english.map.doc_ids)
            if test.get(name) == text and english.map.n_lines != len(corpus.test):
                errors.append(unequal_lines_error(text.where, n_lines, test_where, len(corpus.test)))
    for name, text in test.items():
        if searched[name] != text:
            with gathered(errors):
                n_lines = lines_of(name, text, None)
                if n_lines != len(corpus.test):
                    errors.append(unequal_lines_error(text.where, n_lines, test_where, len(corpus.test)))
    return errors


def read_metadata(path: Path) -> Mapping[str, Mapping[str, str]]:
    """systems.tsv: a header with `system` or `name`; every further column is metadata, as text."""
    table = read_table(path)
    key = system_column(table)
    table.unique(key)
    return {row[key]: {name: cell for name, cell in row.items() if name != key} for row in table.records()}


def _other_documents(text: Text, found: Sequence[str], doc_ids: Sequence[str]) -> list[ClirbenchError]:
    for number, (ours, theirs) in enumerate(zip(doc_ids, found, strict=True), start=1):
        if ours != theirs:
            return [
                AlignmentError(
                    f"{text.where}: document {number} is {theirs!r}, the reference side has {ours!r} there; "
                    "the same documents in the same order were expected"
                )
            ]
    return []
