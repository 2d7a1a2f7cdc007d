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
from collections.abc import Mapping, Sequence
from dataclasses import fields
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
    "text.py", "types.py", "later.py", "native", "files", "corpora", "topics", "metrics", "retrieval", "relevance",
    "measures", "systems", "statistics", "scoreboard.py", "steps.py",
)  # fmt: skip
"""What a number can depend on."""
NO_CONTENT = frozenset({".pyi", ".pyc", ".so"})
"""What stands for code or was compiled from it, be it whole or just being written; all else is code or data."""


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
def environment() -> str:
    """What moves numbers without being named by a component: Python (its Unicode tables), libraries, and our code."""
    libraries = " ".join(f"{name}-{version(name)}" for name in ("numpy", "scipy"))
    return (
        f"python-{sys.version_info[0]}.{sys.version_info[1]} {libraries} {code_in(*(PACKAGE / room for room in ROOMS))}"
    )


def _feed(digest: "Digest", value: Any) -> None:
    """Kind and length come before every content, so that no two sequences of values read the same."""
    kind, content = _content(value)
    digest.update(f"{kind}:{len(content)}:".encode())
    if isinstance(content, bytes):
        digest.update(content)
    else:
        for part in content:
            _feed(digest, part)


def _content(value: Any) -> tuple[str, bytes | Sequence[Any]]:
    """The kind of a value, and its bytes or the values that it consists of."""
    match value:
        case None | bool() | int() | float():
            return type(value).__name__, repr(value).encode()
        case str():
            return "str", value.encode("utf-8", "surrogatepass")
        case bytes():
            return "bytes", value
        case np.generic():
            return _content(value.item())
        case np.ndarray() if not value.dtype.hasobject:
            return f"array{value.dtype.str}{value.shape}", np.ascontiguousarray(value).tobytes()
        case Shelf():
            return _content(value.kept)  # what is to be loaded later says what it is without that
        case partial():
            return "partial", (value.func, value.args, value.keywords)
        case FunctionType() if "<" not in value.__qualname__:
            return _code(value)
    if getattr(value, "format", None) == "csr":
        return "csr", (value.shape, value.data, value.indices, value.indptr)
    if isinstance(content := getattr(value, "fingerprint", None), str):
        return "content", content.encode()
    match value:
        # Millions of document ids, of judgments: one call instead of one for each.
        case tuple() | list() if all(isinstance(one, str) for one in value):
            return "strings", json.dumps(value).encode()
        case dict() if all(type(name) is str and type(held) is int for name, held in value.items()):
            return "numbers", json.dumps(value).encode()
        case tuple() | list():
            return "sequence", value
        case Mapping():
            return "mapping", [part for pair in value.items() for part in pair]
        case set() | frozenset():
            return "set", sorted(value)
    if isinstance(value, type) or not hasattr(value, "__dataclass_params__"):
        raise TypeError(f"{type(value).__name__} has no content that could be part of a key: {value!r}")
    made: Any = value.__dataclass_params__
    return ("object", _of_object(value)) if made.frozen and not made.eq else ("fields", _fields(value))


@lru_cache(maxsize=4)
def _of_object(value: Any) -> bytes:
    """The digest of a large object (a run, judgments) that several keys name: it is its own equal alone, and frozen."""
    return fingerprint(_fields(value)).encode()


def _fields(value: Any) -> Sequence[Any]:
    signature = getattr(value, "signature", None)
    signature = signature if isinstance(signature, str) else None
    elsewhere = getattr(value, "made_elsewhere", False)
    held = [] if elsewhere and signature else [field for field in fields(value) if field.compare]
    code = _code(type(value), "" if elsewhere else None)[1]
    return code, *((field.name, getattr(value, field.name)) for field in held), signature


def _code(value: Any, code: str | None = None) -> tuple[str, bytes]:
    code = code_of(value.__module__) if code is None else code
    return "code", f"{value.__module__}.{value.__qualname__}:{code}".encode()


def code_of(module: str) -> str:
    """sha256 over the source that `environment` does not name: of a laboratory, of a package or a file of a user's.

    A class of a notebook has no file: nobody knows whether its code is what it was, so nothing of it is found again.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    return _code_at(file, module) if file else uuid4().hex


@lru_cache(maxsize=256)
def _code_at(file: str, module: str) -> str:
    place = Path(file)
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
            if not NO_CONTENT.intersection(path.suffixes) and path.is_file():
                _feed(digest, (path.relative_to(place.parent).as_posix(), path.read_bytes()))
    return digest.hexdigest()
