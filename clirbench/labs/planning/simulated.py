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
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import pairwise
from math import log1p
from typing import ClassVar

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
from clirbench.types import DocumentMap, Translation

LONGEST_CUT = 0.95
TERMLESS = 0.05  # bits of residual IDF that a word is given which is no term at all


@dataclass(frozen=True)
class ErrorModel:
    """Rates of the seven kinds of error, each from 0 to 1; raises `ConfigError` for a rate outside."""

    untranslated: float = 0.0
    wrong_content: float = 0.0
    function_words: float = 0.0
    dropped: float = 0.0
    repetition: float = 0.0
    word_order: float = 0.0
    truncation: float = 0.0

    def __post_init__(self) -> None:
        for kind in KINDS:
            rate = getattr(self, kind)
            if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
                raise ConfigError(f"error model: {kind}={rate!r}: a rate from 0 to 1 was expected")

    def scaled(self, factor: float) -> "ErrorModel":
        """Every rate times `factor` (0-1)."""
        return replace(self, **{kind: getattr(self, kind) * factor for kind in KINDS})

    @classmethod
    def of(cls, rates: Mapping[str, float]) -> "ErrorModel":
        """The rates of some kinds of error, by name; raises `UnknownName` for a kind that does not exist."""
        for kind in rates:
            if kind not in KINDS:
                raise UnknownName("kind of error", kind, KINDS)
        return replace(cls(), **rates)


KINDS: tuple[str, ...] = tuple(field.name for field in fields(ErrorModel))
DRAWN: tuple[str, ...] = KINDS[1:]  # untranslated is decided once for each word family


@dataclass(frozen=True, eq=False)
class Simulation:
    """The words that a family of systems does not know, and how it errs; any number of models share its errors.

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
        self, models: Sequence[ErrorModel], lines: Sequence[WordLine], sources: Sequence[str] | None = None
    ) -> list[tuple[str, ...]]:
        """For each model the lines as a system with these errors writes them.

        lines: from the text of the vocabulary. sources: the source text line by line, where there is one. A line
        with a word keeps at least one; a line that no error struck is the line itself.
        """
        used = [kind for kind in DRAWN if any(getattr(model, kind) for model in models)]
        chances = [self.chances(model) for model in models]
        written: list[list[str]] = [[] for _ in models]
        for line, source in zip(lines, sources or [""] * len(lines), strict=True):
            draws = {kind: Draw.of(f"{self.key}|{kind}|{line.text}", len(line.words)) for kind in used}
            for out, model, chance in zip(written, models, chances, strict=True):
                out.append(self._line(line, source, draws, model, chance))
        return [tuple(out) for out in written]

    def chances(self, model: ErrorModel) -> dict[str, float]:
        """For each kind that strikes single words, the probability that a word which it can strike is struck."""
        share = self.vocabulary.shares
        return {
            "wrong_content": _over(model.wrong_content, share["content"]),
            "function_words": _over(model.function_words, share["form"]),
            "dropped": model.dropped,
            "repetition": model.repetition / 2,  # a struck word brings two words on average
            "word_order": model.word_order,
        }

    def _line(
        self, line: WordLine, source: str, draws: Mapping[str, "Draw"], model: ErrorModel, chances: Mapping[str, float]
    ) -> str:
        words = list(line.words)
        if model.wrong_content:
            self._choose_wrongly(words, line, draws["wrong_content"], chances["wrong_content"])
        if model.untranslated:
            self._leave(words, line, source, model.untranslated)
        if model.function_words:
            _bend(words, line, draws["function_words"], chances["function_words"])
        if model.dropped:
            _drop(words, draws["dropped"], chances["dropped"])
        if model.repetition:
            words = _repeat(words, draws["repetition"], chances["repetition"])
        if model.word_order:
            words = _move(self._uncapitalised(words), draws["word_order"], chances["word_order"])
        if model.truncation:
            words = words[: _kept_words(len(words), model.truncation, draws["truncation"])]
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


def _drop(words: list[str], draw: Draw, chance: float) -> None:
    for i in draw.struck(chance):
        words[i] = ""


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
        if type(self.doses) is not int or self.doses < 1:
            raise ConfigError(f"systems.doses={self.doses!r}: a whole number of at least 1 was expected")
        if not self.kinds:
            raise ConfigError("systems.kinds: at least one kind of system was expected")
        for rates in self.kinds.values():
            ErrorModel.of(rates)
        Lexicon(self.lexicon)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """kinds x `doses` translations with the metadata `family` and `dose`; best first in each family."""
        sides, lexicon = Sides.of(corpus), Lexicon(self.lexicon)
        made: list[Translation] = []
        for kind, rates in self.kinds.items():
            full, doses = ErrorModel.of(rates), range(1, self.doses + 1)
            models = {f"{kind}-{dose}": full.scaled(dose / self.doses) for dose in doses}
            metadata = [{"family": kind, "dose": f"{dose} of {self.doses}"} for dose in doses]
            made += sides.translate(models, metadata, lexicon, f"{self.seed}|{kind}")
        return made


@dataclass(frozen=True, eq=False)
class Sides:
    """The English text of both sides of a corpus; one list of lines where both sides have the same text."""

    test: Sequence[WordLine]
    collection: Sequence[WordLine]
    test_source: Sequence[str] | None
    collection_source: Sequence[str] | None
    map: DocumentMap

    @classmethod
    def of(cls, corpus: Corpus) -> "Sides":
        """Raises `AlignmentError` where the source has another number of lines than the side it belongs to."""
        searched, reference = corpus.english.text.lines(), corpus.test.references[0]
        collection = [WordLine.of(text) for text in searched]
        test = collection if reference == searched else [WordLine.of(text) for text in reference]
        source = _source(corpus.source, len(collection))
        return cls(test, collection, corpus.test.source, source, corpus.document_map)

    @cached_property
    def vocabulary(self) -> WordStatistics:
        """The words of both sides, document by document; a line of a test set of its own is a document."""
        documents = [self.collection[start:end] for start, end in pairwise(self.map.starts.tolist()) if start < end]
        return WordStatistics.of([*documents, *([] if self.test is self.collection else ([one] for one in self.test))])

    def translate(
        self,
        models: Mapping[str, ErrorModel],
        metadata: Sequence[Mapping[str, str]],
        lexicon: Lexicon,
        key: str,
    ) -> list[Translation]:
        """Every model applied to both sides, with one vocabulary."""
        same = self.test is self.collection
        translate = partial(Simulation(self.vocabulary, lexicon, key).translate, list(models.values()))
        collection = [TextLines(lines) for lines in translate(self.collection, self.collection_source)]
        test = collection if same else [TextLines(lines) for lines in translate(self.test, self.test_source)]
        return [
            Translation(name, *texts, described)
            for name, texts, described in zip(models, zip(test, collection, strict=True), metadata, strict=True)
        ]


def _source(source: Text | None, n_lines: int) -> Sequence[str] | None:
    if source is None:
        return None
    lines = source.lines()
    if len(lines) != n_lines:
        raise AlignmentError(
            f"{source.where} has {len(lines)} lines, the reference side {n_lines}: they must be line-aligned"
        )
    return lines
