"""The Europarl release format: one file for each sitting (or item), with mark-up lines between the text's lines.

    <CHAPTER ID=1>          a heading follows
    <SPEAKER ID=1 LANGUAGE="DE" NAME="President">
    text, one paragraph (or, sentence-split, one sentence) a line
    <P>                     ends a paragraph

What is kept is what Lignos et al. 2019 kept: a parenthesis at the head of a line ("(Applause)", "(DE)") goes, `<BRK>`
goes, a line that is then empty goes, a line from `<` to `>` is mark-up. A document with fewer than 3 kept lines is
dropped.

How that explains the published counts (europarl-en-line-counts.tsv): they count every line of the release's file,
mark-up too. 4,346 of the 9,672 English files have 2 lines, a chapter mark and its heading: 1 kept line, dropped. 960
have 4: a mark, a heading, a speaker, a paragraph: 2 kept lines, dropped. So at most 4,366 files remain. A sample that
is sentence-split and aligned with another language has more text lines and fewer speeches (a speech whose paragraphs
do not pair off is cut out); where nothing was cut, joining its lines into paragraphs gives the published count back.

**Source:** Koehn, Europarl, MT Summit 2005; Lignos et al., EMNLP 2019 (public repository, retrieval_src).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.checks import one_of, whole_number
from clirbench.errors import InputError
from clirbench.labs.formats.documents import files_under
from clirbench.text import TextFile

UNITS = ("file", "chapter", "speaker")
MARK = re.compile(r"<(?P<name>[A-Za-z]+)\b[^<>]*>")
KNOWN = {"CHAPTER", "SPEAKER", "P"}


@dataclass(frozen=True)
class EuroparlDocuments:
    """A folder of Europarl files (`ep-*.txt`, plain or gzip; also in folders below) as documents.

    `unit` is what a document is: `file` (its id is the file's name), `chapter` or `speaker` (the id adds `.c3`,
    `.c3.s2`: the third chapter's second turn, counted in the file; text before the first is number 0).
    Documents with fewer than `min_lines` kept lines are dropped. Kept lines are joined by a space. Raises
    `InputError` naming file and line for mark-up that is none of CHAPTER, SPEAKER and P.
    """

    unit: str = "file"
    min_lines: int = 3

    def __post_init__(self) -> None:
        one_of("corpus.reader.unit", self.unit, UNITS)
        whole_number("corpus.reader.min_lines", self.min_lines, least=0)

    def files(self, path: Path) -> Sequence[Path]:
        return files_under(path, (".txt",))

    def documents(self, path: Path, every: bool = False) -> Iterator[tuple[str, str]]:
        for file in self.files(path):
            for doc_id, lines in self.kept_lines(file):
                if every or len(lines) >= self.min_lines:
                    yield doc_id, " ".join(lines)

    def kept_lines(self, file: Path) -> Iterator[tuple[str, list[str]]]:
        """(doc_id, kept lines) of every document of one file, short ones too."""
        name = file.name.removesuffix(".gz").removesuffix(".txt")
        chapter = turn = 0
        held: list[str] = []
        doc_id = self._id(name, 0, 0)
        for mark, line in marked_lines(file):
            if mark == "":
                held.append(line)
                continue
            chapter, turn = (chapter + 1, 0) if mark == "CHAPTER" else (chapter, turn + (mark == "SPEAKER"))
            following = self._id(name, chapter, turn)
            if following != doc_id:
                if held:
                    yield doc_id, held
                doc_id, held = following, []
        if held or self.unit == "file":
            yield doc_id, held

    def _id(self, name: str, chapter: int, turn: int) -> str:
        return {"file": name, "chapter": f"{name}.c{chapter}", "speaker": f"{name}.c{chapter}.s{turn}"}[self.unit]


def marked_lines(file: Path) -> Iterator[tuple[str, str]]:
    """(`CHAPTER`, `SPEAKER` or `P`, "") for mark-up, ("", text) for a kept line."""
    for number, raw in enumerate(TextFile(file).lines(), start=1):
        line = without_parenthesis(raw.strip()).replace("<BRK>", "").strip()
        if not line:
            continue
        if not (line.startswith("<") and line.endswith(">")):
            yield "", line
            continue
        mark = MARK.fullmatch(line)
        if mark is None or mark["name"].upper() not in KNOWN:
            known = ", ".join(sorted(KNOWN))
            raise InputError(f"{file}: line {number}: {line[:60]!r} is no mark-up of Europarl; that is {known}")
        yield mark["name"].upper(), ""


def without_parenthesis(line: str) -> str:
    """The line less a parenthesis at its head: a stage direction or the language that is spoken."""
    if not line.startswith("("):
        return line
    _, closing, rest = line.partition(")")
    return rest.strip() if closing else line
