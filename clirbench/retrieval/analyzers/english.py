"""English as Anserini's default analyser for English has it, token for token."""

from dataclasses import dataclass
from functools import lru_cache

from clirbench.retrieval.analyzers.porter import porter
from clirbench.retrieval.analyzers.words import words

# The stop words of Lucene's EnglishAnalyzer (ENGLISH_STOP_WORDS_SET).
STOP_WORDS = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of"]
    + ["on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will"]
    + ["with"]
)
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
        if text.isascii() and "'" not in text:  # most chunks: lower case moves no boundary, nothing is possessive
            found = words(text.lower())
        else:
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
    if word.isascii():
        return word.lower()
    return "".join("i" if letter == "\u0130" else letter.lower() for letter in word)
