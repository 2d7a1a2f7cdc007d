"""Distributions of `scipy.special`, without what the package loads beside them.

Importing the package imports what it needs for arrays of other libraries, numpy's compiler of Fortran among it: .18 s,
a tenth of a run that adds one system.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import scipy

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


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # Python asks whether this is a package
        raise AttributeError(name)
    return getattr(FOUND, name) if hasattr(FOUND, name) else getattr(import_module(PACKAGE), name)
