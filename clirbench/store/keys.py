"""Names of results by what they were made from: content, components and the code that computes, never a path or a time.

    key = sha256(a function and all that it gets, Python and numpy, the source of the rooms that compute)

Version numbers that somebody must remember to raise are forgotten; so the code in a key is its source text: of the
rooms that compute, not of those that show (`report`, `configuration`, `commands`). A component from elsewhere, a
laboratory's or a user's, adds the source of its own folder; libraries are named with their versions by the components'
signatures. What a program makes (translations, vectors, scores) depends on none of this: a dataclass that declares
`made_elsewhere` is its name and its `signature`, and content alone.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from clirbench.later import Shelf

if TYPE_CHECKING:
    from hashlib import _Hash as Digest

PACKAGE = Path(__file__).parents[1]
ROOMS = (
    "text.py", "types.py", "later.py", "files", "corpora", "topics", "metrics", "retrieval", "relevance", "measures",
    "systems", "statistics", "scoreboard.py", "steps.py",
)  # fmt: skip
"""What a number can depend on."""
CODE = (".py", ".pyi", ".pyc", ".so", ".nbi", ".nbc")
"""What is code, or was compiled from it; other files beside it are data (word lists)."""


def fingerprint(*values: Any) -> str:
    """sha256 of values by content, hexadecimal.

    Plain values, arrays (sparse ones in csr form too), sequences, mappings (in their order), functions of modules and
    dataclasses. A dataclass is its class, its fields (those with `compare=False` apart) and its `signature`; an object
    with a `fingerprint` (text, an entry of the store) is that. Raises `TypeError` for what has no content of its own, a
    path among them.
    """
    digest = hashlib.sha256()
    _feed(digest, values)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def environment() -> tuple[str, ...]:
    """What moves numbers without being named by a component: Python (its Unicode tables), libraries, and our code."""
    libraries = (f"{name}-{version(name)}" for name in ("numpy", "scipy"))
    ours = code_in(*(PACKAGE / room for room in ROOMS))
    return (f"python-{sys.version_info[0]}.{sys.version_info[1]}", *libraries, ours)


def _feed(digest: "Digest", value: Any) -> None:
    if value is None or isinstance(value, bool | int | float):
        _tag(digest, type(value).__name__, repr(value).encode())
    elif isinstance(value, str):
        _tag(digest, "str", value.encode("utf-8", "surrogatepass"))
    elif isinstance(value, bytes):
        _tag(digest, "bytes", value)
    elif isinstance(value, np.generic):
        _feed(digest, value.item())
    elif isinstance(value, np.ndarray):
        _feed_array(digest, value)
    elif getattr(value, "format", None) == "csr":
        _feed(digest, ("csr", value.shape, value.data, value.indices, value.indptr))
    elif isinstance(content := getattr(value, "fingerprint", None), str):
        _tag(digest, "content", content.encode())
    elif isinstance(value, tuple | list):
        _feed_sequence(digest, value)
    elif isinstance(value, Shelf):
        _feed(digest, value.kept)  # what is to be loaded later says what it is without that
    elif isinstance(value, dict) and all(type(name) is str and type(held) is int for name, held in value.items()):
        _tag(digest, "numbers", json.dumps(value).encode())  # millions of judgments
    elif isinstance(value, Mapping):
        _tag(digest, "mapping", str(len(value)).encode())
        for name, held in value.items():
            _feed(digest, name)
            _feed(digest, held)
    elif isinstance(value, set | frozenset):
        _feed_sequence(digest, sorted(value))
    elif is_dataclass(value) and not isinstance(value, type):
        _feed_dataclass(digest, value)
    elif isinstance(value, partial):
        _feed(digest, (value.func, value.args, value.keywords))
    elif isinstance(value, FunctionType) and "<" not in value.__qualname__:
        _feed_code(digest, value)
    else:
        raise TypeError(f"{type(value).__name__} has no content that could be part of a key: {value!r}")


def _tag(digest: "Digest", tag: str, content: bytes) -> None:
    """Kind and length stand before every value, so that no two sequences of values read the same."""
    digest.update(f"{tag}:{len(content)}:".encode())
    digest.update(content)


def _feed_array(digest: "Digest", array: "np.ndarray[Any, Any]") -> None:
    if array.dtype.hasobject:
        raise TypeError(f"an array of objects (shape {array.shape}) cannot be part of a key")
    _tag(digest, f"array{array.dtype.str}{array.shape}", np.ascontiguousarray(array).tobytes())


def _feed_sequence(digest: "Digest", values: tuple[Any, ...] | list[Any]) -> None:
    if all(isinstance(value, str) for value in values):
        # Millions of document ids: one call instead of one for each.
        _tag(digest, "strings", json.dumps(values).encode())
        return
    _tag(digest, "sequence", str(len(values)).encode())
    for value in values:
        _feed(digest, value)


def _feed_dataclass(digest: "Digest", value: Any) -> None:
    made = type(value).__dataclass_params__
    if made.frozen and not made.eq:
        _tag(digest, "object", _of_object(value))
    else:
        _feed_fields(digest, value)


@lru_cache(maxsize=4)
def _of_object(value: Any) -> bytes:
    """The digest of a large object (a run, judgments) that several keys name: it is its own equal alone, and frozen."""
    digest = hashlib.sha256()
    _feed_fields(digest, value)
    return digest.digest()


def _feed_fields(digest: "Digest", value: Any) -> None:
    signature = getattr(value, "signature", None)
    elsewhere = getattr(value, "made_elsewhere", False)
    _feed_code(digest, type(value), "" if elsewhere else None)
    for field in fields(value):
        if field.compare and not (elsewhere and signature):
            _tag(digest, "field", field.name.encode())
            _feed(digest, getattr(value, field.name))
    if isinstance(signature, str):
        _tag(digest, "signature", signature.encode())


def _feed_code(digest: "Digest", value: Any, code: str | None = None) -> None:
    code = code_of(value.__module__) if code is None else code
    _tag(digest, "code", f"{value.__module__}.{value.__qualname__}:{code}".encode())


def code_of(module: str) -> str:
    """sha256 over the source that `environment` does not name: of a laboratory, of a package or a file of a user's.

    A class of a notebook has no file: nobody knows whether its code is what it was, so nothing of it is found again.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    return _code_at(Path(file), module) if file else uuid4().hex


@lru_cache(maxsize=256)
def _code_at(place: Path, module: str) -> str:
    if place.is_relative_to(PACKAGE):
        room = place.relative_to(PACKAGE).parts
        return code_in(PACKAGE / room[0] / room[1]) if room[0] == "labs" else ""
    below = module.count(".") if place.name != "__init__.py" else module.count(".") + 1
    return code_in(place.parents[below - 1] if below else place)


def code_in(*places: Path) -> str:
    """sha256 over the source, and data beside it, of files and of folders with all that is in them."""
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and (path.suffix == ".py" or path.suffix not in CODE):
                _tag(digest, path.relative_to(place.parent).as_posix(), path.read_bytes())
    return digest.hexdigest()
