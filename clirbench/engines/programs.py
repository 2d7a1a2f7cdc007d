"""Programs of others, run in a process group of their own that never outlives the call."""

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from clirbench.errors import ResourceError

GRACE = 2.0  # seconds between asking a program to end and ending it
SHOWN_LINES, SHOWN_BYTES = 10, 2000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Finished:
    """How a program ended: exit status (negative: the signal that killed it), what it wrote, its last words.

    `status` is None where time ran out and it was killed.
    """

    status: int | None
    output: bytes
    last_words: str

    @property
    def ending(self) -> str:
        """`exit status 3`, `killed by SIGKILL`, ..., and the last lines it wrote to stderr."""
        if self.status is None:
            how = "ran out of time and was killed"
        elif self.status < 0:
            how = f"killed by {signal.Signals(-self.status).name}"
        else:
            how = f"exit status {self.status}"
        return f"{how}; stderr ends: {self.last_words}" if self.last_words else f"{how}; nothing on stderr"


def run_to_end(
    arguments: Sequence[str], given: bytes | None, timeout: float | None, environment: Mapping[str, str]
) -> Finished:
    """Run a program with `given` on its stdin (None: nothing there) until it ends, or for `timeout` seconds.

    Its whole process group is ended with it, also on Ctrl-C and on any error, so no child of it stays behind.
    Raises `ResourceError` where it cannot be started.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            raise ResourceError(f"{arguments[0]}: cannot be started ({error.strerror})") from None
        status: int | None = None
        output = b""
        try:
            output, _ = process.communicate(given, timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end_group(process)
        return Finished(status, output, _tail(errors.fileno()))


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Ask the group of a running program to end, then end it; then close what was open to it."""
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):  # what was not yet read of it
                stream.close()


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tail(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    start = max(0, size - SHOWN_BYTES)
    text = os.pread(descriptor, SHOWN_BYTES, start).decode("utf-8", "replace")
    lines = [line for line in _CONTROL.sub("", text).split("\n") if line.strip()]
    return " / ".join(lines[-SHOWN_LINES:])
