"""The store: results by the key of what they were made from, one file each, checked whenever they are read.

    STORE/ab/abcdef....npz        a value (see `clirbench.store.codecs`)
    STORE/ab/abcdef....failed     why the last attempt at this key failed; gone as soon as there is a value
    STORE/unfinished/             values that are being written
    STORE/running/                a file for each process that uses the store

A value is written beside its place and moved there in one step, so no reader sees half of it and two runs may share a
store. It is not forced to disk: after a power cut the checksum finds what is torn, and a rerun makes it again.
"""

import errno
import logging
import mmap
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from clirbench.errors import StoreError
from clirbench.later import bytes_of_arrays
from clirbench.store.codecs import Content, Damaged, check, pack, pack_into, unpack
from clirbench.store.whole import sweep, write_whole, writer

Value = TypeVar("Value")

LOG = logging.getLogger(__name__)
UNFINISHED = "unfinished"
RUNNING = "running"
MAPPED = 1 << 26
"""Bytes from which on an entry is mapped into memory: the system reads what is used, and may take it back. A map
holds a file open, of which a process may have few; so what is smaller is read, and written in one go."""


@dataclass(frozen=True)
class Store:
    """A folder of results; made when the first one is written."""

    path: Path
    warned: set[str] = field(default_factory=set, compare=False, repr=False)

    def holds(self, key: str) -> bool:
        """Whether a value is there as it was written; a damaged one is reported and counts as missing."""
        return self.find(key, check) is not None

    def find(self, key: str, read: Callable[[str, Content], Any] = unpack) -> Any | None:
        """The value, as `holds` says; None where there is none."""
        content = self._read(self._place(key, "npz"))
        try:
            return None if content is None else read(key, content)
        except Damaged as damage:
            self._warn_once(key, f"{self._place(key, 'npz')} is damaged ({damage}): its value is computed again")
            return None

    def get(self, key: str) -> Any:
        """The value; raises `StoreError` where `holds` says that there is none."""
        place = self._place(key, "npz")
        content = self._read(place)
        if content is None:
            raise StoreError(f"{place} is gone from the store; a rerun computes it again")
        try:
            return unpack(key, content)
        except Damaged as damage:
            raise StoreError(f"{place} is damaged ({damage}); a rerun computes it again") from None

    def put(self, key: str, value: Any) -> None:
        """Store a value; raises `StoreError` where it cannot be written."""
        large = bytes_of_arrays(value) >= MAPPED
        content = partial(pack_into, key=key, value=value) if large else pack(key, value)
        try:
            self._write(self._place(key, "npz"), content)
            self._place(key, "failed").unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be written ({error.strerror or error}); choose another folder with "
                "paths.cache=DIR, or make room"
            ) from error

    def note_failure(self, key: str, reason: str) -> None:
        """Keep why an attempt failed, for `clirbench.status`; a store that cannot be written keeps nothing."""
        try:
            self._write(self._place(key, "failed"), reason.encode("utf-8", "replace"))
        except OSError:
            LOG.debug("the failure of %s could not be noted", key)

    def failure(self, key: str) -> str | None:
        """Why the last attempt at this key failed; None where it did not, or was never made."""
        content = self._read(self._place(key, "failed"))
        return None if content is None else bytes(content).decode("utf-8", "replace")

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

    def _place(self, key: str, kind: str) -> Path:
        return self.path / key[:2] / f"{key}.{kind}"

    def _read(self, place: Path) -> Content | None:
        """The bytes of a file; None where there is none, or, with one warning, none that can be read.

        A large one is mapped into memory, privately: what is done to it stays here. Only a regular file is read: a
        pipe would be waited for, a link leads elsewhere.
        """
        try:
            with open(place, "rb", opener=_without_waiting) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise OSError(errno.EINVAL, "not a regular file")
                if status.st_size >= MAPPED:
                    with suppress(OSError):  # not every file system can; then it is read
                        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
                return bytearray(file.read())
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or str(error)
            self._warn_once(reason, f"{place}: cannot be read ({reason}); such values are computed again")
            return None

    def _warn_once(self, about: str, message: str) -> None:
        if about not in self.warned:
            LOG.warning("%s", message)
            self.warned.add(about)

    def _write(self, place: Path, content: bytes | Callable[[IO[bytes]], object]) -> None:
        unfinished = self.path / UNFINISHED / writer()
        try:
            write_whole(place, content, unfinished)
        except (FileNotFoundError, IsADirectoryError):
            for folder in (unfinished.parent, place.parent):
                folder.mkdir(parents=True, exist_ok=True)
            if place.is_dir() and not place.is_symlink():
                # Nothing of ours; nobody knows whose.
                place.rename(place.with_name(f"{place.name}.{writer()}"))
            write_whole(place, content, unfinished)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


@dataclass(frozen=True)
class Entry(Generic[Value]):
    """A value in the store, read each time it is asked for, so that a run need not hold many at once."""

    store: Store
    key: str

    @property
    def fingerprint(self) -> str:
        """The key says what the value was made from, so it stands for the value in keys of what is made from it."""
        return self.key

    def load(self) -> Value:
        """Read and check it; raises `StoreError` where it is gone or damaged."""
        value: Value = self.store.get(self.key)
        return value
