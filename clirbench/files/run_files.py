"""The files of a run's folder, read as strictly as texts: somebody else may have sent the folder.

One rule for every name in them: a single plain component inside the folder, and no link. JSON is read with its types,
size and nesting checked; a key that is there twice, NaN, and a number beyond all floats are refused.
"""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clirbench.errors import InputError
from clirbench.files.tables import LARGEST, TextTable, as_number, read_json, read_table, shape_error
from clirbench.text import SURROGATE, check_name, whole_content, whole_text

MARKER = ".clirbench"
"""In every folder that a run may write to: the names of the files that it wrote."""
RESULTS = "results.json"
PROVENANCE = "provenance.json"
MANIFEST = "manifest.json"
LONGEST_NAME = 255
"""Bytes of a file's name."""

TEXT = (str, int, float)
"""A text, or what YAML reads as a number."""
TEXTS = {...: str}
PROVENANCE_SHAPE = {
    "clirbench?": str, "made?": str, "python?": str, "unicode?": str, "platform?": str,
    "libraries?": {...: (str, None)},
    "command?": [str], "directory?": str, "signatures?": TEXTS, "lower_is_better?": [str],
    "inputs?": {
        "collection?": {"sha256?": str}, "test_sha256?": str, "systems?": {...: TEXTS}, "baselines?": {...: TEXTS},
        "texts?": {"references?": [str], "source?": (str, None)},
    },
    "read?": TEXTS, "files?": TEXTS, "folders?": TEXTS, "code?": str, "complete?": bool, "near_copies?": [[str]],
    "configuration?": {
        "name?": (*TEXT, None), "folder?": (*TEXT, None), "units?": (*TEXT, None), "paths?": {"cache?": TEXT},
        "pool?": {"about?": ({...: TEXT}, None)}, "scores?": {"tables?": object},
    },
}  # fmt: skip
RESULTS_SHAPE = {
    "name?": str, "answer?": str, "measure?": str, "findings?": [{...: object}], "warnings?": [str],
    "coefficients?": [str],
    "units?": {"said": str},
    "tables?": {...: {"columns": [str], "text": [str]}},
    "columns?": [
        {
            "name": str, "role": str, "origin": str, "higher_is_better": bool, "table": str, "signature": str,
            "parts?": [str], "declared?": {...: (str, bool, None)},
        }
    ],
}  # fmt: skip


def is_plain(name: str) -> bool:
    """Whether a name is a single component of a path: no folder, not `.` or `..`, not absolute."""
    length = len(os.fsencode(name)) if not SURROGATE.search(name) else 0
    return name not in (".", "..") and 0 < length <= LONGEST_NAME and not {"/", "\\", "\0"} & set(name)


def path_inside(folder: Path, name: str) -> Path:
    """The path of an entry of a run's folder; raises `InputError` for a name that leads elsewhere, and for a link."""
    check_name(folder, "the file name", name)
    if not is_plain(name):
        raise InputError(f"{folder}: {name!r} is not the name of a file in this folder; no run of clirbench wrote it")
    if (folder / name).is_symlink():
        raise _link(folder / name)
    return folder / name


def refuse_links(folder: Path) -> None:
    """Raise `InputError` where a run's folder, or a folder in it, holds a link."""
    for place, folders, files in os.walk(folder):
        for name in sorted((*folders, *files)):
            if (path := Path(place, name)).is_symlink():
                raise _link(path)


def _link(path: Path) -> InputError:
    return InputError(f"{path}: is a link, which may lead out of the run's folder; put a copy of the file there")


def read_marker(folder: Path) -> list[str]:
    """The names of the files that a run wrote to its folder; raises `InputError`."""
    names = [name for name in whole_text(path_inside(folder, MARKER)).split("\n") if name]
    for name in names:
        if path_inside(folder, name).name.startswith("."):
            raise InputError(f"{folder / MARKER}: {name!r} is not the name of a file that a run writes")
    if len({*names}) < len(names):
        raise InputError(f"{folder / MARKER}: a name is there twice")
    return names


def marker_text(names: Iterable[str]) -> str:
    """The one content of the marker that names these files."""
    return "".join(f"{name}\n" for name in sorted(names))


def read_results(folder: Path, needed: Sequence[str] = ()) -> dict[str, Any]:
    """results.json, with the keys that are needed; raises `InputError`. The names of its tables are plain."""
    found = read_object(path_inside(folder, RESULTS), RESULTS_SHAPE, needed)
    for name in found.get("tables", {}):
        path_inside(folder, f"{name}.tsv")
    return found


def read_provenance(folder: Path, needed: Sequence[str] = ()) -> dict[str, Any]:
    """provenance.json, with the needed keys; raises `InputError`."""
    return read_object(path_inside(folder, PROVENANCE), PROVENANCE_SHAPE, needed)


def described_columns(results: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What results.json says of each column, by its name."""
    return {entry["name"]: entry for entry in results.get("columns", ())}


def read_object(path: Path, shape: Mapping[Any, Any], needed: Sequence[str] = ()) -> dict[str, Any]:
    """A JSON file that holds an object of a shape (`shape_error`) with the needed keys; raises `InputError`."""
    if not path.is_file():
        raise InputError(f"{path.parent}: not the folder of a finished run: it has no {path.name}")
    no_run = f"so {path.parent} is not the folder of a finished run"
    try:
        value = read_json(path.name, whole_content(path))
    except ValueError as error:
        raise InputError(f"{path}: no {path.name} of a run ({error}), {no_run}") from None
    wrong = shape_error(value, shape) or ", ".join(f"{key!r} is missing" for key in needed if key not in value)
    if wrong:
        raise InputError(f"{path}: no {path.name} of a run: {wrong}, {no_run}")
    return dict(value)


def read_run_table(folder: Path, name: str, columns: Sequence[str]) -> TextTable:
    """NAME.tsv of a run's folder, which has these columns; raises `InputError`."""
    table = read_table(path_inside(folder, f"{name}.tsv"))
    table.require(*columns)
    return table


def numbers(table: TextTable, column: str) -> list[float]:
    """The numbers of a column, NaN for an empty cell; raises `InputError` for a cell that is no finite number."""
    table.require(column)
    found = []
    for line, cell in zip(table.numbers, table.column(column), strict=True):
        value = as_number(cell) if cell.strip() else math.nan
        if value is None or (cell.strip() and not abs(value) <= LARGEST):
            raise InputError(f"{table.where}: line {line}: {column} is {cell!r}, a number was expected")
        found.append(value)
    return found
