"""What a run's folder is, for those who write, read, continue and verify one; somebody else may have sent it.

One rule for every name in it: a single plain component inside the folder, and no link. JSON is read with its types,
size and nesting checked. `.clirbench` (`MARKER`) has the names of the files that a run wrote; results.json and
provenance.json have the shapes below; events.jsonl (`Journal`) has one JSON object a line and is only appended to.

manifest.json (`seal`, `broken`) is written last: every file with its size and sha256, and the sha256 of every input.
Whoever has its sha256, or a signature of it, knows every byte of the folder, but for what does not belong to the run:
an earlier run (`previous-N`), names that begin with a dot, the signature itself, and files that grow later (`GROWING`).

A file is known again by what the system says of it (`state_of`): the last number, ctime, is set by the system alone.
One that was touched within two seconds of its reading is not trusted by its times: clocks of file systems are coarse.
"""

import hashlib
import json
import math
import os
import re
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from clirbench.errors import InputError, escape_unseen, one_line, writing
from clirbench.files.direct import SETTLED as SETTLED, State as State, state_of as state_of
from clirbench.files.tables import LARGEST, TextTable, as_number, json_value, read_table, shape_error
from clirbench.text import SURROGATE, check_name, did_you_mean, whole_content, whole_text

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
    "command?": [str], "directory?": str, "signatures?": TEXTS,
    "inputs?": {
        "collection?": {"sha256?": str}, "test_sha256?": str, "systems?": {...: TEXTS}, "baselines?": {...: TEXTS},
        "texts?": {"references?": [str], "source?": (str, None)},
    },
    "read?": TEXTS, "files?": TEXTS, "near_copies?": [[str]], "stems?": TEXTS,
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
    "columns?": [{
        "name": str, "role": str, "origin": str, "higher_is_better": bool, "table": str, "signature": str,
        "parts?": [str], "declared?": {...: (str, bool, None)},
    }],
}  # fmt: skip


def is_plain(name: str) -> bool:
    """Whether a name is a single component of a path: no folder, not `.` or `..`, not absolute."""
    length = len(os.fsencode(name)) if not SURROGATE.search(name) else 0
    return name not in (".", "..") and 0 < length <= LONGEST_NAME and not {"/", "\\", "\0"} & set(name)


def leads_inside(name: str) -> bool:
    """Whether a name with slashes is of a file in a folder or below it."""
    return all(map(is_plain, name.split("/")))


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
    if links := sorted(path for path in _files(folder.resolve()) if path.is_symlink()):
        raise _link(links[0])


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


def no_run(folder: Path, name: str) -> InputError:
    """The error for a folder of a run that has no file of this name."""
    if not folder.exists():
        return InputError(f"{folder}: no such folder{did_you_mean(folder)}")
    runs = [*folder.parent.glob(name), *sorted(folder.glob(f"*/{name}")), *sorted(folder.glob(f"*/*/{name}"))]
    meant = f"; '{runs[0].parent}' is the folder of one" if runs else ""
    meant = f"; 'clirbench {folder}' makes a run of it" if (folder / "systems").is_dir() else meant
    return InputError(f"{folder}: not the folder of a finished run: it has no {name}{meant}")


def read_object(path: Path, shape: Mapping[Any, Any], needed: Sequence[str] = ()) -> dict[str, Any]:
    """A JSON file that holds an object of a shape (`shape_error`) with the needed keys; raises `InputError`."""
    if not path.is_file():
        raise no_run(path.parent, path.name)
    value = json_value(str(path), whole_content(path), strict=True)
    if wrong := shape_error(value, shape) or ", ".join(f"{key!r} is missing" for key in needed if key not in value):
        said = f"{path}: no {path.name} of a run:"
        raise InputError(f"{said} {wrong}, so {path.parent} is not the folder of a finished run")
    return dict(value)


def read_run_table(folder: Path, name: str, columns: Sequence[str]) -> TextTable:
    """NAME.tsv of a run's folder, which has these columns; raises `InputError`."""
    table = read_table(path_inside(folder, f"{name}.tsv"))
    table.require(*columns)
    return table


def numbers(table: TextTable, column: str, missing: Collection[str] = ("",)) -> list[float]:
    """The numbers of a column, NaN for a missing cell; raises `InputError` for a cell that is no finite number."""
    table.require(column)
    found = []
    for line, cell in zip(table.numbers, table.column(column), strict=True):
        value = math.nan if (hole := cell.strip().lower() in missing) else as_number(cell)
        if value is None or not (hole or abs(value) <= LARGEST):
            most = f"a finite number (of at most {LARGEST:g}) was expected"
            raise InputError(f"{table.where}: line {line}: {column} is {cell!r}, {most}")
        found.append(value)
    return found


def open_regular(path: Path) -> IO[bytes]:
    """A regular file, to read: a pipe would be waited for, a link leads elsewhere. Raises `OSError`."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    file = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(0, "not a regular file", str(path))
    return file


def is_settled(state: State | None) -> bool:
    """Whether a file in this state, read now, can be known again by it."""
    return state is not None and time.time_ns() - max(state[3:]) > SETTLED


EVENTS = "events.jsonl"


@dataclass(frozen=True)
class Journal:
    """Events, each a JSON object with `event` (its kind) and `at` (UTC); the page of files lists all kinds.

    `shapes`: what a reader needs of an event of a kind, as in `shape_error`.
    """

    path: Path
    shapes: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The events so far, without half a line that is being written or that a killed process left.

        Raises `InputError` for what is no journal: the folder may have come from somebody else.
        """
        for number, line in enumerate(self.whole_lines().split(b"\n")[:-1], start=1):
            row: Any = json_value(f"{self.path}: line {number}", line, strict=True)
            if wrong := shape_error(row, {"event": str}) or shape_error(row, self.shapes.get(row["event"], {})):
                said = f"{self.path}: line {number}: {wrong}, so it is not a journal of clirbench;"
                raise InputError(f"{said} remove it to begin another")
            yield row

    def whole_lines(self) -> bytes:
        """The lines so far that are whole, with their ends."""
        content = whole_content(self.path) if self.path.exists() else b""
        return content[: content.rfind(b"\n") + 1]

    def mend(self) -> None:
        """Cut off half a line that a killed process left; a writer does so before its first event."""
        if (whole := len(self.whole_lines())) < (self.path.stat().st_size if self.path.exists() else 0):
            with writing(self.path):
                os.truncate(self.path, whole)

    def add(self, event: str, **values: Any) -> None:
        """Append one event by one write; raises `StoreError` where it cannot be written, and leaves no half a line."""
        row = {"event": event, "at": datetime.now(UTC).isoformat(timespec="milliseconds"), **values}
        row |= {"peak_mb": peak} if (peak := peak_mb()) is not None else {}
        text = escape_unseen(json.dumps(row, ensure_ascii=False, allow_nan=False))
        self.append(text.encode("utf-8", "replace") + b"\n")

    def append(self, lines: bytes) -> None:
        """Append whole lines, of another journal."""
        with writing(self.path):
            end = self.path.stat().st_size if self.path.exists() else 0
            try:
                with self.path.open("ab") as stream:
                    stream.write(lines)
            except OSError:
                os.truncate(self.path, end)  # no half a line, that the next one would follow
                raise


def peak_mb() -> int | None:
    """The most memory that this process has had so far, in MiB; None where the system does not count it."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)


VERSION = 1
"""Of the format; `clirbench` beside it is the program's."""
SHA256 = re.compile("[0-9a-f]{64}")
SHAPE = {
    "version": int, "clirbench": str, "inputs": {...: SHA256}, "files": {...: {"size": int, "sha256": SHA256}},
}  # fmt: skip
SIGNATURE = f"{MANIFEST}.sig"
GROWING = (EVENTS, "watch.jsonl")
"""Journals: they are written to after the run; earlier versions had the second."""
PREVIOUS = re.compile(r"previous-\d+")
STAYING = ("plan.tsv", ".hydra")
"""What is there before the run's files, and stays where they are moved to `previous-N`."""
BLOCK = 1 << 20


def seal(folder: Path, staying: Path, clirbench: str, inputs: Mapping[str, str]) -> None:
    """Write the manifest of a folder that holds all files of a run; raises `OSError`, `InputError`.

    staying: the folder that they will be moved to, where the plan and Hydra's files are already.
    """
    places = [(folder, folder), *((staying, staying / name) for name in STAYING)]
    files = {path.relative_to(root).as_posix(): path for root, below in places for path in _files(below)}
    sealed = {name: _record(path) for name, path in files.items() if name not in (MANIFEST, *GROWING)}
    (folder / MANIFEST).write_bytes(_written({"clirbench": clirbench, "inputs": inputs, "files": sealed}))


def _written(manifest: Mapping[str, Any]) -> bytes:
    """The one way in which a manifest of this content is written."""
    values = {
        "version": VERSION,
        "clirbench": manifest["clirbench"],
        "inputs": dict(sorted(manifest["inputs"].items())),
        "files": {
            name: {"size": file["size"], "sha256": file["sha256"]} for name, file in sorted(manifest["files"].items())
        },
    }
    return (escape_unseen(json.dumps(values, indent=2, ensure_ascii=False)) + "\n").encode()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run's folder, as `SHAPE` says: the sha256 of inputs is of the unpacked bytes.

    Raises `InputError` for what is none, and for a name that leads elsewhere.
    """
    where = path_inside(folder, MANIFEST)
    found = read_object(where, SHAPE)
    if found["version"] != VERSION:
        raise InputError(f"{where}: is of version {found['version']}, this clirbench reads version {VERSION}")
    for name, file in found["files"].items():
        if not leads_inside(name) or name == MANIFEST:
            raise InputError(f"{where}: {name!r} is not the name of a file in this folder")
        if file["size"] < 0:
            raise InputError(f"{where}: {name!r} has a size below 0")
    return found


def broken(folder: Path) -> Iterator[str]:
    """A line for each file that is not as the seal of its folder says, the first word being its name."""
    return map(one_line, _broken(folder))


def _broken(folder: Path) -> Iterator[str]:
    try:
        manifest, content = read_manifest(folder), whole_content(folder / MANIFEST)
    except InputError as error:
        yield str(error)
        return
    if content != _written(manifest):
        yield f"{MANIFEST}: is not written as a run writes it"
    entries = (entry for entry in folder.iterdir() if not is_free(entry.name))
    there = {path.relative_to(folder).as_posix(): path for entry in entries for path in _files(entry)}
    was_moved = PREVIOUS.fullmatch(folder.absolute().name)  # by a later run, to this folder
    for name, file in manifest["files"].items():
        if name not in there and not (was_moved and name.startswith((*STAYING, MARKER))):
            yield f"{name}: is not there"
        elif name in there and (wrong := _difference(there[name], file["size"], file["sha256"])):
            yield f"{name}: {wrong}"
    yield from (f"{name}: no run wrote it" for name in sorted(there.keys() - manifest["files"].keys()))


def _files(place: Path) -> Iterator[Path]:
    """The files below a folder, or the one that it is; no link is followed."""
    left = [place] if place.exists() or place.is_symlink() else []
    while left:
        path = left.pop()
        if path.is_dir() and not path.is_symlink():
            left += path.iterdir()
        else:
            yield path


def is_free(name: str) -> bool:
    """Whether an entry of a run's folder is not part of the run."""
    hidden = name.startswith(".") and name not in (MARKER, *STAYING)
    return hidden or name in (MANIFEST, SIGNATURE, *GROWING) or PREVIOUS.fullmatch(name) is not None


def _difference(path: Path, size: int, sha256: str) -> str:
    """Why a path is not the file that was sealed, nothing where it is."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return "is a link, which may lead out of the run's folder"
        if not stat.S_ISREG(status.st_mode):
            return "is no file, but a pipe, a socket or a device"
        if status.st_nlink > 1:
            return "is a file of another folder too (a hard link); put a copy there"
        if status.st_size != size:
            return f"has not the {size:,} bytes that manifest.json sealed"
        same = _record(path, size) == {"size": size, "sha256": sha256}
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return "" if same else "is not what manifest.json sealed: its content is another"


def _record(path: Path, most: int | None = None) -> dict[str, Any]:
    """Size in bytes and sha256 of a file, of which little more than `most` is read."""
    with open_regular(path) as stream:
        digest, size = hashlib.sha256(), 0
        while (most is None or size <= most) and (piece := stream.read(BLOCK)):
            digest.update(piece)
            size += len(piece)
    return {"size": size, "sha256": digest.hexdigest()}
