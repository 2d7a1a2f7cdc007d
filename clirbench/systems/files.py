"""Systems that are files: which take part, and whether they are whole and aligned (`systems=files`, `systems=demo`)."""

import gzip
import re
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import ClassVar

from clirbench.checks import name_list, one_of, whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.manifest import FOLDER
from clirbench.corpora.sides import first_ten, survey, unequal_lines_error
from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, UnknownName, gathered, raise_all
from clirbench.files.kinds import kind_of, refuse
from clirbench.systems.base import MOST_EMPTY
from clirbench.systems.metadata import read_metadata
from clirbench.text import BLOCK, Text, TextFile, TextLines, near_path, open_binary
from clirbench.types import Translation

ENDLESS = 60.0
"""Seconds without a change after which a last line without a newline counts as written: some writers end so."""


@dataclass(frozen=True)
class FileSystems:
    """Systems whose translations are files; the same names on both sides of the corpus.

    `include` and `exclude` are glob patterns of system names (`*` matches anything); `metadata` is a table with
    further columns, in the place of the folder's systems.tsv. Line counts of every file are checked, without loading
    it. `unfinished="skip"`: a system is pending whose file is short, touched within `quiet` seconds or one-sided.

    **Raises** `ConfigError`; `translations`: `InputError` for no systems or a system missing on one side,
    `AlignmentError` for line counts, `UnknownName` for a pattern that matches nothing; all at once as `Problems`.
    """

    include: str | Sequence[str] = ("*",)
    exclude: str | Sequence[str] = ()
    metadata: str | None = None
    unfinished: str = "error"
    quiet: int = 5

    def __post_init__(self) -> None:
        one_of("systems.unfinished", self.unfinished, ("error", "skip"))
        whole_number("systems.quiet", self.quiet, 0)

    def included(self, names: Sequence[str]) -> list[str]:
        """The names that take part; raises for a pattern that matches no name, and where none is left."""
        wanted, unwanted = name_list("systems.include", self.include), name_list("systems.exclude", self.exclude)
        hits = {p: {name for name in names if fnmatchcase(name, p)} for p in (*wanted, *unwanted)}
        raise_all([_unmatched(pattern, names) for pattern, found in hits.items() if not found])
        taken = set[str]().union(*map(hits.__getitem__, wanted)).difference(*map(hits.__getitem__, unwanted))
        if not taken:
            raise InputError(f"systems.include and systems.exclude leave none of {first_ten(names)}")
        return [name for name in names if name in taken]

    def sided(
        self,
        corpus: Corpus,
        names: Sequence[str],
        sides: Sequence[tuple[str, Mapping[str, Text]]],
        described: Mapping[str, Mapping[str, str]],
    ) -> tuple[Translation, ...]:
        """The systems with their texts, checked; those that are still written are pending, mostly empty ones left out.

        sides: of the searched side, and of the test set where that is another, what to call it in a message, and the
        texts by system.
        """
        missing = {where: [name for name in names if name not in texts] for where, texts in sides}
        if self.unfinished == "error" and any(missing.values()):
            (one, tests), (other, ours) = missing.items()
            if ours and tests and len(ours) + len(tests) == len(names):
                alike = f"none of {first_ten(ours)}, which {one} has, but {first_ten(tests)}; name the files alike"
                raise InputError(f"{other} has systems of other names: {alike}")
            said = "{}: no file of {}, which the other side has; add it, or type 'systems.exclude=[{}]'"
            lacking = [(where, first_ten(of), ",".join(of)) for where, of in missing.items() if of]
            raise_all([InputError(said.format(*of)) for of in lacking])
        searched, tested = sides[0][1], sides[-1][1] if corpus.test else {}
        errors: list[ClirbenchError] = []
        found: list[Translation] = []
        for name in names:
            system = Translation(name, tested.get(name), searched.get(name), described.get(name, {}))
            one_sided = any(name in lacking for lacking in missing.values())
            if why := "one of its two sides is not there yet" if one_sided else self._unfinished(corpus, system):
                found.append(Translation(name, None, None, system.metadata, why))
            else:
                found.append(replace(system, left_out=misaligned(corpus, system, errors)))
        side = corpus.english
        unequal = errors and all(isinstance(error, AlignmentError) for error in errors)
        lengths = {survey(one.collection).n_lines for one in found if unequal and one.collection is not None}
        if len(found) > 1 and len(lengths) == 1 and lengths != {side.map.n_lines}:
            all_of_them, cure = f"each of the {len(found)} systems", "; mend the former"
            raise unequal_lines_error(side.text.where, side.map.n_lines, all_of_them, lengths.pop(), cure)
        raise_all(errors)
        return tuple(found)

    def _unfinished(self, corpus: Corpus, system: Translation) -> str:
        english = corpus.english.map
        if self.unfinished == "error":
            return ""
        for text, n_lines in ((system.collection, english.n_lines), (system.test, len(corpus.test))):
            lines = len(english) if isinstance(text, JsonlText) else n_lines
            if text is not None and (why := unfinished_reason(text, lines, self.quiet)):
                return f"{text.where}: {why}"
        return ""

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        test, searched = corpus.test_layout, corpus.collection_layout
        if searched is None or (test is None and corpus.test):
            raise InputError("systems=files: this corpus has no files of systems; choose another systems=")
        layouts = list(dict.fromkeys([searched, test or searched]))
        if not any(layout.systems for layout in layouts):
            root = Path(searched.where) / "systems"
            root = root if root.is_dir() else near_path(root)
            others = [path for path in (*sorted(root.glob("*/*.*")), *sorted(root.glob("*"))) if path.is_file()]
            like = [root / f"%system%{one.suffix if one.parent == root else f'/{one.name}'}" for one in others[:1]]
            which = f"for {others[0]} and its like" if others else "for files elsewhere"
            hint = f"; {which}: systems=pattern systems.pattern={next(iter(like), 'DIR/%system%.txt')}"
            raise InputError(f"{searched.where}: no systems: there is no systems/NAME.txt or systems/NAME.txt.gz{hint}")
        errors: list[ClirbenchError] = []
        names: list[str] = []
        sides: list[tuple[str, Mapping[str, Text]]] = []
        metadata: Mapping[str, Mapping[str, str]] = {}
        with gathered(errors):
            names = self.included(sorted({name for layout in layouts for name in layout.systems}))
        for layout in layouts:
            with gathered(errors):
                there = [name for name in names if name in layout.systems]
                texts = layout.texts([layout.systems[name] for name in there])
                key = "test_folder=" if sides and Path(layout.where).is_dir() else ""
                sides.append((key + layout.where, dict(zip(there, texts, strict=True))))
        with gathered(errors):
            named = [Path(self.metadata).expanduser()] if self.metadata else []
            for table in (named or [path for layout in layouts if (path := layout.single("systems.tsv"))])[:1]:
                metadata = read_metadata(table)
        raise_all(errors)
        return self.sided(corpus, names, sides, metadata)


def _unmatched(pattern: str, names: Sequence[str]) -> ConfigError:
    """The error for a pattern that matches no system: the list, or the pattern, that it may stand for."""
    begun = [name for name in names if name.lower().startswith(pattern.lower())]
    listed = re.split("[ ,;]+", pattern)
    if len(listed) > 1 and {*listed} <= {*names}:
        return ConfigError(f"no system is called {pattern!r}; a list of names is '[{','.join(listed)}]'")
    if begun:
        return ConfigError(f"no system is called {pattern!r}; '{begun[0][: len(pattern)]}*' is {first_ten(begun)}")
    return UnknownName("system", pattern, names)


def misaligned(corpus: Corpus, system: Translation, errors: list[ClirbenchError]) -> str:
    """Append an error for each text that has not as many lines (or not the documents) as its side.

    Why the system is left out: of a text more than `MOST_EMPTY` is empty where the English side has text; else "".
    """
    english, left_out = corpus.english, ""
    n_lines, n_test = english.map.n_lines, len(corpus.test)
    where = f"{corpus.test_layout.where} (its reference)" if corpus.test_layout else "the reference"
    sides: list[tuple[Text | None, str, int, Text | None]]
    sides = [(system.collection, english.text.where, n_lines, english.text)]
    if system.test != system.collection or n_test != n_lines:
        sides.append((system.test, where, n_test, None))
    for text, where, expected, side in sides:
        if text is None:
            continue
        with gathered(errors):
            found = survey(text)
            if found.n_lines != expected:
                if "log" in map(kind_of, text.files):
                    refuse(text.files[0], "text")
                cure = f"; mend it, or leave it out: 'systems.exclude=[{system.system}]'"
                raise unequal_lines_error(text.where, found.n_lines, where, expected, cure)
            ids = text.doc_ids() if side and isinstance(text, JsonlText) else []
            for number, (ours, theirs) in enumerate(zip(english.map.doc_ids, ids, strict=False), start=1):
                if ours != theirs:
                    said = f"{text.where}: document {number} is {theirs!r}, the reference side has {ours!r} there;"
                    raise AlignmentError(f"{said} the same documents in the same order were expected")
            if found.n_empty > MOST_EMPTY * found.n_lines:
                blank = survey(side).n_empty if side is not None else 0
                if found.n_empty - blank > MOST_EMPTY * (found.n_lines - blank):
                    left_out = f"{found.n_empty} of {found.n_lines} lines are empty"
    return left_out


def unfinished_reason(text: Text, n_lines: int, quiet: float) -> str:
    """Why a text of `n_lines` lines cannot be read yet; empty where its files are finished or it has none.

    The files are checked outside of the run's snapshot: what grows later is no change of what was read.
    """
    for path in text.files:
        count, last = 0, b"\n"
        try:
            age = abs(time.time() - path.stat().st_mtime)  # a clock of another machine may be ahead
            with open_binary(path) as stream:
                while piece := stream.read(BLOCK):
                    count, last = count + piece.count(b"\n"), piece[-1:]
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return "a gzip file that has no end yet"
        except FileNotFoundError:
            return "gone"
        except (OSError, InputError):
            return ""  # whoever reads it says what is wrong
        if age < quiet:
            return "touched just now"
        lines = count + (last != b"\n")
        if lines < n_lines:
            return f"{lines:,} of {n_lines:,} lines"
        if last != b"\n" and age < max(quiet, ENDLESS):
            return "its last line has no end yet"
    return ""


@dataclass(frozen=True)
class DemoSystems:
    """Eight kinds of system in two doses of their errors; clirbench/data/demo/README.md says how they were made."""

    made_from_reference: ClassVar[bool] = True

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """Sixteen translations with the metadata `family` and `dose`, the best first in each family."""
        described = read_metadata(FOLDER / "systems.tsv")
        texts = {name: TextLines(TextFile(FOLDER / "systems" / f"{name}.txt").lines()) for name in described}
        return [Translation(name, text, text, described[name]) for name, text in texts.items()]
