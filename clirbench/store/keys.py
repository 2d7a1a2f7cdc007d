"""Names of results by what they were made from: content, components and the code that computes, never a path or a time.

    key = sha256(step and its inputs, the item, Python and numpy, the source of every module that takes part)

Version numbers that somebody must remember to raise are forgotten; so the code in a key is its source text: the
modules of the step and of its components, and every module of the same package that these import, directly or not.
Editing chrF leaves what BLEU computed valid; libraries are named with their versions by the components' signatures.
"""

import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from clirbench.later import Shelf

if TYPE_CHECKING:
    from hashlib import _Hash as Digest


def fingerprint(*values: Any) -> str:
    """sha256 of values by content, hexadecimal.

    Plain values, arrays (sparse ones in csr form too), sequences, mappings (in their order) and dataclasses. A
    dataclass is its class, the source of its code, its fields (those with `compare=False` apart) and its `signature`;
    an object with a `fingerprint` (text, an entry of the store) is that. Raises `TypeError` for what has no content of
    its own, a path among them.
    """
    digest = hashlib.sha256()
    _feed(digest, values)
    return digest.hexdigest()


def environment() -> tuple[str, ...]:
    """What moves numbers without being named by a component: Python (its Unicode tables) and numpy (its sums)."""
    return (f"python-{sys.version_info[0]}.{sys.version_info[1]}", f"numpy-{np.__version__}")


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
    kind = type(value)
    _tag(digest, "class", f"{kind.__module__}.{kind.__qualname__}".encode())
    # A class of a notebook has no file: nobody knows whether its code is what it was, so nothing of it is found again.
    code = uuid4().hex if _source(kind.__module__) is None else code_of(kind.__module__)
    _tag(digest, "code", code.encode())
    for field in fields(value):
        if field.compare:
            _tag(digest, "field", field.name.encode())
            _feed(digest, getattr(value, field.name))
    signature = getattr(value, "signature", None)
    if isinstance(signature, str):
        _tag(digest, "signature", signature.encode())


@lru_cache(maxsize=256)
def code_of(module: str) -> str:
    """sha256 over the source of a module, of all it imports from its own package, and of data files beside them."""
    digest = hashlib.sha256()
    for path in sorted({file for name in imported(module) for file in _files(name)}):
        _tag(digest, path.name, path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=256)
def imported(module: str) -> frozenset[str]:
    """The module and every module of the same top-level package that it imports, anywhere in its code."""
    package = module.partition(".")[0]
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or _source(name) is None:
            continue
        found.add(name)
        waiting += [other for other in _imports(name) if other.partition(".")[0] == package]
        waiting += [name.rpartition(".")[0]] if "." in name else []
    return frozenset(found)


@lru_cache(maxsize=1024)
def _imports(module: str) -> tuple[str, ...]:
    source = _source(module)
    return () if source is None else tuple(imports_in(source.read_bytes().decode("utf-8", "replace")))


IMPORT = re.compile(
    r"(?:^|[;:\r])[ \t\f]*(?:from\s+([\w.]+)\s*import\b\s*(\((?:[^)#]|#.*)*|[^;#\r\n]*)|import\s+([^;#\r\n]*))",
    re.MULTILINE,
)
"""An import wherever a statement may begin; parsing the whole code would take ten times as long."""


def imports_in(code: str) -> Iterator[str]:
    """Full names of what Python code imports, anywhere in it; of `from a import b` both `a` and `a.b`.

    What reads like an import inside a text counts too: a key may depend on too much, never on too little.
    """
    for package, names, modules in IMPORT.findall(re.sub(r"\\\r?\n", " ", code)):
        listed = re.sub(r"#.*", "", names or modules).replace("(", " ").split(",")
        words = (name.split()[0] for name in listed if name.strip())
        if modules:
            yield from words
        elif not package.startswith("."):
            # What is imported may itself be a module.
            yield package
            yield from (f"{package}.{name}" for name in words)


@lru_cache(maxsize=1024)
def _source(module: str) -> Path | None:
    within = _source(module.rpartition(".")[0]) if "." in module else None
    if within is not None and within.name != "__init__.py":
        # A name in a module: to look for it as a module would load that one, and with it compilers.
        return _loaded_source(module)
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        # Not a module: a class or function that was imported by name, or a script's `__main__`.
        return _loaded_source(module)
    path = Path(spec.origin) if spec and spec.origin else None
    return path if path is not None and path.suffix == ".py" and path.is_file() else None


def _loaded_source(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file else None


def _files(module: str) -> list[Path]:
    """The source of a module, and the data (word lists) in its folder."""
    source = _source(module)
    if source is None:
        return []
    if source.name != "__init__.py":
        return [source]
    return [path for path in source.parent.iterdir() if path.is_file() and (path == source or path.suffix not in CODE)]


CODE = (".py", ".pyi", ".pyc", ".so", ".nbi", ".nbc")
