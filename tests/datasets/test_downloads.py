"""Downloads against a server on this machine that does everything wrong that a server can do."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from clirbench.datasets.downloads import fetch
from clirbench.errors import DownloadError, StoreError
from tests.loopback import Served, serving

CONTENT = b"".join(b"line %d\n" % number for number in range(40_000))
PROMISE = len(CONTENT), hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        served.files = {"/a": CONTENT}
        yield served


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_comes_to_its_place_and_nothing_else_does(tmp_path: Path, server: Served) -> None:
    fetch(server.url + "/a", tmp_path / "new" / "a", *PROMISE)
    assert (tmp_path / "new" / "a").read_bytes() == CONTENT
    assert names(tmp_path / "new") == ["a"]


def test_a_link_in_its_place_is_replaced_not_followed(tmp_path: Path, server: Served) -> None:
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "a").symlink_to(tmp_path / "mine")
    fetch(server.url + "/a", tmp_path / "a", *PROMISE)
    assert (tmp_path / "mine").read_text() == "precious"
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert not (tmp_path / "a").is_symlink()
    assert names(tmp_path) == ["a", "mine"]


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ({"files": {"/a": CONTENT[:-1] + b"x"}}, r"/a: not the promised content .*sha256 differs"),
        ({"files": {"/a": CONTENT + b"more"}}, r"/a: not the promised content"),
        ({"files": {"/a": CONTENT * 10}}, r"/a: broke off \(more than [\d,]+ bytes came\)"),
        ({"stop_after": 1000}, r"/a: not the promised content \(1,000 of [\d,]+ bytes came"),
        ({"files": {}}, r"/a: the server answers 404 Not Found$"),
        ({"drip": 0.01}, r"/a: broke off \(not done after 1 s\)"),
        ({"raw": b"HTTP/1.1 100 Continue\r\n\r\n" * 1000}, r"cannot be reached \(more than [\d,]+ bytes came\)"),
        ({"raw": b"X: y\r\n"}, r"cannot be reached \(BadStatusLine\)"),
        ({"raw": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500}, r"cannot be reached \(HTTPException\)"),
        ({"raw": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000}, r"cannot be reached \(LineTooLong\)"),
        ({"raw": b"HTTP/1.1 599 \x1b]0;title\x07\x1b[31mred\r\n\r\n"}, r"the server answers 599$"),
        ({"raw": b"\x1b[31mHELLO\r\n"}, r"cannot be reached \(BadStatusLine\)"),
        ({"goes_to": "file:///etc/passwd"}, r"the server answers 302 Found$"),
    ],
)
def test_nothing_but_the_promised_content_reaches_its_place(
    tmp_path: Path, server: Served, faults: dict[str, object], message: str
) -> None:
    for name, value in faults.items():
        setattr(server, name, value)
    with pytest.raises(DownloadError, match=message) as raised:
        fetch(server.url + "/a", tmp_path / "a", *PROMISE, total=1.0)
    assert "\x1b" not in str(raised.value)
    assert names(tmp_path) == []


def test_a_server_that_says_nothing_is_left(tmp_path: Path, server: Served) -> None:
    server.drip = 30.0
    with pytest.raises(DownloadError, match=r"/a: broke off \(no byte in 0 s\)"):
        fetch(server.url + "/a", tmp_path / "a", *PROMISE, receive=0.2)


def test_a_place_that_cannot_be_written(tmp_path: Path, server: Served) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be written"):
        fetch(server.url + "/a", tmp_path / "file" / "a", *PROMISE)


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1", "http://" + "a" * 300 + "/x", "http://a..b/", "http://\ud800/", "http://a b/", "http://a\x00b/",
        "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "https://", "http:///x", "http://127.0.0.1:9/a",
    ],
)  # fmt: skip
def test_addresses_that_are_none(tmp_path: Path, url: str) -> None:
    with pytest.raises(DownloadError, match=r"cannot be reached"):
        fetch(url, tmp_path / "a", *PROMISE)
    assert names(tmp_path) == []
