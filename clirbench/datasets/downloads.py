"""One file from a public address: verified, and put in place only when it is whole and right.

One answer over http or https, with limits on each receive, the total time and the bytes; a package of Debian
(apt://NAME=VERSION) by apt-get, from wherever this machine gets its packages.
"""

import hashlib
import http.client
import io
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from clirbench.checks import PACKAGE
from clirbench.errors import DownloadError, writing

PIECE = 1 << 18
HEADERS = 1 << 20
"""Bytes that may come with a file: headers, and the lengths of its pieces."""


class Pace:
    """How long answers are waited for, in seconds: `receive` for the next bytes, `total` in all; `most` bytes, headers
    counted as what they announce. Raises `OSError`, which says so, for what comes too late, and for too many bytes.
    """

    def __init__(self, receive: float, total: float, most: int) -> None:
        self.receive, self.total, self.most = receive, total, most
        self.began = time.monotonic()
        self.received = 0

    def left(self) -> float:
        """Seconds that the next receive may take."""
        left = self.began + self.total - time.monotonic()
        if left <= 0:
            raise OSError(f"not done after {self.total:,.0f} s")
        return min(left, self.receive)

    def count(self, n_bytes: int) -> None:
        """Take note of received bytes."""
        self.received += n_bytes
        if self.received > self.most:
            raise OSError(f"more than {self.most:,} bytes came")


def fetch(url: str, target: Path, n_bytes: int, sha256: str, receive: float = 60.0, total: float = 3600.0) -> None:
    """Download and verify; `target` appears only when its length and sha256 are right. Seconds: as of `Pace`.

    Raises `DownloadError` for an address that does not answer, a connection that breaks or is too slow, and anything
    but the promised content; `StoreError` where the target cannot be written.
    """
    pace, digest = Pace(receive, total, n_bytes + HEADERS), hashlib.sha256()
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".part-", dir=target.parent) as folder:
            part = Path(folder) / "part"
            with part.open("wb") as stream:
                for piece in _pieces(url, pace):
                    digest.update(piece)
                    stream.write(piece)
            if (found := part.stat().st_size) != n_bytes or digest.hexdigest() != sha256:
                said = f"{url}: not the promised content ({found:,} of {n_bytes:,} bytes came, sha256 differs); run it"
                said += " again; if this stays, the file there has changed, or something on the way changed it"
                raise DownloadError(said)
            part.replace(target)


def _pieces(url: str, pace: Pace) -> Iterator[bytes]:
    if url.startswith(PACKAGE):
        yield from _package(url, pace)
        return
    with answer(url, {"User-Agent": "clirbench", "Accept-Encoding": "identity"}, pace) as response:
        try:
            while piece := response.read1(PIECE):
                yield piece
        except (http.client.HTTPException, OSError) as error:
            raise DownloadError(f"{url}: broke off ({reason(error)}); run it again") from None


def _package(url: str, pace: Pace) -> Iterator[bytes]:
    """A package of Debian, in a folder that apt-get fills."""
    if shutil.which("apt-get") is None:
        raise DownloadError(f"{url}: is a package of Debian, and there is no apt-get here")
    with TemporaryDirectory() as folder:
        command = ("apt-get", "--quiet", "download", url.removeprefix(PACKAGE))
        try:
            subprocess.run(command, cwd=folder, capture_output=True, timeout=pace.left(), check=True)
            with next(Path(folder).iterdir()).open("rb") as stream:
                while piece := stream.read(PIECE):
                    yield piece
        except (subprocess.SubprocessError, OSError, StopIteration):
            said = f"{url}: apt-get cannot get it; try `{' '.join(command)}` yourself: apt-get update may be needed"
            raise DownloadError(f"{said}, or another release of Debian") from None


@contextmanager
def answer(url: str, headers: dict[str, str], pace: Pace, data: bytes | None = None) -> Iterator[Any]:
    """The answer to a GET of `url`, or to a POST of `data`, which follows no redirection.

    Raises `DownloadError` where there is none, or none with status 200. No text of the server's reaches a message.
    Errors while the content is read are for the caller.
    """
    opener = urllib.request.build_opener(_Opener(pace))
    try:
        response = opener.open(urllib.request.Request(url, data, headers), timeout=pace.receive)
    except urllib.error.HTTPError as error:
        error.close()
        raise Refused(url, error.code, error.headers.get("Retry-After", "")) from None
    except (http.client.HTTPException, ValueError, OSError) as error:  # ValueError: the address is none
        raise DownloadError(f"{url}: cannot be reached ({reason(error)})") from None
    with response:
        yield response


class Refused(DownloadError):
    """The server answers with an error; `code` is its status, `wait` the seconds after which to ask again, if said."""

    def __init__(self, url: str, code: int, wait: str = "") -> None:
        self.code = code
        self.wait = float(wait) if wait.isdecimal() else 0.0
        super().__init__(f"{url}: the server answers {code} {http.client.responses.get(code, '')}".rstrip())


def reason(error: object) -> str:
    """Why a connection broke, in words that are not the server's."""
    if isinstance(error, urllib.error.URLError):
        return reason(error.reason)
    words = (error.strerror or str(error)) if isinstance(error, OSError) else ""
    return words or type(error).__name__


class _Received(io.RawIOBase):
    """The bytes that come from a socket, counted and timed."""

    def __init__(self, sock: socket.socket, pace: Pace) -> None:
        self.sock, self.pace = sock, pace
        self.raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.sock.settimeout(self.pace.left())
        try:
            n_bytes = self.raw.readinto(buffer) or 0
        except TimeoutError:
            self.pace.left()  # which may be over now
            raise OSError(f"no byte in {self.pace.receive:,.0f} s") from None
        self.pace.count(n_bytes)
        return n_bytes

    def close(self) -> None:
        self.raw.close()
        super().close()


def _response(pace: Pace, sock: socket.socket, *args: Any, **settings: Any) -> http.client.HTTPResponse:
    """An answer whose bytes are counted and timed as they come, those of its headers too."""
    response = http.client.HTTPResponse(sock, *args, **settings)
    response.fp.close()
    response.fp = io.BufferedReader(_Received(sock, pace), 1 << 16)
    return response


class _Opener(urllib.request.HTTPSHandler, urllib.request.HTTPHandler, urllib.request.HTTPRedirectHandler):
    """Opens both kinds of addresses at one pace; follows no redirection from https to http, and none with what was
    sent.
    """

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.pace = pace

    def do_open(self, http_class: Any, req: urllib.request.Request, **settings: Any) -> http.client.HTTPResponse:
        def paced(*args: Any, **more: Any) -> http.client.HTTPConnection:
            connection: http.client.HTTPConnection = http_class(*args, **more)
            connection.response_class = partial(_response, self.pace)  # type: ignore[assignment]
            return connection

        return super().do_open(paced, req, **settings)

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if req.data is not None or (req.type == "https" and urlsplit(newurl).scheme != "https"):
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
