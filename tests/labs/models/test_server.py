"""A server is asked patiently, and what goes wrong with it is said; no key reaches anything but the request."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models import server
from clirbench.labs.models.server import Ask, Server
from tests.loopback import Said, answering

SECRET = "sk-very-secret"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_WAIT", 0.01)


def said_of(url: str, items: list[Any], **settings: Any) -> list[Any]:
    return Server(url, **settings).each(lambda ask, item: ask("/v1/x", item, lambda said: said["it"]), items)


def test_answers_come_in_the_order_of_the_requests_several_at_a_time() -> None:
    at_once, most = [0], [0]
    lock = threading.Lock()

    def reply(body: Any, number: int) -> Said:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.002 * (20 - body) / 10)
        with lock:
            at_once[0] -= 1
        return Said({"it": body * 2})

    with answering(reply) as asked:
        assert said_of(asked.url, list(range(20)), concurrency=3) == [2 * number for number in range(20)]
        assert said_of(asked.url, [], concurrency=3) == []
    assert 1 < most[0] <= 3
    assert {path for path, _, _ in asked.requests} == {"/v1/x"}


@pytest.mark.parametrize(
    "bad",
    [
        Said(status=500),
        Said(status=429, headers={"Retry-After": "0"}),
        Said({"it": "x" * 500}, stop_after=100),
        Said({"it": "x"}, stop_after=0),
        Said(b'{"it": "hal', headers={"Connection": "close"}),
        Said(b"<html>"),
        Said({"other": 1}),
        Said(["it"]),
        Said({"it": 1}, pause=0.6),
        Said({"it": "x" * 900}, drip=0.05),
        Said(b"[" * 100_000),
    ],
    ids=lambda said: f"{said.status}-{str(said.body)[:20]}-{said.stop_after}-{said.pause}-{said.drip}",
)
def test_what_may_go_better_is_asked_again_then_named(bad: Said) -> None:
    with answering(lambda body, number: bad if number < 2 else Said({"it": 7})) as asked:
        assert said_of(asked.url, [1], timeout=0.3, retries=2) == [7]
    assert len(asked.requests) == 3
    with answering(lambda body, number: bad) as asked, pytest.raises(ResourceError, match="2 attempts failed"):
        said_of(asked.url, [1], timeout=0.3, retries=1)


def test_waits_double_and_last_as_long_as_the_server_says() -> None:
    waits: list[float] = []

    class Event(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout or 0)
            return False

    replies = [Said(status=503), Said(status=503, headers={"Retry-After": "7"}), Said(status=503)]
    with answering(lambda body, number: replies[number] if number < 3 else Said({"it": 1})) as asked:
        Server(asked.url)._ask("/v1/x", b"1", {}, lambda said: said, Event())
    assert waits == [0.01, 7.0, 0.04]


@pytest.mark.parametrize(
    ("status", "message"), [(401, "is the key right"), (404, "are address and model right"), (400, "400 Bad Request")]
)
def test_what_would_not_go_better_is_named_at_once(status: int, message: str) -> None:
    with answering(lambda body, number: Said({"error": SECRET}, status=status)) as asked:
        with pytest.raises(ResourceError, match=message) as caught:
            said_of(asked.url, [1])
        assert len(asked.requests) == 1
    assert SECRET not in str(caught.value)


def test_after_a_failure_no_more_is_asked() -> None:
    with answering(lambda body, number: Said(status=400)) as asked:
        with pytest.raises(ResourceError):
            said_of(asked.url, list(range(500)), concurrency=2)
        time.sleep(0.05)
        assert len(asked.requests) < 20


def test_nobody_listens() -> None:
    with answering(lambda body, number: Said()) as asked:
        url = asked.url
    with pytest.raises(ResourceError, match="cannot be reached .*; 3 attempts failed"):
        said_of(url, [1], retries=2)


def test_the_key_is_in_the_request_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with answering(lambda body, number: Said({"it": 1})) as asked:
        said_of(asked.url, [1], key="MY_KEY")
        said_of(asked.url, [1])
    assert [headers.get("Authorization") for _, headers, _ in asked.requests] == [f"Bearer {SECRET}", None]
    assert SECRET not in repr(Server("http://h/v1", key="MY_KEY"))
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ResourceError, match="environment variable MY_KEY, which holds the key, is not set"):
        said_of("http://127.0.0.1:1", [1], key="MY_KEY")


def test_a_key_is_not_carried_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with answering(lambda body, number: Said({"it": 1})) as other:
        goes = Said(status=307, headers={"Location": f"{other.url}/v1/x"})
        with answering(lambda body, number: goes) as asked, pytest.raises(ResourceError, match="307"):
            said_of(asked.url, [1], key="MY_KEY")
    assert other.requests == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "127.0.0.1:8000"}, "an address such as"),
        ({"url": "ftp://h/v1"}, "an address such as"),
        ({"url": f"http://me:{SECRET}@h/v1"}, "put the key into an environment variable"),
        ({"url": f"http://h/v1?key={SECRET}"}, "put the key into an environment variable"),
        ({"key": SECRET}, "not the key itself"),
        ({"timeout": 0}, "timeout=0"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"retries": -1}, "retries=-1"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        Server(**{"url": "http://h/v1", **settings})
    assert SECRET not in str(caught.value)


def test_an_error_of_the_work_itself_is_raised() -> None:
    def work(ask: Ask, item: int) -> int:
        raise KeyError(item)

    failing: Callable[[Ask, int], int] = work
    with pytest.raises(KeyError):
        Server("http://127.0.0.1:1/v1").each(failing, [1, 2])
