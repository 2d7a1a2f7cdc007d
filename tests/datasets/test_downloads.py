"""Downloads against a server on this machine that does everything wrong that a server can do."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clirbench.datasets.downloads import Packed, Promise, fetch, unsafe
from clirbench.errors import DownloadError, StoreError
from tests.loopback import Served, serving

CONTENT = b"".join(b"line %d\n" % number for number in range(40_000))


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


def promise(content: bytes) -> Promise:
    return Promise(len(content), hashlib.sha256(content).hexdigest())


def test_plain_and_gzip(tmp_path: Path, server: Served) -> None:
    packed = gzip.compress(CONTENT)
    server.files = {"/a": CONTENT, "/a.gz": packed}
    fetch(server.url + "/a", tmp_path / "new" / "a", promise(CONTENT))
    fetch(server.url + "/a.gz", tmp_path / "new" / "b", promise(CONTENT), Packed("gzip", promise(packed)))
    assert (tmp_path / "new" / "a").read_bytes() == (tmp_path / "new" / "b").read_bytes() == CONTENT
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a", "b"]


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


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"no gzip at all", "cannot be unpacked as gzip"),
        (gzip.compress(CONTENT)[:-20], "cannot be unpacked as gzip"),
        (gzip.compress(CONTENT[1:]), "unpacks to another content"),
        (gzip.compress(CONTENT + bytes(10**6)), "unpacks to another content"),
    ],
)
def test_packed_files_that_are_not_what_they_should_be(
    tmp_path: Path, server: Served, sent: bytes, message: str
) -> None:
    server.files = {"/a.gz": sent}
    with pytest.raises(DownloadError, match=message):
        fetch(server.url + "/a.gz", tmp_path / "a", promise(CONTENT), Packed("gzip", promise(sent)))
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "a.unpacked").exists()


def tar_of(*members: tuple[str, bytes | str]) -> bytes:
    """A tar of files (bytes) and symbolic links (the target as a string)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zip_of(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def test_one_member_of_an_archive_is_read_and_nothing_else_is_written(tmp_path: Path, server: Served) -> None:
    server.files = {
        "/a.tgz": tar_of(("../evil", b"evil"), ("in/a.txt", CONTENT)),
        "/a.zip": zip_of(("../evil", b"evil"), ("in/a.txt", CONTENT)),
    }
    for kind, name in (("tar", "/a.tgz"), ("zip", "/a.zip")):
        packed = Packed(kind, promise(server.files[name]), "in/a.txt")
        fetch(server.url + name, tmp_path / "cache" / kind, promise(CONTENT), packed)
        assert (tmp_path / "cache" / kind).read_bytes() == CONTENT
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["cache", "tar", "zip"]


@pytest.mark.parametrize("member", ["../evil", "/etc/passwd", "link", "folder/", "missing"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_members_that_point_outside_are_refused(tmp_path: Path, server: Served, kind: str, member: str) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../evil", b"evil")
        archive.writestr("/etc/passwd", b"evil")
        archive.writestr(link, b"/etc/passwd")
        archive.mkdir("folder")
    tar = tar_of(("../evil", b"evil"), ("/etc/passwd", b"evil"), ("link", "/etc/passwd"))
    sent = tar if kind == "tar" else out.getvalue()
    server.files = {"/a": sent}
    with pytest.raises(DownloadError, match=r"the archive has no plain file"):
        fetch(server.url + "/a", tmp_path / "a", promise(b"evil"), Packed(kind, promise(sent), member))
    assert not (tmp_path / "a").exists()


def test_a_broken_archive(tmp_path: Path, server: Served) -> None:
    server.files = {"/a": b"neither"}
    for kind in ("tar", "zip"):
        with pytest.raises(DownloadError, match=f"cannot be unpacked as {kind}"):
            fetch(server.url + "/a", tmp_path / "a", promise(CONTENT), Packed(kind, promise(b"neither"), "x"))


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/a", "", ".", "c:/a", "a\\b", "a\0b"])
def test_unsafe_names(name: str) -> None:
    assert unsafe(name)
    assert not unsafe("systems/Allegro.eu.txt")
