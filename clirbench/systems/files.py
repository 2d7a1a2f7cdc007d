"""`systems=files`: one file for each MT system, as the layout of the corpus lists them.

`systems=demo`: the demo's systems, which ship with the package.
"""

import gzip
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import ClassVar

from clirbench.checks import name_list, whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.layout import Layout
from clirbench.corpora.manifest import FOLDER
from clirbench.corpora.sides import first_ten, survey, unequal_lines_error
from clirbench.errors import AlignmentError, ClirbenchError, InputError, UnknownName, gathered, raise_all
from clirbench.systems.base import MOST_EMPTY
from clirbench.systems.metadata import read_metadata
from clirbench.text import BLOCK, Text, TextFile, TextLines, open_binary
from clirbench.types import Translation

UNFINISHED = ("error", "skip")
ENDLESS = 60.0
"""Seconds without a change after which a last line without a newline counts as written: some writers end so."""


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
        errors: list[ClirbenchError] = []
        names: list[str] = []
        with gathered(errors):
            names = included(sorted({*test.systems, *searched.systems}), self.include, self.exclude)
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


def included(names: Sequence[str], include: str | Sequence[str], exclude: str | Sequence[str]) -> list[str]:
    """The names that `include` and `exclude` leave; raises for a pattern that matches no name, and where none is."""
    wanted, unwanted = name_list("systems.include", include), name_list("systems.exclude", exclude)
    raise_all(
        [
            UnknownName("system", pattern, names)
            for pattern in (*wanted, *unwanted)
            if not any(fnmatchcase(name, pattern) for name in names)
        ]
    )

    def fits(name: str, patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    kept = [name for name in names if fits(name, wanted) and not fits(name, unwanted)]
    if not kept:
        raise InputError(f"systems.include and systems.exclude leave none of {first_ten(names)}")
    return kept


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


def check_settings(unfinished: str, quiet: int) -> None:
    """Raise `UnknownName`, `ConfigError` for what `systems.unfinished` and `systems.quiet` cannot be."""
    if unfinished not in UNFINISHED:
        raise UnknownName("systems.unfinished", unfinished, UNFINISHED)
    whole_number("systems.quiet", quiet, 0)


def without_unfinished(corpus: Corpus, systems: Iterable[Translation], quiet: float) -> tuple[Translation, ...]:
    """The systems; one with a file that is short, or was touched within `quiet` seconds, has no texts but a reason."""
    english = corpus.english.map

    def reason(translation: Translation) -> str:
        for text, n_lines in ((translation.collection, english.n_lines), (translation.test, len(corpus.test))):
            lines = len(english.doc_ids) if isinstance(text, JsonlText) else n_lines
            found = "" if text is None else unfinished_reason(text, lines, quiet)
            if found:
                return f"{text.where}: {found}" if text is not None else found
        return ""

    return tuple(as_pending(t, why) if not t.pending and (why := reason(t)) else t for t in systems)


def as_pending(translation: Translation, why: str) -> Translation:
    """The system without its texts, and why they cannot be read yet."""
    return replace(translation, test=None, collection=None, pending=why)


def unfinished_reason(text: Text, n_lines: int, quiet: float) -> str:
    """Why a text of `n_lines` lines cannot be read yet; empty where its files are finished or it has none.

    The files are checked outside of the run's snapshot: what grows later is no change of what was read.
    """
    for path in text.files:
        try:
            age = abs(time.time() - path.stat().st_mtime)  # a clock of another machine may be ahead
            found, ends = _counted(path)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return "a gzip file that has no end yet"
        except FileNotFoundError:
            return "gone"
        except (OSError, InputError):
            return ""  # whoever reads it says what is wrong
        if age < quiet:
            return "touched just now"
        if found < n_lines:
            return f"{found:,} of {n_lines:,} lines"
        if not ends and age < max(quiet, ENDLESS):
            return "its last line has no end yet"
    return ""


def recent_change_note(paths: Iterable[Path], quiet: float) -> str:
    """`touched just now` where one of the paths, or a file in it, was changed within `quiet` seconds."""
    ages = [abs(time.time() - file.stat().st_mtime) for path in paths for file in _below(path) if file.exists()]
    return "touched just now" if ages and min(ages) < quiet else ""


def _below(path: Path) -> Iterator[Path]:
    yield path
    yield from path.rglob("*") if path.is_dir() else ()


def _counted(path: Path) -> tuple[int, bool]:
    """How many lines a file has, and whether the last one is ended."""
    count, last = 0, b"\n"
    with open_binary(path) as stream:
        while piece := stream.read(BLOCK):
            count, last = count + piece.count(b"\n"), piece[-1:]
    return count + (last != b"\n"), last == b"\n"


@dataclass(frozen=True)
class DemoSystems:
    """Eight kinds of system in two doses of their errors; clirbench/data/demo/README.md says how they were made."""

    made_from_reference: ClassVar[bool] = True

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """Sixteen translations with the metadata `family` and `dose`, the best first in each family."""
        described = read_metadata(FOLDER / "systems.tsv")
        texts = {name: TextLines(TextFile(FOLDER / "systems" / f"{name}.txt").lines()) for name in described}
        return [Translation(name, text, text, described[name]) for name, text in texts.items()]
