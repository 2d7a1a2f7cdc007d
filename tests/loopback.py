"""A server on this machine that answers as a test wants it to, and does everything wrong that a server can do."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """What the server answers with, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    stop_after: int | None = None  # close the connection after so many bytes of each answer
    ranges: bool = True
    lie_about_range: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving() -> Iterator[Served]:
    """Serve on a free port of 127.0.0.1 until the block ends."""
    served = Served()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            served.asked.append((self.path, asked))
            if self.path not in served.files:
                self.send_error(404)
                return
            content = served.files[self.path]
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and served.ranges else 0
            if start and start >= len(content):
                self.send_error(416)
                return
            if start:
                self.send_response(206)
                claimed = 0 if served.lie_about_range else start
                self.send_header("Content-Range", f"bytes {claimed}-{len(content) - 1}/{len(content)}")
                start = claimed
            else:
                self.send_response(200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            stop = None if served.stop_after is None else start + served.stop_after
            self.wfile.write(content[start:stop])

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        served.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield served
        http.shutdown()
        thread.join()
