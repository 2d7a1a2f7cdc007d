"""Servers that speak OpenAI's interface (vLLM, llama.cpp, Ollama, ...), asked patiently, several requests at a time."""

import http.client
import json
import os
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from clirbench.checks import number, whole_number
from clirbench.datasets.connections import Pace, Patience, Refused, SlowServer, answer, reason
from clirbench.errors import ConfigError, DownloadError, ResourceError

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds before a request is made again: twice as many each time
MOST_BYTES = 1 << 28  # of one answer
PORTS = {"http": 80, "https": 443}
BUSY = (408, 409, 425, 429)  # and 500 and above: later the answer may be another one
HINTS = {401: "; is the key right?", 403: "; is the key right?", 404: "; are address and model right?"}

Item = TypeVar("Item")
Result = TypeVar("Result")
Read = TypeVar("Read")


class Ask(Protocol):
    """Posts a request, and again where that may help; gives what `read` makes of the answer's JSON."""

    def __call__(self, path: str, body: object, read: Callable[[Any], Read]) -> Read: ...


@dataclass(frozen=True)
class Server:
    """Where a server is, and how it is asked.

    `url`: its address up to `/v1`. `key`: the NAME of the environment variable that holds the key ("": none is sent);
    the key itself is in no file, signature or message. `concurrency`: requests at a time. `timeout`: seconds until an
    answer must be there whole. `retries`: further attempts where it cannot be reached, does not answer in time or not
    as it should, or says that it is busy or has failed; after 1, 2, 4, ... seconds or what it says, at most 60.
    `alias`: what stands for the address in keys of kept answers and vectors: for a server that moved, its old address.

    Raises `ConfigError` for settings that make no sense.
    """

    url: str
    key: str = ""
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5
    alias: str = ""

    def __post_init__(self) -> None:
        whole_number("concurrency", self.concurrency)
        whole_number("retries", self.retries, least=0)
        number("timeout", self.timeout, above=0)
        try:
            parts, _ = urlsplit(self.url), self.identity
        except ValueError as error:
            raise ConfigError(f"url={self.url!r}: is no address ({error})") from None
        if parts.username is not None or parts.query:
            raise ConfigError("url: holds a name, a key or a query; put the key into an environment variable, key=NAME")
        if parts.scheme not in PORTS or not parts.hostname:
            raise ConfigError(f"url={self.url!r}: an address such as http://127.0.0.1:8000/v1 was expected")
        if self.key and not self.key.isidentifier():
            raise ConfigError("key: is the name of an environment variable, not the key itself")

    @property
    def identity(self) -> str:
        """What the server is in keys: its alias or its address, in one spelling."""
        parts = urlsplit(self.alias or self.url)
        if parts.scheme not in PORTS:
            return self.alias
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = "" if parts.port in (None, PORTS[parts.scheme]) else f":{parts.port}"
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"

    def each(self, work: Callable[[Ask, Item], Result], items: Sequence[Item]) -> list[Result]:
        """`work(ask, item)` of every item, in their order; raises the first error when what was asked before has come.

        Ctrl-C waits for nothing.
        """
        headers = self._headers()
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for at in range(len(items)):
            waiting.put(at)
        done: queue.SimpleQueue[tuple[int, Result | BaseException]] = queue.SimpleQueue()
        stop = threading.Event()

        def ask(path: str, body: object, read: Callable[[Any], Read]) -> Read:
            return self._ask(path, json.dumps(body).encode(), headers, read, stop)

        def serve() -> None:
            while not stop.is_set():
                try:
                    at = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    done.put((at, work(ask, items[at])))
                except BaseException as error:  # noqa: BLE001 - it is raised where the results are waited for
                    stop.set()
                    done.put((at, error))

        threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(self.concurrency, len(items)))]
        for thread in threads:
            thread.start()
        found: dict[int, Result] = {}
        try:
            while len(found) < len(items):
                at, result = done.get()
                if isinstance(result, BaseException):
                    raise result
                found[at] = result
        except Exception:
            for thread in threads:  # what they have asked for is paid for: let it come, and be kept
                thread.join()
            raise
        finally:
            stop.set()
        return [found[at] for at in range(len(items))]

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            secret = os.environ.get(self.key)
            if not secret:
                raise ResourceError(f"{self.url}: the environment variable {self.key}, which holds the key, is not set")
            headers["Authorization"] = f"Bearer {secret}"
        return headers

    def _ask(
        self, path: str, data: bytes, headers: dict[str, str], read: Callable[[Any], Read], stop: threading.Event
    ) -> Read:
        url = self.url.rstrip("/") + path
        patience = Patience(self.timeout, self.timeout, 0, self.timeout)
        wait = FIRST_WAIT
        for left in range(self.retries, -1, -1):
            at_least = 0.0
            try:
                with answer(url, headers, Pace(patience, MOST_BYTES), data) as response:
                    return read(json.loads(response.read()))
            except Refused as error:
                if error.code < 500 and error.code not in BUSY:
                    raise ResourceError(f"{error}{HINTS.get(error.code, '')}") from None
                said, at_least = str(error), error.wait
            except DownloadError as error:
                said = str(error)
            except (SlowServer, http.client.HTTPException, OSError) as error:
                said = f"{url}: broke off ({reason(error)})"
            except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
                said = f"{url}: the answer is not as OpenAI's interface has it"
            if not left or stop.wait(min(LONGEST_WAIT, max(wait, at_least))):
                break
            wait *= 2
        raise ResourceError(f"{said}; {self.retries + 1} attempts failed" if self.retries else said)
