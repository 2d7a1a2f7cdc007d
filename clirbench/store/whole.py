"""Files that are there whole or not at all: written beside their place, under a name that says who writes, then moved.

What a killed process left behind is known by that name, and swept by the next one.
"""

import itertools
import os
import shutil
import socket
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import IO

WRITING = ".writing-"
"""Begins the names of what is being written beside its place."""
COUNTER = itertools.count()


def writer() -> str:
    """A name for what this process writes next: machine, process, number."""
    return f"{_host()}~{os.getpid()}~{next(COUNTER)}"


def temporary_path(place: Path) -> Path:
    """Where something is written before it is moved to its place."""
    return place.parent / f"{WRITING}{writer()}"


def write_whole(place: Path, content: bytes | Callable[[IO[bytes]], object], unfinished: Path | None = None) -> None:
    """Write a file so that nobody sees half of it; raises `OSError`. `content`: its bytes, or what writes them to a
    file. `unfinished`: where it is written first."""
    unfinished = unfinished or temporary_path(place)
    try:
        if isinstance(content, bytes):
            unfinished.write_bytes(content)
        else:
            with unfinished.open("w+b") as file:
                content(file)
        unfinished.replace(place)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def sweep(folder: Path, prefix: str = WRITING) -> None:
    """Remove what processes of this machine were writing in a folder when they were killed."""
    try:
        left = [path for path in folder.iterdir() if path.name.startswith(prefix)]
    except OSError:
        return
    for path in left:
        if is_abandoned(path.name.removeprefix(prefix)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def is_abandoned(name: str) -> bool:
    """Whether the process that writes under this name is one of this machine, and has ended."""
    host, _, number = name.partition("~")
    return host == _host() and not is_alive(number.partition("~")[0])


def is_alive(number: str) -> bool:
    """Whether a process of this machine still runs; True where that is unknown."""
    if not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


@cache
def _host() -> str:
    return socket.gethostname().replace("~", "-").replace("/", "-")
