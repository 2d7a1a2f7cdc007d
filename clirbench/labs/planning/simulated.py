"""`systems=simulated`: systems whose errors are known, made from the reference.

The error model: a translation from the reference, with errors of named kinds at chosen rates.

A rate is the share of running words that the kind strikes (0-1), so that equal rates of different kinds are equal
amounts of damage; a rate above the share of words that a kind can strike strikes all of them.

    untranslated    content words stay in the source language, by word family and throughout: what a system does not
                    know, it never knows. Terms first (by residual IDF), as they are what training data lack
    wrong_content   a content word becomes another content word of the same ending, each occurrence by itself
    function_words  a function word becomes another of its class, or an -s of agreement is lost
    dropped         a word is missing
    repetition      one to three words occur twice in a row
    word_order      a word moves by one to three places
    truncation      the end of the sentence is missing; how much differs from line to line

They are applied in this order; a word that is unknown stays untranslated and is not chosen wrongly as well.

Every decision compares the rate with a random number that depends on seed, family of systems, kind, the line's text
and the word's place alone: neither order nor workers can move it, a line that occurs twice is translated the same
twice, and the errors of a higher rate contain those of a lower one, so that more errors are never fewer.
"""

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import log1p
from typing import ClassVar

from clirbench.checks import number, whole_number
from clirbench.corpora.base import Corpus
from clirbench.errors import AlignmentError, ConfigError, UnknownName
from clirbench.labs.planning.words import (
    CLASS_OF,
    Lexicon,
    WordLine,
    WordStatistics,
    ending,
    family,
    match_capital,
    without_s,
)
from clirbench.text import Text, TextLines
from clirbench.types import Translation

LONGEST_CUT = 0.95
TERMLESS = 0.05  # bits of residual IDF that a word is given which is no term at all
Rates = Mapping[str, float]
"""Rates of some kinds of error, each from 0 to 1."""
KINDS = ("untranslated", "wrong_content", "function_words", "dropped", "repetition", "word_order", "truncation")


def check_rates(rates: Rates) -> None:
    """Raise `UnknownName` for a kind that does not exist, `ConfigError` for a rate outside 0 to 1."""
    for kind, rate in rates.items():
        if kind not in KINDS:
            raise UnknownName("kind of error", kind, KINDS)
        number(f"error model: {kind}", rate, least=0, most=1)


@dataclass(frozen=True, eq=False)
class Simulation:
    """The words that a family of systems does not know, and how it errs; any number of systems share its errors.

    `key` names the random numbers (seed and family).
    """

    vocabulary: WordStatistics
    lexicon: Lexicon
    key: str

    @cached_property
    def unknown_from(self) -> Mapping[str, float]:
        """The rate from which each word family is unknown."""
        return unknown_from(self.vocabulary, self.key)

    def translate(
        self, systems: Sequence[Rates], lines: Sequence[WordLine], sources: Sequence[str] | None = None
    ) -> list[tuple[str, ...]]:
        """For the rates of each system the lines as it writes them.

        lines: from the text of the vocabulary. sources: the source text line by line, where there is one. A line
        with a word keeps at least one; a line that no error struck is the line itself.
        """
        # What is untranslated is decided once for each word family, not line by line.
        used = [kind for kind in KINDS[1:] if any(rates.get(kind) for rates in systems)]
        written: list[list[str]] = [[] for _ in systems]
        for line, source in zip(lines, sources or [""] * len(lines), strict=True):
            draws = {kind: Draw.of(f"{self.key}|{kind}|{line.text}", len(line.words)) for kind in used}
            for out, rates in zip(written, systems, strict=True):
                out.append(self._line(line, source, draws, rates))
        return [tuple(out) for out in written]

    def _line(self, line: WordLine, source: str, draws: Mapping[str, "Draw"], rates: Rates) -> str:
        words, share = list(line.words), self.vocabulary.shares
        if rate := rates.get("wrong_content"):
            self._choose_wrongly(words, line, draws["wrong_content"], _over(rate, share["content"]))
        if rate := rates.get("untranslated"):
            self._leave(words, line, source, rate)
        if rate := rates.get("function_words"):
            _bend(words, line, draws["function_words"], _over(rate, share["form"]))
        if rate := rates.get("dropped"):
            for i in draws["dropped"].struck(rate):
                words[i] = ""
        if rate := rates.get("repetition"):
            words = _repeat(words, draws["repetition"], rate / 2)  # a struck word brings two words on average
        if rate := rates.get("word_order"):
            words = _move(self._uncapitalised(words), draws["word_order"], rate)
        if rate := rates.get("truncation"):
            words = words[: _kept_words(len(words), rate, draws["truncation"])]
        return _join(line, words)

    def _choose_wrongly(self, words: list[str], line: WordLine, draw: "Draw", chance: float) -> None:
        for i in draw.struck(chance):
            if line.content[i]:
                choices = self.vocabulary.choices[ending(line.lower[i])]
                at = int(draw.how[i] * len(choices))
                wrong = choices[at] if choices[at] != line.lower[i] else choices[-1 - at]
                words[i] = match_capital(wrong, line.words[i])

    def _leave(self, words: list[str], line: WordLine, source: str, rate: float) -> None:
        for i, word in enumerate(line.lower):
            if line.content[i] and self.unknown_from[family(word)] < rate:
                words[i] = match_capital(self.lexicon.untranslated(word, source), line.words[i])

    def _uncapitalised(self, words: list[str]) -> list[str]:
        """The first word loses its capital where the text also writes it small: it may stand elsewhere now."""
        if words and (small := words[0][:1].lower() + words[0][1:]) in self.vocabulary.written:
            return [small, *words[1:]]
        return words


def unknown_from(vocabulary: WordStatistics, key: str) -> dict[str, float]:
    """The rate from which each word family is unknown: families in a random order that prefers terms, each at the
    share of running words which the families before it make up; so a rate is met exactly, and rates nest.

    The order is a weighted sampling without replacement: family f has the place of its Exponential(weight) draw,
    weight = (max(residual IDF, 0) + `TERMLESS`) ** 2.

    **Source:** Efraimidis and Spirakis (2006), Weighted random sampling with a reservoir, section 3.
    """
    order: list[tuple[float, str]] = []
    for name in vocabulary.families:
        (u,) = _numbers(f"{key}|untranslated|{name}", 1)
        order.append((-log1p(-u) / (max(vocabulary.termhood[name], 0.0) + TERMLESS) ** 2, name))
    before, found = 0, dict[str, float]()
    for _, name in sorted(order):
        found[name] = before / vocabulary.words
        before += vocabulary.families[name]
    return found


@dataclass(frozen=True)
class Draw:
    """The random numbers of one kind of error in one line: `whether` a word is struck, and `how`."""

    whether: tuple[float, ...]
    how: tuple[float, ...]

    @classmethod
    def of(cls, key: str, n: int) -> "Draw":
        numbers = _numbers(key, 2 * n)
        return cls(numbers[:n], numbers[n:])

    def struck(self, chance: float) -> list[int]:
        """The places struck at this probability: those of a lower one are among them."""
        return [i for i, number in enumerate(self.whether) if number < chance]


def _numbers(key: str, n: int) -> tuple[float, ...]:
    """`n` uniform numbers in [0, 1) that depend on the key alone, on every machine."""
    digest = hashlib.shake_128(key.encode("utf-8", "replace")).digest(4 * n)
    return tuple(number / 2.0**32 for number in struct.unpack(f"<{n}I", digest))


def _over(rate: float, share: float) -> float:
    return min(1.0, rate / share) if share else 0.0


def _bend(words: list[str], line: WordLine, draw: Draw, chance: float) -> None:
    """Another function word of the class, or the -s of agreement lost."""
    for i in draw.struck(chance):
        if line.function[i]:
            others = [other for other in CLASS_OF[line.lower[i]] if other != line.lower[i]]
            words[i] = match_capital(others[int(draw.how[i] * len(others))], line.words[i])
        elif line.inflected[i] and words[i] == line.words[i]:
            words[i] = without_s(words[i])


def _repeat(words: list[str], draw: Draw, chance: float) -> list[str]:
    """The words, with each struck word and up to two words before it repeated."""
    said = list(words)
    for i in draw.struck(chance):
        start = max(0, i - int(draw.how[i] * 3))
        said[i] = " ".join(word for word in (words[i], *words[start : i + 1]) if word)
    return said


def _move(words: list[str], draw: Draw, chance: float) -> list[str]:
    """A struck word moves by one to three places, to the left or to the right; marks stay where they are."""
    places = [float(i) for i in range(len(words))]
    for i in draw.struck(chance):
        step = int(draw.how[i] * 6)
        places[i] += (step % 3 + 1.5) * (1 if step < 3 else -1)
    return [words[i] for i in sorted(range(len(words)), key=places.__getitem__)]


def _kept_words(n: int, rate: float, draw: Draw) -> int:
    """How many words a line keeps: it loses a share between 0 and twice the rate, at most `LONGEST_CUT`."""
    return max(1, n - round(n * min(LONGEST_CUT, 2 * rate * draw.whether[0]))) if n else 0


def _join(line: WordLine, words: Sequence[str]) -> str:
    """The words in their slots with the marks; a missing word's closing mark goes to the word before it.

    Fewer words than slots: the sentence breaks off. No word at all: the first stays.
    """
    if tuple(words) == line.words:
        return line.text
    out: list[str] = []
    for word, before, after in zip(words, line.before, line.after, strict=False):
        if word:
            out.append(before + word + after)
        elif after and out and out[-1][-1].isalnum():
            out[-1] += after
    return match_capital(" ".join(out) or line.words[0], line.text)


SYSTEMS: Mapping[str, Mapping[str, float]] = {
    "unknown_words": {"untranslated": 0.3},
    "wrong_words": {"wrong_content": 0.3},
    "lost_words": {"dropped": 0.4},
    "cut_off": {"truncation": 0.4},
    "grammar": {"function_words": 0.24, "untranslated": 0.02},
    "stutter": {"repetition": 0.2, "wrong_content": 0.06},
    "word_order": {"word_order": 0.4, "untranslated": 0.04},
    "mixed": dict.fromkeys(KINDS, 0.06),
}
"""Eight kinds of system by the rates of their errors: some cost much BLEU and little retrieval, or the other way."""


@dataclass(frozen=True)
class SimulatedSystems:
    """Independent kinds of system, each in rising doses of the same errors, so that the truth within a kind is known.

    `kinds` has the rates of errors of each kind's full dose; system `KIND-i` has i / `doses` of each, so 1 is the best
    of its kind. The doses of a kind share their random numbers: the errors of one are among those of the next.
    """

    made_from_reference: ClassVar[bool] = True

    kinds: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: SYSTEMS)
    doses: int = 2
    seed: int = 0
    lexicon: str = "cs"

    def __post_init__(self) -> None:
        whole_number("systems.doses", self.doses)
        if not self.kinds:
            raise ConfigError("systems.kinds: at least one kind of system was expected")
        for rates in self.kinds.values():
            check_rates(rates)
        Lexicon(self.lexicon)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """kinds x `doses` translations with the metadata `family` and `dose`; best first in each family.

        The vocabulary is that of both sides, document by document; a line of a test set of its own is a document.
        Raises `AlignmentError` where the source has another number of lines than the documents.
        """
        searched, reference = corpus.english.text.lines(), corpus.test.references[0]
        collection = [WordLine.of(text) for text in searched]
        sides = [(collection, _source(corpus.source, len(collection)))]
        documents = [collection[a:b] for a, b in pairwise(corpus.document_map.starts.tolist()) if a < b]
        if reference != searched:
            test = [WordLine.of(text) for text in reference]
            sides.append((test, corpus.test.source))
            documents += [[line] for line in test]
        vocabulary, lexicon = WordStatistics.of(documents), Lexicon(self.lexicon)
        made: list[Translation] = []
        for kind, rates in self.kinds.items():
            doses = range(1, self.doses + 1)
            systems = [{error: rate * (dose / self.doses) for error, rate in rates.items()} for dose in doses]
            translate = Simulation(vocabulary, lexicon, f"{self.seed}|{kind}").translate
            texts = [[TextLines(lines) for lines in translate(systems, *side)] for side in sides]
            made += [
                Translation(f"{kind}-{n}", of_test, of_collection, {"family": kind, "dose": f"{n} of {self.doses}"})
                for n, of_test, of_collection in zip(doses, texts[-1], texts[0], strict=True)
            ]
        return made


def _source(source: Text | None, n_lines: int) -> Sequence[str] | None:
    if source is None:
        return None
    lines = source.lines()
    if len(lines) != n_lines:
        raise AlignmentError(
            f"{source.where} has {len(lines)} lines, the reference side {n_lines}: they must be line-aligned"
        )
    return lines
