"""Analysers for languages other than English, by their ISO 639 code."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version

from clirbench.corpora.layout import BY_CHARACTER, language_code
from clirbench.later import keep_recent
from clirbench.retrieval.analyzers import UNICODE, lower_case, without_possessive, words

NAMES = {
    "ar": "arabic", "bg": "bulgarian", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "gu": "gujarati", "he": "hebrew", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ms": "malaysian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sk": "slovak", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "uk": "ukrainian",
    "vi": "vietnamese",
}  # fmt: skip
STEMMERS = NAMES.keys() - {"bg", "gu", "he", "ms", "sk", "uk", "vi"}
STOP_LISTS = NAMES.keys() - {"et", "eu", "ga", "hy", "lt", "ne", "sr", "ta"}
# What the word rules join though it is a term by itself: Katakana, Hangul, and the letters of Thai, Lao, Burmese and
# Khmer, each with the marks above and below it. Ideographs and Hiragana are terms by those rules.
_SYLLABLES = re.compile(
    "([\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"
    "|[\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*"
    "|[\u0e81-\u0eb0\u0eb2-\u0eb3\u0ebd\u0ec0-\u0ec6][\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd]*"
    "|[\u1000-\u102a\u103f][\u102b-\u103e]*|[\u1780-\u17b3][\u17b4-\u17d3]*)"
)
_ELISION = re.compile("^[dlmnst]['\u2019]")  # Catalan; Snowball's French and Italian stemmers do this themselves


@dataclass(frozen=True)
class Language:
    """Words (UAX #29) in lower case, without stop words, stemmed by Snowball; characters for those of BY_CHARACTER.

    `code` is a language's code of ISO 639 (`de`, `deu` and `ger` are one).
    `stop_words=False` and `stem=False` leave out either; a language for which there is no stop list or no stemmer
    goes without, and the signature says so. Stop lists are those of the library stop-words, stemmers those of
    snowballstemmer.
    `en` is Snowball's English with a long stop list; Lucene's English is `analyzer=english`.
    Those of BY_CHARACTER have neither stop words nor a stemmer: every ideograph, kana, syllable, and letter with its
    marks is a term.
    """

    code: str
    stop_words: bool = True
    stem: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", language_code(str(self.code or ""), "analyzer.code="))

    @property
    def signature(self) -> str:
        if self.code in BY_CHARACTER:
            return f"{self.code},words:uax29-{UNICODE},cjk:character"
        stop, stem = "none", "none"
        if self.stop_words and self.code in STOP_LISTS:
            stop = f"stop-words-{version('stop-words')}"
        if self.stem and self.code in STEMMERS:
            stem = f"snowball-{NAMES[self.code]}-{version('snowballstemmer')}"
        return f"{self.code},words:uax29-{UNICODE},stop:{stop},stem:{stem}"

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order."""
        if self.code in BY_CHARACTER:
            return [lower_case(word) for word in words(_SYLLABLES.sub(r" \1 ", text))]
        found = [_lower(word, self.code) for word in words(text)]
        if self.stop_words and self.code in STOP_LISTS:
            stop_list = _stop_list(self.code)
            found = [word for word in found if word not in stop_list]
        if self.stem and self.code in STEMMERS:
            stem = _stemmer(self.code)
            found = [stem(word) for word in found]
        return found


def _lower(word: str, code: str) -> str:
    """The word in lower case, after the language's own steps that come before its stop list."""
    if code == "tr":
        word = word.replace("I", "\u0131")
    if code == "en":
        word = without_possessive(word)
    word = lower_case(word)
    return _ELISION.sub("", word) if code == "ca" else word


@cache
def _stop_list(code: str) -> frozenset[str]:
    from stop_words import get_stop_words

    return frozenset(lower_case(word) for word in get_stop_words(NAMES[code]))


@keep_recent(4)
def _stemmer(code: str) -> Callable[[str], str]:
    """Snowball's own Python code, also where a compiled copy of another version is installed; remembers words.

    A stemmer keeps the word in hand, so each thread has one of its own.
    """
    name = NAMES[code]
    module = import_module(f"snowballstemmer.{name}_stemmer")
    return lru_cache(maxsize=1 << 16)(getattr(module, f"{name.capitalize()}Stemmer")().stemWord)
