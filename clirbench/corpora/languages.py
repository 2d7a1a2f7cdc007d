"""Languages: one spelling of their codes, and the language that a text is in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from langcodes import standardize_tag, tag_distance, tag_is_valid

from clirbench.errors import ConfigError
from clirbench.text import Text

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

CODE = re.compile("[A-Za-z]{2,3}")
PAIR = re.compile(f"({CODE.pattern})-({CODE.pattern})")
NO_LANGUAGE = frozenset(("mis", "mul", "und", "zxx"))
SPECIAL = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh"}
"""Written languages that stemmers, stop lists and tokenisers know by another name."""
BY_CHARACTER = ("ja", "km", "ko", "lo", "my", "th", "zh")
"""Languages that put no space between words, and Korean: a term is a character."""
SAMPLE = 20_000
"""Characters of a text that are read."""
SHORTEST, SURE = 100, 0.95
"""Bytes of letters, and the probability, from which a text tells its language: of 4,820 stretches of 1 to 20 lines of
WMT texts and help pages that are as long and as sure, 2 were wrong."""
CLOSE = 20
"""CLDR's distance of two languages, below which one is easily taken for the other: Croatian and Bosnian have 8,
Norwegian and Danish 12, Ukrainian and Russian 24."""


@dataclass(frozen=True)
class Languages:
    """The languages of a run in ISO 639-1, or in three letters (639-3) where there is no such code.

    `source` is empty where nothing tells it; `known_by`: what tells them, in words.
    """

    source: str
    target: str
    known_by: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}" if self.source else self.target


def language_code(code: str, key: str = "") -> str:
    """`de` of `de`, `deu` and `ger`: ISO 639-1, three letters (ISO 639-3) where a language has no such code.

    Raises `ConfigError`, which begins with `key`, for a code that names no language.
    """
    found = standardize_tag(code, macro=True).partition("-")[0] if CODE.fullmatch(code) and tag_is_valid(code) else ""
    if found in NO_LANGUAGE or not found:
        raise ConfigError(f"{key}{code!r} is no language: a code of ISO 639 was expected, such as de, deu or ger")
    return SPECIAL.get(found, found)


def language_pair(key: str, pair: str) -> tuple[str, str]:
    """Source and target of `de-en`; raises `ConfigError`, naming `key`, for what is no pair of languages."""
    found = PAIR.fullmatch(pair)
    if found is None:
        raise ConfigError(f"{key}={pair}: a pair SOURCE-TARGET in ISO 639 codes was expected, such as {key}=de-en")
    return language_code(found[1], f"{key}={pair}: "), language_code(found[2], f"{key}={pair}: ")


def language_of(text: Text) -> str:
    """The language that a text is in; empty where it is too short to tell, or in none that can be told."""
    sample = _sample(text)
    if len("".join(filter(str.isalpha, sample)).encode()) < SHORTEST:
        return ""
    code, probability = _identifier().classify(sample)
    return "" if probability < SURE or code in NO_LANGUAGE else language_code(code)


def contradicts(stated: str, seen: str) -> bool:
    """Whether a text in a language cannot well be in the one that is stated; never for one that nothing recognises."""
    if not seen or stated == seen or stated not in map(language_code, _known()):
        return False
    return min(tag_distance(stated, seen), tag_distance(seen, stated)) >= CLOSE


def _sample(text: Text) -> str:
    """Lines of the first block of a text, evenly spaced."""
    lines = next(text.blocks(), b"").decode("utf-8", "ignore").split("\n")
    step = max(1, sum(map(len, lines)) // SAMPLE)
    return "\n".join(lines[::step])[:SAMPLE]


def _known() -> Iterator[str]:
    return (code for code in _identifier().labels if code not in NO_LANGUAGE)


@cache
def _identifier() -> "LanguageIdentifier":
    """py3langid's model of 140 languages: **Source:** Lui and Baldwin 2012, "langid.py"."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
