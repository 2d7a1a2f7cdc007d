"""manifest.json, the seal of a run's folder: every file with its size and sha256, and the sha256 of every input.

It is written last. Whoever has its sha256, or a signature of it, knows every byte of the folder. What does not belong
to the run is not sealed: an earlier run (`previous-N`), names that begin with a dot, the signature itself, and files
that grow after the run (`GROWING`).
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from clirbench.errors import InputError, escape_unseen, one_line
from clirbench.files.journal import EVENTS
from clirbench.files.run_files import MANIFEST, MARKER, is_plain, marker_text, path_inside, read_marker, read_object
from clirbench.text import whole_content

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


@dataclass(frozen=True)
class Seal:
    """What was sealed: `files` by name, size in bytes and sha256; `inputs` by path, sha256 of the unpacked bytes."""

    clirbench: str
    inputs: Mapping[str, str]
    files: Mapping[str, tuple[int, str]]


def seal(folder: Path, staying: Path, clirbench: str, inputs: Mapping[str, str]) -> None:
    """Write the manifest of a folder that holds all files of a run; raises `OSError`, `InputError`.

    staying: the folder that they will be moved to, where the plan and Hydra's files are already.
    """
    places = [(folder, folder), *((staying, staying / name) for name in STAYING)]
    files = {path.relative_to(root).as_posix(): path for root, below in places for path in _files(below)}
    found = {name: _size_and_sha256(path) for name, path in sorted(files.items()) if name not in (MANIFEST, *GROWING)}
    sealed = {name: {"size": size, "sha256": sha256} for name, (size, sha256) in found.items()}
    (folder / MANIFEST).write_text(_text(clirbench, inputs, sealed), encoding="utf-8", newline="\n")


def _text(clirbench: str, inputs: Mapping[str, str], files: Mapping[str, Mapping[str, object]]) -> str:
    """The one way in which a manifest of this content is written."""
    values = {
        "version": VERSION,
        "clirbench": clirbench,
        "inputs": dict(sorted(inputs.items())),
        "files": {name: {key: files[name][key] for key in ("size", "sha256")} for name in sorted(files)},
    }
    return escape_unseen(json.dumps(values, indent=2, ensure_ascii=False)) + "\n"


def read_manifest(folder: Path) -> Seal:
    """The manifest of a run's folder; raises `InputError` for what is none, and for a name that leads elsewhere."""
    where = path_inside(folder, MANIFEST)
    found = read_object(where, SHAPE)
    if found["version"] != VERSION:
        raise InputError(f"{where}: is of version {found['version']}, this clirbench reads version {VERSION}")
    for name, file in found["files"].items():
        if not all(map(is_plain, name.split("/"))) or name == MANIFEST:
            raise InputError(f"{where}: {name!r} is not the name of a file in this folder")
        if file["size"] < 0:
            raise InputError(f"{where}: {name!r} has a size below 0")
    files = {name: (file["size"], file["sha256"]) for name, file in found["files"].items()}
    return Seal(found["clirbench"], found["inputs"], files)


def broken(folder: Path) -> Iterator[str]:
    """A line for each file that is not as the seal of its folder says, the first word being its name."""
    return map(one_line, _broken(folder))


def _broken(folder: Path) -> Iterator[str]:
    try:
        manifest = read_manifest(folder)
        content = whole_content(folder / MANIFEST)
        names = set(read_marker(folder)) if not _was_moved(folder) else set()
    except InputError as error:
        yield str(error)
        return
    found = json.loads(content)  # `read_manifest` has checked it
    if content != _text(found["clirbench"], found["inputs"], found["files"]).encode():
        yield f"{MANIFEST}: is not written as a run writes it"
    if names and whole_content(folder / MARKER) != marker_text(names).encode():
        yield f"{MARKER}: is not written as a run writes it"
    there = {}
    for path in (path for entry in folder.iterdir() if not is_free(entry.name) for path in _files(entry)):
        name = path.relative_to(folder).as_posix()
        if wrong := _no_file(path):
            yield f"{name}: {wrong}"
        else:
            there[name] = path
    for name, (size, sha256) in manifest.files.items():
        stays = PurePosixPath(name).parts[0] in (*STAYING, MARKER)
        if name not in there and not (stays and _was_moved(folder)):
            yield f"{name}: is not there"
        elif name in there and (wrong := _difference(there[name], size, sha256)):
            yield f"{name}: {wrong}"
    yield from (f"{name}: no run wrote it" for name in sorted(there.keys() - manifest.files.keys()))
    sealed = {MANIFEST, *(PurePosixPath(name).parts[0] for name in manifest.files)} - {*STAYING, MARKER}
    marked = {name for name in names if name in sealed or not (folder / name).is_dir()}  # an empty folder has no seal
    if names and (extra := marked ^ sealed):
        yield f"{MARKER}: and {MANIFEST} name other files: {', '.join(sorted(extra)[:5])}"


def _was_moved(folder: Path) -> bool:
    """Whether a later run has moved the run's files to this folder."""
    return PREVIOUS.fullmatch(folder.absolute().name) is not None


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


def _no_file(path: Path) -> str:
    """Why a path is no file of a run's own, nothing where it is one."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return "is a link, which may lead out of the run's folder"
    if not stat.S_ISREG(status.st_mode):
        return "is no file, but a pipe, a socket or a device"
    return "" if status.st_nlink == 1 else "is a file of another folder too (a hard link); put a copy there"


def _difference(path: Path, size: int, sha256: str) -> str:
    try:
        found = _size_and_sha256(path, size)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if found[0] != size:
        return f"has not the {size:,} bytes that manifest.json sealed"
    return "" if found[1] == sha256 else "is not what manifest.json sealed: its content is another"


def _size_and_sha256(path: Path, most: int | None = None) -> tuple[int, str]:
    """Size in bytes and sha256 of a file; of more than `most` bytes nothing is read. Never waits for a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is no file", str(path))
        if most is not None and status.st_size != most:
            return status.st_size, ""
        digest, size = hashlib.sha256(), 0
        while (most is None or size <= most) and (piece := stream.read(BLOCK)):
            digest.update(piece)
            size += len(piece)
    return size, digest.hexdigest()
