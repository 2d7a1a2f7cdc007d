"""What a translator is, and what holds for every one: empty lines stay empty, and the count is checked."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from clirbench.errors import AlignmentError, ConfigError, ResourceError
from clirbench.text import BLOCK, current_limits

Translate: TypeAlias = Callable[[Sequence[str]], Sequence[str]]

TEXT = "{text}"
PROMPT = f"Translate the text below into English. Write one line for each line of it, and nothing else.\n\n{TEXT}"
"""What a language model is asked; it names no language, and so serves every source."""
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@runtime_checkable
class Translator(Protocol):
    """Turns source lines into as many English lines; a frozen dataclass whose fields are its configuration.

    One translator serves many models (the checkpoints of a sweep): the model is an argument, a path of this machine
    or None where the translator has none. Nothing is loaded before `loaded` is entered. A class may declare its `kind`
    of engine (`rules`, `neural`, ...), and that it `works_elsewhere`, so that its cost is not known here.
    """

    @property
    def signature(self) -> str:
        """Everything configured that can change what it writes, and the version of its library; no paths."""

    def check(self, model: Path | None) -> None:
        """Raise `ResourceError` or `ConfigError` for what is missing, before any long work."""

    def fingerprint(self, model: Path | None) -> str:
        """sha256 of the content of all files that decide what it writes (the model's, a script's)."""

    def loaded(self, model: Path | None) -> AbstractContextManager[Translate]:
        """Load the model and hand out a function of lines to lines; everything is given back at the end.

        The function is called with lines that are not blank, and raises `ResourceError` where the engine fails.
        """


def translate_lines(engine: Translate, lines: Sequence[str], where: str) -> list[str]:
    """Translate lines one to one; a blank line (empty, or white space alone) becomes empty, unseen by the engine.

    `where` names the lines in a message. Newlines inside an output line become spaces. Raises `AlignmentError`
    where the engine returns another number of lines than it was given, `ResourceError` for one that is longer than
    any translation (`most_characters`) or than `limits.line_bytes`.
    """
    full = [line for line in lines if line.strip()]
    written = list(engine(full)) if full else []
    if len(written) != len(full):
        raise miscounted(where, len(full), len(written))
    for line, found in zip(full, written, strict=True):
        if len(found) > (most := min(most_characters(line), current_limits().line_bytes)):
            raise ResourceError(
                f"{where}: a line of {len(found):,} characters came back for one of {len(line):,}, at most {most:,} "
                "are read: this is no translation; mend the translator"
            )
    rest = iter(written)
    return [next(rest).replace("\n", " ") if line.strip() else "" for line in lines]


def most_characters(source: str) -> int:
    """Characters that a translation of a text can have; a million for a short one."""
    return max(BLOCK, 100 * len(source))


def miscounted(where: str, given: int, written: int, last_words: str = "") -> AlignmentError:
    """The error for an engine that wrote more or fewer lines than it read; `last_words`: the end of its stderr."""
    return AlignmentError(
        f"{where}: {given} source lines were given, {written} lines came back; a translator writes exactly one line "
        "for each line it reads, and lines end at '\\n' alone" + (f"; stderr ends: {last_words}" if last_words else "")
    )


def check_prompt(prompt: str) -> None:
    """Raise `ConfigError` unless the place of the text is marked once."""
    if prompt.count(TEXT) != 1:
        raise ConfigError(f"prompt: must hold {TEXT} once, where the lines to translate stand")


def answer_lines(answer: str) -> list[str]:
    """The lines of a language model's answer that are not blank, without what it thinks before it."""
    return [line.strip() for line in _THOUGHTS.sub("", answer).split("\n") if line.strip()]
