"""TREC run and qrels files: written so that they read back exactly, read so that nothing wrong passes.

    run    topic Q0 doc_id rank score tag         qrels    topic iteration doc_id grade

Fields are separated by ASCII white space, as trec_eval separates them; lines end at "\\n"; blank lines are
ignored. In a run the scores decide, as in trec_eval, not the rank column; equal scores are ordered by our rule, doc_id
ascending.
"""

import math
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from clirbench.errors import UNSEEN, ClirbenchError, InputError, gathered, raise_all, writing
from clirbench.files.kinds import refuse
from clirbench.native.library import compiled
from clirbench.text import LONGEST_NAME, TextFile, check_name, decoded, lookalike_names
from clirbench.types import Qrels, Run

IDEAL = "ideal"
"""File name (without `.run`) of the English side's own run."""

OURS = frozenset({IDEAL, "qrels"})
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})
"""Names that Windows keeps for devices, with any ending."""

LARGEST = float(np.finfo(np.float32).max)
WHITE_SPACE = re.compile(r"[ \t\n\r\f\v]")
REFUSED = re.compile(r'[\x00-\x1f/\\:*?"<>|%]')
"""Characters that some file system does not allow in a name, and the percent sign that stands for them."""
SAME_ANYWHERE = re.compile(r"[^a-z0-9_.+@=,()\[\]-]")
"""Characters that some file system takes for others: capitals, forms of Unicode, and spaces at the end."""
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
INTEGER = re.compile(rb"[+-]?\d+")
BEIR = (b"query-id", b"corpus-id", b"score")


@dataclass(frozen=True)
class Judgment:
    """One line of a qrels file."""

    topic_id: str
    doc_id: str
    grade: int
    line: int


def write_run(path: Path, run: Run, tag: str) -> None:
    """Write a run; `read_run` gives the same rankings and the same float32 scores, topics with no document apart.

    Raises `InputError` for an id in it with white space, `StoreError` where the file cannot be written.
    """
    _refuse_unwritable(path, "topic", run.topic_ids)
    _refuse_unwritable(path, "document", run.doc_ids)
    with writing(path):
        path.write_bytes(_lines(run, WHITE_SPACE.sub("_", tag) or "run"))


def _lines(run: Run, tag: str) -> bytes:
    """A line for each ranked document; no id has white space in it."""
    if (write := compiled("run_lines")) is not None:
        held, end, n = list[Any](), np.frombuffer(f" {tag}\n".encode(), np.uint8), len(run.scores)
        for ids, after in (run.topic_ids, " Q0\n"), (run.doc_ids, "\n"):
            text = np.array(bytearray("".join(f"{one}{after}" for one in ids).encode()))
            parts = np.append(0, np.flatnonzero(text == ord("\n")) + 1)
            text[parts[1:] - 1] = ord(" ")
            held += [text, len(text), parts, len(ids)]
        longest = sum(int(np.diff(parts).max(initial=0)) for parts in held[2::4])
        lines = np.empty(n * (longest + len(end) + 48), np.uint8)
        ranked = run.offsets, run.documents, run.scores, n
        if size := write(*held, *ranked, end, len(end), lines, len(lines)):
            return lines[:size].tobytes()
    # The shortest text that reads back as the same float32; Python's repr of the double would be twice as long.
    scores = iter(run.scores.astype(str).tolist())
    return "".join(
        f"{topic_id} Q0 {doc_id} {rank} {next(scores)} {tag}\n"
        for topic_id in run.topic_ids
        for rank, doc_id in enumerate(run.ranking(topic_id), start=1)
    ).encode()


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write judgments in their order; `read_qrels` gives the same. Raises as `write_run` does."""
    for topic_id, grades in qrels.grades.items():
        _refuse_unwritable(path, "topic", [topic_id])
        _refuse_unwritable(path, "document", grades)
    lines = [f"{topic} 0 {doc_id} {grade}\n" for topic, of in qrels.grades.items() for doc_id, grade in of.items()]
    with writing(path):
        path.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_run(path: Path, known: Container[str] | None = None) -> Run:
    """A run of ours or of others, in the one rank order; topics in the order of their first line.

    `known` are the ids of the collection, where it is available: with ids of another form nothing would match, and
    every measure would be 0 without a warning. Raises `InputError`, naming file and line, for a line that is not six
    fields, a document that is not known or is ranked twice for a topic, a score that is no finite number of
    float32's range, bytes that are not UTF-8, and a file without a line.
    """
    scores: dict[str, dict[str, float]] = {}
    for number, fields in _fields(path, 6, "topic Q0 doc_id rank score tag", kind="run"):
        value = float(fields[4]) if NUMBER.fullmatch(fields[4]) else math.nan
        if not abs(value) <= LARGEST:
            said = f"{path}: line {number}:"
            raise InputError(f"{said} score {fields[4].decode()!r} is not a finite number (of single precision)")
        topic_id, doc_id = fields[0].decode(), fields[2].decode()
        ranked = scores.setdefault(topic_id, {})
        if known is not None and doc_id not in known:
            said = f"{path}: line {number}: document {doc_id!r} is not in the collection; a run names its documents"
            raise InputError(f"{said} as docs.tsv (or the collection's own ids) does")
        if doc_id in ranked:
            raise InputError(f"{path}: line {number}: document {doc_id!r} is ranked twice for topic {topic_id!r}")
        ranked[doc_id] = value
    if not scores:
        raise InputError(f"{path}: the run file is empty; a run has one line for each ranked document")
    return Run.of(scores)


def read_qrels(path: Path) -> Qrels:
    """Judgments by topic, in the order of the file; raises as `read_judgments` does."""
    grades: dict[str, dict[str, int]] = {}
    for judgment in read_judgments(path):
        grades.setdefault(judgment.topic_id, {})[judgment.doc_id] = judgment.grade
    return Qrels(grades)


def read_judgments(path: Path) -> Iterator[Judgment]:
    """The lines of a qrels file.

    BEIR's three columns are read too: a first line `query-id corpus-id score`, then `topic doc_id grade`. A negative
    grade (TREC's -2 for spam) stays what it is, which is not relevant. Raises `InputError`, naming file and line, for
    a line with more or fewer fields, a grade that is not a whole number, a document judged twice for a topic, bytes
    that are not UTF-8, and a file without a line.
    """
    seen: dict[tuple[str, str], int] = {}
    for number, fields in _judgment_fields(path):
        if not INTEGER.fullmatch(fields[-1]) or len(fields[-1]) > 9:
            raise InputError(f"{path}: line {number}: grade {fields[-1].decode()!r} is not a whole number")
        grade = int(fields[-1])
        key = (fields[0].decode(), fields[-2].decode())
        if key in seen:
            said = f"{path}: line {number}: document {key[1]!r} of topic {key[0]!r} is judged again"
            raise InputError(f"{said} (first in line {seen[key]})")
        seen[key] = number
        yield Judgment(*key, grade, number)
    if not seen:
        raise InputError(f"{path}: the qrels file is empty; judgments are lines of topic, iteration, doc_id, grade")


def read_runs(folder: Path, known: Container[str] | None = None) -> dict[str, Run]:
    """Every `NAME.run` or `NAME.run.gz` of a folder, by system name, sorted; the English side's `ideal.run` apart.

    Raises `InputError` where the folder holds none, or one system twice, and as `read_run` does; all of it at once.
    """
    if not folder.is_dir():
        around = f"; it is a file, type runs={folder.parent}" if folder.is_file() else ""
        raise InputError(f"{folder}: no such folder of run files{around}")
    paths: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        match = re.fullmatch(r"([^.].*?)\.run(\.gz)?", path.name)
        if match is None or match[1] == IDEAL:
            continue
        system = unquote(match[1])
        if system in paths:
            raise InputError(f"{folder}: system {system!r} has two run files, {paths[system].name} and {path.name}")
        paths[system] = path
    if not paths:
        raise InputError(f"{folder}: no run files; a system's run is a file NAME.run or NAME.run.gz")
    errors: list[ClirbenchError] = []
    runs: dict[str, Run] = {}
    for system in sorted(paths):
        with gathered(errors):
            runs[system] = read_run(paths[system], known)
    raise_all(errors)
    return runs


def read_ideal(folder: Path, known: Container[str] | None = None) -> Run | None:
    """The English side's run of a folder (`ideal.run`, plain or gzip), None where there is none."""
    for name in (f"{IDEAL}.run", f"{IDEAL}.run.gz"):
        if (folder / name).is_file():
            return read_run(folder / name, known)
    return None


def tied_topics(run: Run) -> int:
    """How many topics have documents with equal scores, whose order our rule decided."""
    return sum(bool((np.diff(run.values(topic_id, tied=True)) == 0).any()) for topic_id in run.topic_ids)


def run_file_names(systems: Iterable[str]) -> dict[str, str]:
    """The file name of each system's run; names that some file system takes for one have their capitals as %XX too."""
    names = list(systems)
    same = {name for group in lookalike_names(names) for name in group}
    return {name: run_file_name(name, SAME_ANYWHERE.sub(_percent, name) if name in same else None) for name in names}


def run_file_name(system: str, written: str | None = None) -> str:
    """The file name of a system's run: characters that a file system may refuse become %XX (`a/b` -> `a%2Fb.run`).

    Reversible (`read_runs` decodes it), except that a name of more than 200 bytes ends in a hash. A system called
    `ideal` or `qrels`, in any case, does not take the place of our own files, nor one called `CON` that of a device.
    `written`: the name as it is to be written, where some of its characters are %XX already.
    """
    name = REFUSED.sub(_percent, system) if written is None else written
    stem = name.casefold().partition(".")[0]
    if name.startswith((".", " ", "~")) or name.casefold() in OURS or stem in DEVICES:
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name.encode()) > 200:
        beginning = name.encode()[:160].decode("utf-8", "ignore").rstrip("%")
        name = f"{beginning}~{sha256(system.encode()).hexdigest()[:16]}"
    return f"{name}.run"


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _judgment_fields(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """The fields of each judgment: TREC's four, or BEIR's three below their header."""
    header = next(TextFile(path).blocks(), b"").partition(b"\n")[0]
    if tuple(header.split()) != BEIR:
        return _fields(path, 4, "topic iteration doc_id grade (three below BEIR's header)")
    return islice(_fields(path, 3, "query-id corpus-id score", document=1), 1, None)


def _fields(
    path: Path, count: int, layout: str, document: int = 2, kind: str = "qrels"
) -> Iterator[tuple[int, list[bytes]]]:
    """Line number (1-based) and fields of every line that is not blank, the document's id among them at `document`;
    every field is valid UTF-8.
    """
    for before, block, string in decoded(TextFile(path).blocks(), path):
        odd = bool(UNSEEN.search(string))
        for number, line in enumerate(block.split(b"\n")[:-1], start=before + 1):
            fields = line.split()
            if len(fields) == count and (odd or len(line) > LONGEST_NAME):
                check_name(f"{path}: line {number}", "topic", fields[0].decode())
                check_name(f"{path}: line {number}", "document", fields[document].decode())
            if len(fields) == count:
                yield number, fields
            elif fields:
                refuse(path, kind)
                comma = next((one for one in ",;|" if line.count(one.encode()) == count - 1), "")
                meant = f"; type tr '{comma}' ' ' < {path} > new{path.suffix}" if comma else ""
                said = f"{path}: line {number}: {len(fields)} fields between spaces or TABs"
                raise InputError(f"{said}, expected {count}: {layout}{meant}")


def _refuse_unwritable(path: Path, kind: str, ids: Iterable[str]) -> None:
    ids = list(ids)
    for id_ in ids if WHITE_SPACE.search("".join(ids)) or not all(ids) else ():  # all at once: it is rare
        if not id_ or WHITE_SPACE.search(id_):
            said = f"{path}: a TREC file cannot have the {kind} id {id_!r}:"
            raise InputError(f"{said} it is empty or has white space in it")
