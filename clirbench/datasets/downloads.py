"""One file from a public address: resumed, verified, and put in place only when it is whole.

A download goes to `NAME.part` and stays there when the connection breaks; the next try asks for the rest. The part
file is also the lock: who holds it downloads, and another process waits and then finds the file in its place.

One answer over http or https, with limits on each receive, the pace, the total time and the bytes.
"""

import hashlib
import http.client
import io
import os
import socket
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from clirbench.errors import DownloadError, StoreError


@dataclass(frozen=True)
class Patience:
    """How long a server is waited for, in seconds: `receive` for its next bytes, `total` for the whole file.

    In each `window` at least `floor` bytes must come.
    """

    receive: float = 60.0
    window: float = 60.0
    floor: int = 60_000
    total: float = 6 * 3600.0


class SlowServer(Exception):
    """The server sends, but too little or too much; the text says which."""


class Pace:
    """What has come over a connection, and in what time; headers count as what they announce does."""

    def __init__(self, patience: Patience, most: int) -> None:
        self.patience = patience
        self.most = most
        self.received = 0
        self.began = time.monotonic()
        self.begin()

    def begin(self) -> None:
        """A connection begins: its first window does too."""
        self.window_began, self.in_window = time.monotonic(), 0

    def left(self) -> float:
        """Seconds that the next receive may take; raises `SlowServer` where the time in all is over."""
        if self.is_over:
            raise SlowServer(f"not done after {self.patience.total:,.0f} s")
        left = self.began + self.patience.total - time.monotonic()
        # A receive may not outlast its window by much.
        return max(0.001, min(left, self.patience.receive, self.patience.window))

    @property
    def is_over(self) -> bool:
        """Whether the time in all has passed."""
        return time.monotonic() - self.began >= self.patience.total

    def count(self, n_bytes: int) -> None:
        """Take note of received bytes; raises `SlowServer` for too few of them in a window, and for too many in all."""
        self.received += n_bytes
        self.in_window += n_bytes
        if self.received > self.most:
            raise SlowServer(f"more than {self.most:,} bytes came")
        now = time.monotonic()
        if now - self.window_began >= self.patience.window:
            if self.in_window < self.patience.floor:
                raise SlowServer(f"{self.in_window:,} bytes in {now - self.window_began:,.0f} s")
            self.begin()


@contextmanager
def answer(url: str, headers: dict[str, str], pace: Pace, data: bytes | None = None) -> Iterator[Any]:
    """The answer to a GET of `url`, or to a POST of `data`, which follows no redirection.

    Raises `DownloadError` where there is none, or none with status 200 or 206.

    No text of the server's reaches a message. Errors while the content is read are for the caller.
    """
    pace.begin()
    opener = urllib.request.build_opener(_Opener(pace), _NoWayBack())
    try:
        response = opener.open(urllib.request.Request(url, data, headers), timeout=pace.patience.receive)
    except urllib.error.HTTPError as error:
        error.close()
        raise Refused(url, error.code, error.headers.get("Retry-After", "")) from None
    except urllib.error.URLError as error:
        raise DownloadError(f"{url}: cannot be reached ({reason(error.reason)})") from None
    except (http.client.InvalidURL, ValueError) as error:  # UnicodeError, where a host's name is no host's name
        raise DownloadError(f"{url}: is no address that can be fetched ({type(error).__name__})") from None
    except (SlowServer, http.client.HTTPException, OSError) as error:
        raise DownloadError(f"{url}: does not answer as a server should ({reason(error)})") from None
    with response:
        yield response


class Refused(DownloadError):
    """The server answers with an error; `code` is its status, `wait` the seconds after which to ask again, if said."""

    def __init__(self, url: str, code: int, wait: str = "") -> None:
        self.code = code
        self.wait = float(wait) if wait.isdecimal() else 0.0
        known = {status.value: status.phrase for status in HTTPStatus}
        super().__init__(f"{url}: the server answers {code} {known.get(code, '')}".rstrip())


def reason(error: object) -> str:
    """Why a connection broke, in words that are not the server's."""
    if isinstance(error, SlowServer):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return type(error).__name__


class _Received(io.RawIOBase):
    """The bytes that come from a socket, counted and timed."""

    def __init__(self, sock: socket.socket, pace: Pace) -> None:
        self.sock = sock
        self.pace = pace
        self.raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        waits = self.pace.left()
        self.sock.settimeout(waits)
        try:
            n_bytes = self.raw.readinto(buffer) or 0
        except TimeoutError:
            self.pace.left()  # which may be over now
            raise SlowServer(f"no byte in {waits:,.0f} s") from None
        self.pace.count(n_bytes)
        return n_bytes

    def close(self) -> None:
        self.raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """An answer whose bytes are counted and timed as they come, those of its headers too."""

    def __init__(self, pace: Pace, sock: socket.socket, *args: Any, **settings: Any) -> None:
        super().__init__(sock, *args, **settings)
        self.fp.close()
        self.fp = io.BufferedReader(_Received(sock, pace), 1 << 16)


class _Opener(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """Opens both kinds of addresses at one pace."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.pace = pace

    def do_open(self, http_class: Any, req: urllib.request.Request, **settings: Any) -> http.client.HTTPResponse:
        def paced(*args: Any, **more: Any) -> http.client.HTTPConnection:
            connection: http.client.HTTPConnection = http_class(*args, **more)
            connection.response_class = partial(_Response, self.pace)  # type: ignore[assignment]
            return connection

        return super().do_open(paced, req, **settings)


class _NoWayBack(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but none from https to http, and none with what was sent."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if req.data is not None or (req.type == "https" and urlsplit(newurl).scheme != "https"):
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


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
