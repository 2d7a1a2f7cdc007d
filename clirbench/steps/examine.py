"""Whether a system's text is what it seems to be."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clirbench.corpora.alignment import first_ten
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.files.lines import held_text
from clirbench.later import load_value
from clirbench.systems.health import MANY_BLANK, Health, Reference, examine_text, listed_without_file
from clirbench.text import Text, lookalike_names
from clirbench.types import Failure, Ints, Translation


@dataclass(frozen=True)
class Examine:
    """One system's text -> the numbers of its `Health`: kept, so that a rerun need not read the texts again."""

    english: Text
    n_lines: int

    @cached_property
    def reference(self) -> Reference:
        return Reference(self.english, self.n_lines)

    def cost(self, text: Text) -> float:
        return text.size

    def __call__(self, text: Text) -> Ints:
        found = examine_text(text, self.reference)
        off, line = found.slip or (0, 0)
        return np.array(
            [found.n_lines, found.n_blank, found.n_crlf, found.bom, off, line, found.n_bytes, found.n_marked],
            dtype=np.int64,
        )


@dataclass(frozen=True)
class FileHealth:
    """What is strange about one text of a system: a row of health.tsv; None where lines have ids of their own.

    `off_by`: from line `from_line` on it fits the reference better this number of lines later (earlier if negative).
    `same_text_as`, `looks_like`: other systems with the same bytes, or a name that the eye takes for this one.
    `side` is `no file` for a system that systems.tsv alone knows.
    """

    system: str
    side: str
    lines: int | None = None
    blank_share: float | None = None
    crlf_lines: int | None = None
    bom: int | None = None
    off_by: int | None = None
    from_line: int | None = None
    same_text_as: str = ""
    looks_like: str = ""

    @property
    def strange(self) -> bool:
        """Whether a reader must look at it."""
        odd = (self.crlf_lines, self.bom, self.off_by, self.same_text_as, self.looks_like, self.side == "no file")
        return any(odd) or (self.blank_share or 0) > MANY_BLANK


def health(
    corpus: Corpus, translations: Sequence[Translation], pmap: Callable[..., Iterator[Any]]
) -> tuple[list[FileHealth], list[str]]:
    """A row for each text of a system, and notes on what is strange.

    Of files of documents, which have ids, only copies are found. Texts that are made here, by a translator or a
    simulation, are not examined.
    """
    sides = {
        "collection": Examine(corpus.english.text, corpus.english.map.n_lines),
        "test": Examine(held_text(corpus.test.references[0]), len(corpus.test)),
    }
    rows: list[FileHealth] = []
    notes: list[str] = []
    notes += _reference_notes(corpus, pmap)
    resembling = {name: group for group in lookalike_names(t.system for t in translations) for name in group}
    for side, step in sides.items():
        texts = {t.system: text for t in translations if (text := side_of(t, side)) is not None and text.files}
        compared = side == "test" or corpus.has_english
        lines = {s: text for s, text in texts.items() if compared and not isinstance(text, JsonlText)}
        found = dict(zip(lines, pmap(step, list(lines.values()), tuple(lines)), strict=True))
        copies: dict[str, list[str]] = {}
        for system, text in texts.items():
            copies.setdefault(text.fingerprint, []).append(system)
        for system, text in texts.items():
            same = [name for name in copies[text.fingerprint] if name != system]
            looks = [name for name in resembling.get(system, ()) if name != system]
            row = FileHealth(system, side, same_text_as=first_ten(same), looks_like=first_ten(looks))
            value = found.get(system)
            if value is not None and not isinstance(value, Failure):
                seen = _health_of(value)
                notes += [f"{text.where}: {complaint}" for complaint in seen.complaints(text.size)]
                off, line = seen.slip or (0, None)
                share = seen.n_blank / max(seen.n_lines, 1)
                row = replace(row, lines=seen.n_lines, blank_share=share, crlf_lines=seen.n_crlf, bom=int(seen.bom))
                row = replace(row, off_by=off, from_line=line)
            rows.append(row)
        for systems in copies.values():
            if len(systems) > 1:
                notes.append(f"systems whose {side} texts are the same, byte for byte: {', '.join(systems)}")
    for path, missing in listed_without_file(corpus):
        rows += [FileHealth(system, "no file") for system in missing]
        notes.append(f"{path}: systems without a file: {first_ten(missing)}")
    return rows, notes


def _reference_notes(corpus: Corpus, pmap: Callable[..., Iterator[Any]]) -> Iterator[str]:
    """What is strange about the texts that systems are compared with, each once."""
    numbered = enumerate(corpus.test.references, 1)
    named = [(f"reference {number} of the test set", held_text(lines)) for number, lines in numbered]
    if corpus.has_english and not isinstance(corpus.english.text, JsonlText):
        named.append((corpus.english.text.where, corpus.english.text))
    for name, text in {text.fingerprint: (name, text) for name, text in named}.values():
        for value in pmap(Examine(text, 0), [text], (name,)):
            if not isinstance(value, Failure):
                yield from (f"{name}: {complaint}" for complaint in _health_of(value).complaints())


def _health_of(value: Any) -> Health:
    """What `Examine` keeps as numbers."""
    n_lines, n_blank, n_crlf, bom, off, line, n_bytes, n_marked = load_value(value).tolist()
    return Health(n_lines, n_blank, n_crlf, bool(bom), (off, line) if line else None, n_bytes, n_marked)


def side_of(translation: Translation, side: str) -> Text | None:
    """A system's text of one side; a text that is both counts as the collection's."""
    if side == "collection":
        return translation.collection
    return None if translation.test == translation.collection else translation.test
