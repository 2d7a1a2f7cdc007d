"""What a word that a system does not know becomes: the source line's own word, a lexicon's, or a pseudo-word."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from clirbench.errors import ConfigError, InputError
from clirbench.labs.planning.simulating.wording import family
from clirbench.text import TextFile

FOLDER = Path(__file__).resolve().parents[1] / "data" / "lexicon"

_WORD = re.compile(r"\w+")
_SYLLABLES = tuple(consonant + vowel for consonant in "bdgjkmprvz" for vowel in "aeiou")


@dataclass(frozen=True)
class Lexicon:
    """English words and the source language's word for each.

    name: a lexicon that ships with the package (`cs`), a path of a TSV file with the columns `english` and a second
    one, or empty: every unknown word becomes a pseudo-word. Raises `ConfigError` for a name that is neither.
    """

    name: str = "cs"

    def __post_init__(self) -> None:
        if self.name and not self.path.is_file():
            shipped = ", ".join(sorted(path.stem for path in FOLDER.glob("*.tsv")))
            raise ConfigError(
                f"lexicon={self.name!r}: no such lexicon; shipped: {shipped}; or the path of a TSV file; or ''"
            )

    @property
    def path(self) -> Path:
        shipped = FOLDER / f"{self.name}.tsv"
        return shipped if shipped.is_file() else Path(self.name)

    @cached_property
    def entries(self) -> Mapping[str, str]:
        """The source language's word of each family of English words."""
        return _entries(self.path) if self.name else {}

    def untranslated(self, word: str, source: str = "") -> str:
        """The word that stands where `word` should, lower case.

        word: an English word. source: the source line it comes from, empty where there is none. The source line's
        word that begins like the lexicon's entry; else the entry itself; else a pseudo-word.
        """
        name = family(word)
        entry = self.entries.get(name)
        if entry is None:
            return pseudo_word(name)
        return aligned_form(entry, source) or entry


def aligned_form(entry: str, source: str) -> str:
    """The word of the source line that shares the longest beginning with `entry`, all but its last three letters at
    least and never less than three; empty where there is none. The first of equals."""
    least = max(3, len(entry) - 3)
    best, length = "", least - 1
    for word in _words(source):
        shared = 0
        for a, b in zip(word, entry, strict=False):
            if a != b:
                break
            shared += 1
        if shared > length and len(word) <= len(entry) + 4:
            best, length = word, shared
    return best


def pseudo_word(name: str) -> str:
    """A word that is no word, the same for the same name, with a beginning that the eye finds: `xxkoruma`."""
    digest = hashlib.sha256(name.encode("utf-8", "replace")).digest()
    return "xx" + "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest[:3])


@lru_cache(maxsize=4096)
def _words(line: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(line.lower()))


@lru_cache(maxsize=8)
def _entries(path: Path) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(TextFile(path).lines(), start=1):
        cells = line.split("\t")
        if len(cells) < 2 or not cells[0].strip() or not cells[1].strip():
            raise InputError(f"{path}: line {number}: two columns were expected, english and the other language")
        if number > 1:
            found.setdefault(family(cells[0].strip()), cells[1].strip())
    return found
