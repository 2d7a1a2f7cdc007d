"""Inputs that are made to take long: how much work a reader may do for each character, and what it may say."""

from collections.abc import Callable
from pathlib import Path

from clirbench.errors import ClirbenchError
from tests.counting import at_most

SIZE, COUNTED = 1_000_000, 2_000
"""Characters that are read, in a second at most, or in some minutes by a regular expression that begins anew at each
place; and those over which the work is counted, which takes some thousand times as long."""
STEPS = 30
"""For each character; what is done again for each of a thousand pieces takes hundreds."""


def repeated(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """The piece as often as so many characters hold it."""
    return lambda size: before + piece * (size // len(piece)) + after


def read_or_refused(read: Callable[[Path], object], path: Path, content: Callable[[int], str]) -> str:
    """The message of the reader's error, "" where it read the content; fails where the work is not linear."""
    for size, most in ((COUNTED, STEPS), (SIZE, None)):
        text, message = content(size), ""
        path.write_text(text, encoding="utf-8")
        try:
            if most is None:
                read(path)
            else:
                with at_most(most * max(size, len(text))):
                    read(path)
        except ClirbenchError as error:
            message = str(error)
    return message
