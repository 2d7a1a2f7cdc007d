"""Does a run's folder follow from another that was computed again? Texts are equal, numbers within 1e-12 relative."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from clirbench.errors import shorten
from clirbench.files.manifest import is_free
from clirbench.files.run_files import MARKER, PROVENANCE, RESULTS, RESULTS_SHAPE, read_object

RELATIVE = 1e-12
"""Of the larger number: what another processor may add up otherwise."""
BROKEN_NUMBER = re.compile(r"(?<![\w.])([+-]?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))(?![\w.])", re.ASCII)
"""A number that is no count: with decimals or an exponent."""
APART = (MARKER, PROVENANCE, "plan.tsv", ".hydra")
"""What does not follow from inputs: what the run was asked, when, and where its results are kept."""
PICTURES = (".pdf", ".png", ".parquet")
"""Other versions of libraries write them otherwise; each is also there as a text."""


def compared(files: Iterable[str]) -> list[str]:
    """The names of a run's files that follow from its inputs, tables first."""
    tops = {name: name.partition("/")[0] for name in files}
    names = [name for name, top in tops.items() if not (top in APART or is_free(top) or name.endswith(PICTURES))]
    return sorted(names, key=lambda name: (not name.endswith(".tsv"), name != RESULTS, name))


def not_following(sealed: Path, made: Path, renamed: Callable[[str], str]) -> Iterator[str]:
    """A line for each file that is not as computed again: its name, the place, what is there and what the inputs give.

    renamed: a text of the new files as the old ones have it. Raises `InputError` for a results.json that is none.
    """
    there, new = (compared(_names(folder)) for folder in (sealed, made))
    for name in compared({*there, *new}):
        if name not in there:
            yield f"{name}: is missing; the inputs give it"
        elif name not in new:
            yield f"{name}: the inputs do not give this file"
        elif name == RESULTS:
            old, again = (_plain(read_object(folder / name, RESULTS_SHAPE)) for folder in (sealed, made))
            again = json.loads(renamed(json.dumps(again, ensure_ascii=False)))
            yield from (f"{name}: {line}" for line in _values(old, again, ""))
        else:
            before, after = ((folder / name).read_bytes().decode("utf-8", "replace") for folder in (sealed, made))
            if before != after and (line := _lines(before, renamed(after))):
                yield f"{name}: {line}"


def _names(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _plain(results: Mapping[str, Any]) -> dict[str, Any]:
    """results.json without the version of the program."""
    return {key: value for key, value in results.items() if key != "clirbench"}


def _lines(before: str, after: str) -> str:
    """Where two texts first differ by more than the last bits of numbers."""
    for number, (old, new) in enumerate(zip_longest(before.split("\n"), after.split("\n")), 1):
        if old == new:
            continue
        if old is None or new is None:
            return f"line {number}: {'is missing' if old is None else 'is one too many'}"
        ours, theirs = BROKEN_NUMBER.split(old), BROKEN_NUMBER.split(new)
        if len(ours) != len(theirs) or not all(map(_alike, ours, theirs)):
            return f"line {number}: {_around(old, new)}"
    return ""


def _alike(old: str, new: str) -> bool:
    return old == new or bool(
        BROKEN_NUMBER.fullmatch(old) and BROKEN_NUMBER.fullmatch(new) and close(float(old), float(new))
    )


def close(a: float, b: float) -> bool:
    """Whether two numbers are equal but for their last bits."""
    return a == b or abs(a - b) <= RELATIVE * max(abs(a), abs(b)) < float("inf")


def _around(old: str, new: str) -> str:
    """The parts of two lines around the first difference."""
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    begin = max(old.rfind("\t", 0, at) + 1, at - 40)
    return f"is {shorten(old[begin : at + 60], 100)!r}; the inputs give {shorten(new[begin : at + 60], 100)!r}"


def _values(old: Any, new: Any, key: str) -> Iterator[str]:
    """A line for each value of two JSON values that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name not in old or name not in new:
                yield f"{key}{name}: {'is missing' if name not in old else 'the inputs do not give it'}"
            else:
                yield from _values(old[name], new[name], f"{key}{name}.")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _values(one, other, f"{key}{at}.")
    elif type(old) is not type(new) or not (old == new or (isinstance(old, float) and close(old, new))):
        shown = [shorten(json.dumps(value, ensure_ascii=False), 100) for value in (old, new)]
        yield f"{key.rstrip('.')}: is {shown[0]}; the inputs give {shown[1]}"
