"""A server on this machine that answers as a test wants it to, and does everything wrong that a server can do."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Silent(BaseHTTPRequestHandler):
    """Prints nothing."""

    def send(self, content: bytes, drip: float) -> None:
        """At once, or byte by byte with so many seconds between two."""
        size = 1 if drip else max(1, len(content))
        for at in range(0, len(content), size):
            self.wfile.write(content[at : at + size])
            time.sleep(drip)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@dataclass
class Served:
    """What the server answers with, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    stop_after: int | None = None  # close the connection after so many bytes of each answer
    drip: float = 0.0  # seconds between the single bytes of an answer
    raw: bytes = b""  # sent instead of an answer, without end
    goes_to: str = ""  # every address is elsewhere
    asked: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving() -> Iterator[Served]:
    """Serve on a free port of 127.0.0.1 until the block ends."""
    served = Served()

    class Handler(Silent):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            if served.raw:
                with suppress(OSError):
                    while True:
                        self.wfile.write(served.raw)
                return
            if served.goes_to:
                self.send_response(302)
                self.send_header("Location", served.goes_to)
                self.end_headers()
                return
            if self.path not in served.files:
                self.send_error(404)
                return
            content = served.files[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(OSError):  # who asked may be gone
                self.send(content[: served.stop_after], served.drip)

    with _running(Handler) as url:
        served.url = url
        yield served


@dataclass
class Said:
    """One answer to a POST: JSON or bytes, how much of it is sent, and how slowly."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stop_after: int | None = None  # close the connection after so many bytes
    pause: float = 0.0  # seconds before the answer begins
    drip: float = 0.0  # seconds between its bytes


@dataclass
class Asked:
    """What a server of POSTs was asked: (path, headers, JSON) in the order of arrival."""

    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    url: str = ""


@contextmanager
def answering(reply: Callable[[Any, int], Said]) -> Iterator[Asked]:
    """Answer each POST with `reply(its JSON, how many came before)`, on a free port until the block ends."""
    asked = Asked()
    lock = threading.Lock()

    class Handler(Silent):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(asked.requests)
                asked.requests.append((self.path, dict(self.headers), body))
            said = reply(body, number)
            content = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            time.sleep(said.pause)
            with suppress(OSError):  # who asked may be gone
                self.send_response(said.status)
                for name, value in {"Content-Length": str(len(content)), **said.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.send(content[: said.stop_after], said.drip)

    with _running(Handler) as url:
        asked.url = url
        yield asked


@contextmanager
def _running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        http.daemon_threads = True  # one that is still pausing keeps nobody waiting
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_address[1]}"
        finally:
            http.shutdown()
            thread.join()
