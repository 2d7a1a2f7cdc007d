"""Does a run's folder follow from another that was computed again? One walk over what both hold: each entry follows,
does not, or cannot be checked. Texts are equal, and so are cells of numbers but for 1e-12 relative.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from clirbench.errors import shorten
from clirbench.files.manifest import is_free
from clirbench.files.run_files import MANIFEST, MARKER, PROVENANCE, RESULTS, RESULTS_SHAPE, read_object

RELATIVE = 1e-12
"""Of the larger number: what another processor may add up otherwise."""
BROKEN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)", re.ASCII)
"""A number that is no count: with decimals or an exponent."""
APART = (MANIFEST, MARKER, PROVENANCE, ".hydra/")
"""What is compared with the seal and with the record of the run."""
BESIDE = (".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml", "plan.tsv")
"""What Hydra and the store write: what the run was asked, and where its results are kept."""
PICTURES = (".pdf", ".png", ".parquet")
"""Other versions of libraries write them otherwise; each is also there as a text."""
UNCHECKED = "not checked"
NUMBER_CELL = re.compile(r'(<td class="num[^"]*" data-sort=)"([^"]*)"')
Cells = Callable[[str], list[tuple[bool, str]]]


def walk(sealed: Path, made: Path, renamed: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Each file of a run and how it is: nothing where it is as computed again, `UNCHECKED`, or the first difference.

    Tables come first. Not checked are journals, hidden and earlier files, and pictures. renamed: a text of the new
    files as the old ones have it. Raises `InputError` for a results.json that is none.
    """
    there, new = ({*_entries(folder)} - {*APART, *BESIDE} for folder in (sealed, made))
    tables = read_object(made / RESULTS, RESULTS_SHAPE).get("tables", {})
    for name in sorted(
        there | new, key=lambda name: (name in there & new, not name.endswith(".tsv"), name != RESULTS, name)
    ):
        if name not in there:
            yield name, "is missing; the inputs give it"
        elif name not in new:
            yield name, "the inputs do not give this"
        elif name.endswith(PICTURES):
            yield name, UNCHECKED
        elif name == RESULTS:
            old, again = (read_object(folder / name, RESULTS_SHAPE) for folder in (sealed, made))
            again = {**json.loads(renamed(json.dumps(again, ensure_ascii=False))), "clirbench": old.get("clirbench")}
            lines = list(differences(old, again))
            yield from ((name, line) for line in lines or [""])
        elif not name.endswith("/"):
            yield name, _difference(sealed / name, made / name, renamed, _cells(name, tables))
    aside = (entry.name for entry in sealed.iterdir() if is_free(entry.name) and entry.name != MANIFEST)
    yield from ((name, UNCHECKED) for name in (*aside, *(name for name in BESIDE if (sealed / name).is_file())))


def _entries(folder: Path) -> Iterator[str]:
    """Each file and folder (with a slash) below the folder of a run that is part of the run."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if not is_free(name.partition("/")[0]):
            yield f"{name}/" if path.is_dir() else name


def _cells(name: str, tables: Mapping[str, Any]) -> Cells:
    """How a line of a file falls into pieces, each with whether it is a cell of a column of numbers."""
    table = tables.get(name.removesuffix(".tsv"))
    if table and name.endswith(".tsv"):
        numeric = {at for at, column in enumerate(table["columns"]) if column not in table["text"]}
        return lambda line: [(at in numeric, cell) for at, cell in enumerate(line.split("\t"))]
    if name.endswith(".html"):
        return lambda line: [(at % 3 == 2, piece) for at, piece in enumerate(NUMBER_CELL.split(line))]
    return lambda line: [(False, line)]


def _difference(sealed: Path, made: Path, renamed: Callable[[str], str], cells: Cells) -> str:
    """Where two files first differ by more than the last bits of numbers."""
    before = sealed.read_bytes()
    if before == made.read_bytes():
        return ""
    texts = before.decode("utf-8", "backslashreplace"), renamed(made.read_text(encoding="utf-8"))
    for number, (old, new) in enumerate(zip_longest(*(text.split("\n") for text in texts)), 1):
        if old == new:
            continue
        if old is None or new is None:
            return f"line {number}: {'is missing' if old is None else 'is one too many'}"
        ours, theirs = cells(old), cells(new)
        same = all(a == b or (is_cell and _alike(a, b)) for (is_cell, a), (_, b) in zip(ours, theirs, strict=False))
        if number == 1 or len(ours) != len(theirs) or not same:  # the first line has the names of columns
            return f"line {number}: {_around(old, new)}"
    return ""


def _alike(old: str, new: str) -> bool:
    return bool(BROKEN_NUMBER.fullmatch(old) and BROKEN_NUMBER.fullmatch(new) and close(float(old), float(new)))


def close(a: float, b: float) -> bool:
    """Whether two numbers are equal but for their last bits."""
    return a == b or abs(a - b) <= RELATIVE * max(abs(a), abs(b)) < float("inf")


def _around(old: str, new: str) -> str:
    """The parts of two lines around the first difference."""
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    begin = max(old.rfind("\t", 0, at) + 1, at - 40)
    return f"is {shorten(old[begin : at + 60], 100)!r}; the inputs give {shorten(new[begin : at + 60], 100)!r}"


def differences(old: Any, new: Any, key: str = "") -> Iterator[str]:
    """A line for each value of two JSON values that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name not in old or name not in new:
                yield f"{key}{name}: {'is missing' if name not in old else 'the inputs do not give it'}"
            else:
                yield from differences(old[name], new[name], f"{key}{name}.")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{key}{at}.")
    elif type(old) is not type(new) or not (old == new or (isinstance(old, float) and close(old, new))):
        shown = [shorten(json.dumps(value, ensure_ascii=False), 100) for value in (old, new)]
        yield f"{key.rstrip('.')}: is {shown[0]}; the inputs give {shown[1]}"
