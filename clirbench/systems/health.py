"""Is each system's file what it seems to be? Cheap checks of what goes wrong when files are handed round.

A file that lost or gained a line is out of step from there on: its words are those of the reference one line off. A
sample of lines shows it; then the whole file is searched for the line where it begins. Texts of documents
with ids of their own cannot slip, and texts that are made by a translator here are not examined.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.sides import first_ten
from clirbench.files.lines import held_text, n_blank
from clirbench.pages import Table
from clirbench.systems.metadata import read_metadata
from clirbench.text import Text, lookalike_names
from clirbench.types import Doubles, Failure, Translation

OFFSETS = (-2, -1, 1, 2)
WINDOWS, WINDOW = 12, 20
"""How many stretches a sample has, evenly over the text, and how many lines each."""
MARGIN = 2
FEWEST = 8
"""Lines that must be out of step before it is reported."""
BETTER, CLEAR = 0.5, 5.0
"""By how much another offset must be better: the share by which lines fit better, and standard errors."""
MANY_BLANK = 0.05
UNPACKS_TO = 100
"""Times its size: text comes to 10 at most."""
TERM = re.compile(r"\w+")
MARKED = re.compile(rb"\*(?<![^ (\n]\*)[A-Za-z\x80-\xff][^\n]*")
HEALTH = "health"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Health:
    """What was found in one text. `slip`: (lines by which it is off, 1-based line where that begins).
    `n_marked`: by how many more lines than the reference has it holds a word with a star before it.
    """

    n_lines: int
    n_blank: int
    n_crlf: int
    bom: bool
    slip: tuple[int, int] | None
    n_bytes: int = 0
    n_marked: int = 0

    def complaints(self, packed: int = 0) -> Iterator[str]:
        """What a reader must know; `packed`: bytes of the file, 0 where there is none."""
        if self.slip is not None:
            off, line = self.slip
            way = f"{abs(off)} line{'s' if abs(off) > 1 else ''} {'late' if off > 0 else 'early'}"
            yield (
                f"from line {line} on it fits the reference better {way} than line by line; "
                "a line seems to be lost or doubled there"
            )
        if self.n_blank > MANY_BLANK * self.n_lines:
            yield f"{self.n_blank} of {self.n_lines} lines are blank"
        if marked := marks_note(self.n_marked, self.n_lines):
            yield marked
        if self.n_crlf:
            yield f"{self.n_crlf} of {self.n_lines} lines end in a carriage return (CRLF), which is part of their text"
        if self.bom:
            yield "begins with a byte order mark, which is part of its first word"
        if packed and self.n_bytes > UNPACKS_TO * packed:
            yield f"unpacks to {self.n_bytes // packed} times its size; is it a text?"


@dataclass(frozen=True)
class Reference:
    """The English side of a text, line by line; of a sample of its lines the terms are known."""

    text: Text
    n_lines: int

    @cached_property
    def windows(self) -> tuple[tuple[int, int], ...]:
        """The sample: where its stretches of lines begin and end."""
        size = min(WINDOW, self.n_lines)
        starts = np.unique(np.linspace(0, self.n_lines - size, WINDOWS).astype(np.int64))
        return tuple((int(start), int(start) + size) for start in starts)

    @cached_property
    def n_marked(self) -> int:
        """Lines with a word that has a star before it."""
        return sum(map(marked_lines, self.text.blocks()))

    @cached_property
    def sample(self) -> Mapping[int, frozenset[str]]:
        """The terms of the lines of the sample, and of those around it."""
        return terms_of(self.text, [(max(0, start - MARGIN), end + MARGIN) for start, end in self.windows])

    @cached_property
    def everything(self) -> Mapping[int, frozenset[str]]:
        return terms_of(self.text, [(0, self.n_lines)])


def examine_text(text: Text, reference: Reference) -> Health:
    """Read a text once, and again only where it seems to have slipped."""
    n_lines = blank = n_crlf = n_bytes = n_marked = 0
    bom = False
    sample: dict[int, frozenset[str]] = {}
    for block in text.blocks():
        bom |= not n_lines and block.startswith(BOM)
        n_bytes += len(block)
        n_crlf += block.count(b"\r\n")
        n_marked += marked_lines(block)
        ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
        blank += n_blank(block, ends)
        sample.update((n, terms(line)) for n, line in _within(block, n_lines, len(ends), reference.windows))
        n_lines += len(ends)
    slip = None
    if n_lines == reference.n_lines and find_slip(sample, reference.sample) is not None:
        slip = find_slip(terms_of(text, [(0, n_lines)]), reference.everything)
    more = max(0, n_marked - reference.n_marked) if n_marked > MANY_BLANK * n_lines else 0
    return Health(n_lines, blank, n_crlf, bom, slip, n_bytes, more)


def marked_lines(block: bytes) -> int:
    """Lines with a word that has a star before it, as Apertium marks words that it does not know."""
    return len(MARKED.findall(block)) if b"*" in block else 0


def marks_note(n_marked: int, n_lines: int) -> str:
    """A note where more than `MANY_BLANK` of the lines are marked."""
    if n_marked <= MANY_BLANK * n_lines:
        return ""
    return (
        f"{n_marked} of {n_lines} lines have a star before a word, as engines mark words that they do not know; "
        "remove the marks (Apertium: -u), metrics count them as errors"
    )


def find_slip(ours: Mapping[int, frozenset[str]], theirs: Mapping[int, frozenset[str]]) -> tuple[int, int] | None:
    """(offset, 1-based line) of the stretch of lines that fits the reference clearly better at an offset, if any.

    The fit of two lines is the share of their terms that they have in common, 2 |A and B| / (|A| + |B|). The stretch
    is that with the highest sum of gains over offset 0; it must have `FEWEST` lines, and a mean gain of `BETTER`
    times the fit and `CLEAR` standard errors (with the deviation of all lines).
    """
    numbers = np.array(sorted(ours), dtype=np.int64)
    straight = line_fits(ours, theirs, numbers, 0)
    best: tuple[float, int, int] | None = None
    for offset in OFFSETS:
        gains = line_fits(ours, theirs, numbers, offset) - straight
        sums = np.concatenate([[0.0], np.cumsum(gains)])
        lowest = np.minimum.accumulate(sums)
        end = int(np.argmax(sums - lowest))
        start = int(np.argmin(sums[: end + 1]))
        stretch = gains[start:end]
        if len(stretch) < FEWEST or stretch.mean() < BETTER * straight[start:end].mean():
            continue
        error = gains.std() / np.sqrt(len(stretch))
        if stretch.mean() > CLEAR * error and (best is None or stretch.sum() > best[0]):
            best = float(stretch.sum()), offset, int(numbers[start]) + 1
    return None if best is None else best[1:]


def line_fits(
    ours: Mapping[int, frozenset[str]],
    theirs: Mapping[int, frozenset[str]],
    numbers: Iterable[int],
    offset: int,
) -> Doubles:
    """The fit of each of our lines with the reference's line `offset` before it; 0 where there is none."""
    nothing: frozenset[str] = frozenset()
    pairs = ((ours[number], theirs.get(number - offset, nothing)) for number in map(int, numbers))
    return np.array([2 * len(a & b) / (len(a) + len(b) or 1) for a, b in pairs], dtype=np.float64)


def terms(line: bytes) -> frozenset[str]:
    """The words of a line, whatever their case."""
    return frozenset(TERM.findall(line.decode("utf-8", "replace").casefold()))


def terms_of(text: Text, ranges: Sequence[tuple[int, int]]) -> dict[int, frozenset[str]]:
    """The terms of the lines in some ranges of a text, by 0-based number."""
    found: dict[int, frozenset[str]] = {}
    before = 0
    for block in text.blocks():
        count = block.count(b"\n")
        found.update((number, terms(line)) for number, line in _within(block, before, count, ranges))
        before += count
    return found


def _within(block: bytes, before: int, count: int, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, bytes]]:
    here = [(max(0, start - before), end - before) for start, end in ranges if start < before + count and end > before]
    if here:
        lines = block.split(b"\n")[:-1]
        for start, end in here:
            yield from enumerate(lines[start:end], start=before + start)


def listed_without_file(corpus: Corpus) -> Iterator[tuple[Path, list[str]]]:
    """Each systems.tsv that lists systems which have no file, and those."""
    layouts = [layout for layout in (corpus.collection_layout, corpus.test_layout) if layout is not None]
    known = {name for layout in layouts for name in layout.systems}
    for path in dict.fromkeys(layout.single("systems.tsv") for layout in layouts):
        if path is not None and (missing := [name for name in read_metadata(path) if name not in known]):
            yield path, missing


def examined(reference: Reference, text: Text) -> dict[str, Any]:
    """The fields of a text's `Health`."""
    return asdict(examine_text(text, reference))


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


def side_of(translation: Translation, side: str) -> Text | None:
    """A system's text of one side; a text that is both counts as the collection's."""
    if side == "collection":
        return translation.collection
    return None if translation.test == translation.collection else translation.test


def compared_sides(corpus: Corpus) -> dict[str, Reference]:
    """What the texts of each side are compared with, line by line."""
    sides = {"test": Reference(held_text(corpus.test.references[0]), len(corpus.test))}
    if corpus.has_english:
        sides["collection"] = Reference(corpus.english.text, corpus.english.map.n_lines)
    return sides


def reference_texts(corpus: Corpus) -> dict[str, Text]:
    """The texts that systems are compared with, each once, by what to call them."""
    numbered = enumerate(corpus.test.references, 1)
    named = [(f"reference {number} of the test set", held_text(lines)) for number, lines in numbered]
    if corpus.has_english and not isinstance(corpus.english.text, JsonlText):
        named.append((corpus.english.text.where, corpus.english.text))
    return dict({text.fingerprint: (name, text) for name, text in named}.values())


def health(
    corpus: Corpus, translations: Sequence[Translation], found: Mapping[tuple[str, str], Any]
) -> tuple[list[FileHealth], list[str]]:
    """A row for each text of a system, and notes on what is strange.

    `found`: what `examined` gave, by (system, side), and by the name of a reference and "". Of files of documents,
    which have ids, only copies are found. Texts that are made here, by a translator or a simulation, are not examined.
    """
    healthy = {key: Health(**one) for key, one in found.items() if not isinstance(one, Failure)}
    rows: list[FileHealth] = []
    notes = [f"{name}: {said}" for (name, side), one in healthy.items() if not side for said in one.complaints()]
    resembling = {name: group for group in lookalike_names(t.system for t in translations) for name in group}
    for side in ("collection", "test"):
        texts = {t.system: text for t in translations if (text := side_of(t, side)) is not None and text.files}
        copies: dict[str, list[str]] = {}
        for system, text in texts.items():
            copies.setdefault(text.fingerprint, []).append(system)
        for system, text in texts.items():
            same = [name for name in copies[text.fingerprint] if name != system]
            looks = [name for name in resembling.get(system, ()) if name != system]
            row = FileHealth(system, side, same_text_as=first_ten(same), looks_like=first_ten(looks))
            if seen := healthy.get((system, side)):
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


def health_table(rows: Sequence[FileHealth]) -> Table:
    """What is strange about the systems' files comes first, and alone is shown."""
    strange = [row for row in rows if row.strange]
    ordered = [*strange, *(row for row in rows if not row.strange)]
    text = [
        f"{len(strange)} of {len(rows)} texts are strange; looked for: blank lines, copies, CRLF, byte order marks, "
        "lost lines, missing files, names that look alike."
    ]
    return Table.of(HEALTH, "Health of the systems' files", FileHealth, ordered, text, shown=len(strange))
