"""One member of an archive, read as a stream: nothing is ever unpacked by the names that an archive holds."""

import bz2
import gzip
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import PurePosixPath
from typing import IO, Any, cast

from clirbench.errors import DownloadError
from clirbench.text import current_limits, limit_error

PIECE = 1 << 18
HEADER = 1 << 20
"""Bytes of a tar's header, which is held in memory."""
MEMBERS = 100_000
"""Members of a tar that are read at most."""
DAMAGED: tuple[type[Exception], ...] = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, struct.error),
    *(RuntimeError, ValueError),  # encrypted zips, unknown methods; names and numbers that cannot be decoded
)


def unsafe(name: str) -> bool:
    """Whether a relative name would leave its folder (or is none): absolute, with `..`, a drive, a backslash, empty."""
    parts = PurePosixPath(name).parts
    return not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0] or "\0" in name


def unpacked(where: str, packed: IO[bytes], kind: str, member: str) -> Iterator[bytes]:
    """The content of a `gzip` file, or of one member of a `zip` or `tar`, in pieces; the first of its name in a tar.

    Raises `DownloadError` where the archive is damaged or encrypted, or has no plain file of that name.
    """
    with ExitStack() as opened:
        try:
            stream = _opened(opened, packed, kind, member)
            while stream is not None and (piece := stream.read(PIECE)):
                yield piece
        except DAMAGED as error:
            raise DownloadError(f"{where}: cannot be unpacked as {kind} ({error})") from None
    if stream is None:
        raise DownloadError(f"{where}: the archive has no plain file {member!r}")


def _opened(opened: ExitStack, packed: IO[bytes], kind: str, member: str) -> IO[bytes] | None:
    packed.seek(0)
    if kind == "gzip":
        return cast("IO[bytes]", opened.enter_context(gzip.GzipFile(fileobj=packed)))
    if unsafe(member):
        return None
    if kind == "zip":
        return _zip_member(opened.enter_context(zipfile.ZipFile(packed)), member)
    return _tar_member(opened, packed, member)


def _zip_member(archive: zipfile.ZipFile, name: str) -> IO[bytes] | None:
    """The stream of one plain file; None where it is missing, a folder, or a link (which could point anywhere)."""
    found = [info for info in archive.infolist() if info.filename == name and not info.is_dir()]
    is_link = bool(found) and (found[-1].external_attr >> 16) & 0o170000 == 0o120000
    return None if not found or is_link else archive.open(found[-1])


def _tar_member(opened: ExitStack, packed: IO[bytes], name: str) -> IO[bytes] | None:
    """The same of a tar, which is read up to the member and no further."""
    magic = packed.read(6)
    packed.seek(0)
    plain: Any = packed
    if magic.startswith(b"\x1f\x8b"):
        plain = gzip.GzipFile(fileobj=packed)
    elif magic.startswith(b"BZh"):
        plain = bz2.BZ2File(packed)
    elif magic.startswith(b"\xfd7zXZ"):
        plain = lzma.LZMAFile(packed)  # noqa: SIM115 - closed with the rest
    if plain is not packed:
        opened.enter_context(plain)
    archive = opened.enter_context(tarfile.TarFile(fileobj=cast("IO[bytes]", _Capped(plain))))
    for number, info in enumerate(archive):
        if info.name == name and info.isreg():
            return archive.extractfile(info)
        if number >= MEMBERS:
            raise tarfile.TarError(f"more than {MEMBERS:,} members")
    return None


class _Capped:
    """The bytes of a tar, no header longer than `HEADER`: tarfile reads headers whole and members in pieces."""

    def __init__(self, plain: IO[bytes]) -> None:
        self.plain = plain
        self.name = None
        self.tell = plain.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= HEADER:
            raise tarfile.TarError(f"a header of more than {HEADER:,} bytes")
        return self.plain.read(size)

    def seek(self, position: int) -> int:
        if position > current_limits().unpacked_bytes:
            raise limit_error("a tar", "unpacked_bytes", "more than {:,} bytes, unpacked")
        return self.plain.seek(position)
