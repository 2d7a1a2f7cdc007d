"""Values of the store as bytes: npz files, readable by `numpy.load`, that end in the sha256 of what stands before.

The sum covers the entry's key too, so an entry under another's name is found out like a flipped bit. It is
the zip archive's comment, which every reader passes over. Arrays keep type, order and every bit, whole numbers in
fewer bytes, those of one byte (most counts are 1) deflated; nothing is pickled.
Each array begins at a multiple of 64 bytes, so that a file mapped into memory can be used without a copy.
"""

import hashlib
import io
import json
import math
import mmap
import struct
import zipfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import IO, Any

import numpy as np

from clirbench.files.spool import map_of, pages
from clirbench.types import Run

SUM = 64
"""Length of a sha256 in hexadecimal, the last bytes of an entry."""
ALIGNED = 64
LOCAL_HEADER = 30
"""Bytes of a zip member's header before its name; the lengths of name and extra field are its last four."""
PADDING = 0xD935
"""The kind of extra field that holds nothing, which other tools use to align members too."""
NPY_HEADER = 10
"""Bytes before the text of an array's header; the last two are its length."""
ZIP64 = 20
"""Bytes that `force_zip64` adds to the extra field."""
NARROWED = (1 << 12, 1 << 26)
"""From the first number of bytes to below the second, whole numbers are kept in narrower types: counts are small."""
WIDER = "~"
"""Mark in a member's name before the type that its array had."""
OF_RUN = ("offsets", "documents", "scores", "tied", "n_matched")
"""The arrays of a `Run`."""
READ = 1 << 20
"""Bytes that are read at a time for the sum of an entry."""
Content = bytes | bytearray | mmap.mmap


class Damaged(Exception):
    """The bytes are not those that were written under this key."""


def pack(key: str, value: Any) -> bytes:
    """A value (array, csr_array, `Run`, rows of plain values) as the bytes of its entry; `TypeError` for others."""
    buffer = io.BytesIO()
    pack_into(buffer, key, value)
    return buffer.getvalue()


def pack_into(file: IO[bytes], key: str, value: Any) -> None:
    """Write the bytes of `pack` to an empty file that can be read too: a second copy of a large value is not made."""
    arrays = _arrays(value)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            if array.dtype.hasobject:
                raise TypeError(f"an array of objects ({name}) cannot be stored")
            small = _narrow(array)
            # ZipInfo's own date, not the clock: the same value is the same bytes.
            member_info = zipfile.ZipInfo(f"{name}.npy" if small is array else f"{name}{WIDER}{array.dtype.str}.npy")
            if small is not array and small.itemsize == 1:
                # .5 ms for a quarter of what type counts take; their column numbers too would take ten times as long.
                held = io.BytesIO()
                np.lib.format.write_array(held, small, allow_pickle=False)
                archive.writestr(member_info, held.getbuffer(), zipfile.ZIP_DEFLATED, 1)
                continue
            member_info.extra = _padding(file.tell(), member_info.filename)
            with archive.open(member_info, "w", force_zip64=True) as member:
                _write_array(member, small)
        archive.comment = b"0" * SUM
    digest = hashlib.sha256(key.encode())
    left = file.tell() - SUM
    file.seek(0)
    while left:
        piece = file.read(min(left, READ))
        digest.update(piece)
        left -= len(piece)
    file.seek(-SUM, io.SEEK_END)
    file.write(digest.hexdigest().encode())


def _write_array(member: IO[bytes], array: Any) -> None:
    """Write an array as numpy does; one that is a mapped file piece by piece, so that it takes no memory."""
    if map_of(array) is None or not array.flags.c_contiguous:
        np.lib.format.write_array(member, array, allow_pickle=False)
        return
    np.lib.format.write_array_header_1_0(member, np.lib.format.header_data_from_array_1_0(array))
    for piece in pages(array):
        member.write(piece)


def unpack(key: str, content: Content) -> Any:
    """The value of an entry; raises `Damaged` where it is not what was written under this key.

    Its arrays are parts of `content`, and as writable as that is; they keep it alive.
    """
    members = check(key, content)
    try:
        return _value(dict(_widen(name, _array(content, member)) for name, member in members.items()))
    except Exception as error:  # noqa: BLE001  whatever is wrong with bytes that were not written by `pack`
        raise _no_values(content, error) from None


def check(key: str, content: Content) -> dict[str, zipfile.ZipInfo]:
    """Where each array of the entry is; raises `Damaged` unless these are the bytes written under this key."""
    if len(content) <= SUM or _sum(key, memoryview(content)[:-SUM]) != content[-SUM:]:
        raise Damaged(f"{len(content)} bytes whose checksum does not fit")
    try:
        with zipfile.ZipFile(_file(content)) as archive:
            return {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    except Exception as error:  # noqa: BLE001  whatever is wrong with bytes that were not written by `pack`
        raise _no_values(content, error) from None


def _no_values(content: Content, error: Exception) -> Damaged:
    return Damaged(f"{len(content)} bytes that are no values of ours: {error}")


def _file(content: Content) -> Any:
    """Something that `zipfile` can read the directory of an archive from, at its end, without a copy of the rest."""
    return content if isinstance(content, mmap.mmap) else io.BytesIO(content)


def _padding(at: int, name: str) -> bytes:
    """The extra field of a zip member whose header begins at `at`, after which its content is aligned."""
    missing = -(at + LOCAL_HEADER + len(name) + ZIP64 + 4) % ALIGNED
    return struct.pack("<HH", PADDING, missing) + bytes(missing)


def _array(content: Content, member: zipfile.ZipInfo) -> Any:
    """The array that is this member of the zip archive."""
    place = member.header_offset
    name, extra = struct.unpack("<HH", content[place + LOCAL_HEADER - 4 : place + LOCAL_HEADER])
    begin = place + LOCAL_HEADER + name + extra
    if member.compress_type == zipfile.ZIP_DEFLATED:
        content = bytearray(zlib.decompress(memoryview(content)[begin : begin + member.compress_size], -zlib.MAX_WBITS))
        begin = 0
    data = begin + NPY_HEADER + int.from_bytes(content[begin + NPY_HEADER - 2 : begin + NPY_HEADER], "little")
    shape, fortran, kind = _layout(bytes(content[begin:data]))
    count = math.prod(shape)
    if not count:
        return np.empty(shape, dtype=kind)
    array = np.frombuffer(content, dtype=kind, count=count, offset=data)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)


@lru_cache(maxsize=1024)
def _layout(header: bytes) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type of an array by its header, which is the same for many systems."""
    stream = io.BytesIO(header)
    np.lib.format.read_magic(stream)
    return np.lib.format.read_array_header_1_0(stream)


def _narrow(array: Any) -> Any:
    """Whole numbers in the fewest bytes that hold them; other arrays, and those worth mapping, as they are."""
    if array.dtype.kind not in "iuf" or not NARROWED[0] <= array.nbytes < NARROWED[1]:
        return array
    most = array.max() if array.min() >= 0 and not np.signbit(array).any() else np.inf  # no NaN, no -0.0
    for kind in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(kind).max and np.dtype(kind).itemsize < array.itemsize:
            small = array.astype(kind)
            return small if (small == array).all() else array
    return array


def _widen(name: str, array: Any) -> tuple[str, Any]:
    """The array under its own name, of the kind that it was."""
    name, _, kind = name.partition(WIDER)
    return name, array.astype(kind) if kind else array


def _sum(key: str, body: memoryview) -> bytes:
    digest = hashlib.sha256(key.encode())
    for piece in pages(body):
        digest.update(piece)
    return digest.hexdigest().encode()


def _arrays(value: Any) -> dict[str, Any]:
    if isinstance(value, np.ndarray):
        return {"array": value}
    if isinstance(value, Run):
        ids = {"topic_ids": value.topic_ids, "doc_ids": value.doc_ids, "unmatched": value.unmatched}
        return {"run": _json(ids), **{name: getattr(value, name) for name in OF_RUN}}
    if getattr(value, "format", None) == "csr":
        shape = np.array(value.shape, dtype=np.int64)
        return {"csr": shape, "data": value.data, "indices": value.indices, "indptr": value.indptr}
    if isinstance(value, dict):
        held = {name: array for name, array in value.items() if isinstance(array, np.ndarray)}
        return {"plain": _json({name: rest for name, rest in value.items() if name not in held}), **held}
    if isinstance(value, list):
        return {"plain": _json(value)}
    raise TypeError(f"the store has no format for {type(value).__name__}")


def _json(value: Any) -> Any:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _value(arrays: Mapping[str, Any]) -> Any:
    if "plain" in arrays:
        value = json.loads(arrays["plain"].tobytes())
        held = {name: array for name, array in arrays.items() if name != "plain"}
        return {**value, **held} if held else value
    if "array" in arrays:
        return arrays["array"]
    if "csr" in arrays:
        from scipy.sparse import csr_array

        rows, columns = arrays["csr"].tolist()
        return csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(rows, columns))
    ids = json.loads(arrays["run"].tobytes())
    return Run(
        topic_ids=tuple(ids["topic_ids"]),
        doc_ids=tuple(ids["doc_ids"]),
        unmatched=tuple(tuple(terms) for terms in ids["unmatched"]),
        **{name: arrays[name] for name in OF_RUN},
    )
