"""Values of the store as bytes: npz files, readable by `numpy.load`, that end in the sha256 of what stands before.

The sum covers the entry's key too, so an entry that lies under another's name is found out like a flipped bit. It is
the zip archive's comment, which every reader passes over. Arrays keep type, order and every bit; nothing is pickled.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from clirbench.types import Run

SUM = 64
"""Length of a sha256 in hexadecimal, the last bytes of an entry."""


class Damaged(Exception):
    """The bytes are not those that were written under this key."""


def pack(key: str, value: Any) -> bytes:
    """A value (array, scipy.sparse csr_array or `Run`) as the bytes of its entry; raises `TypeError` for others."""
    arrays = _arrays(value)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            if array.dtype.hasobject:
                raise TypeError(f"an array of objects ({name}) cannot be stored")
            # ZipInfo's own date, not the clock: the same value is the same bytes.
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
        archive.comment = b"0" * SUM
    with buffer.getbuffer() as content:
        content[-SUM:] = _sum(key, content[:-SUM])
    return buffer.getvalue()


def unpack(key: str, content: bytes) -> Any:
    """The value of an entry; raises `Damaged` where it is not what was written under this key."""
    check(key, content)
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return _value(arrays)


def check(key: str, content: bytes) -> None:
    """Raise `Damaged` unless these are the bytes that were written under this key."""
    if len(content) <= SUM or _sum(key, memoryview(content)[:-SUM]) != content[-SUM:]:
        raise Damaged(f"{len(content)} bytes whose checksum does not fit")


def _sum(key: str, body: memoryview) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(body)
    return digest.hexdigest().encode()


def _arrays(value: Any) -> dict[str, Any]:
    if isinstance(value, np.ndarray):
        return {"array": value}
    if isinstance(value, Run):
        ids = {"topic_ids": value.topic_ids, "doc_ids": value.doc_ids, "unmatched": value.unmatched}
        return {
            "run": np.frombuffer(json.dumps(ids).encode(), dtype=np.uint8),
            "offsets": value.offsets,
            "documents": value.documents,
            "scores": value.scores,
            "tied": value.tied,
            "n_matched": value.n_matched,
        }
    if getattr(value, "format", None) == "csr":
        shape = np.array(value.shape, dtype=np.int64)
        return {"csr": shape, "data": value.data, "indices": value.indices, "indptr": value.indptr}
    raise TypeError(f"the store has no format for {type(value).__name__}")


def _value(arrays: Mapping[str, Any]) -> Any:
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
        offsets=arrays["offsets"],
        documents=arrays["documents"],
        scores=arrays["scores"],
        tied=arrays["tied"],
        unmatched=tuple(tuple(terms) for terms in ids["unmatched"]),
        n_matched=arrays["n_matched"],
    )
