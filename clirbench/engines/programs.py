"""Programs of others, run in a process group of their own that never outlives the call."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clirbench.errors import ConfigError, ResourceError

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


@dataclass(frozen=True)
class Program:
    """A command as users configure it; `{source}` and the like in it stand for paths that are filled in for each call.

    `command` is a list of arguments, or a string that is split as a shell would, yet run without one; with `shell` the
    string goes to /bin/sh. `timeout`: seconds a call. `environment`: variables beside those of this process. `owner`
    begins every message.

    Raises `ConfigError` for a command that holds no program or cannot be split, and for a timeout that is not above 0.
    """

    owner: str
    command: str | Sequence[str]
    shell: bool
    timeout: float | None
    environment: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.timeout is not None and self.timeout <= 0:
            raise ConfigError(f"{self.owner}: timeout={self.timeout} must be above 0 seconds, or null for no limit")
        if not self.words:
            raise ConfigError(f"{self.owner}: {self.command!r} holds no program")

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments, placeholders still in place (of a shell's line: its words, to look at)."""
        if not isinstance(self.command, str):
            return tuple(str(word) for word in self.command)
        try:
            return tuple(shlex.split(self.command))
        except ValueError as error:
            if self.shell:
                return (self.command,)
            raise ConfigError(f"{self.owner}: {self.command!r} cannot be split into arguments ({error})") from None

    def asks_for(self, mark: str) -> bool:
        """Whether a placeholder is part of the command."""
        return any(mark in word for word in self.words)

    @property
    def signature(self) -> str:
        """`exec:apertium -u isl-eng`; `shell:` before what goes to /bin/sh."""
        line = self.command if isinstance(self.command, str) else shlex.join(self.words)
        return f"{'shell' if self.shell else 'exec'}:{line}"

    @property
    def variables(self) -> str:
        """`A=1,B=2`, sorted."""
        return ",".join(f"{name}={value}" for name, value in sorted(self.environment.items()))

    def arguments(self, places: Mapping[str, Path]) -> list[str]:
        """What is run, with the path of each placeholder in its place."""
        if self.shell:
            quoted = {mark: shlex.quote(str(place)) for mark, place in places.items()}
            return ["/bin/sh", "-c", filled(str(self.command), quoted)]
        return [filled(word, {mark: str(place) for mark, place in places.items()}) for word in self.words]

    def check_installed(self, places: Mapping[str, Path]) -> None:
        """Raise `ResourceError` unless the program (or, with `shell`, the shell) is there."""
        program = self.arguments(places)[0]
        if shutil.which(program) is None:
            raise ResourceError(f"{self.owner}: {program}: no such program; install it, or correct the command")

    def run(
        self, places: Mapping[str, Path], given: bytes | None, called: str, log: IO[bytes] | None = None
    ) -> Finished:
        """Run it to its end; raises `ResourceError`, which begins with `called`, unless it ends well."""
        variables = {name: str(value) for name, value in self.environment.items()}
        ended = run_to_end(self.arguments(places), given, self.timeout, variables, log)
        if ended.status != 0:
            raise ResourceError(f"{called}: {ended.ending}")
        return ended


def filled(text: str, places: Mapping[str, str]) -> str:
    for mark, place in places.items():
        text = text.replace(mark, place)
    return text


def as_input(lines: Sequence[str]) -> bytes:
    """What a program reads: one segment a line; a line end inside a segment becomes a blank."""
    return "".join(line.replace("\n", " ") + "\n" for line in lines).encode("utf-8", "replace")


def run_to_end(
    arguments: Sequence[str],
    given: bytes | None,
    timeout: float | None,
    environment: Mapping[str, str],
    log: IO[bytes] | None = None,
) -> Finished:
    """Run a program with `given` on its stdin (None: nothing there) until it ends, or for `timeout` seconds.

    All that it writes goes to `log`, a file that can be read too, where there is one.
    Its whole process group is ended with it, also on Ctrl-C and on any error, so no child of it stays behind.
    Raises `ResourceError` where it cannot be started.
    """
    with nullcontext(log) if log else tempfile.TemporaryFile() as errors:
        process: subprocess.Popen[bytes] | None = None
        status: int | None = None
        output = b""
        try:
            with interrupts_held():  # a program that has begun is known, and so ended
                process = subprocess.Popen(
                    arguments,
                    stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
                    stdout=log or subprocess.PIPE,
                    stderr=errors,
                    env={**os.environ, **environment},
                    start_new_session=True,
                )
            output = process.communicate(given, timeout)[0] or b""
            status = process.returncode
        except subprocess.TimeoutExpired:
            pass
        except OSError as error:
            if process is not None:
                raise
            raise ResourceError(f"{arguments[0]}: cannot be started ({error.strerror})") from None
        finally:
            if process is not None:
                _end_group(process)
        return Finished(status, output, _tail(errors.fileno()))


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C and SIGTERM that come in the block are delivered at its end; for the main thread, which gets them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    held = {n: signal.signal(n, lambda number, _: came.append(number)) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for caught in came:
            signal.raise_signal(caught)


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
        getattr(os, "killpg", os.kill)(group, number)


def _tail(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    start = max(0, size - SHOWN_BYTES)
    text = os.pread(descriptor, SHOWN_BYTES, start).decode("utf-8", "replace")
    lines = [line for line in _CONTROL.sub("", text).split("\n") if line.strip()]
    return " / ".join(lines[-SHOWN_LINES:])
