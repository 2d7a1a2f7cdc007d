"""Values come back as they went in, bit for bit; no damage passes."""

import hashlib
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.sparse import csr_array

from clirbench.store.codecs import Damaged, pack, unpack
from clirbench.types import Run

KEY = "0" * 64


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=5), elements=st.floats(allow_nan=True)))
def test_arrays_keep_every_bit(array: np.ndarray) -> None:
    back = unpack(KEY, pack(KEY, array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize("most", [0, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("odd", [0, 0.5, -1, -0.0, np.nan, np.inf])
def test_whole_numbers_take_few_bytes_and_keep_every_bit(most: int, kind: type, odd: float) -> None:
    array = np.asfortranarray(np.arange(2**14).reshape(128, 128) % (min(most, 99) + 1)).astype(kind)
    with np.errstate(invalid="ignore"):  # what a kind cannot hold is some other number
        array[3, 4], array[5, 6] = np.array([most, odd]).astype(kind)
    content = pack(KEY, array)
    back = unpack(KEY, content)
    assert (back.dtype, back.flags.f_contiguous) == (array.dtype, array.flags.f_contiguous)
    assert back.tobytes("A") == array.tobytes("A")
    if most <= 255 and odd == 0 and not np.signbit(odd):
        assert len(content) < array.size + 1000


def test_plain_values_may_have_arrays_among_them() -> None:
    value = {"array": np.arange(5000.0), "measure": "MAP", "csr": np.eye(3)}
    back = unpack(KEY, pack(KEY, value))
    assert back["measure"] == "MAP"
    assert all(back[name].tobytes() == value[name].tobytes() for name in ("array", "csr"))


def test_arrays_keep_their_order_in_memory() -> None:
    # numpy sums in the order of memory, so the last bits of a sum depend on it.
    array = np.asfortranarray(np.random.default_rng(0).random((300, 7)))
    back = unpack(KEY, pack(KEY, array))
    assert back.flags.f_contiguous
    assert back.sum(axis=0).tobytes() == array.sum(axis=0).tobytes()


def test_sparse_statistics_keep_every_bit() -> None:
    value = csr_array(np.random.default_rng(1).integers(0, 2, (20, 30)) * np.pi)
    back = unpack(KEY, pack(KEY, value))
    assert back.shape == value.shape
    for name in ("data", "indices", "indptr"):
        assert getattr(back, name).dtype == getattr(value, name).dtype
        assert getattr(back, name).tobytes() == getattr(value, name).tobytes()


IDS = st.text(st.characters(), min_size=1, max_size=3)


@given(st.dictionaries(IDS, st.dictionaries(IDS, st.floats(-9, 9, width=32), max_size=4), max_size=3))
def test_runs_keep_ids_scores_and_ties(scores: dict[str, dict[str, float]]) -> None:
    run = Run.of(scores)
    back = unpack(KEY, pack(KEY, run))
    assert (back.topic_ids, back.doc_ids, back.unmatched) == (run.topic_ids, run.doc_ids, run.unmatched)
    for name in ("offsets", "documents", "scores", "tied", "n_matched"):
        assert getattr(back, name).dtype == getattr(run, name).dtype
        assert getattr(back, name).tobytes() == getattr(run, name).tobytes()


def test_an_entry_is_a_plain_npz_file_and_the_same_bytes_each_time() -> None:
    content = pack(KEY, np.arange(3.0))
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays_:
        assert arrays_["array"].tolist() == [0.0, 1.0, 2.0]
    assert content == pack(KEY, np.arange(3.0))


@given(st.data())
def test_every_flipped_bit_is_found(data: st.DataObject) -> None:
    content = bytearray(pack(KEY, np.arange(3.0)))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Damaged, match="checksum"):
        unpack(KEY, bytes(content))


@given(st.data())
def test_every_missing_end_is_found(data: st.DataObject) -> None:
    content = pack(KEY, np.arange(3.0))
    with pytest.raises(Damaged, match="checksum"):
        unpack(KEY, content[: data.draw(st.integers(0, len(content) - 1))])


def test_an_entry_under_another_name_is_found() -> None:
    with pytest.raises(Damaged, match="checksum"):
        unpack("1" * 64, pack(KEY, np.arange(3.0)))


@pytest.mark.parametrize("value", [np.array([object()]), np.array([{"a": 1}])])
def test_objects_are_never_pickled(value: np.ndarray) -> None:
    with pytest.raises(TypeError, match="cannot be stored"):
        pack(KEY, value)


def test_values_without_a_format_are_refused() -> None:
    with pytest.raises(TypeError, match="no format for set"):
        pack(KEY, set())


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=9,
)


@given(st.lists(PLAIN) | st.dictionaries(st.text(), PLAIN))
def test_rows_of_plain_values_come_back_as_they_were(value: object) -> None:
    assert repr(unpack(KEY, pack(KEY, value))) == repr(value)


def test_plain_values_may_be_undefined() -> None:
    assert repr(unpack(KEY, pack(KEY, [{"p": float("nan"), "low": float("-inf")}]))) == "[{'p': nan, 'low': -inf}]"


def test_arrays_are_used_where_they_lie() -> None:
    """Aligned and writable parts of the content: compiled loops take them as they take any other array."""
    value = csr_array(np.random.default_rng(1).integers(0, 2, (20, 31)) * np.pi)
    content = bytearray(pack(KEY, value))
    back = unpack(KEY, content)
    whole = np.frombuffer(content, dtype=np.uint8)
    for name in ("data", "indices", "indptr"):
        array = getattr(back, name)
        assert array.flags.aligned
        assert array.flags.writeable
        assert (array.ctypes.data - whole.ctypes.data) % 64 == 0
        assert np.shares_memory(array, whole)


def test_what_is_no_entry_under_a_fitting_sum_is_damaged() -> None:
    buffer = io.BytesIO()
    np.savez(buffer, something=np.arange(3.0))
    for body in (b"", b"no archive" * 30, buffer.getvalue(), pack(KEY, np.arange(3.0))[:-64].replace(b"<f8", b"|O ")):
        content = body + hashlib.sha256(KEY.encode() + body).hexdigest().encode()
        with pytest.raises(Damaged):
            unpack(KEY, content)
