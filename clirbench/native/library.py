"""The library of compiled loops: how it is built, and how it is found and called.

It is plain C without Python's headers, so that one build serves every Python. Its file is named by the sha256 of its
sources and of how they are compiled: a library of other sources is never loaded. Where there is none (no compiler when
the package was built, another machine), each caller's numpy version gives the same bytes, slower.
This module is loaded by the build too, where there is no numpy.
"""

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(__file__).parent
LOOPS = {
    "sorted_keys": "i4 n i8 n n i4 n n n u8 i8",
    "count_matches": "i4 n i8 n n i4 n n n u8 n i8 f8",
    "without_white": "u4 n i8 n u1 n n i4 i8",
    "number_words": "u4 n i4 i4 n u4 n i8 n n i4 n i8 i4",
    "rank_topics": "i8 n i4 f4 n i8 n i4 i4 n f4 i4 i4 n n i4 f4 n i8 i8",
    "overlaps": "i4 i8 i8 n i8 n i4 i8 i8 n n n d f8 n f8",
    "resampled": "i4 n i4 f8 n u1 f8 n n d d n f8",
    "gram_hashes": "u1 n u1 u8 u8",
    "count_types": "i4 n i8 i4 n i8 n f8 i4 i4",
    "run_lines": "u1 n i8 n u1 n i8 n i8 i4 f4 n u1 n u1 n",
}
"""What each loop takes: whole numbers (n), floating-point ones (d), and arrays of a type or None, a null pointer."""
# No sum may be fused or reordered: results are numpy's to the last bit. Nobody asks which operations were inexact.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fPIC", "-shared", "-W", "-Wall", "-Werror")


def file_name() -> str:
    """The name of the library of these sources."""
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for source in sorted(FOLDER.glob("*.[ch]")):
        digest.update(source.read_bytes())
    return f"kernels-{sysconfig.get_platform()}-{digest.hexdigest()[:16]}.so"


def build(folder: Path = FOLDER, *more: str) -> Path:
    """Compile the library into `folder`, where libraries of other sources are removed.

    Raises `OSError` without a compiler ($CC, or else cc) and `subprocess.CalledProcessError` where it fails.
    """
    command, path = shlex.split(os.environ.get("CC") or "cc"), folder / file_name()
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(f"no compiler {command[0]!r}")
    made = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        sources = map(str, sorted(FOLDER.glob("*.c")))
        subprocess.run([*command, *FLAGS, *more, *sources, "-o", str(made)], check=True, capture_output=True, text=True)
        for old in folder.glob("kernels-*.so"):
            old.unlink()
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    return path


@cache
def library() -> ctypes.CDLL | None:
    """The library of these sources; None where it is not there or does not load."""
    try:
        return ctypes.CDLL(str(FOLDER / file_name()))
    except OSError:
        return None


def compiled(name: str) -> Callable[..., int] | None:
    """The compiled loop of that name, where there is one.

    It takes what `LOOPS` says, and returns what the loop returns, 0 or above. Raises `ValueError` for arrays of other
    types, that are not contiguous or do not fit together, and `MemoryError`. Other threads run meanwhile.
    """
    loaded = library()
    if loaded is None:
        return None
    function, kinds = getattr(loaded, name), LOOPS[name.partition("_of_")[0]].split()
    function.restype = ctypes.c_int64

    def call(*values: "NDArray[Any] | float") -> int:
        found = int(function(*(_argument(kind, value) for kind, value in zip(kinds, values, strict=True))))
        if found == -2:
            raise MemoryError(name)
        if found < 0:
            raise ValueError(f"{name}: what it was given does not fit together")
        return found

    return call


def _argument(kind: str, value: Any) -> Any:
    if value is None:
        return None
    if kind in "nd":
        return ctypes.c_int64(value) if kind == "n" else ctypes.c_double(value)
    if value.dtype.str[1:] != kind or not value.flags.c_contiguous:
        raise ValueError(f"an array of {value.dtype} where contiguous {kind} is expected")
    return ctypes.c_void_p(value.ctypes.data)
