"""Downloads against a server on this machine that does everything wrong that a server can do."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clirbench.datasets.downloads import Patience, Promise, fetch
from clirbench.errors import DownloadError, StoreError
from tests.loopback import Served, serving

CONTENT = b"".join(b"line %d\n" % number for number in range(40_000))


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


def promise(content: bytes) -> Promise:
    return Promise(len(content), hashlib.sha256(content).hexdigest())


def test_a_file_comes_to_its_place_and_nothing_else_does(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": CONTENT}
    fetch(server.url + "/a", tmp_path / "new" / "a", promise(CONTENT))
    assert (tmp_path / "new" / "a").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a"]


def test_a_server_that_stops_in_the_middle_is_asked_for_the_rest(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": CONTENT}
    server.stop_after = len(CONTENT) // 2 + 1
    fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked == [("/a", None), ("/a", f"bytes={server.stop_after}-")]


def test_a_server_that_keeps_stopping_leaves_what_came_for_the_next_run(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": CONTENT}
    server.stop_after = 1000
    with pytest.raises(DownloadError, match=r"/a: broke off after 3,000 of .* bytes .*goes on from there"):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "a.part").read_bytes() == CONTENT[:3000]
    server.stop_after = None
    fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert server.asked[-1] == ("/a", "bytes=3000-")
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize("fault", ["no ranges", "another range", "wrong beginning", "whole but wrong"])
def test_what_cannot_be_resumed_starts_over(tmp_path: Path, server: Served, fault: str) -> None:
    server.files = {"/a": CONTENT}
    server.ranges = fault != "no ranges"
    server.lie_about_range = fault == "another range"
    beginning = {"wrong beginning": b"x" * 500, "whole but wrong": b"x" * len(CONTENT)}.get(fault, CONTENT[:500])
    (tmp_path / "a.part").write_bytes(beginning)
    fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (CONTENT[:-1] + b"x", r"/a: not the promised content .*sha256 differs"),
        (CONTENT + b"more", r"/a: sends more than the [\d,]+ bytes promised"),
        (CONTENT[:-5], r"/a: broke off after [\d,]+ of [\d,]+ bytes"),
    ],
)
def test_another_content_never_reaches_its_place(tmp_path: Path, server: Served, sent: bytes, message: str) -> None:
    server.files = {"/a": sent}
    with pytest.raises(DownloadError, match=message):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert not (tmp_path / "a").exists()


def test_addresses_that_do_not_answer(tmp_path: Path, server: Served) -> None:
    with pytest.raises(DownloadError, match=r"/none: the server answers 404"):
        fetch(server.url + "/none", tmp_path / "a", promise(CONTENT))
    with pytest.raises(DownloadError, match=r"cannot be reached"):
        fetch("http://127.0.0.1:9/a", tmp_path / "a", promise(CONTENT))


def test_a_place_that_cannot_be_written(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": CONTENT}
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be written"):
        fetch(server.url + "/a", tmp_path / "file" / "a", promise(CONTENT))


ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from pathlib import Path
from clirbench.datasets.downloads import Promise, fetch
fetch(sys.argv[1], Path(sys.argv[2]), Promise(int(sys.argv[3]), sys.argv[4]))
"""


def begin(url: str, target: Path, content: bytes = CONTENT) -> "subprocess.Popen[str]":
    """A process of its own that fetches."""
    promised = promise(content)
    arguments = [url, str(target), str(promised.n_bytes), promised.sha256]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], cwd=ROOT, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("n", [2, 4])
def test_many_processes_that_fetch_one_file_download_it_once(tmp_path: Path, server: Served, n: int) -> None:
    server.files, server.pause = {"/a": CONTENT}, 0.002
    processes = [begin(server.url + "/a", tmp_path / "a") for _ in range(n)]
    errors = [process.communicate(timeout=60)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * n, errors
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert server.asked == [("/a", None)]


def test_a_process_killed_in_the_middle_leaves_its_part_to_the_next(tmp_path: Path, server: Served) -> None:
    server.files, server.pause = {"/a": CONTENT}, 0.002
    first = begin(server.url + "/a", tmp_path / "a")
    part = tmp_path / "a.part"
    while not (part.exists() and part.stat().st_size > 50_000):
        time.sleep(0.01)
        assert first.poll() is None
    waiting = begin(server.url + "/a", tmp_path / "a")
    time.sleep(0.3)
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)
    assert waiting.communicate(timeout=60)[1] == ""
    assert waiting.returncode == 0
    assert (tmp_path / "a").read_bytes() == CONTENT
    asked = server.asked[-1][1]
    assert asked is not None
    assert int(asked.removeprefix("bytes=").removesuffix("-")) > 50_000


@pytest.mark.parametrize("kind", ["symbolic link", "pipe", "folder"])
def test_a_part_that_is_no_plain_file_is_refused(tmp_path: Path, server: Served, kind: str) -> None:
    server.files = {"/a": CONTENT}
    mine = tmp_path / "mine"
    mine.write_text("precious")
    part = tmp_path / "a.part"
    {
        "symbolic link": lambda: part.symlink_to(mine),
        "pipe": lambda: os.mkfifo(part),
        "folder": part.mkdir,
    }[kind]()
    with pytest.raises(StoreError, match=r"a: cannot be written \((Too many|File or stream is not|Is a dir)"):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert mine.read_text() == "precious"
    assert not (tmp_path / "a").exists()


def test_a_link_in_its_place_is_replaced_not_followed(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": CONTENT}
    mine = tmp_path / "mine"
    mine.write_text("precious")
    (tmp_path / "a").symlink_to(mine)
    fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert mine.read_text() == "precious"
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert not (tmp_path / "a").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "mine"]


def test_what_is_right_already_is_not_fetched_again(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": CONTENT}
    (tmp_path / "a").write_bytes(CONTENT)
    fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert server.asked == []
    (tmp_path / "a").write_bytes(CONTENT[:-1] + b"x")
    fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_part_of_another_process_is_not_waited_for_without_end(tmp_path: Path, server: Served) -> None:
    server.files, server.pause = {"/a": CONTENT}, 0.01
    first = begin(server.url + "/a", tmp_path / "a")
    while not (tmp_path / "a.part").exists() or not (tmp_path / "a.part").stat().st_size:  # it holds what it writes
        time.sleep(0.01)
    with pytest.raises(DownloadError, match=r"a\.part: another process has had it for 0 s"):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT), patience=Patience(total=0.3))
    first.kill()
    first.communicate()


HURRIED = Patience(receive=60.0, window=60.0, floor=1000, total=2000.0)


class Clock:
    """In place of the machine's: two seconds have gone by whenever it is read."""

    readings = 0

    def monotonic(self) -> float:
        self.readings += 1
        return 2.0 * self.readings


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("clirbench.datasets.downloads.time", clock)
    return clock


def test_a_server_that_drips_is_left(tmp_path: Path, server: Served, clock: Clock) -> None:
    server.files, server.drip = {"/a": CONTENT}, 0.001
    with pytest.raises(DownloadError, match=r"/a: broke off after \d+ of [\d,]+ bytes \(\d+ bytes in \d+ s\)"):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT), patience=HURRIED)
    assert clock.readings < 300  # a window of three tries is over after thirty


def test_a_server_that_is_fast_enough_is_left_when_the_time_is_over(
    tmp_path: Path, server: Served, clock: Clock
) -> None:
    server.files, server.pause = {"/a": CONTENT}, 0.001
    with pytest.raises(DownloadError, match=r"broke off after .*\(not done after 300 s\)"):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT), patience=Patience(floor=1, total=300.0))
    assert 0 < (tmp_path / "a.part").stat().st_size < len(CONTENT)


@pytest.mark.parametrize(
    ("raw", "pause", "message"),
    [
        (b"HTTP/1.1 200 OK\r\nX", 0.05, r"does not answer as a server should \([\d,]+ bytes in \d+ s\)"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, 0.0, r"does not answer .* \(more than [\d,]+ bytes came\)"),
        (b"X: y\r\n", 0.0, r"does not answer as a server should \(BadStatusLine\)"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500, 0.0, r"does not answer as a server should \(HTTPException\)"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000, 0.0, r"does not answer as a server should \(LineTooLong\)"),
        (b"HTTP/1.1 599 \x1b]0;title\x07\x1b[31mred\r\n\r\n", 0.0, r"the server answers 599$"),
        (b"HTTP/1.1 404 \x1b[31mgone\r\n\r\n", 0.0, r"the server answers 404 Not Found$"),
        (b"\x1b[31mHELLO\r\n", 0.0, r"does not answer as a server should \(BadStatusLine\)"),
    ],
)
def test_headers_without_end_and_answers_that_are_none(
    tmp_path: Path, server: Served, clock: Clock, raw: bytes, pause: float, message: str
) -> None:
    server.raw, server.pause = raw, pause
    with pytest.raises(DownloadError, match=message) as raised:
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT), patience=HURRIED)
    assert clock.readings < 1000
    assert "\x1b" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1", "http://" + "a" * 300 + "/x", "http://a..b/", "http://\ud800/", "http://a b/", "http://a\x00b/",
        "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "https://", "http:///x",
    ],
)  # fmt: skip
def test_addresses_that_are_none(tmp_path: Path, url: str) -> None:
    with pytest.raises(DownloadError, match=r"is no address that can be fetched|cannot be reached|as a server should"):
        fetch(url, tmp_path / "a", promise(CONTENT))
    assert list(tmp_path.iterdir()) == []


def test_a_redirection_is_followed_but_not_to_a_file(tmp_path: Path, server: Served) -> None:
    server.goes_to = "file:///etc/passwd"
    with pytest.raises(DownloadError, match=r"the server answers 302 Found$"):
        fetch(server.url + "/a", tmp_path / "a", promise(CONTENT))
