"""The store: results by the key of what they were made from, those of one text in one folder, checked when read.

    STORE/ab/FOLDER/NAME.part     what one pass over a text gave: values by their keys
    STORE/unfinished/             parts that are being written, under names that say who writes
    STORE/running/                a file for each process that uses the store

A part is a sum, a line of JSON (for each key where its arrays are, and their sum), then the arrays, each at a multiple
of 64 bytes: raw, whole numbers in fewer bytes; nothing is pickled. It is written beside its place, moved there in one
step and never changed, so no reader sees half of it and two runs may share a store; what a killed process left is swept
by the next one. It is not forced to disk: after a power cut the sums find what is torn, and a rerun makes it again.

`Snapshot`: what a run has read is what it goes on with. The first reading of a file gives its hash; a later one of
other bytes is an error.
"""

import hashlib
import itertools
import json
import logging
import math
import mmap
import os
import shutil
import socket
from ast import literal_eval
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from clirbench.errors import InputError, StoreError, changed_error
from clirbench.files.lines import give_back, pages
from clirbench.files.run_files import State, open_regular, state_of
from clirbench.text import current_view, read_pieces, seen_through
from clirbench.types import Run

WRITING = ".writing-"
"""Begins the names of what is being written beside its place."""
COUNTER = itertools.count()


def writer() -> str:
    """A name for what this process writes next: machine, process, number."""
    return f"{_host()}~{os.getpid()}~{next(COUNTER)}"


def write_whole(place: Path, content: bytes | Callable[[IO[bytes]], object], unfinished: Path | None = None) -> None:
    """Write a file so that nobody sees half of it; raises `OSError`. `content`: its bytes, or what writes them to a
    file. `unfinished`: where it is written first."""
    unfinished = unfinished or place.parent / f"{WRITING}{writer()}"
    try:
        if isinstance(content, bytes):
            unfinished.write_bytes(content)
        else:
            with unfinished.open("w+b") as file:
                content(file)
        unfinished.replace(place)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def sweep(folder: Path, prefix: str = WRITING) -> None:
    """Remove what processes of this machine were writing in a folder when they were killed."""
    try:
        left = [path for path in folder.iterdir() if path.name.startswith(prefix)]
    except OSError:
        return
    for path in left:
        if is_abandoned(path.name.removeprefix(prefix)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def is_abandoned(name: str) -> bool:
    """Whether the process that writes under this name is one of this machine, and has ended."""
    host, number, *_ = *name.split("~"), ""
    try:
        os.kill(int(number), 0)
    except (OSError, OverflowError, ValueError) as error:
        return host == _host() and isinstance(error, ProcessLookupError)
    return False


@cache
def _host() -> str:
    return socket.gethostname().replace("~", "-").replace("/", "-")


LOG = logging.getLogger(__name__)
UNFINISHED = "unfinished"
RUNNING = "running"
SUM = 64
"""Length of a sha256 in hexadecimal."""
ALIGNED = 64
MAPPED = 1 << 26
"""Bytes from which on a value is mapped into memory: the system reads what is used, and may take it back. A map holds a
file open, of which a process may have few; so what is smaller is read."""
NARROWED = 1 << 12
"""Bytes from which on whole numbers are kept in narrower types: counts are small."""
PLAIN = "\0plain"
"""The name of all that is no array in a value."""
CSR = ("data", "indices", "indptr")


@dataclass(frozen=True)
class Store:
    """A folder of results; made when the first one is written."""

    path: Path
    warned: set[str] = field(default_factory=set, compare=False, repr=False)

    def find(self, folder: str, keys: Collection[str], bulky: Collection[str] = ()) -> dict[str, Any]:
        """The values of these keys that are there as they were written; a damaged part is reported and has none.

        Those of `bulky` keys are entries, to be read when they are needed.
        """
        found: dict[str, Any] = {}
        for part in self._parts(folder) if keys else ():
            with self._reported(part), open_regular(part) as file:
                head, begin = _head(file, part.stem)
                for key in (key for key in keys if key in head and key not in found):
                    content = _content(file, key, head[key], begin)
                    found[key] = Entry(self, folder, key) if key in bulky else _unpacked(content, head[key])
        return found

    def get(self, folder: str, key: str) -> Any:
        """The value; raises `StoreError` where it is gone or damaged."""
        found = self.find(folder, [key])
        if key not in found:
            raise StoreError(f"{self._folder(folder)}: a result is gone or damaged; a rerun computes it again")
        return found[key]

    def put(self, folder: str, values: Mapping[str, Any]) -> None:
        """Store what one pass gave as one part; raises `StoreError` where it cannot be written."""
        place = self._folder(folder) / f"{hashlib.sha256(''.join(sorted(values)).encode()).hexdigest()}.part"
        unfinished = self.path / UNFINISHED / writer()
        try:
            for parent in (unfinished.parent, place.parent):
                parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, lambda file: write_part(file, place.stem, values), unfinished)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be written ({error.strerror or error}); choose another folder with "
                "paths.cache=DIR, or make room"
            ) from error

    def sweep(self) -> None:
        """Remove what writers of this machine left behind when they were killed."""
        sweep(self.path / UNFINISHED, prefix="")
        sweep(self.path)

    @contextmanager
    def used(self) -> Iterator[None]:
        """Within the block nothing is to be removed from the store: a file in it says so, where one can be written."""
        mark = self.path / RUNNING / writer()
        with suppress(OSError):
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        try:
            yield
        finally:
            with suppress(OSError):
                mark.unlink(missing_ok=True)

    def users(self) -> list[str]:
        """Who uses the store now (machine and process); those of other machines may have ended."""
        sweep(self.path / RUNNING, prefix="")
        try:
            return sorted(path.name.rpartition("~")[0] for path in (self.path / RUNNING).iterdir())
        except OSError:
            return []

    def _folder(self, name: str) -> Path:
        return self.path / name[:2] / name

    def _parts(self, folder: str) -> list[Path]:
        try:
            return sorted(self._folder(folder).glob("*.part"))
        except OSError:
            return []

    def head(self, part: Path) -> Mapping[str, Any]:
        """What the head of a part says of each of its keys; nothing where it is damaged."""
        head: Mapping[str, Any] = {}
        with self._reported(part), open_regular(part) as file:
            head, _ = _head(file, part.stem)
        return head

    @contextmanager
    def _reported(self, part: Path) -> Iterator[None]:
        """What cannot be read counts as missing; one message tells it."""
        try:
            yield
        except FileNotFoundError:
            pass
        except ValueError as damage:
            self.warn_once(str(part), f"{part} is damaged ({damage}): its values are computed again")
        except OSError as error:
            reason = error.strerror or str(error)
            self.warn_once(reason, f"{part}: cannot be read ({reason}); such values are computed again")

    def warn_once(self, about: str, message: str) -> None:
        """One message for all that is about the same."""
        if about not in self.warned:
            LOG.warning("%s", message)
            self.warned.add(about)


def write_part(file: IO[bytes], name: str, values: Mapping[str, Any]) -> None:
    """Write a part; raises `TypeError` for a value (array, csr_array, `Run`, rows of plain values) without a format."""
    head, raw, end = {}, list[Any](), 0
    for key, value in values.items():
        kind, held = _taken_apart(value)
        begin, placed, first = end, {}, len(raw)
        for array_name, given in held.items():
            if given.dtype.hasobject:
                raise TypeError(f"an array of objects ({array_name}) cannot be stored")
            array = _narrow(given)
            wide = "" if array is given else given.dtype.str
            turned = array.flags.f_contiguous and not array.flags.c_contiguous
            raw.append((array.T if turned else np.asarray(array, order="C")).reshape(-1).view(np.uint8))
            dtype = repr(np.lib.format.dtype_to_descr(array.dtype))
            placed[array_name] = [dtype, array.shape, turned, end - begin, wide]
            end += -(-array.nbytes // ALIGNED) * ALIGNED
        its = _sum(key, *raw[first:]).decode()
        head[key] = {"kind": kind, "arrays": placed, "at": begin, "size": end - begin, "sum": its}
    line = json.dumps(head).encode()
    line += b" " * (-(SUM + len(line) + 1) % ALIGNED) + b"\n"
    file.write(_sum(name, line) + line)
    for array in raw:
        for piece in pages(array) if len(array) else ():
            file.write(piece)
        file.write(bytes(-array.nbytes % ALIGNED))


def _sum(name: str, *contents: Any) -> bytes:
    """The sum of contents under a name, so that what stands under another one is found out like a flipped bit."""
    digest = hashlib.sha256(name.encode())
    for content in contents:
        for piece in pages(content) if len(content) else ():
            digest.update(piece)
        digest.update(bytes(-len(content) % ALIGNED))
    return digest.hexdigest().encode()


def _head(file: IO[bytes], name: str) -> tuple[Mapping[str, Any], int]:
    """What the head of the part of this name says of each key, and where its arrays begin; else raises `ValueError`."""
    sums, line = file.read(SUM), file.readline()
    if _sum(name, line) != sums:
        raise ValueError("the sum of its head does not fit")
    return json.loads(line), SUM + len(line)


def _content(file: IO[bytes], key: str, spec: Mapping[str, Any], begin: int) -> Any:
    """The bytes that `spec` describes, read or in a private map of the file; raises `ValueError` for others."""
    begin, size = begin + spec["at"], spec["size"]
    content: Any = None
    if size >= MAPPED:
        with suppress(OSError):  # not every file system can; then it is read
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))[begin : begin + size]
    if content is None:
        content = bytearray(size)
        os.preadv(file.fileno(), [content], begin)
    if len(content) != size or _sum(key, content).decode() != spec["sum"]:
        raise ValueError("the sum of a value does not fit")
    return content


def _unpacked(content: Any, spec: Mapping[str, Any]) -> Any:
    """The value whose arrays are parts of the content, as wide as they were."""
    held = {}
    for name, (kind, shape, turned, at, wide) in spec["arrays"].items():
        count = math.prod(shape)
        array = np.frombuffer(content, _kind(kind), count, at) if count else np.empty(0, _kind(kind))
        array = array.reshape(shape[::-1]).T if turned else array.reshape(shape)
        held[name] = array.astype(wide) if wide else array
    if PLAIN in held:
        held = json.loads(held.pop(PLAIN).tobytes()) | held
    return _put_together(spec["kind"], held)


def _narrow(array: Any) -> Any:
    """Whole numbers in the fewest bytes that hold them; other arrays, and those worth mapping, as they are."""
    if array.dtype.kind not in "iuf" or array.itemsize > 8 or not NARROWED <= array.nbytes < MAPPED:
        return array
    # Without a sign, which -0.0 has too; a NaN is at most nothing.
    most = array.max() if array.view(f"{array.dtype.byteorder}i{array.itemsize}").min() >= 0 else np.inf
    for kind in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(kind).max and np.dtype(kind).itemsize < array.itemsize:
            small = array.astype(kind)
            whole = bool((small == array).all())
            give_back(array)
            return small if whole else array
    return array


@lru_cache(maxsize=256)
def _kind(description: str) -> Any:
    return np.lib.format.descr_to_dtype(literal_eval(description))


def _taken_apart(value: Any) -> tuple[str, dict[str, Any]]:
    """The kind of a value, and its arrays by name; all that is plain is one of them, as JSON."""
    if isinstance(value, Run):
        kind, held = "run", {part.name: getattr(value, part.name) for part in fields(value)}
    elif getattr(value, "format", None) == "csr":
        kind, held = "csr", {"shape": value.shape, **{name: getattr(value, name) for name in CSR}}
    elif isinstance(value, dict):
        kind, held = "dict", value
    elif isinstance(value, np.ndarray | list):
        kind, held = "value", {"value": value}
    else:
        raise TypeError(f"the store has no format for {type(value).__name__}")
    arrays = {name: part for name, part in held.items() if isinstance(part, np.ndarray)}
    if plain := {name: part for name, part in held.items() if name not in arrays}:
        arrays[PLAIN] = np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8)
    return kind, arrays


def _put_together(kind: str, held: dict[str, Any]) -> Any:
    if kind == "run":
        return Run(**{**held, **{name: tuple(held[name]) for name in ("topic_ids", "doc_ids")}})
    if kind == "csr":
        from clirbench.native.special import csr_array

        return csr_array(tuple(held[name] for name in CSR), shape=tuple(held["shape"]))
    return held if kind == "dict" else held["value"]


@dataclass(frozen=True)
class Entry:
    """A value in the store, read each time it is asked for, so that a run need not hold many at once."""

    store: Store
    folder: str
    key: str

    @property
    def fingerprint(self) -> str:
        """The key says what the value was made from, so it stands for the value in keys of what is made from it."""
        return self.key

    def load(self) -> Any:
        """Read and check it; raises `StoreError` where it is gone or damaged."""
        return self.store.get(self.folder, self.key)


@dataclass
class Snapshot:
    """The files that a run has read, by absolute path: the sha256 of each as it was first read, and its state then,
    where it did not change meanwhile. The last one of one piece is held, as several steps in turn read it."""

    seen: dict[str, str] = field(default_factory=dict)
    states: dict[str, State | None] = field(default_factory=dict)
    held: tuple[str, State | None, bytes] = field(default=("", None, b""), compare=False)

    def sha256(self, path: Path) -> str:
        """sha256 of the unpacked bytes as they were when the file was first read, which may be now."""
        if _place(path) not in self.seen:
            self._read(path)
        return self.seen[_place(path)]

    def checked(self, path: Path, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces; raises `InputError` before the last one where they are not those of the first reading.

        Whoever has the last piece has read the right bytes, whether or not it asks for more.
        """
        before, digest = state_of(path), hashlib.sha256()
        if before is not None and self.held[:2] == (_place(path), before):
            yield self.held[2]
            return
        held, whole = None, True
        for piece in pieces:
            if held is not None:
                whole = False
                yield held
            digest.update(piece)
            held = piece
        if self.seen.setdefault(_place(path), digest.hexdigest()) != digest.hexdigest():
            raise changed_error(path)
        self.states[_place(path)] = before if state_of(path) == before else None
        if held is not None:
            if whole:
                self.held = _place(path), self.states[_place(path)], held
            yield held

    def changed(self) -> list[Path]:
        """The files that have other content now, or none."""
        return [path for path in map(Path, list(self.seen)) if self.differs(path)]

    def differs(self, path: Path) -> bool:
        """Whether a file that was read has other content now; it is read only where its state is another."""
        state = self.states.get(_place(path))
        if _place(path) not in self.seen or (state is not None and state_of(path) == state):
            return False
        try:
            self._read(path)
        except InputError:
            return True
        return False

    def _read(self, path: Path) -> None:
        with seen_through(self):
            for _ in read_pieces(path):
                pass


@contextmanager
def read_through_snapshot() -> Iterator[Snapshot]:
    """Within the block files are read through one snapshot: the one that holds here already, or a new one."""
    snapshot = current_snapshot()
    with seen_through(snapshot):
        yield snapshot


def current_snapshot() -> Snapshot:
    """The snapshot that holds here, or one that begins here."""
    current = current_view()
    return current if isinstance(current, Snapshot) else Snapshot()


def _place(path: Path) -> str:
    return str(path.absolute())
