"""One file from a public address: resumed, verified, and put in place only when it is whole.

A download goes to `NAME.part` and stays there when the connection breaks; the next try asks for the rest. The part
file is also the lock: who holds it downloads, and another process waits and then finds the file in its place.
"""

import hashlib
import http.client
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clirbench.datasets.connections import Pace, Patience, Refused, SlowServer, answer, reason
from clirbench.errors import DownloadError, StoreError

PIECE = 1 << 18
TRIES = 3
HEADERS = 1 << 20
"""Bytes that may come with a file: headers, and the lengths of its pieces."""
PATIENT = Patience()


@dataclass(frozen=True)
class Promise:
    """What a content must be: its length in bytes and its sha256 (hexadecimal)."""

    n_bytes: int
    sha256: str


def fetch(url: str, target: Path, content: Promise, patience: Patience = PATIENT) -> None:
    """Download and verify; `target` appears only when it is right, and is kept where it is.

    Raises `DownloadError` for an address that does not answer, a connection that breaks or is too slow, and anything
    but the promised content; `StoreError` where the target cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        path = target.with_name(target.name + ".part")
        with _held(path, patience) as part:
            if _is_there(target, content):  # another process has brought it meanwhile
                path.unlink()
            else:
                _download(url, part, content, patience)
                path.replace(target)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written ({error.strerror or error})") from None


@contextmanager
def _held(path: Path, patience: Patience) -> Iterator[IO[bytes]]:
    """The part file, open and locked; waits while another process has it."""
    until = time.monotonic() + patience.total
    while True:
        # No link is written through, and a pipe is not waited for.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        with os.fdopen(descriptor, "r+b") as part:
            while not _locked(part):
                if time.monotonic() > until:
                    raise DownloadError(f"{path}: another process has had it for {patience.total:,.0f} s")
                time.sleep(0.1)
            if not _leads_to(path, part):  # whoever had it has moved it to its place
                continue
            try:
                yield part
            finally:
                if _leads_to(path, part) and not _size(part):
                    path.unlink()
            return


def _leads_to(path: Path, part: IO[bytes]) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(part.fileno()), path.lstat())
    return False


def _size(part: IO[bytes]) -> int:
    part.flush()
    return os.fstat(part.fileno()).st_size


def _sha256(part: IO[bytes]) -> str:
    part.seek(0)
    return hashlib.file_digest(part, "sha256").hexdigest()  # type: ignore[arg-type]


def _cut(part: IO[bytes], size: int = 0) -> None:
    """Keep the first `size` bytes; what is written next comes after them."""
    part.seek(size)
    part.truncate()


def _locked(stream: IO[bytes]) -> bool:
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_there(target: Path, content: Promise) -> bool:
    with suppress(FileNotFoundError):
        status = target.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size == content.n_bytes:
            with target.open("rb") as stream:
                return _sha256(stream) == content.sha256
    return False


def _download(url: str, part: IO[bytes], promise: Promise, patience: Patience) -> None:
    pace = Pace(patience, TRIES * (promise.n_bytes + HEADERS))
    for attempt in range(1, TRIES + 1):
        held = _size(part)
        if held < promise.n_bytes or promise.n_bytes == 0:
            try:
                _receive(url, part, held, promise, pace)
            except DownloadError:
                if attempt == TRIES or _size(part) == held or pace.is_over:
                    raise  # no byte came in this try: another would hardly fare better
                continue
        if _sha256(part) == promise.sha256:
            return
        size = _size(part)
        _cut(part)  # a wrong beginning can never become right
        if held == 0:
            raise DownloadError(
                f"{url}: not the promised content ({size:,} bytes, {promise.n_bytes:,} were promised, sha256 differs); "
                "the file there has changed, or something on the way changed it"
            )
    raise DownloadError(f"{url}: not the promised content after {TRIES} tries")


def _receive(url: str, part: IO[bytes], held: int, promise: Promise, pace: Pace) -> None:
    """Append what is missing to `part`, or start over where the server does not resume."""
    headers = {"User-Agent": "clirbench", "Accept-Encoding": "identity"}
    if held:
        headers["Range"] = f"bytes={held}-"
    try:
        with answer(url, headers, pace) as response:
            resumed = held and response.status == 206 and _starts_at(response.headers.get("Content-Range"), held)
            received = held if resumed else 0
            _cut(part, received)
            for piece in _pieces(url, part, promise, response):
                received += len(piece)
                if received > promise.n_bytes:
                    _cut(part)
                    raise DownloadError(
                        f"{url}: sends more than the {promise.n_bytes:,} bytes promised; the file has changed"
                    )
                part.write(piece)
    except Refused as error:
        if error.code == 416:  # the range is not to be had: the next try starts from nothing
            _cut(part)
        raise
    if received < promise.n_bytes:
        raise _broken(url, part, promise, "the connection ended")


def _pieces(url: str, part: IO[bytes], promise: Promise, response: http.client.HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            piece = response.read1(PIECE)
        except (SlowServer, http.client.HTTPException, OSError) as error:
            raise _broken(url, part, promise, reason(error)) from None
        if not piece:
            return
        yield piece


def _broken(url: str, part: IO[bytes], promise: Promise, why: str) -> DownloadError:
    came = f"{_size(part):,} of {promise.n_bytes:,} bytes"
    return DownloadError(f"{url}: broke off after {came} ({why}); run it again, it goes on from there")


def _starts_at(content_range: str | None, start: int) -> bool:
    return (content_range or "").strip().startswith(f"bytes {start}-")
