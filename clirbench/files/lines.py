"""Lines held as the bytes of their text and where each begins; a line becomes a string when it is asked for.

Bytes and arrays that are made piece by piece and may be larger than memory: beyond `HELD` bytes they are in a file.

The file is in the folder for temporary files (TMPDIR) and has no name: it goes with the last process that uses it.
What the system maps of a file counts as memory until it is given back: `pages` reads piece by piece and gives back.
"""

import hashlib
import mmap
import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import ResourceError
from clirbench.text import BLOCK, Text, TextLines, current_limits, decoded, limit_error
from clirbench.types import Ints

Buffer: TypeAlias = Any
"""Bytes, an array, a map: `collections.abc.Buffer`, which Python has from 3.12 on."""
HELD = 1 << 24
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
            said = f"{gettempdir()}: no room for {self.length:,} bytes of a temporary file ({error.strerror or error})"
            raise ResourceError(f"{said}; set the environment variable TMPDIR to a folder with more") from None

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


AT_ONCE = 10_000
"""Lines that are strings at a time where all are gone through."""


def line_ends(blocks: Iterable[bytes], where: str) -> Iterator[tuple[bytes, Ints]]:
    """Blocks of whole lines, and at which of its bytes each line ends.

    Raises `InputError` at the first byte that is not UTF-8, and for more lines than `limits.lines`.
    """
    for before, block, _ in decoded(blocks, where):
        ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
        if before + len(ends) > current_limits().lines:
            raise limit_error(where, "lines", "more than {:,} lines")
        yield block, ends


def n_blank(block: bytes, ends: Ints) -> int:
    """How many lines of a block hold nothing but spaces and control characters; `ends`: as of `line_ends`."""
    codes, starts = np.frombuffer(block, dtype=np.uint8), np.concatenate([[0], ends[:-1] + 1])
    return int((np.maximum.reduceat(codes, starts) <= ord(" ")).sum()) if len(ends) else 0


class Lines(Sequence[str]):
    """The lines of a text: a sequence of strings, and a `Text`; hashable by content.

    A slice is a tuple. Equal to a tuple of the same strings too, whose hash is another.
    Raises what `line_ends` raises.
    """

    files: tuple[Path, ...] = ()

    def __init__(self, blocks: Iterable[bytes], where: str = "(memory)") -> None:
        """`blocks`: whole lines, each ending in a newline byte."""
        self.where = where
        self._content = Spool()
        digest = hashlib.sha256()
        starts = [np.zeros(1, dtype=np.int64)]
        for block, ends in line_ends(blocks, where):
            starts.append(self._content.length + 1 + ends)
            self._content.write(block)
            digest.update(block)
        self._starts = np.concatenate(starts)
        self.fingerprint = digest.hexdigest()

    @classmethod
    def of(cls, text: Text) -> "Lines":
        """The lines of a text, which is read once."""
        return cls(text.blocks(), text.where)

    @property
    def size(self) -> int:
        return self._content.length

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Whole lines, each ending in a newline byte, in blocks of about `size` bytes."""
        begin = 0
        while begin < len(self):
            reached = int(np.searchsorted(self._starts, self._starts[begin] + size, side="right")) - 1
            end = max(begin + 1, reached)
            yield self._bytes(begin, end)
            begin = end

    def lines(self) -> tuple[str, ...]:
        """All lines as strings, which take several times the memory of the text."""
        return self._strings(0, len(self))

    def joined(self) -> Iterator[bytes]:
        """The bytes of all lines with a newline between them, in blocks."""
        left = self.size
        for block in self.blocks():
            left -= len(block)
            yield block if left else block[:-1]

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            begin = range(len(self))[at]
            return self._strings(begin, begin + 1)[0]
        begin, end, step = at.indices(len(self))
        return self._strings(begin, end) if step == 1 else tuple(self[:])[at]

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self), AT_ONCE):
            yield from self[begin : begin + AT_ONCE]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Lines):
            return self.fingerprint == other.fingerprint
        return isinstance(other, tuple) and len(other) == len(self) and self[:] == other

    def __hash__(self) -> int:
        return int(self.fingerprint[:15], 16)

    def __reduce__(self) -> Any:
        return Lines, ([self._bytes(0, len(self))], self.where)

    def _bytes(self, begin: int, end: int) -> bytes:
        return self._content.read(int(self._starts[begin]), int(self._starts[end]))

    def _strings(self, begin: int, end: int) -> tuple[str, ...]:
        return tuple(self._bytes(begin, end).decode("utf-8").split("\n")[:-1]) if begin < end else ()


def held_text(lines: Sequence[str]) -> Text:
    """Lines as a text that can be streamed."""
    return lines if isinstance(lines, Lines) else TextLines(lines)
