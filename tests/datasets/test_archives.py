"""Archives: names that lead outside, members that are read as streams."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from clirbench.datasets import archives
from clirbench.datasets.archives import unpacked, unsafe
from clirbench.errors import DownloadError, InputError
from clirbench.text import Limits, within_limits

CONTENT = b"content\n" * 1000


def tar_of(*infos: tarfile.TarInfo | tuple[str, bytes], **settings: Any) -> bytes:
    """A tar of members; what is no content is written as it is, with a size that may be wrong."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **settings) as archive:
        for info in infos:
            if isinstance(info, tuple):
                name, content = info
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            else:
                out.write(info.tobuf())
    return out.getvalue()


def read(packed: bytes, kind: str, member: str = "a") -> bytes:
    return b"".join(unpacked("there", io.BytesIO(packed), kind, member))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_is_read_up_to_its_member_and_no_further(pack: Callable[[bytes], bytes]) -> None:
    rest = b"\xff" * 5000  # no tar any more
    packed = pack(tar_of(("x/a", b"another"), ("a", CONTENT), ("b", b"behind"))[:9728] + rest)
    assert read(packed, "tar") == CONTENT
    with pytest.raises(DownloadError, match=r"there: (cannot be unpacked as tar|the archive has no plain file 'b')"):
        read(packed, "tar", "b")


def header(kind: bytes, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo("big")
    info.type, info.size = kind, size
    return info


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_long_header_is_refused_before_it_is_read(kind: bytes) -> None:
    bomb = gzip.compress(tar_of(header(kind, 4 << 30)) + bytes(1 << 22))
    with pytest.raises(DownloadError, match=r"cannot be unpacked as tar \(a header of more than 1,048,576 bytes\)"):
        read(bomb, "tar")


def test_members_without_end_and_one_that_is_too_long_to_pass_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with within_limits(Limits(unpacked_bytes=1 << 20)), pytest.raises(InputError, match=r"limits\.unpacked_bytes=N"):
        read(tar_of(header(tarfile.REGTYPE, 4 << 30)) + bytes(2000), "tar")
    monkeypatch.setattr(archives, "MEMBERS", 10)
    with pytest.raises(DownloadError, match=r"more than 10 members"):
        read(tar_of(*[(f"m{number}", b"") for number in range(20)]), "tar")


def zip_of(content: bytes, method: int = zipfile.ZIP_STORED) -> bytearray:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("a", content)
    return bytearray(out.getvalue())


def test_zips_that_are_encrypted_damaged_or_packed_in_an_unknown_way() -> None:
    whole = zip_of(CONTENT, zipfile.ZIP_LZMA)
    assert read(bytes(whole), "zip") == CONTENT
    central = whole.rindex(b"PK\x01\x02")
    encrypted, unknown, damaged = bytearray(whole), bytearray(whole), bytearray(whole)
    encrypted[6] |= 1
    encrypted[central + 8] |= 1
    unknown[8] = unknown[central + 10] = 97
    for at in range(45, 60):
        damaged[at] ^= 0xFF
    for packed in (encrypted, unknown, damaged, whole[:-30], b"PK\x05\x06" + b"\xff" * 18):
        with pytest.raises(DownloadError, match="there: cannot be unpacked as zip"):
            read(bytes(packed), "zip")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_damage_within_a_packed_tar(compress: Callable[[bytes], bytes]) -> None:
    whole = compress(tar_of(("a", CONTENT)))
    damaged = bytearray(whole)
    damaged[len(whole) // 3 : len(whole) // 2] = b"\xff" * (len(whole) // 2 - len(whole) // 3)
    for packed in (whole[: len(whole) // 2], damaged):
        with pytest.raises(DownloadError, match="there: cannot be unpacked as tar"):
            read(bytes(packed), "tar")


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/a", "", ".", "c:/a", "a\\b", "a\0b"])
def test_unsafe_names(name: str) -> None:
    assert unsafe(name)
    assert not unsafe("systems/Allegro.eu.txt")
