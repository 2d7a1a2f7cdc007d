"""How a run ends: the exit statuses, and every error in words; what is a fault of ours leaves its details in a file.

And what commands share: how they are found by name, how they are run, and an output that its reader may close.
"""

import errno
import io
import os
import sys
import tempfile
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, cast

from clirbench.configuration.advice import refusal
from clirbench.configuration.laboratories import commands as commands
from clirbench.errors import (
    ClirbenchError,
    ConfigError,
    NothingCompared,
    Problems,
    ResourceError,
    escape_unseen,
    file_of,
    interrupted,
    shorten,
)

MENDABLE = 1  # what the user can mend
SOME_FAILED = 2  # the rest is there
NOTHING = 3  # nothing could be compared
DOES_NOT_FOLLOW, CANNOT_CHECK = 4, 5  # of `verify`: these tables do not follow; it cannot tell
STOPPED = 10  # the stop rule of `watch` said stop
WORSE = 11  # all candidates are worse than the baseline
FAULT = 70  # of ours
INTERRUPTED = 130
FILE = "fault.txt"
LEAST_MEMORY = 800 * 10**6
"""Bytes of address space below which a library waits for memory without end, or says something else is wrong."""
OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EMFILE)
"""What a disk or a system refuses is no fault of ours, wherever it happens."""


def in_words(error: BaseException, folder: Path | None = None) -> tuple[str, int]:
    """The lines to show for an error, and the exit status; raises `KeyboardInterrupt` where the run was interrupted.

    folder: where the details of a fault go, if it can be written; else they go to the folder of temporary files.
    """
    if interrupted(error):
        raise KeyboardInterrupt from error
    if isinstance(error, ClirbenchError):
        all_of_it = error.errors if isinstance(error, Problems) else (error,)
        return f"error: {error}", NOTHING if all(isinstance(e, NothingCompared) for e in all_of_it) else MENDABLE
    if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
        return f"error: {ClirbenchError(f'{file_of(error)}: {error.strerror}')}", MENDABLE
    if isinstance(error, MemoryError) or "failed to map segment" in str(error):
        said = "the memory is not enough. Try fewer workers, engine.workers=1, or fewer systems"
        return f"error: {said}; a rerun does only what is missing", MENDABLE
    if {type(error).__module__.partition(".")[0], _raised_in(error)} & {"hydra", "omegaconf"}:
        return f"error: {refusal(error)}", MENDABLE
    reason = shorten(escape_unseen(" ".join(f"{type(error).__name__}: {error}".split())), 200)
    return f"error: this is a fault of clirbench ({reason}); the details are in {_details(error, folder)}", FAULT


def check_memory() -> None:
    """Raise `ResourceError` where a limit leaves less memory than any run needs (`ulimit -v`); if there are limits."""
    try:
        import resource
    except ModuleNotFoundError:  # a system that has none sets no such limit
        return

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < LEAST_MEMORY:
        needs = f"and a run needs {LEAST_MEMORY // 10**6} MB"
        raise ResourceError(f"the memory is limited to {most // 10**6} MB (ulimit -v), {needs}")


def _raised_in(error: BaseException) -> str:
    """The package whose code raised the error."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return str(frames[-1].f_globals.get("__name__", "")).partition(".")[0] if frames else ""


def _details(error: BaseException, folder: Path | None) -> str:
    """The file with the traceback of an error."""
    try:
        writable = folder is not None and os.access(folder, os.W_OK)
        place = folder if folder is not None and writable else Path(tempfile.mkdtemp(prefix="clirbench-fault-"))
        text = escape_unseen("".join(traceback.format_exception(error)))
        (place / FILE).write_text(text, encoding="utf-8")
    except OSError:
        return "no file: none can be written here"
    return escape_unseen(str(place / FILE))


Command = Callable[[Sequence[str]], int]


def command(name: str) -> Command:
    """The command of that name, loaded now."""
    return cast(Command, import_module(commands()[name]).main)


def command_parser(name: str, described: str | None) -> ArgumentParser:
    """A parser whose help says what the command's module says of itself, in its first sentence; what is wrong is an
    error like any other that the user can mend.

    described: a docstring that begins with the command line and a colon, "`clirbench NAME ...`: what it does."
    """
    sentence = (described or "").partition("\n\n")[0].partition("`: ")[2]
    parser = ArgumentParser(prog=f"clirbench {name}", description=sentence[:1].upper() + sentence[1:])

    def refuse(message: str) -> NoReturn:
        usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
        raise ConfigError(f"{parser.prog}: {message}; type {usage.replace('[-h] ', '')}")

    parser.error = refuse  # type: ignore[method-assign]
    return parser


def say(line: str) -> None:
    """Print a line that may hold a stranger's text, now."""
    print(escape_unseen(line), flush=True)


def run_command(
    parser: ArgumentParser, arguments: Sequence[str] | None, work: Callable[[Namespace], int], failed: int = 1
) -> int:
    """Parse the arguments and do the work; returns its exit status, `failed` after an error that the user can mend."""
    tolerate_closed_output()
    try:
        return work(parser.parse_intermixed_args(arguments))
    except Exception as error:  # noqa: BLE001 - every one is put into words
        text, status = in_words(error)
        print(text, file=sys.stderr)
        return failed if status == MENDABLE else status


class Tolerant(io.FileIO):
    """A standard stream whose reader may go; what is written after that is dropped. `kept`: all of it."""

    kept = b""

    def write(self, data: Any) -> int:
        self.kept += bytes(data)
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def tolerate_closed_output() -> None:
    """Let standard output be closed by its reader, and every standard stream by whoever starts the program.

    A descriptor that is closed at the start is opened to nowhere: the next file would get its number, and all that
    libraries print.
    """
    while os.open(os.devnull, os.O_RDWR) < 3:
        pass
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "w" if descriptor else "r", encoding="utf-8")  # noqa: SIM115, PTH123 - stays open
            setattr(sys, name, nowhere)
    if (real := sys.__stdout__) is not None and sys.stdout is real:
        raw = io.BufferedWriter(Tolerant(1, "w", closefd=False))
        sys.stdout = io.TextIOWrapper(raw, real.encoding, real.errors, line_buffering=real.isatty())
