"""The store: what is in it stays or is found out; what cannot be written is said."""

import errno
import logging
import mmap
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from clirbench.errors import StoreError
from clirbench.later import Shelf, load_value
from clirbench.store import codecs
from clirbench.store.store import UNFINISHED, Entry, Store

KEY = "ab" + "0" * 62


def test_what_is_put_is_held_and_got(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert not store.holds(KEY)
    store.put(KEY, np.arange(3.0))
    assert store.holds(KEY)
    assert store.get(KEY).tolist() == [0.0, 1.0, 2.0]
    assert [path.name for path in (tmp_path / "store" / "ab").iterdir()] == [f"{KEY}.npz"]
    assert list((tmp_path / "store" / UNFINISHED).iterdir()) == []


@pytest.mark.parametrize("value", [np.arange(9000.0).reshape(90, 100).T, csr_array(np.eye(300)), [["a", 1.5]]])
def test_a_large_value_is_written_as_a_small_one_is(
    value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Straight to its file, without a copy in memory."""
    store = Store(tmp_path)
    monkeypatch.setattr("clirbench.store.store.MAPPED", 0)
    monkeypatch.setattr("clirbench.store.store.pack", None)
    store.put(KEY, value)
    assert (tmp_path / "ab" / f"{KEY}.npz").read_bytes() == codecs.pack(KEY, value)
    assert store.holds(KEY)
    with pytest.raises(TypeError, match="cannot be stored"):
        store.put(KEY, np.array([None]))
    assert list((tmp_path / UNFINISHED).iterdir()) == []


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"ab0+\.npz is gone from the store; a rerun computes it again"):
        Store(tmp_path).get(KEY)


def test_a_damaged_value_counts_as_missing_and_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(tmp_path)
    store.put(KEY, np.arange(3.0))
    place = tmp_path / "ab" / f"{KEY}.npz"
    place.write_bytes(place.read_bytes()[:-100])
    with caplog.at_level(logging.WARNING):
        assert not store.holds(KEY)
    assert "is damaged" in caplog.text
    with pytest.raises(StoreError, match="is damaged"):
        store.get(KEY)
    store.put(KEY, np.arange(3.0))
    assert store.holds(KEY)


def a_folder(place: Path) -> None:
    place.mkdir()
    (place / "of somebody").write_text("x")


def undecodable(place: Path) -> None:
    """The sum fits, the values do not: what an older or newer version of the program may have written."""
    place.write_bytes(b"no archive" + codecs._sum(KEY, memoryview(b"no archive")))


@pytest.mark.timeout(20)  # a pipe that is waited for would never end
@pytest.mark.parametrize(
    "harm",
    [
        a_folder,
        undecodable,
        lambda place: place.symlink_to(place),
        lambda place: place.symlink_to("/etc/hostname"),
        os.mkfifo,
        lambda place: place.write_bytes(b""),
    ],
    ids=["folder", "undecodable", "loop", "link", "pipe", "empty"],
)
def test_what_cannot_be_read_is_missing_and_computed_again(tmp_path: Path, harm: Callable[[Path], object]) -> None:
    store = Store(tmp_path)
    place = tmp_path / "ab" / f"{KEY}.npz"
    place.parent.mkdir()
    harm(place)
    assert not store.holds(KEY)
    with pytest.raises(StoreError, match="a rerun computes it again"):
        store.get(KEY)
    store.put(KEY, np.arange(3.0))
    assert store.holds(KEY)
    assert store.get(KEY).tolist() == [0.0, 1.0, 2.0]


def test_a_failure_that_is_a_pipe_is_none(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    os.mkfifo(tmp_path / "ab" / f"{KEY}.failed")
    assert Store(tmp_path).failure(KEY) is None


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_store_that_cannot_be_read_is_said_once_and_computed_around(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store = Store(tmp_path)
    store.put(KEY, np.arange(3.0))

    def refuse(path: str, flags: int) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("clirbench.store.store._without_waiting", refuse)
    with caplog.at_level(logging.WARNING):
        assert not store.holds(KEY)
        assert not store.holds("cd" + KEY[2:])
    assert len(caplog.records) == 1
    assert os.strerror(number) in caplog.text


def test_a_failure_is_noted_until_there_is_a_value(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.failure(KEY) is None
    store.note_failure(KEY, "line 3: so it is")
    assert store.failure(KEY) == "line 3: so it is"
    store.put(KEY, np.arange(3.0))
    assert store.failure(KEY) is None


def test_a_store_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be written \(Not a directory\); choose another .* paths.cache=DIR"):
        Store(tmp_path / "file").put(KEY, np.arange(3.0))
    Store(tmp_path / "file").note_failure(KEY, "why")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match="No space left on device"):
        Store(tmp_path).put(KEY, np.arange(3.0))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_killed_writers_left_is_swept_and_what_others_write_is_not(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(KEY, np.arange(3.0))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    host = os.uname().nodename
    names = {"dead": f"{host}~{ended.pid}~0", "mine": f"{host}~{os.getpid()}~0", "elsewhere": f"other~{ended.pid}~0"}
    for name in names.values():
        (tmp_path / UNFINISHED / name).write_bytes(b"half")
    store.sweep()
    left = {path.name for path in (tmp_path / UNFINISHED).iterdir()}
    assert left == {names["mine"], names["elsewhere"]}


def test_readers_never_see_half_a_value(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(tmp_path)
    value = np.arange(200_000.0)
    store.put(KEY, value)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            store.put(KEY, value)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        assert all(store.holds(KEY) for _ in range(60))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert not caplog.records


def test_a_shelf_reads_when_it_is_asked(tmp_path: Path) -> None:
    store = Store(tmp_path)
    shelf = Shelf({"a": Entry(store, KEY), "b": np.zeros(1)})
    assert list(shelf) == ["a", "b"]
    assert len(shelf) == 2
    assert "a" in shelf
    assert "c" not in shelf
    store.put(KEY, np.arange(2.0))
    assert shelf["a"].tolist() == [0.0, 1.0]
    assert shelf["b"].tolist() == [0.0]
    assert load_value(Entry(store, KEY)).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("mapping", [mmap.mmap, None], ids=["mapped", "a file system that cannot map"])
def test_a_large_entry_is_mapped_and_never_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapping: object
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENODEV, "No such device")

    monkeypatch.setattr("clirbench.store.store.MAPPED", 1 << 20)
    if mapping is None:
        monkeypatch.setattr("clirbench.store.store.mmap", SimpleNamespace(mmap=refuse, ACCESS_COPY=mmap.ACCESS_COPY))
    store = Store(tmp_path)
    value = np.arange(300_000) + 0.5
    store.put(KEY, value)
    (place,) = tmp_path.rglob("*.npz")
    before = place.read_bytes()
    mapped = store.get(KEY)
    maps = Path("/proc/self/maps")
    if mapping and maps.exists():
        assert mapped.ctypes.data % 64 == 0
        assert str(place) in maps.read_text()
    mapped[:] = 0
    assert place.read_bytes() == before
    assert (store.get(KEY) == value).all()
    # Who reads it keeps what it read when another run writes the entry anew.
    held = store.get(KEY)
    store.put(KEY, value + 1)
    assert (held == value).all()
    assert (store.get(KEY) == value + 1).all()
