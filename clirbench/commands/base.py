"""What commands share: how they are found by name, how they are run, and an output that its reader may close."""

import io
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TextIO, cast

from clirbench.commands.faults import MENDABLE, in_words
from clirbench.configuration import laboratories
from clirbench.errors import ConfigError, escape_unseen

Command = Callable[[Sequence[str]], int]
NO_COMMANDS = ("__init__", "base", "faults")


def commands() -> dict[str, str]:
    """The module of each command, of this folder and of laboratories; its `main` takes the arguments.

    Raises `ConfigError` where two have one name.
    """
    ours = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NO_COMMANDS)
    return laboratories.commands({name: f"clirbench.commands.{name}" for name in ours})


def command(name: str) -> Command:
    """The command of that name, loaded now."""
    return cast(Command, import_module(commands()[name]).main)


class OneLine(ArgumentParser):
    """A parser that says in one line what is wrong: an error like any other that the user can mend."""

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise ConfigError(f"{self.prog}: {message}; type {usage.replace('[-h] ', '')}")


def command_parser(name: str, described: str | None) -> ArgumentParser:
    """A parser whose help says what the command's module says of itself, in its first sentence.

    described: a docstring that begins with the command line and a colon, "`clirbench NAME ...`: what it does."
    """
    sentence = (described or "").partition("\n\n")[0].partition("`: ")[2]
    return OneLine(prog=f"clirbench {name}", description=sentence[:1].upper() + sentence[1:])


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


class Tolerant(io.TextIOBase):
    """Writes to a stream until its reader has gone; what is written after that is dropped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def writable(self) -> bool:
        return self._stream.writable()

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
    """Let standard output be closed by its reader, and every standard stream by whoever starts the program.

    A descriptor that is closed at the start is opened to nowhere: the next file would get its number, and all that
    libraries print.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if descriptor else "r"
            try:
                os.fstat(descriptor)
                opened = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115, PTH123 - a standard stream stays open
            except OSError:
                nowhere = os.open(os.devnull, os.O_RDWR)
                if nowhere != descriptor:
                    os.dup2(nowhere, descriptor)
                    os.close(nowhere)
                opened = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, opened)
    if not isinstance(sys.stdout, Tolerant):
        sys.stdout = Tolerant(sys.stdout)
