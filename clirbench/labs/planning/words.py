"""English text as the error model sees it: words with their marks, function words by class, families of word forms.

And what a word that a system does not know becomes: the source line's own word, a lexicon's, or a pseudo-word.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import expm1, log2
from os.path import commonprefix
from pathlib import Path

from clirbench.errors import ConfigError, InputError
from clirbench.text import TextFile

# Words of one class can stand for each other without making a sentence unreadable; that is what makes them errors.
CLASSES = tuple(
    tuple(members.split())
    for members in (
        "the a an this that these those some any each every",
        "my your his her its our their",
        "i you he she it we they who one nobody somebody everybody",
        "me him us them whom himself itself themselves ourselves",
        "of in to for with on at by from into over under about between",
        "through during against without within above below across along behind near per",
        "and or but nor yet so",
        "because although if when while where until unless whereas since than before after",
        "is are was were be been being am",
        "has have had having do does did done",
        "can could may might must shall should will would cannot ought",
        "not never no only also too even still already just then there therefore",
        "more most less least very much many few all both such other another same",
        "which what how why whose whether as like up out off down again once here",
    )
)
CLASS_OF: Mapping[str, tuple[str, ...]] = {word: members for members in CLASSES for word in members}

_MARKS = ".,;:!?\"'()[]{}<>«»„“”‘’–—-…/"
FOLDER = Path(__file__).with_name("data") / "lexicon"
_WORD = re.compile(r"\w+")
_SYLLABLES = tuple(consonant + vowel for consonant in "bdgjkmprvz" for vowel in "aeiou")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class WordLine:
    """A line as slots: word `words[i]` with the marks that stand before and after it."""

    text: str
    before: tuple[str, ...]
    words: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "WordLine":
        parts = [_parts(token) for token in text.split()]
        before, words, after = zip(*parts, strict=True) if parts else ((), (), ())
        return cls(text, before, words, after)

    @cached_property
    def lower(self) -> tuple[str, ...]:
        return tuple(word.lower() for word in self.words)

    @cached_property
    def function(self) -> tuple[bool, ...]:
        """Whether each word is a function word."""
        return tuple(word in CLASS_OF for word in self.lower)

    @cached_property
    def content(self) -> tuple[bool, ...]:
        """Whether each word has a letter and is neither a function word nor a contraction (`don't`)."""
        return tuple(
            word not in CLASS_OF and _LETTER.search(word) is not None and "'" not in word.removesuffix("'s")
            for word in self.lower
        )

    @cached_property
    def inflected(self) -> tuple[bool, ...]:
        """Whether a content word ends in an -s that agreement could have taken away."""
        pairs = zip(self.lower, self.content, strict=True)
        return tuple(content and ends_in_s(word) for word, content in pairs)


def _parts(token: str) -> tuple[str, str, str]:
    """Marks, word, marks; a token of marks alone is a word."""
    word = token.strip(_MARKS) if token[0] in _MARKS or token[-1] in _MARKS else token
    if not word:
        return "", token, ""
    start = token.index(word)
    return token[:start], word, token[start + len(word) :]


@lru_cache(maxsize=1 << 16)
def family(word: str) -> str:
    """One name for the forms of a word (`quotas`, `quota`; `scrapped`, `scrapping`, `scrap`): it names, it is no stem.

    A system that does not know a word does not know its forms either. Rough on purpose, and never longer than the
    word; a word that no rule fits is its own family.
    """
    word = word.lower().removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        return without_s(word)
    if ends_in_s(word):
        word = without_s(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            word = word.removesuffix(ending)
            if word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word.removesuffix("e") if len(word) > 4 else word


def ends_in_s(word: str) -> bool:
    """Whether a lower-case word ends in the -s of a plural or a verb, as far as its letters tell (not `bus`)."""
    return len(word) > 3 and word[-1] == "s" and word[-2] not in "sui"


def without_s(word: str) -> str:
    """The word without the -s that it ends in: `nets` -> `net`, `cities` -> `city`."""
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def match_capital(word: str, model: str) -> str:
    """`word` with the capital letter that `model` begins with, or without one."""
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def ending(word: str) -> str:
    """The shape by which a wrong word can take the place of a right one: -s, -ed, -ing, -ly or none of these."""
    return next((e for e in ("ing", "ed", "ly", "s") if word.endswith(e) and len(word) > len(e) + 2), "")


@dataclass(frozen=True, eq=False)
class WordStatistics:
    """What the error model knows of a text: its words by shape, its word families, shares of word kinds.

    `words` counts running words; `shares` are the shares of them that are content words, and that are function words
    or inflected (`form`); `choices[shape]` are lower-case content words, sorted, as often as they occur; `families`
    counts content words by family, `termhood` is each family's residual IDF; `written` are the words as they stand.
    """

    words: int
    shares: Mapping[str, float]
    choices: Mapping[str, Sequence[str]]
    families: Mapping[str, int]
    termhood: Mapping[str, float]
    written: frozenset[str]

    @classmethod
    def of(cls, documents: Sequence[Sequence[WordLine]]) -> "WordStatistics":
        content: Counter[str] = Counter()
        spread: Counter[str] = Counter()
        words = form = 0
        written: set[str] = set()
        for lines in documents:
            here = [
                word for line in lines for word, is_content in zip(line.lower, line.content, strict=True) if is_content
            ]
            content.update(here)
            spread.update(set(map(family, here)))
            for line in lines:
                words += len(line.words)
                form += sum(map(max, line.function, line.inflected))
                written.update(line.words)
        choices: dict[str, list[str]] = {}
        families: Counter[str] = Counter()
        for word in sorted(content):
            choices.setdefault(ending(word), []).extend([word] * content[word])
            families[family(word)] += content[word]
        shares = {"content": content.total() / max(words, 1), "form": form / max(words, 1)}
        termhood = {name: residual_idf(count, spread[name], len(documents)) for name, count in families.items()}
        return cls(words, shares, choices, families, termhood, frozenset(written))


def residual_idf(occurrences: int, documents_with: int, documents: int) -> float:
    """How much fewer documents hold a word than chance would spread it over: what tells terms from common words.

    -log2(df / D) + log2(1 - exp(-cf / D)), in bits; about 0 for a word spread by chance or used once, above 0 for a
    word that keeps to few documents (`cod`), below 0 for one spread more evenly than by chance.
    documents_with, documents: at least 1.

    **Source:** Church and Gale (1995), Inverse document frequency (IDF): a measure of deviations from Poisson.
    """
    return -log2(documents_with / documents) + log2(-expm1(-occurrences / documents))


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
            said = f"lexicon={self.name!r}: no such lexicon; shipped: {shipped}; or the path of a TSV file;"
            raise ConfigError(f"{said} or ''")

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
        return pseudo_word(name) if entry is None else aligned_form(entry, source) or entry


def aligned_form(entry: str, source: str) -> str:
    """The word of the source line that shares the longest beginning with `entry`, all but its last three letters at
    least and never less than three; empty where there is none. The first of equals."""
    fitting = [word for word in _words(source) if len(word) <= len(entry) + 4]
    shared = {word: len(commonprefix((word, entry))) for word in fitting}  # noqa: RUF071 - no paths but words
    best = max(shared, key=shared.__getitem__, default="")
    return best if shared.get(best, 0) >= max(3, len(entry) - 3) else ""


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
