"""One hash for each file: kept from run to run, checked at each reading, trusted only where it can be."""

import gzip
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import Changed
from clirbench.files.state import state_of
from clirbench.store import snapshot
from clirbench.store.snapshot import HASHES, Snapshot, read_hashes, read_through_snapshot
from clirbench.text import TextFile, seen_through, sha256_of

ONE_TWO = sha256_of([b"one\ntwo\n"])


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that nobody has touched for an hour: the clock is ahead, since ctime cannot be set back."""
    now = time.time_ns
    monkeypatch.setattr("clirbench.files.state.time.time_ns", lambda: now() + 3600 * 10**9)
    path = tmp_path / "text.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    return path


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each hashing of a text has seen."""
    found: list[int] = []
    real = snapshot.hashlib.sha256

    class Counted:
        def __init__(self) -> None:
            self.digest = real()
            found.append(0)

        def update(self, piece: bytes) -> None:
            found[-1] += len(piece)
            self.digest.update(piece)

        def hexdigest(self) -> str:
            return self.digest.hexdigest()

    def counting(content: bytes | None = None) -> object:
        return Counted() if content is None else real(content)

    monkeypatch.setattr("clirbench.store.snapshot.hashlib.sha256", counting)
    return found


def other(path: Path) -> None:
    """Another text of equal size, with the times of the first as far as they can be set."""
    status = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_the_first_reading_gives_the_hash(old: Path, hashed: list[int]) -> None:
    with read_through_snapshot():
        assert TextFile(old).lines() == ("one", "two")
        assert TextFile(old).fingerprint == ONE_TWO
        assert list(TextFile(old).blocks()) == [b"one\ntwo\n"]
    assert hashed == [8]


def test_a_later_reading_must_find_the_same_bytes(old: Path) -> None:
    with read_through_snapshot():
        before = TextFile(old).fingerprint
        other(old)
        for read in (lambda: TextFile(old).lines(), lambda: list(TextFile(old).blocks())):
            with pytest.raises(Changed, match=r"text\.txt changed while this run was reading it"):
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
        with pytest.raises(Changed):
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
        with pytest.raises(Changed):
            JsonlText(path).lines()


def test_hashes_are_kept_and_a_warm_run_hashes_nothing(old: Path, tmp_path: Path, hashed: list[int]) -> None:
    for _ in range(2):
        with read_through_snapshot(tmp_path / "store"):
            expected = TextFile(old).fingerprint
            assert TextFile(old).lines() == ("one", "two")
    assert hashed == [8]
    assert list(read_hashes(tmp_path / "store" / HASHES).values()) == [expected]


def test_a_text_of_equal_size_and_time_is_another(old: Path, tmp_path: Path) -> None:
    with read_through_snapshot(tmp_path):
        before = TextFile(old).fingerprint
    other(old)
    with read_through_snapshot(tmp_path):
        assert TextFile(old).fingerprint != before


def test_a_file_touched_just_before_is_not_trusted(tmp_path: Path, hashed: list[int]) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"one\n")
    for _ in range(2):
        with read_through_snapshot(tmp_path):
            assert TextFile(path).fingerprint
            assert TextFile(path).lines() == ("one",)
    assert hashed == [4] * 4
    assert not (tmp_path / HASHES).exists()


def test_steps_trust_no_time(old: Path, hashed: list[int]) -> None:
    with read_through_snapshot() as held:
        assert TextFile(old).fingerprint
        with seen_through(held.for_steps):
            assert TextFile(old).lines() == ("one", "two")
    assert hashed == [8, 8]


def test_damaged_lines_are_passed_over(old: Path, tmp_path: Path) -> None:
    with read_through_snapshot(tmp_path):
        assert TextFile(old).fingerprint
    kept = tmp_path / HASHES
    row = kept.read_text()
    digits = row.split("\t")
    for harm in (row[:-5], row.replace(digits[5][:4], "0000"), "\0" * 100, f"{row[:30]}\n{row}"):
        kept.write_text(harm)
        assert len(read_hashes(kept)) == (harm.endswith(row) and harm != "")


def test_a_hash_that_is_wrong_is_forgotten(old: Path, tmp_path: Path) -> None:
    """Whatever made it so: the run says that the file changed, and the next one reads it anew."""
    state = state_of(old)
    assert state is not None
    with read_through_snapshot(tmp_path) as held:
        held.known[state] = "0" * 64
        assert TextFile(old).fingerprint == "0" * 64
        with seen_through(held.for_steps), pytest.raises(Changed):
            TextFile(old).lines()
        held.forget([old])
    with read_through_snapshot(tmp_path):
        assert TextFile(old).fingerprint == ONE_TWO


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


def test_one_snapshot_holds_in_a_run(tmp_path: Path) -> None:
    with read_through_snapshot() as outer, read_through_snapshot(tmp_path) as inner:
        assert outer is inner
    assert isinstance(outer, Snapshot)
