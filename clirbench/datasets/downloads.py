"""One file from a public address: resumed, verified, and put in place only when it is whole.

A download goes to `NAME.part` and stays there when the connection breaks; the next try asks for the rest. The part
file is also the lock: who holds it downloads, and another process waits and then finds the file in its place. What
is verified is what was opened, and what was opened is what is moved.
"""

import errno
import http.client
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clirbench.datasets.connections import Pace, Patience, Refused, SlowServer, answer, reason
from clirbench.errors import DownloadError, StoreError
from clirbench.text import sha256_of

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


@dataclass(frozen=True)
class OpenFile:
    """A file open under a path: what is read, hashed and moved is the one that was opened."""

    path: Path
    stream: IO[bytes]

    @property
    def size(self) -> int:
        self.stream.flush()
        return os.fstat(self.stream.fileno()).st_size

    def sha256(self) -> str:
        self.stream.seek(0)
        return sha256_of(iter(lambda: self.stream.read(PIECE), b""))

    def cut(self, size: int = 0) -> None:
        """Keep the first `size` bytes; what is written next comes after them."""
        self.stream.seek(size)
        self.stream.truncate()

    def is_in_place(self) -> bool:
        """Whether its path still leads to it."""
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(self.stream.fileno()), self.path.lstat())
        return False


def fetch(url: str, target: Path, content: Promise, patience: Patience = PATIENT) -> None:
    """Download and verify; `target` appears only when it is right, and is kept where it is.

    Raises `DownloadError` for an address that does not answer, a connection that breaks or is too slow, and anything
    but the promised content; `StoreError` where the target cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _part_file(target, patience) as part:
            if _is_there(target, content):  # another process has brought it meanwhile
                part.path.unlink()
                return
            _download(url, part, content, patience)
            part.stream.flush()
            if not part.is_in_place():
                raise StoreError(f"{part.path}: was replaced by another program while it was written")
            part.path.replace(target)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written ({error.strerror or error})") from None


@contextmanager
def _part_file(target: Path, patience: Patience) -> Iterator[OpenFile]:
    """The part file, open and locked; waits while another process has it."""
    path = target.with_name(target.name + ".part")
    until = time.monotonic() + patience.total
    while True:
        with _opened(path) as stream:
            part = OpenFile(path, stream)
            while not _locked(stream):
                if time.monotonic() > until:
                    raise DownloadError(f"{path}: another process has had it for {patience.total:,.0f} s")
                time.sleep(0.1)
            if not part.is_in_place():  # whoever had it has moved it to its place
                continue
            try:
                yield part
            finally:
                if part.is_in_place() and not part.size:
                    path.unlink()
            return


def _opened(path: Path) -> IO[bytes]:
    """Open for reading and writing; raises `StoreError` for a link (it would be written through), a pipe, a device."""
    refused = StoreError(f"{path}: is no plain file of its own (a link, a pipe, ...); remove it")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        raise refused if error.errno == errno.ELOOP else error from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise refused
    return os.fdopen(descriptor, "r+b")


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
                return OpenFile(target, stream).sha256() == content.sha256
    return False


def _download(url: str, part: OpenFile, promise: Promise, patience: Patience) -> None:
    pace = Pace(patience, TRIES * (promise.n_bytes + HEADERS))
    for attempt in range(1, TRIES + 1):
        held = part.size
        if held < promise.n_bytes or promise.n_bytes == 0:
            try:
                _receive(url, part, held, promise, pace)
            except DownloadError:
                if attempt == TRIES or part.size == held or pace.is_over:
                    raise  # no byte came in this try: another would hardly fare better
                continue
        if part.sha256() == promise.sha256:
            return
        size = part.size
        part.cut()  # a wrong beginning can never become right
        if held == 0:
            raise DownloadError(
                f"{url}: not the promised content ({size:,} bytes, {promise.n_bytes:,} were promised, sha256 differs); "
                "the file there has changed, or something on the way changed it"
            )
    raise DownloadError(f"{url}: not the promised content after {TRIES} tries")


def _receive(url: str, part: OpenFile, held: int, promise: Promise, pace: Pace) -> None:
    """Append what is missing to `part`, or start over where the server does not resume."""
    headers = {"User-Agent": "clirbench", "Accept-Encoding": "identity"}
    if held:
        headers["Range"] = f"bytes={held}-"
    try:
        with answer(url, headers, pace) as response, _progress(promise) as show:
            resumed = held and response.status == 206 and _starts_at(response.headers.get("Content-Range"), held)
            received = held if resumed else 0
            part.cut(received)
            for piece in _pieces(url, part, promise, response):
                received += len(piece)
                if received > promise.n_bytes:
                    part.cut()
                    raise DownloadError(
                        f"{url}: sends more than the {promise.n_bytes:,} bytes promised; the file has changed"
                    )
                part.stream.write(piece)
                show(received)
    except Refused as error:
        if error.code == 416:  # the range is not to be had: the next try starts from nothing
            part.cut()
        raise
    if received < promise.n_bytes:
        raise _broken(url, part, promise, "the connection ended")


def _pieces(url: str, part: OpenFile, promise: Promise, response: http.client.HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            piece = response.read1(PIECE)
        except (SlowServer, http.client.HTTPException, OSError) as error:
            raise _broken(url, part, promise, reason(error)) from None
        if not piece:
            return
        yield piece


def _broken(url: str, part: OpenFile, promise: Promise, why: str) -> DownloadError:
    came = f"{part.size:,} of {promise.n_bytes:,} bytes"
    return DownloadError(f"{url}: broke off after {came} ({why}); run it again, it goes on from there")


def _starts_at(content_range: str | None, start: int) -> bool:
    return (content_range or "").strip().startswith(f"bytes {start}-")


@contextmanager
def _progress(promise: Promise) -> Iterator[Callable[[int], None]]:
    """Shows on a terminal, twice a second, how much has come; nothing where the output is piped."""
    shows, last = sys.stderr.isatty(), 0.0

    def show(received: int) -> None:
        nonlocal last
        if shows and time.monotonic() - last > 0.5:
            last = time.monotonic()
            print(f"\r  {received / 1e6:,.1f} of {promise.n_bytes / 1e6:,.1f} MB", end="", file=sys.stderr, flush=True)

    yield show
    if last:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
