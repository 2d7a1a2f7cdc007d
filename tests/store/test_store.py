"""The store: what is in it comes back bit for bit or is found out; what cannot be written is said."""

import errno
import io
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
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.sparse import csr_array

from clirbench.errors import StoreError
from clirbench.later import load_value
from clirbench.store.store import UNFINISHED, Entry, Store, write_part
from clirbench.types import Run

FOLDER, KEY = "ab" + "0" * 62, "cd" + "0" * 62


def stored(path: Path, value: Any) -> Any:
    Store(path).put(FOLDER, {KEY: value})
    return Store(path).get(FOLDER, KEY)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def part(path: Path) -> Path:
    (found,) = path.glob("ab/*/*.part")
    return found


@given(array=arrays(np.float64, array_shapes(max_dims=3, max_side=5), elements=st.floats(allow_nan=True)))
def test_arrays_keep_every_bit(place: Path, array: np.ndarray) -> None:
    back = stored(place, array)
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize("most", [0, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("odd", [0, 0.5, -1, -0.0, np.nan, np.inf])
def test_whole_numbers_take_few_bytes_and_keep_every_bit(most: int, kind: type, odd: float, tmp_path: Path) -> None:
    """And their order in memory: numpy sums in it, so the last bits of a sum depend on it."""
    array = np.asfortranarray(np.arange(2**14).reshape(128, 128) % (min(most, 99) + 1)).astype(kind)
    with np.errstate(invalid="ignore"):  # what a kind cannot hold is some other number
        array[3, 4], array[5, 6] = np.array([most, odd]).astype(kind)
    back = stored(tmp_path, array)
    assert (back.dtype, back.flags.f_contiguous) == (array.dtype, array.flags.f_contiguous)
    assert back.tobytes("A") == array.tobytes("A")
    if most <= 255 and odd == 0 and not np.signbit(odd):
        assert part(tmp_path).stat().st_size < array.size + 1000


def same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    for name in ("data", "indices", "indptr", "offsets", "documents", "scores", "tied", "n_matched"):
        if hasattr(other, name):
            assert getattr(one, name).dtype == getattr(other, name).dtype
            assert np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(other, name)).tobytes()


def test_sparse_and_structured_arrays_and_rows_with_arrays_come_back(tmp_path: Path) -> None:
    sparse = csr_array(np.random.default_rng(1).integers(0, 2, (20, 30)) * np.pi)
    vectors = np.zeros(3, dtype=[("document", "<i4"), ("vector", "<f4", (5,))])
    vectors["vector"] = 1.5
    rows = {"array": np.arange(5000.0), "measure": "MAP", "csr": np.eye(3), "p": float("nan"), "low": float("-inf")}
    Store(tmp_path).put(FOLDER, {"a": sparse, "b": vectors, "c": rows})
    back = Store(tmp_path).find(FOLDER, ["a", "b", "c"])
    same(back["a"], sparse)
    assert back["a"].shape == sparse.shape
    assert (back["b"].dtype, back["b"].tobytes()) == (vectors.dtype, vectors.tobytes())
    assert all(back["c"][name].tobytes() == rows[name].tobytes() for name in ("array", "csr"))
    assert repr([back["c"][name] for name in ("measure", "p", "low")]) == "['MAP', nan, -inf]"


IDS = st.text(st.characters(), min_size=1, max_size=3)


@given(scores=st.dictionaries(IDS, st.dictionaries(IDS, st.floats(-9, 9, width=32), max_size=4), max_size=3))
def test_runs_keep_ids_scores_and_ties(place: Path, scores: dict[str, dict[str, float]]) -> None:
    run = Run.of(scores)
    back = stored(place, run)
    assert (back.topic_ids, back.doc_ids) == (run.topic_ids, run.doc_ids)
    same(back, run)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=9,
)


@given(value=st.lists(PLAIN) | st.dictionaries(st.text(), PLAIN))
def test_rows_of_plain_values_come_back_as_they_were(place: Path, value: object) -> None:
    assert repr(stored(place, value)) == repr(value)


@pytest.mark.parametrize("value", [np.array([object()]), np.array([{"a": 1}]), set()])
def test_what_has_no_format_is_refused_and_never_pickled(tmp_path: Path, value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be stored|no format for set"):
        Store(tmp_path).put(FOLDER, {KEY: value})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_part_is_the_same_bytes_each_time_and_its_arrays_are_used_where_they_lie(tmp_path: Path) -> None:
    """Aligned and writable: compiled loops take them as they take any other array."""
    files = [io.BytesIO(), io.BytesIO()]
    value = csr_array(np.random.default_rng(1).integers(0, 2, (20, 31)) * np.pi)
    for file in files:
        write_part(file, "name", {KEY: value, "other": np.arange(3.0)})
    assert files[0].getvalue() == files[1].getvalue()
    back = stored(tmp_path, value)
    for array in (back.data, back.indices, back.indptr):
        assert array.flags.aligned
        assert array.flags.writeable


@given(data=st.data())
def test_every_harm_to_what_is_read_is_found(place: Path, data: st.DataObject) -> None:
    """A flipped bit, a missing end: the value is missing, or it was harmed where nothing is."""
    value = np.arange(8.0)
    Store(place).put("ef" + FOLDER[2:], {KEY: value})
    (file,) = place.glob("ef/*/*.part")
    content = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    harmed = bytes(content[:at]) if data.draw(st.booleans()) else None
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content if harmed is None else harmed)
    assert Store(place).find("ef" + FOLDER[2:], [KEY]) == {}


def test_a_part_under_another_name_is_found(tmp_path: Path) -> None:
    stored(tmp_path, np.arange(3.0))
    part(tmp_path).rename(part(tmp_path).with_name(f"{'1' * 64}.part"))
    assert Store(tmp_path).find(FOLDER, [KEY]) == {}


def test_what_is_put_is_found_among_other_parts_and_nothing_is_left_behind(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.find(FOLDER, [KEY]) == {}
    store.put(FOLDER, {KEY: np.arange(3.0), "second": np.arange(2.0)})
    store.put(FOLDER, {"third": [1]})
    found = store.find(FOLDER, [KEY, "third", "fourth"], bulky=[KEY])
    assert found == {KEY: Entry(store, FOLDER, KEY), "third": [1]}
    assert load_value(found[KEY]).tolist() == [0.0, 1.0, 2.0]
    assert len(list((tmp_path / "store" / "ab" / FOLDER).iterdir())) == 2
    assert list((tmp_path / "store" / UNFINISHED).iterdir()) == []


def test_damage_is_reported_once_and_mended_by_writing_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(tmp_path)
    store.put(FOLDER, {KEY: np.arange(3.0)})
    part(tmp_path).write_bytes(part(tmp_path).read_bytes()[:-50])
    with caplog.at_level(logging.WARNING):
        assert store.find(FOLDER, [KEY]) == store.find(FOLDER, [KEY]) == {}
    assert [f"{part(tmp_path)} is damaged" in record.getMessage() for record in caplog.records] == [True]
    with pytest.raises(StoreError, match="gone or damaged; a rerun computes it again"):
        store.get(FOLDER, KEY)
    assert stored(tmp_path, np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.timeout(20)  # a pipe that is waited for would never end
@pytest.mark.parametrize(
    "harm",
    [
        lambda place: place.symlink_to(place),
        lambda place: place.symlink_to("/etc/hostname"),
        os.mkfifo,
        lambda place: place.write_bytes(b""),
        lambda place: place.write_bytes(b"\0" * 200),
    ],
    ids=["loop", "link", "pipe", "empty", "zeros"],
)
def test_what_cannot_be_read_is_missing_and_computed_again(tmp_path: Path, harm: Callable[[Path], object]) -> None:
    store = Store(tmp_path)
    store.put(FOLDER, {KEY: np.arange(3.0)})
    place = part(tmp_path)
    place.unlink()
    harm(place)
    assert store.find(FOLDER, [KEY]) == {}
    assert stored(tmp_path, np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_store_that_cannot_be_read_is_said_once_and_computed_around(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store = Store(tmp_path)
    for folder in (FOLDER, "ef" + FOLDER[2:]):
        store.put(folder, {KEY: np.arange(3.0)})

    def refuse(path: Path) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("clirbench.store.store.open_regular", refuse)
    with caplog.at_level(logging.WARNING):
        assert store.find(FOLDER, [KEY]) == store.find("ef" + FOLDER[2:], [KEY]) == {}
    assert [os.strerror(number) in record.getMessage() for record in caplog.records] == [True]


def test_a_store_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be written \(Not a directory\); choose another .* paths.cache=DIR"):
        Store(tmp_path / "file").put(FOLDER, {KEY: np.arange(3.0)})

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("clirbench.store.store.write_part", full)
    with pytest.raises(StoreError, match="No space left on device"):
        Store(tmp_path / "store").put(FOLDER, {KEY: np.arange(3.0)})
    assert [path for path in (tmp_path / "store").rglob("*") if path.is_file()] == []


def test_what_killed_writers_left_is_swept_and_what_others_write_is_not(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(FOLDER, {KEY: np.arange(3.0)})
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
    value = np.arange(200_000.0) + 0.5
    store.put(FOLDER, {KEY: value})
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            store.put(FOLDER, {KEY: value})

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        assert all(store.find(FOLDER, [KEY]) for _ in range(60))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert not caplog.records


@pytest.mark.parametrize("mapping", [mmap.mmap, None], ids=["mapped", "a file system that cannot map"])
def test_a_large_value_is_mapped_and_never_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapping: object
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENODEV, "No such device")

    monkeypatch.setattr("clirbench.store.store.MAPPED", 1 << 20)
    if mapping is None:
        monkeypatch.setattr("clirbench.store.store.mmap", SimpleNamespace(mmap=refuse, ACCESS_COPY=mmap.ACCESS_COPY))
    store = Store(tmp_path)
    value = np.arange(300_000) + 0.5
    store.put(FOLDER, {"small": np.arange(3.0), KEY: value})
    before = part(tmp_path).read_bytes()
    mapped = store.get(FOLDER, KEY)
    maps = Path("/proc/self/maps")
    if mapping and maps.exists():
        assert mapped.ctypes.data % 64 == 0
        assert str(part(tmp_path)) in maps.read_text()
    mapped[:] = 0
    assert part(tmp_path).read_bytes() == before
    # Who reads it keeps what it read when another run writes the part anew.
    held = store.get(FOLDER, KEY)
    store.put(FOLDER, {"small": np.arange(3.0), KEY: value + 1})
    assert (held == value).all()
    assert (store.get(FOLDER, KEY) == value + 1).all()
