"""Inputs that are made to take long: how long a reader may need for one, and what it may say."""

import time
from collections.abc import Callable
from pathlib import Path

from clirbench.errors import ClirbenchError

SIZE = 2_000_000


def repeated(piece: str) -> str:
    """The piece as often as two million characters hold it."""
    return piece * (SIZE // len(piece))


def read_or_refused(read: Callable[[Path], object], path: Path, content: str) -> str:
    """The message of the reader's error, "" where it read the content; fails after 2 s of work."""
    path.write_text(content, encoding="utf-8")
    message = ""
    began = time.process_time()
    try:
        read(path)
    except ClirbenchError as error:
        message = str(error)
    assert time.process_time() - began < 2
    return message
