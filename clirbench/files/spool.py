"""Bytes and arrays that are made piece by piece and may be larger than memory: beyond `HELD` bytes they are in a file.

The file is in the folder for temporary files (TMPDIR) and has no name: it goes with the last process that uses it.
What the system maps of a file counts as memory until it is given back: `pages` reads piece by piece and gives back.
"""

import mmap
import os
import weakref
from collections.abc import Iterator
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import ResourceError

Buffer: TypeAlias = Any
"""Bytes, an array, a map: `collections.abc.Buffer`, which Python has from 3.12 on."""
HELD = 1 << 26
"""Bytes of one text, or of one array, that are held in memory."""
PIECE = 1 << 24
"""Bytes of a mapped file that are read before they are given back; a multiple of every page's size."""


class Spool:
    """Bytes, written from front to back, then read anywhere, by any thread and forked process."""

    def __init__(self) -> None:
        self._held: bytes | bytearray = bytearray()
        self._file: IO[bytes] | None = None
        self.length = 0

    def write(self, piece: Buffer) -> None:
        """Append bytes, or those of an array; raises `ResourceError` where there is no room for the file."""
        content = memoryview(piece).cast("B") if memoryview(piece).nbytes else b""
        self.length += len(content)
        try:
            if self._file is None and self.length > HELD:
                self._file = TemporaryFile()  # noqa: SIM115  it lives as long as the spool
                weakref.finalize(self, self._file.close)
                self._file.write(self._held)
                self._held = b""
            if self._file is not None:
                self._file.write(content)
                self._file.flush()  # who forks now has nothing left to write
            elif isinstance(self._held, bytearray):
                self._held += content
        except OSError as error:
            raise ResourceError(
                f"{gettempdir()}: no room for {self.length:,} bytes of a temporary file ({error.strerror or error}); "
                "set the environment variable TMPDIR to a folder with more"
            ) from None

    def read(self, begin: int, end: int) -> bytes:
        """The bytes from `begin` to `end`."""
        if self._file is None:
            return bytes(memoryview(self._held)[begin:end])
        return os.pread(self._file.fileno(), end - begin, begin)

    def array(self, kind: Any) -> NDArray[Any]:
        """All bytes as an array of one axis; of a file it is mapped, and takes memory as it is read."""
        if self._file is None or not self.length:
            return np.frombuffer(self._held, dtype=kind)
        return np.frombuffer(mmap.mmap(self._file.fileno(), self.length), dtype=kind)


def pages(content: Buffer) -> Iterator[memoryview]:
    """The bytes in pieces; those of a mapped file are given back to the system behind the reader.

    For what nobody has changed: changes to a private map are lost.
    """
    whole = memoryview(content).cast("B")
    for begin in range(0, len(whole), PIECE):
        yield whole[begin : begin + PIECE]
        give_back(content)


def map_of(value: Any) -> mmap.mmap | None:
    """The mapped file that an array or view is part of; None where it is in memory."""
    while value is not None and not isinstance(value, mmap.mmap):
        value = value.obj if isinstance(value, memoryview) else getattr(value, "base", None)
    return value


def give_back(value: Any) -> None:
    """Let the system take what was read of a mapped file, where it can; nothing for what is in memory."""
    mapped = map_of(value)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
