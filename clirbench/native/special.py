"""Distributions of `scipy.special` and sparse matrices, without what these packages load beside them.

Importing them imports what they need for arrays of other libraries, numpy's compiler of Fortran and its tests among it:
.2 s, a tenth of a run that adds one system.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy
import scipy

if TYPE_CHECKING:
    from scipy.sparse import csr_array as csr_array

PACKAGE = "scipy.special"


def _functions() -> Any:
    """The module that has the compiled functions, imported as if its package were empty."""
    if PACKAGE not in sys.modules:
        empty = sys.modules[PACKAGE] = ModuleType(PACKAGE)
        empty.__path__ = [str(Path(scipy.__file__).with_name("special"))]
        try:
            return import_module(f"{PACKAGE}._ufuncs")
        except ImportError:  # a scipy that keeps them elsewhere
            pass
        finally:
            del sys.modules[PACKAGE]
    return import_module(PACKAGE)


FOUND = _functions()


def _sparse() -> Any:
    """`scipy.sparse`; it copies all names of numpy, of which those that load a package are empty meanwhile."""
    empty = {name: ModuleType(name) for name in ("f2py", "ma", "testing") if name not in vars(numpy)}
    vars(numpy).update(empty)
    try:
        return import_module("scipy.sparse")
    finally:
        for name in [name for name, module in empty.items() if vars(numpy)[name] is module]:
            delattr(numpy, name)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # Python asks whether this is a package
        raise AttributeError(name)
    if name == "csr_array":
        return _sparse().csr_array
    return getattr(FOUND, name) if hasattr(FOUND, name) else getattr(import_module(PACKAGE), name)
