"""One answer over http or https, with limits on each receive, the pace, the total time and the bytes."""

import http.client
import io
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from clirbench.errors import DownloadError


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
