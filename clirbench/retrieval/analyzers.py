"""Analysers: English as Anserini's default one has it, token for token, and two that know no language.

*Words* are found by Unicode's word boundary rules, as Lucene 9.9.1's StandardTokenizer does: the longest run that the
rules of UAX #29 join and that holds a letter or a digit (`don't`, `U.S`, `1,000`, `a_b`, `_x`). Beyond the rules, which
leave this to implementers: an ideograph or a Hiragana character is a word of its own, a run of Thai, Lao, Khmer or
Burmese is one word, and so is an emoji with all that is joined to it. A word of more than 255 UTF-16 code units is cut
there and goes on as a new word. Characters are classed as of Unicode 12.1, which is Lucene 9.9.1's; younger ones belong
to no word. The rules are one regular expression over the classes of the characters, a letter each (word_classes.txt).

*Stems* are Porter's of 1980 with the two departures of its author's own C version, `-bli` to `-ble` (published: `-abli`
to `-able`) and `-logi` to `-log`. Characters outside a-z are consonants, words of one or two UTF-16 code units are left
alone; both follow Lucene's code, which works on Java's `char`s. Snowball's `porter` differs: it keeps `-logi` and
undoubles fewer letters (`revving`, `trekking`).

**Source:** Unicode Standard Annex #29, section 4 (WB1-WB999); Unicode Technical Standard #51 (emoji sequences);
M. F. Porter (1980), An algorithm for suffix stripping, Program 14(3), 130-137; the departures:
https://tartarus.org/martin/PorterStemmer/ ("points of difference from the published algorithm").
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from string import punctuation
from typing import Protocol, runtime_checkable

from clirbench.checks import whole_number


@runtime_checkable
class Analyzer(Protocol):
    """Turns text into terms; a frozen, hashable dataclass whose fields are its configuration.

    White space (ASCII's) ends every term, so that `terms(a + " " + b) == terms(a) + terms(b)`: the retriever
    relies on it when it analyses each distinct chunk between white space once.
    """

    @property
    def signature(self) -> str:
        """Tokeniser, stop list, stemmer and every version that can move a term, `key:value` joined by `,`."""

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order, repeated ones repeated; no term for text without a word."""

    def __hash__(self) -> int:
        """Equal configurations are one key: what an analyser has done is kept under it."""


LONGEST = 255
UNICODE = "12.1"

# In ASCII the rules come down to this: letters, digits and `_` join; `.` and `'` join two letters or two digits,
# `:` joins two letters, `,` and `;` join two digits.
_ASCII = re.compile(r"_*[A-Za-z0-9](?:[A-Za-z0-9_]+|(?<=[A-Za-z])[:.'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))*")


def words(text: str) -> list[str]:
    """The words of `text` in reading order, cut at 255 UTF-16 code units; none for text without any."""
    if text.isascii():
        found: list[str] = _ASCII.findall(text)
    else:
        found = [text[match.start() : match.end()] for match in _rules().finditer(_classes_of(text))]
    if 2 * len(text) <= LONGEST or all(2 * len(word) <= LONGEST for word in found):
        return found
    return _cut(text)


def _cut(text: str) -> list[str]:
    """Words where none may look further than 255 UTF-16 code units from its own start."""
    classes = _classes_of(text)
    found = []
    at = 0
    while match := _rules().search(classes, at):
        start = match.start()
        units = text[start : start + LONGEST].encode("utf-16-le", "surrogatepass")[: 2 * LONGEST]
        window = start + len(units.decode("utf-16-le", "ignore"))
        inside = match if match.end() <= window else _rules().match(classes, start, window)
        at = inside.end() if inside else start + 1
        if inside:
            found.append(text[start:at])
    return found


def _classes_of(text: str) -> str:
    """The class of every character of `text`, one letter each."""
    return text.translate(_class_by_character())


@lru_cache(maxsize=1)
def _class_by_character() -> defaultdict[int, str]:
    """The letter of each character that has a class; "o" is that of all others."""
    found: defaultdict[int, str] = defaultdict(lambda: "o")
    for line in resources.files("clirbench.data").joinpath("word_classes.txt").read_text("utf-8").split("\n"):
        if line and not line.startswith("#"):
            name, *members = line.split(" ")
            for first, _, last in (member.partition("-") for member in members):
                found |= dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), name)
    return found


@lru_cache(maxsize=1)
def _rules() -> re.Pattern[str]:
    """The rules as a pattern of classes; each step takes all it can get, so that the first match is the longest."""

    extending = "XZVtvTM"

    def one(members: str) -> str:
        return f"(?:[{members}][{extending}]*+)"  # WB4: what extends a character goes with it

    letter, hebrew, digit, katakana, underscore = one("LH"), one("H"), one("D"), one("K"), one("U")
    single, double = one("q"), one("d")
    gershayim = f"{hebrew}(?:{single}|{double}{hebrew})"  # WB7a-c: ' may end a Hebrew word, \" stands within one
    letters = f"{letter}(?:{one('mbq')}{letter})*+"  # WB5-7
    digits = f"{digit}(?:{one('nbq')}{digit})*+"  # WB8, WB11-12
    core = f"(?:{katakana}++|(?:{gershayim}|{letters}|{digits})++)"  # WB9-10, WB13
    word = f"{underscore}*+{core}(?:{underscore}++{core})*+{underscore}*+"  # WB13a-b
    held = "[XZvTM]*"  # an emoji keeps what extends it, but for the two style selectors
    joined = f"(?:(?:(?<=Z)P|Z++P){held}V?|(?<=V)ZM{held})*+"  # WB3c
    emoji = f"{one('R')}{one('R')}|Z*+P{held}V?{joined}|M{held}{joined}|k{held}V?v{held}"
    return re.compile(f"{word}|{one('ST')}++|{one('A')}|{emoji}")


_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip
_RULES = [
    ({end: [rule for rule in rules.items() if rule[0][-2:] == end] for end in {suffix[-2:] for suffix in rules}}, least)
    for rules, least in [(_STEP_2, 0), (_STEP_3, 0), (dict.fromkeys(_STEP_4, ""), 1)]
]
"""Steps 2 to 4: suffixes by their last two letters, what they become, and above which measure of the stem they do."""


def porter(word: str) -> str:
    """The stem of a lower-case word."""
    if not word.isascii() and max(word) > "\uffff":  # Java's view: a character beyond the 16-bit plane is two
        units = word.encode("utf-16-be", "surrogatepass")
        pieces = "".join(chr(int.from_bytes(units[i : i + 2], "big")) for i in range(0, len(units), 2))
        stem = _stemmed(pieces) if len(pieces) > 2 else pieces
        return stem.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    return _stemmed(word) if len(word) > 2 else word


def _stemmed(word: str) -> str:
    if word.endswith(("sses", "ies")):  # step 1a: caresses, ponies, cats; caress stays
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _step_1b(word)
    if word.endswith("y") and _has_vowel(word[:-1]):  # step 1c
        word = word[:-1] + "i"
    for rules, least in _RULES:
        word = _replace(word, rules, least)
    return _step_5(word)


def _step_1b(word: str) -> str:
    """Past and progressive: agreed, plastered, motoring; then the stem is mended (conflat-ed, hopp-ing, fil-ing)."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            if not _has_vowel(stem):
                return word
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if _ends_doubled(stem):
                return stem if stem[-1] in "lsz" else stem[:-1]
            return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem
    return word


def _replace(word: str, rules: Mapping[str, Sequence[tuple[str, str]]], least: int) -> str:
    """The first rule whose suffix fits decides, whether or not its stem is long enough; `-ion` only after s or t."""
    for suffix, replacement in rules.get(word[-2:], ()):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            fits = _measure(stem) > least and (suffix != "ion" or stem.endswith(("s", "t")))
            return stem + replacement if fits else word
    return word


def _step_5(word: str) -> str:
    """A last -e, and -ll. Both conditions are measured on the word as it entered the step, as in the C version."""
    if word[-1:] not in ("e", "l"):
        return word
    measure = _measure(word)
    stem = word
    if word.endswith("e") and (measure > 1 or (measure == 1 and not _ends_cvc(word[:-1]))):
        stem = word[:-1]
    return stem[:-1] if stem.endswith("l") and _ends_doubled(stem) and measure > 1 else stem


_KINDS = defaultdict(lambda: "c", {ord(letter): "y" if letter == "y" else "v" for letter in "aeiouy"})
"""v for a vowel, y for y, c for every other character."""


def _shape(word: str) -> str:
    """`word` with v for each vowel and c for each consonant; y is a vowel after a consonant."""
    shape = word.translate(_KINDS)
    while "y" in shape:
        at = shape.index("y")
        shape = shape[:at] + ("v" if shape[at - 1 : at] == "c" else "c") + shape[at + 1 :]
    return shape


def _measure(word: str) -> int:
    """m in [C](VC)^m[V]."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_cvc(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


# The stop words of Lucene's EnglishAnalyzer (ENGLISH_STOP_WORDS_SET).
STOP_WORDS = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of"]
    + ["on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will"]
    + ["with"]
)
MARKS = punctuation.replace("_", "")
APOSTROPHES = ("'", "\u2019", "\uff07")

_stem = lru_cache(maxsize=1 << 16)(porter)


@dataclass(frozen=True)
class English:
    """Words (UAX #29), without a possessive 's, in lower case, without 33 stop words, stemmed by Porter.

    Equal to `io.anserini.analysis.DefaultEnglishAnalyzer` of Anserini 1.7.1 (Lucene 9.9.1). `stop_words=False`
    and `stem=False` leave out the stop list and the stemmer. No known exception.
    """

    stop_words: bool = True
    stem: bool = True

    @property
    def signature(self) -> str:
        stop = "lucene33" if self.stop_words else "none"
        stem = "porter" if self.stem else "none"
        return f"english,words:uax29-12.1,stop:{stop},stem:{stem}"

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order."""
        word = text.strip(MARKS).lower()
        if word.isascii() and word.isalpha() and 2 * len(word) <= LONGEST:  # most chunks: one word
            return [] if self.stop_words and word in STOP_WORDS else [_stem(word) if self.stem else word]
        found = [lower_case(without_possessive(word)) for word in words(text)]
        if self.stop_words:
            found = [word for word in found if word not in STOP_WORDS]
        return list(map(_stem, found)) if self.stem else found


@dataclass(frozen=True)
class ByLanguage(English):
    """English, in whose place a run puts the analyser of its target language."""


def without_possessive(word: str) -> str:
    """`word` without a last 's (any of three apostrophes, s of either case)."""
    return word[:-2] if word[-1:] in ("s", "S") and word[-2:-1] in APOSTROPHES else word


def lower_case(word: str) -> str:
    """Each character in lower case by itself, as Java does: I with a dot becomes i, a last sigma stays σ."""
    return word.lower() if word.isascii() else "".join("i" if letter == "\u0130" else letter.lower() for letter in word)


@dataclass(frozen=True)
class Whitespace:
    """What stands between white space (Unicode's), in lower case unless `lower=False`; for text split beforehand."""

    lower: bool = True

    @property
    def signature(self) -> str:
        return f"whitespace,lower:{'yes' if self.lower else 'no'}"

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order."""
        return (lower_case(text) if self.lower else text).split()


@dataclass(frozen=True)
class Character:
    """Runs of `n` characters within what stands between white space, in lower case unless `lower=False`.

    With `n` = 1, the default, every character is a term, which suits scripts without spaces and needs no dictionary.
    A stretch shorter than `n` characters is one term.
    """

    n: int = 1
    lower: bool = True

    def __post_init__(self) -> None:
        whole_number("analyzer.n", self.n)

    @property
    def signature(self) -> str:
        return f"character,n:{self.n},lower:{'yes' if self.lower else 'no'}"

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order."""
        stretches = (lower_case(text) if self.lower else text).split()
        return [
            stretch[start : start + self.n]
            for stretch in stretches
            for start in range(max(len(stretch) - self.n + 1, 1))
        ]
