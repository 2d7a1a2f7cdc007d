"""What a file holds, whatever it is called, and what to type for it, where it is named in a wrong place."""

import re
from contextlib import suppress
from itertools import islice
from pathlib import Path
from shlex import quote

from clirbench.errors import InputError
from clirbench.text import open_binary

LINE = 1 << 16
"""Bytes that are read."""
TOPICS = {"trec": "TREC topics", "jsonl": "topics in JSON lines", "tsv": "topics in a table, an id and a text a line"}
HELD = TOPICS | {
    "run": "a run (topic Q0 doc_id rank score tag)", "qrels": "judgments (topic iteration doc_id grade)",
    "three": "judgments in three columns", "headed": "judgments below a header", "table": "a table of scores",
    "log": "a log of fairseq-generate", "text": "one line a segment",
}  # fmt: skip
NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?%?")
"""As people write them, not as they are read."""
IDS = ("topic_id", "id", "qid", "query_id", "_id")
"""Keys and columns of a topic's name; the first that is there counts."""
DOCUMENTS = {"doc_id", "docno", "docid", "document_id", "doc"}


def kind_of(path: Path) -> str:
    """A key of `HELD`, by the first lines of a file; empty for what is none of them or cannot be read."""
    head = b""
    with suppress(OSError, EOFError, InputError), open_binary(path) as stream:
        head = stream.read(LINE)
    lines = head.decode("utf-8-sig", "replace").split("\n")
    lines = [*islice((line for line in (lines[:-1] or lines) if line.strip()), 20)]
    for kind, begun in (("trec", r"\s*<top>"), ("log", r"H-\d+\t")):
        if any(re.match(begun, line, re.IGNORECASE) for line in lines):
            return kind
    if not lines or lines[0].lstrip()[:1] in ("[", "{"):
        ids = re.match(rf'\s*\{{\s*"({"|".join(IDS)})"', lines[0]) if lines else None
        return "jsonl" if ids else ""
    rows = [re.split("\t|,(?! )", line.strip()) if "\t" in line else line.split() for line in lines]
    width = {len(row) for row in rows}
    if width == {6} and all(row[1].upper() == "Q0" or NUMBER.fullmatch(row[4]) for row in rows):
        return "run"
    if width in ({3}, {4}) and all(re.fullmatch(r"-?\d+", row[-1]) for row in rows):
        return "qrels" if width == {4} else "three"
    if width == {2} and "\t" in lines[0] and not all(NUMBER.fullmatch(row[1]) for row in rows[1:]):
        return "tsv"
    cells = [re.split("[\t,;]", line) for line in lines]
    if {"query-id", "corpus-id"} <= {*lines[0].split()}:
        return "qrels"
    if len(cells[0]) == 3 and {*cells[0]} & {*IDS} and {*cells[0]} & DOCUMENTS:
        return "headed"
    if {*lines[0].split("\t")} & {*IDS}:
        return "tsv"
    named = len(cells[0]) > 1 and not any(map(NUMBER.fullmatch, cells[0]))
    return "table" if named and all(any(map(NUMBER.fullmatch, row)) for row in cells[1:]) and cells[1:] else ""


def to_type(path: Path, kind: str = "") -> str:
    """What to type for a file that holds this; nothing for what is unknown.

    >>> to_type(Path("q.txt"), "trec")
    'topics=trec topics.path=q.txt'
    """
    kind, said = kind or kind_of(path), quote(str(path))
    if kind in TOPICS:
        return f"topics={kind} topics.path={said}"
    if kind == "table" and (folder := texts_around(path)):
        return f"clirbench {quote(folder)}"  # its own tables are read, and its texts make measures
    judged = "relevance=qrels relevance.path={} relevance.judged_by=people topics=trec topics.path=FILE"
    made = f"'{{print $1, 0, $2, $3}}' {said} > new.qrels, then {judged.format('new.qrels')}"
    return {
        "qrels": judged.format(said),
        "three": f"awk {made}",
        "headed": f"awk -F'[,;\\t]' {made.replace('{', 'NR > 1 {', 1)}",
        "run": f"{judged.format('FILE')} for judgments; this is a run: runs={quote(str(path.parent))} reads its *.run",
        "log": f"zgrep ^D- {said} | sort -uV -k1,1 | cut -f3- > new.txt (old logs: ^H-), and put new.txt in its place",
        "table": f"'scores.tables=[{path}]' 'scores.measures=[COLUMN]'",
    }.get(kind, "")


def texts_around(file: str | Path) -> str:
    """The folder of MT outputs that has a file; nothing for another file."""
    folders = Path(file).parents[:2] if Path(file).is_file() else ()
    return next((str(one) for one in folders if any(one.glob("reference*"))), "")


def refuse(path: Path, *wanted: str, cure: str = "") -> None:
    """Raise `InputError`, with what to type for the file (or `cure`), where it holds something else than `wanted`."""
    if (kind := kind_of(path)) and kind not in wanted:
        raise InputError(f"{path}: holds {HELD[kind]}, not {HELD[wanted[0]]}; {cure or 'type ' + to_type(path, kind)}")
