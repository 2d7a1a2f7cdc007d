"""Every error a user can cause, as one small tree.

    ClirbenchError
    |-- ConfigError        a key, a name or a value of the configuration is wrong
    |   `-- UnknownName    a metric, measure, column or system that does not exist (choices, closest match)
    |-- InputError         a file or folder of the user's is missing, malformed or misaligned
    |   |-- AlignmentError line counts or ids that must agree do not
    |   |-- EmptyCollection no document of a searched collection has a term
    |   `-- MissingData    data that an experiment needs lie nowhere (says how to get them)
    |-- DownloadError      a download failed or did not have the promised content
    |-- ResourceError      a program, library or local model that a component needs is not there or died
    |-- NothingCompared    no topic is left to score
    |-- StoreError         the run folder or the store cannot be written
    `-- Problems           several of the above, gathered so that all are shown at once

A message says what is wrong, where (file, line), what the choices are, and what to do next. Errors are raised,
never printed-and-exited; `clirbench.commands.base` turns them into one message without a traceback.

`escape_unseen` is the gate through which every text leaves, messages included: what a terminal would obey becomes
visible.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from io import IOBase
from pathlib import Path
from traceback import walk_tb
from typing import NoReturn

LONGEST = 600
"""Characters of a message; a longer one loses its middle, so that what is wrong and what to do stay."""
MOST = 20
"""Errors that are shown at once."""
LISTED, NEAREST = 300, 6
"""Characters of a list of choices beyond which only the nearest are named, and how many."""
WORD = re.compile("[a-z]*")
_signals: list[int] = []
"""Ctrl-C and SIGTERM that have come."""
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters (C0 but tab and newline, C1), line separators, changes of direction, lone surrogates."""


def escape_unseen(text: str) -> str:
    """The text with every character of `UNSEEN` as `\\uXXXX`, as JSON writes it; all other text stays as it is."""
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """The same for a text that is to stay one line, such as a name of a stranger's: no other can pass for it."""
    return escape_unseen(text.replace("\n", "\\n"))


def file_of(error: OSError) -> str:
    """The file that an error is about; a write to a full disk does not name it, but was made by whoever has it open."""
    frames = [frame.f_locals.values() for frame, _ in walk_tb(error.__traceback__)]
    held = [value for values in reversed(frames) for value in values if isinstance(value, IOBase | Path)]
    names = (getattr(value, "name", "") if isinstance(value, IOBase) else str(value) for value in held)
    return str(error.filename or next((name for name in names if name and isinstance(name, str)), "a file"))


def shorten(text: str, longest: int = LONGEST) -> str:
    """The text, or its beginning and its end where it has more than `longest` characters."""
    tail = longest // 3
    return text if len(text) <= longest else f"{text[: longest - tail - 5]} ... {text[-tail:]}"


def interrupt(number: int, frame: object) -> NoReturn:
    """The handler of Ctrl-C and SIGTERM; it keeps the signal, because a library may raise another error instead."""
    _signals.append(number)
    raise KeyboardInterrupt


def interrupted(error: BaseException) -> bool:
    """Whether the error follows from Ctrl-C or SIGTERM; a library may have made it of that."""
    return bool(_signals) or KeyboardInterrupt in (type(error), type(error.__cause__))


class ClirbenchError(Exception):
    """Base of all errors that a user can cause; as text it has passed the gate and has `longest` characters at most."""

    longest = LONGEST

    def __str__(self) -> str:
        # Cut twice: a message may hold a whole file, and the characters that become visible take more room.
        return shorten(escape_unseen(shorten(super().__str__(), self.longest)), self.longest)


class ConfigError(ClirbenchError):
    """A key, a name or a value of the configuration is wrong."""


class UnknownName(ConfigError):
    """A name that is not among the choices; the message has the closest match, and lists them or the nearest."""

    def __init__(self, kind: str, name: str, choices: Iterable[str], meant: str = "") -> None:
        listed = sorted(choices)
        said, near, self.meant = ", ".join(listed) or "none", _near(name, listed, NEAREST, 0), meant
        guess = f" Did you mean {meant!r}?" if meant else closest_match(name, listed)
        if len(said) > LISTED:
            said = f"{', '.join(near)} and {len(listed) - len(near)} others"
        super().__init__(f"unknown {kind} {name!r}.{guess} Choices: {said}")


def closest_match(name: str, choices: Sequence[str]) -> str:
    """` Did you mean 'MAP'?` for a name that is close to one of the choices, nothing for another."""
    close = closest(name, choices)
    return f" Did you mean {close!r}?" if close else ""


def closest(name: str, choices: Sequence[str], likeness: float = 0.55) -> str:
    """The choice that a name is close to, first of those that begin with it, then of those with the same word before
    any number or sign (RBO for RBO@10, not R@10), or with the same letter; nothing for one that is not; `likeness`: how
    close at least, in (0, 1]."""
    word, likeness = name.lower(), likeness if len(name) > 2 else max(likeness, 0.7)
    kin = [choice for choice in choices if WORD.findall(choice.lower())[0] == WORD.findall(word)[0]]
    alike = [choice for choice in choices if choice[:1].lower() == word[:1]]
    begun = [choice for choice in alike if choice.lower().startswith(word[:5])]
    whole = sorted((choice for choice in begun if len(word) > 2 and choice.lower().startswith(word)), key=len)
    found = (_near(name, of, 1, likeness) or whole[: of is begun] for of in (begun, kin, alike, choices))
    return next((near[0] for near in found if near), "")


def _near(name: str, choices: Iterable[str], n: int, likeness: float) -> list[str]:
    """The `n` choices that a name is closest to, large letters and small ones alike."""
    spelled = {choice.lower(): choice for choice in choices}
    return [spelled[one] for one in get_close_matches(name.lower(), spelled, n, likeness)]


class InputError(ClirbenchError):
    """A file or folder of the user's is missing, malformed or misaligned."""


class AlignmentError(InputError):
    """Line counts or ids that must agree do not."""


def changed_error(where: Path) -> InputError:
    """The error for a file that is not what it was when this run first read it."""
    return InputError(f"{where} changed while this run was reading it; run again once it is complete")


class EmptyCollection(InputError):
    """No document of a searched collection has a term."""


class MissingData(InputError):
    """Data that an experiment needs lie nowhere; the message says how to get them."""

    longest = 6 * LONGEST


class DownloadError(ClirbenchError):
    """A download failed or did not have the promised content."""


class ResourceError(ClirbenchError):
    """A program, library or local model that a component needs is not there, or died."""


class NothingCompared(ClirbenchError):
    """There is nothing to compare: no topic is left to score, or no cell of a published table can be computed."""


class StoreError(ClirbenchError):
    """The run folder or the store cannot be written."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise `StoreError` where the block cannot write the file."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot be written ({error.strerror or error})") from error


class Problems(ClirbenchError):
    """Several errors at once: everything that is wrong with one configuration or one folder."""

    def __init__(self, errors: Sequence[ClirbenchError]) -> None:
        self.errors: tuple[ClirbenchError, ...] = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        more = [f"- and {len(self.errors) - MOST} more"] if len(self.errors) > MOST else []
        return "\n".join([*(f"- {error}" for error in self.errors[:MOST]), *more])


def raise_all(errors: Sequence[ClirbenchError]) -> None:
    """Raise nothing, the single error, or all of them as one `Problems`; equal messages are raised once."""
    different = list({str(error): error for error in errors}.values())
    if len(different) == 1:
        raise different[0]
    if different:
        raise Problems(different)


@contextmanager
def gathered(errors: list["ClirbenchError"]) -> Iterator[None]:
    """Keep an error raised inside in `errors` and go on after the block; `Problems` are taken apart."""
    try:
        yield
    except ClirbenchError as error:
        errors.extend(error.errors if isinstance(error, Problems) else [error])
