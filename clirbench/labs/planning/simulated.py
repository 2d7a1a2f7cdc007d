"""`systems=simulated`: systems whose errors are known, made from the reference.

Simulated studies: how often would the shipped test find that one metric predicts better than another?

Simulated from a normal copula, which is all that tau feels: true values of metrics and measure have the correlations
behind the taus that are assumed, and each column has noise of its own reliability. Resampling the systems themselves
would make ties and pretend that these 16 are all there are.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import combinations, pairwise
from math import ceil, log1p, nan
from typing import ClassVar

import numpy as np

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
from clirbench.pages import fixed
from clirbench.statistics.coefficients import holm
from clirbench.statistics.grades import EXHAUSTIVE, SAMPLES, gap, unit_swaps
from clirbench.text import Text, TextLines
from clirbench.types import DocumentMap, Doubles, Translation

STEP = 0.02
"""Differences in tau that are tried lie so far apart."""
SCREEN = 100
"""Exchanges after which a difference that four times alpha of them reach is taken for not significant."""
Test = Callable[[Doubles, Doubles], float]
"""(2, n) of two metrics, (n,) of the measure -> two-sided p of their difference, uncorrected."""


@dataclass(frozen=True)
class CopulaModel:
    """What is assumed. `taus` (k,): noise-free tau of each metric with the measure; `among` (k, k): of the metrics.

    `reliability` (k + 1,) in (0, 1]: of each metric, the measure last: share of its variance over systems that is not
    noise. All finite, taus in (-1, 1). `family`: pairs of metrics that are corrected together, at least k (k - 1) / 2.
    """

    names: tuple[str, ...]
    taus: Doubles
    among: Doubles
    reliability: Doubles
    family: int

    def correlations(self) -> Doubles:
        """(k + 1, k + 1): sin(pi tau / 2), the measure last.

        Raises `ConfigError` that names the columns where no systems could have such taus. **Source:** Greiner 1909.
        """
        k = len(self.names)
        names = (*self.names, "the measure")
        if noisy := [name for name, kept in zip(names, self.reliability, strict=True) if not 0 < kept <= 1]:
            raise ConfigError(f"nothing but noise is seen of {', '.join(noisy)} (reliability not above 0)")
        full = np.eye(k + 1)
        full[:k, :k] = self.among
        full[:k, k] = full[k, :k] = self.taus
        np.fill_diagonal(full, 1.0)
        found = np.asarray(np.sin(np.pi / 2 * full))

        def possible(chosen: Sequence[int]) -> bool:
            return bool(float(np.linalg.eigvalsh(found[np.ix_(chosen, chosen)])[0]) >= 1e-9)

        if possible(range(k + 1)):
            return found
        fewest = (chosen for size in range(2, k + 2) for chosen in combinations(range(k + 1), size))
        named = next(chosen for chosen in fewest if not possible(chosen))
        told = "; ".join(f"{names[i]} and {names[j]} {fixed(full[i, j], 3)}" for i, j in combinations(named, 2))
        raise ConfigError(f"no systems can have these taus together: {told}")

    @property
    def impossible(self) -> str:
        """Why no systems can have these taus; nothing where they can."""
        try:
            self.correlations()
        except ConfigError as problem:
            return str(problem)
        return ""

    def moved(self, metric: int, tau: float) -> "CopulaModel":
        """The same with another tau of one metric with the measure."""
        return replace(self, taus=np.where(np.arange(len(self.taus)) == metric, tau, self.taus))


def simulated(plan: CopulaModel, n: int, simulations: int, seed: int) -> tuple[Doubles, Doubles]:
    """Metrics (simulations, k, n) and measure (simulations, n), as measured."""
    root = np.linalg.cholesky(plan.correlations() + 1e-10 * np.eye(len(plan.names) + 1))
    rng = np.random.default_rng([seed, n])
    # Truth and noise are drawn in the same order whatever is assumed, so that powers can be compared.
    truth = rng.normal(size=(simulations, n, len(root))) @ root.T
    noise = rng.normal(size=truth.shape) * np.sqrt(1 / plan.reliability - 1)
    seen = (truth + noise).swapaxes(1, 2)
    return seen[:, :-1], seen[:, -1]


def perm_systems_test(n: int, family: int, alpha: float, seed: int) -> Test:
    """`perm-systems`, as `differences` does it for n systems."""
    unit = np.arange(n)
    swaps = unit_swaps(n, max(SAMPLES, ceil(2 * family / alpha)), seed)

    def test(x: Doubles, y: Doubles) -> float:
        if n > EXHAUSTIVE:
            screened = gap(x[0], x[1], y, unit, alpha=alpha, swaps=swaps[:SCREEN]).p_value
            if not screened <= 4 * alpha:
                return screened
        return gap(x[0], x[1], y, unit, alpha=alpha, swaps=swaps).p_value

    return test


def power_of(
    plan: CopulaModel, pair: tuple[int, int], n: int, test: Test, *, alpha: float, simulations: int, seed: int
) -> float:
    """Share of simulations in which `test`, corrected by Holm over the family, calls the two metrics different.

    Where the family is larger than the plan, those beyond it are taken not to be found: never too large a power.
    """
    a, b = min(pair), max(pair)
    others = [list(other) for other in combinations(range(len(plan.names)), 2) if other != (a, b)]
    found = 0
    for x, y in zip(*simulated(plan, n, simulations, seed), strict=True):
        p = test(x[[a, b]], y)
        found += p < alpha and _survives_holm(p, [(x[other], y) for other in others], test, plan.family, alpha)
    return found / simulations


def _survives_holm(p: float, others: Sequence[tuple[Doubles, Doubles]], test: Test, family: int, alpha: float) -> bool:
    """Whether Holm's correction lets p stand; others are tested only as long as that is open."""
    if family * p < alpha:
        return True
    larger, smaller = 0, list[float]()
    for other in others:
        # Enough others must be smaller for p, multiplied by what is left of the family, to be below alpha.
        if (family - len(others) + larger) * p >= alpha:
            return False
        q = test(*other)
        larger, smaller = (larger, [*smaller, q]) if q < p else (larger + 1, smaller)
    return holm([*smaller, p], family)[-1] < alpha


def smallest_difference(
    plan: CopulaModel, pair: tuple[int, int], wanted: float, power: Callable[[CopulaModel], float]
) -> float:
    """The smallest difference in noise-free tau whose power is at least `wanted`; NaN where none that is possible is.

    Searched by moving the second metric's tau down from the first's, in steps of .02 by halving; taus among metrics
    stay, so beyond some difference the taus are impossible together.
    """
    a, b = pair
    steps = np.arange(STEP, 1.0 + plan.taus[a], STEP)
    possible = [
        moved for moved in (plan.moved(b, float(plan.taus[a] - step)) for step in steps) if not moved.impossible
    ]
    if not possible or power(possible[-1]) < wanted:
        return nan
    low, high = -1, len(possible) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(possible[middle]) >= wanted else (middle, high)
    return float(plan.taus[a] - possible[high].taus[b])


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
