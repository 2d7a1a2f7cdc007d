"""One file from a public address: resumed, verified, unpacked, and put in place only when it is whole.

A download goes to `NAME.part` and stays there when the connection breaks; the next try asks for the rest. Nothing is
ever unpacked by the names that an archive holds: one named member is read, and written where we say.
"""

import gzip
import hashlib
import http.client
import ssl
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from clirbench.errors import DownloadError, StoreError
from clirbench.text import sha256_of

PIECE = 1 << 18
TRIES = 3
TIMEOUT = 60.0


@dataclass(frozen=True)
class Promise:
    """What a content must be: its length in bytes and its sha256 (hexadecimal)."""

    n_bytes: int
    sha256: str


@dataclass(frozen=True)
class Packed:
    """How a file is packed at its address: `gzip`, `zip` or `tar` (with the member to read), and what is sent."""

    kind: str
    content: Promise
    member: str | None = None


def fetch(url: str, target: Path, content: Promise, packed: Packed | None = None) -> None:
    """Download, verify, unpack and verify again; `target` appears only when it is right.

    Raises `DownloadError` for an address that does not answer, a connection that breaks, and anything but the
    promised content; `StoreError` where the target cannot be written.
    """
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _download(url, part, packed.content if packed else content)
        if packed:
            unpacked = target.with_name(target.name + ".unpacked")
            _unpack(url, part, unpacked, content, packed)
            unpacked.replace(target)
            part.unlink()
        else:
            part.replace(target)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written ({error.strerror or error})") from None


def unsafe(name: str) -> bool:
    """Whether a relative name would leave its folder (or is none): absolute, with `..`, a drive, a backslash, empty."""
    parts = PurePosixPath(name).parts
    return not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0] or "\0" in name


def _download(url: str, part: Path, promise: Promise) -> None:
    for attempt in range(1, TRIES + 1):
        held = part.stat().st_size if part.exists() else 0
        if held < promise.n_bytes or (held == 0 and promise.n_bytes == 0):
            try:
                _receive(url, part, held, promise)
            except DownloadError:
                now = part.stat().st_size if part.exists() else 0
                if attempt == TRIES or now == held:
                    raise  # no byte came in this try: another would hardly fare better
                continue
        if _sha256(part) == promise.sha256:
            return
        size = part.stat().st_size
        part.unlink()  # a wrong beginning can never become right
        if held == 0:
            raise DownloadError(
                f"{url}: not the promised content ({size:,} bytes, {promise.n_bytes:,} were promised, sha256 differs); "
                "the file there has changed, or something on the way changed it"
            )
    raise DownloadError(f"{url}: not the promised content after {TRIES} tries")


def _receive(url: str, part: Path, held: int, promise: Promise) -> None:
    """Append what is missing to `part`, or start over where the server does not resume."""
    headers = {"User-Agent": "clirbench", "Accept-Encoding": "identity"}
    if held:
        headers["Range"] = f"bytes={held}-"
    received = held
    try:
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            resumed = held and response.status == 206 and _starts_at(response.headers.get("Content-Range"), held)
            received = held if resumed else 0
            with part.open("ab" if resumed else "wb") as out:
                while piece := response.read(PIECE):
                    received += len(piece)
                    if received > promise.n_bytes:
                        break
                    out.write(piece)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # the range is not to be had: the next try starts from nothing
            part.unlink(missing_ok=True)
        raise DownloadError(f"{url}: the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise DownloadError(f"{url}: cannot be reached ({error.reason})") from None
    except (http.client.HTTPException, ConnectionError, TimeoutError, ssl.SSLError) as error:
        raise _broken(url, part, promise, str(error) or type(error).__name__) from None
    if received > promise.n_bytes:
        part.unlink(missing_ok=True)
        raise DownloadError(f"{url}: sends more than the {promise.n_bytes:,} bytes promised; the file has changed")
    if received < promise.n_bytes:
        raise _broken(url, part, promise, "the connection ended")


def _broken(url: str, part: Path, promise: Promise, why: str) -> DownloadError:
    held = part.stat().st_size if part.exists() else 0
    return DownloadError(
        f"{url}: broke off after {held:,} of {promise.n_bytes:,} bytes ({why}); run it again, it goes on from there"
    )


def _starts_at(content_range: str | None, start: int) -> bool:
    return (content_range or "").strip().startswith(f"bytes {start}-")


def _unpack(url: str, part: Path, target: Path, content: Promise, packed: Packed) -> None:
    digest, n_bytes = hashlib.sha256(), 0
    try:
        with target.open("wb") as out:
            for piece in _unpacked(url, part, packed):
                n_bytes += len(piece)
                if n_bytes > content.n_bytes:
                    break  # a small file that unpacks to an endless one
                digest.update(piece)
                out.write(piece)
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, zipfile.BadZipFile, NotImplementedError) as error:
        target.unlink(missing_ok=True)
        raise DownloadError(f"{url}: cannot be unpacked as {packed.kind} ({error})") from None
    if n_bytes != content.n_bytes or digest.hexdigest() != content.sha256:
        target.unlink(missing_ok=True)
        raise DownloadError(f"{url}: unpacks to another content than the {content.n_bytes:,} bytes promised")


def _unpacked(url: str, part: Path, packed: Packed) -> Iterator[bytes]:
    if packed.kind == "gzip":
        with gzip.open(part, "rb") as stream:
            yield from _pieces(cast("IO[bytes]", stream))
        return
    member = packed.member or ""
    with _archive(part, packed.kind) as archive:
        stream_ = _member(archive, member)
        if stream_ is None:
            raise DownloadError(f"{url}: the archive has no plain file {member!r}")
        with stream_:
            yield from _pieces(stream_)


def _archive(part: Path, kind: str) -> AbstractContextManager["tarfile.TarFile | zipfile.ZipFile"]:
    return tarfile.open(part) if kind == "tar" else zipfile.ZipFile(part)


def _member(archive: tarfile.TarFile | zipfile.ZipFile, name: str) -> IO[bytes] | None:
    """The stream of one plain file; None where it is missing, a folder, or a link (which could point anywhere)."""
    if unsafe(name):
        return None
    if isinstance(archive, zipfile.ZipFile):
        found = [info for info in archive.infolist() if info.filename == name and not info.is_dir()]
        is_link = bool(found) and (found[-1].external_attr >> 16) & 0o170000 == 0o120000
        return None if not found or is_link else archive.open(found[-1])
    members = [info for info in archive.getmembers() if info.name == name and info.isreg()]
    return archive.extractfile(members[-1]) if members else None


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        yield piece


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return sha256_of(_pieces(stream))
