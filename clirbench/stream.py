"""Standard output whose reader may leave: `python -m clirbench ... | head` ends quietly, and the work is done."""

import io
import os
import sys
from typing import TextIO


class Tolerant(io.TextIOBase):
    """Writes to a stream until its reader has gone; what is written after that is dropped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        """From here on the descriptor leads nowhere, so that neither we nor the interpreter's exit fail on it."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def tolerate_closed_output() -> None:
    """Let standard output be closed by its reader."""
    if not isinstance(sys.stdout, Tolerant):
        sys.stdout = Tolerant(sys.stdout)
