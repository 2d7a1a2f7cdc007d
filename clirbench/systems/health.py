"""Is each system's file what it seems to be? Cheap checks of what goes wrong when files are handed round.

A file that lost or gained a line is out of step from there on: its lines are as long as those of the reference one
line off. Texts of documents with ids of their own cannot slip; texts that are made by a translator here are not
examined.

**Source:** lengths tell which lines are translations of each other: Gale and Church 1993, "A Program for Aligning
Sentences in Bilingual Corpora".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.sides import first_ten
from clirbench.files.lines import Lines, held_text, n_blank
from clirbench.later import keep_recent
from clirbench.pages import Table
from clirbench.systems.likeness import Hashes, dice
from clirbench.systems.metadata import read_metadata
from clirbench.text import Text, lookalike_names
from clirbench.types import Doubles, Failure, Floats, Ints, Translation, by_key, distinct

OFFSETS = (-2, -1, 1, 2)
FEWEST = 8
"""Lines that must be out of step before it is reported."""
BETTER, CLEAR = 0.5, 5.0
"""By how much another offset must be better: the share by which the cost of a line falls, and standard errors."""
AT_ONCE = 1 << 18
"""Lines that are compared at a time: a longer text takes no more memory."""
MANY_BLANK = 0.05
MARKS = {
    "@@ ": "pieces of words: join them, sed -E 's/@@( |$)//g'", "\t": "columns: take one, cut -f2",
    "▁": "pieces of words: join them, sed -E 's/ //g; s/▁/ /g; s/^ //'", '": "': "JSON: take the texts, jq -r .KEY",
    " ||| ": "lists of the best: take one, sed -E 's/^[0-9]+ [|]+ //; s/ [|]+ .*//'",
    "&apos;": "marks of a tokeniser: take them out, sacremoses detokenize",
}  # fmt: skip
"""What is often in a text that is not plain: what it is, and how to have plain text."""
OPENING, LITTLE = 200, 0.1
"""Of the first lines the Dice with the reference below which a text is strange. Of 870 systems of WMT that is so of 11
(BLEU below 3 for all), of 54 of the 64 sources, and of every reference that is shifted by 37 lines (.07 at most)."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
HEALTH = "health"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class FileHealth:
    """What is strange about one text of a system: a row of health.tsv; None where lines have ids of their own.

    `off_by`: from line `from_line` on it fits the reference better this number of lines later (earlier if negative).
    `shared`: Dice of what the first 200 lines and those of the reference have in sequences of four letters, in [0, 1].
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
    shared: float | None = None
    same_text_as: str = ""
    looks_like: str = ""
    mark: str = field(default="", repr=False)
    """What `MARKS` says of the text, which is no column."""

    @property
    def strange(self) -> bool:
        """Whether a reader must look at it."""
        return any((*self.complaints(), self.same_text_as, self.looks_like, self.side == "no file"))

    @property
    def foreign(self) -> bool:
        """Whether it can hardly be a translation of what the reference translates, line by line."""
        return self.shared is not None and self.shared < LITTLE

    def complaints(self) -> Iterator[str]:
        """What a reader must know of the text itself."""
        of = f"of {self.lines} lines"
        blank, off = (self.blank_share or 0), self.off_by or 0
        way = f"{abs(off)} line{'s' * (abs(off) > 1)} {'late' if off > 0 else 'early'}"
        said = {
            f"from line {self.from_line} on it fits the reference better {way} than line by line; a line seems to be "
            "lost or doubled there": off,
            f"{round(blank * (self.lines or 0))} {of} are blank": blank > MANY_BLANK,
            f"{self.crlf_lines} {of} end in a carriage return (CRLF), part of them: sed -i 's/\\r$//'": self.crlf_lines,
            f"is no plain text, but has {self.mark}": self.mark,
            "shares hardly any text with the reference: another language, other lines, or no translation": self.foreign,
            "begins with a byte order mark, which is part of its first word (save it as UTF-8 without one)": self.bom,
        }
        return filter(None, (sentence for sentence, odd in said.items() if odd))


def count_lines(text: Text) -> tuple[Floats, Ints, bool]:
    """One pass over a text: the logarithm of each line's bytes with its end; how many lines are blank, and end in a
    carriage return, and how often it has each of `MARKS`; whether there is a byte order mark."""
    lengths, counts, bom = [np.empty(0, dtype=np.float32)], np.zeros(2 + len(MARKS), dtype=np.int64), False
    for block in text.blocks():
        ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
        bom |= len(lengths) == 1 and block.startswith(BOM)
        lengths.append(np.log(np.diff(ends, prepend=-1), dtype=np.float32))
        counts += n_blank(block, ends), block.count(b"\r\n"), *(block.count(mark.encode()) for mark in MARKS)
    return np.concatenate(lengths), counts, bom


def opening(text: Text) -> Hashes:
    """Sequences of four letters in each of the first lines, in order; spaces and capitals apart."""
    first = b"\n".join(next(iter(text.blocks()), b"").split(b"\n", OPENING)[:OPENING]).decode("utf-8", "replace")
    letters = np.frombuffer(first.casefold().replace(" ", "").encode("utf-32-le"), dtype="<u4")
    ends = letters == ord("\n")
    line = np.cumsum(ends, dtype=np.uint64)
    made, last = line[3:], max(0, len(letters) - 3)
    for at in range(4):
        made = made * MULTIPLIER + letters[at : last + at].astype(np.uint64)
    return distinct(made[(line[3:] == line[:last]) & ~ends[:last]])


@keep_recent(2)
def _reference(text: Text, fingerprint: str) -> tuple[Floats, Hashes]:
    """What texts are compared with, read once for all systems; `fingerprint` tells when the file has changed."""
    return count_lines(text)[0], opening(text)


def examined(reference: Text | None, text: Text) -> dict[str, Any]:
    """What a text is like, and whether it is out of step with the English side: columns of its `FileHealth`."""
    lengths, (blank, crlf, *marks), bom = count_lines(text)
    n, of = len(lengths), None if reference is None else _reference(reference, reference.fingerprint)
    columns = {"lines": n, "blank_share": int(blank) / max(n, 1), "crlf_lines": int(crlf), "bom": int(bom)}
    off, line, shared = 0, None, None
    if of is not None and n == len(of[0]):
        off, line = find_slip(lengths, of[0]) or (0, None)
        ours = opening(text)
        shared = dice(ours, of[1]) if len(ours) and len(of[1]) else None
    mark = next((said for said, times in zip(MARKS.values(), marks, strict=True) if times > MANY_BLANK * n), "")
    return {**columns, "off_by": off, "from_line": line, "shared": shared, "mark": mark}


def find_slip(ours: Floats, theirs: Floats) -> tuple[int, int] | None:
    """(offset, 1-based line) of the stretch of lines that fits the reference clearly better at an offset, if any.

    ours, theirs: the logarithms of lengths of n lines each. The cost of two lines is the difference, at most 1. The
    stretch is that with the highest sum of gains over offset 0; it must have `FEWEST` lines, and a mean gain of
    `BETTER` times the cost and `CLEAR` standard errors (with the deviation of all lines).
    """
    for begin in range(0, len(ours), AT_ONCE):
        if found := _slip(*(lengths[begin : begin + AT_ONCE].astype(np.float64) for lengths in (ours, theirs))):
            return found[0], begin + found[1]
    return None


def _slip(ours: Doubles, theirs: Doubles) -> tuple[int, int] | None:
    n = len(ours)

    def costs(offset: int) -> Doubles:
        found, low, high = np.ones(n), max(0, offset), n + min(0, offset)
        found[low:high] = np.minimum(np.abs(ours[low:high] - theirs[low - offset : high - offset]), 1.0)
        return found

    straight = costs(0)
    found: list[tuple[float, int, int]] = []
    for offset in OFFSETS:
        gains = straight - costs(offset)
        sums = np.concatenate([[0.0], np.cumsum(gains)])
        end = int(np.argmax(sums - np.minimum.accumulate(sums)))
        start = int(np.argmin(sums[: end + 1]))
        stretch = gains[start:end]
        if len(stretch) >= FEWEST:
            least = max(BETTER * straight[start:end].mean(), CLEAR * gains.std() / np.sqrt(len(stretch)))
            found += [(float(stretch.sum()), offset, start + 1)] if stretch.mean() >= least else []
    return max(found)[1:] if found else None


def listed_without_file(corpus: Corpus) -> Iterator[tuple[Path, list[str]]]:
    """Each systems.tsv that lists systems which have no file, and those."""
    layouts = [layout for layout in (corpus.collection_layout, corpus.test_layout) if layout is not None]
    known = {name for layout in layouts for name in layout.systems}
    for path in dict.fromkeys(layout.single("systems.tsv") for layout in layouts):
        if path is not None and (missing := [name for name in read_metadata(path) if name not in known]):
            yield path, missing


def side_of(translation: Translation, side: str) -> Text | None:
    """A system's text of one side; a text that is both counts as the collection's."""
    if side == "collection":
        return translation.collection
    return None if translation.test == translation.collection else translation.test


def is_given(text: Text) -> bool:
    """Whether a text was made elsewhere: a file, or lines that Python holds."""
    return bool(text.files) or isinstance(text, Lines)


def compared_sides(corpus: Corpus) -> dict[str, Text]:
    """What the texts of each side are compared with, line by line."""
    sides = {"test": held_text(corpus.test.references[0])}
    return sides | ({"collection": corpus.english.text} if corpus.has_english else {})


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
    healthy = {key: one for key, one in found.items() if not isinstance(one, Failure)}
    rows: list[FileHealth] = []
    notes: dict[str, list[str]] = {}
    """Each thing that is strange, once, and the texts of which that holds."""

    def seen(where: str, row: FileHealth, key: tuple[str, str]) -> FileHealth:
        if key in healthy:
            row = replace(row, **healthy[key])
            for complaint in row.complaints():
                notes.setdefault(complaint, []).append(where)
        return row

    for name in (name for name, side in healthy if not side):
        seen(name, FileHealth(name, ""), (name, ""))
    resembling = {name: group for group in lookalike_names(t.system for t in translations) for name in group}
    for side in ("collection", "test"):
        texts = {t.system: text for t in translations if (text := side_of(t, side)) and is_given(text)}
        copies = by_key((text.fingerprint, system) for system, text in texts.items())
        for system, text in texts.items():
            same = [name for name in copies[text.fingerprint] if name != system]
            looks = [name for name in resembling.get(system, ()) if name != system]
            row = FileHealth(system, side, same_text_as=first_ten(same), looks_like=first_ten(looks))
            rows.append(seen(text.where, row, (system, side)))
        for systems in copies.values():
            if len(systems) > 1:
                notes[f"systems whose {side} texts are the same, byte for byte: {', '.join(systems)}"] = []
    for path, missing in listed_without_file(corpus):
        rows += [FileHealth(system, "no file") for system in missing]
        notes[f"{path}: systems without a file: {first_ten(missing)}"] = []
    return rows, [f"{_texts(where)}{note}" for note, where in notes.items()]


def _texts(where: Sequence[str]) -> str:
    """`a.txt: ` or `a.txt and 59 more texts: `; nothing for none."""
    more = f" and {len(where) - 1} more text{'s' * (len(where) > 2)}" if len(where) > 1 else ""
    return f"{where[0]}{more}: " if where else ""


def health_table(rows: Sequence[FileHealth]) -> Table:
    """What is strange about the systems' files comes first, and alone is shown."""
    strange = [row for row in rows if row.strange]
    ordered = [*strange, *(row for row in rows if not row.strange)]
    text = f"{len(strange)} of {len(rows)} texts are strange; looked for: blank lines, copies, CRLF, byte order marks, "
    text += "lost lines, texts that share little with the reference, missing files, names that look alike."
    return Table.of(HEALTH, "Health of the systems' files", FileHealth, ordered, [text], shown=len(strange))
