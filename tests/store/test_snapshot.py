"""One hash for each file, checked at each reading."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import InputError
from clirbench.store.store import Snapshot, read_through_snapshot
from clirbench.text import TextFile
from tests.conftest import put


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return put(tmp_path / "text.txt", "one\ntwo\n")


def other(path: Path) -> None:
    """Another text of equal size and layout, with the times of the first as far as they can be set."""
    status = path.stat()
    path.write_bytes(bytes(byte if byte in b" \n" else ord("z") for byte in path.read_bytes()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_later_reading_must_find_the_same_bytes(old: Path) -> None:
    with read_through_snapshot():
        before = TextFile(old).fingerprint
        other(old)
        for read in (lambda: TextFile(old).lines(), lambda: list(TextFile(old).blocks())):
            with pytest.raises(InputError, match=r"text\.txt changed while this run was reading it"):
                read()
        assert TextFile(old).fingerprint == before
    assert TextFile(old).fingerprint != before


def test_whoever_has_all_lines_has_checked_ones(tmp_path: Path) -> None:
    """Also one that asks for no more than the last line."""
    path = tmp_path / "long.txt"
    path.write_bytes(b"line\n" * 700_000)
    with read_through_snapshot():
        assert TextFile(path).fingerprint
        blocks = TextFile(path).blocks()
        taken_before = [next(blocks)]
        other(path)
        with pytest.raises(InputError, match="changed while this run was reading it"):
            taken_before.extend(blocks)
        assert sum(map(len, taken_before)) < 3_500_000


@pytest.mark.parametrize("kind", ["gzip", "jsonl"])
def test_every_kind_of_text_is_checked(tmp_path: Path, kind: str) -> None:
    first, second = b'{"doc_id": "1", "text": "a"}\n', b'{"doc_id": "1", "text": "b"}\n'
    path = tmp_path / ("a.jsonl.gz" if kind == "gzip" else "a.jsonl")
    path.write_bytes(gzip.compress(first) if kind == "gzip" else first)
    with read_through_snapshot():
        assert JsonlText(path).lines() == ("a",)
        path.write_bytes(gzip.compress(second) if kind == "gzip" else second)
        with pytest.raises(InputError, match="changed while this run was reading it"):
            JsonlText(path).lines()


def test_what_is_not_read_to_its_end_is_not_known(old: Path) -> None:
    old.write_bytes(b"x\n" * 2_000_000)
    with read_through_snapshot() as held:
        pieces: Iterator[bytes] = TextFile(old).blocks()
        next(pieces)
        del pieces
        assert held.seen == {}


def test_what_changed_is_told(old: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone.txt"
    gone.write_text("here\n")
    with read_through_snapshot() as held:
        assert TextFile(old).lines()
        assert TextFile(gone).lines()
        assert held.changed() == []
        os.utime(old, (1, 1))
        assert held.changed() == []
        gone.unlink()
        other(old)
        assert held.changed() == [old, gone]


def test_one_snapshot_holds_in_a_run() -> None:
    with read_through_snapshot() as outer, read_through_snapshot() as inner:
        assert outer is inner
    assert isinstance(outer, Snapshot)
