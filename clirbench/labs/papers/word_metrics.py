"""SentBLEU, BLEU+1 and NIST; baselines that every table needs: length ratio, type count, copy rate, a random metric."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from hashlib import blake2b
from math import log2
from operator import or_
from typing import ClassVar

import numpy as np

from clirbench.checks import check_least
from clirbench.errors import InputError
from clirbench.metrics.base import Statistics, check_aligned
from clirbench.metrics.bleu import brevity_penalty, ngram_statistics
from clirbench.metrics.macrof import TypeAverage, type_statistics
from clirbench.metrics.segments import SegmentMean, ratio
from clirbench.metrics.tokenised import Tokenised, aligned_tokens
from clirbench.metrics.tokens import Tokeniser, reference_tokens
from clirbench.types import Doubles, TestSet

ORDER = 4
HALVES_AT = np.log(1.5)
"""NIST's length penalty is one half where the output has two thirds of the reference's length."""
Gram = tuple[str, ...]


@dataclass(frozen=True)
class SentBLEU(SegmentMean, Tokenised):
    """Mean of the smoothed sentence BLEU of Moses' `sentence-bleu`, the segment-level baseline of WMT15.

    Of one segment: 100 * BP * (prod over n = 1..4 of (matches_n + s) / (n-grams_n + s)) ** (1/4), with s = `smoothing`
    added to every order, unigrams too, BP = min(1, exp(1 - closest reference length / hypothesis length)).

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better. An empty hypothesis has
    score 0; an empty reference is one that nothing matches. Several references: as in BLEU.

    **Source:** Stanojević et al. 2015, section 2.2.11; Moses, `mert/BleuScorer.cpp`, `smoothedSentenceBleu`.
    """

    exact_orders: ClassVar[int] = 0

    smoothing: float = 1
    name: str = "SentBLEU"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self.name, "smoothing", self.smoothing, 0)

    @property
    def details(self) -> Sequence[str]:
        return (f"add:{self.smoothing:g}", "mean")

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Smoothed BLEU of each segment: (segments,)."""
        ours, _ = self.tokens(hypotheses, test)
        return self.sentence_scores(ngram_statistics(self.tokeniser, ours, test, ORDER))

    def sentence_scores(self, rows: Doubles) -> Doubles:
        """Scores of segments from BLEU's statistics: (segments, 10) -> (segments,)."""
        added = np.full(ORDER, float(self.smoothing))
        added[: self.exact_orders] = 0.0
        matches = rows[:, 2 : 2 + ORDER] + added
        counts = rows[:, 2 + ORDER :] + added
        precisions = np.divide(matches, counts, out=np.zeros_like(counts), where=counts > 0)
        product = np.prod(precisions, axis=1) ** (1 / ORDER)
        scores = 100.0 * brevity_penalty(rows[:, 0], rows[:, 1]) * product
        return np.where(rows[:, 0] > 0, scores, 0.0)


@dataclass(frozen=True)
class BLEUPlus1(SentBLEU):
    """Mean of BLEU+1: sentence BLEU with one added to matches and counts of every order above 1.

    Of one segment: 100 * BP * (matches_1 / n-grams_1 * prod over n = 2..4 of (matches_n + 1) / (n-grams_n + 1))
    ** (1/4); the fourth root is the geometric mean that the text describes. Everything else is as in `SentBLEU`:
    statistics (segment score, 1), 0-100, higher is better, 0 where no unigram matches.

    **Source:** Neubig 2017, eq. 105; Lin and Och 2004.
    """

    exact_orders: ClassVar[int] = 1

    name: str = "BLEU+1"


@dataclass(frozen=True)
class NIST(Tokenised):
    """Information of the matching n-grams for each n-gram of the hypotheses, summed over orders 1 to 5.

    NIST = penalty * sum over n of (sum over matching n-grams of their information) / max(n-grams_n, 1),
    information of w1..wn = log2(count of w1..w(n-1) / count of w1..wn) in all references (of one word:
    log2(all words / count)), penalty = exp(-ln 2 * (ln(min(1, hypothesis length / mean reference length)) / ln 1.5)^2).

    Matches are clipped, several references as in BLEU; `lowercase` is on by default as in mteval without `-c`;
    `tokenize=intl` is its `--international-tokenization`.

    Statistics: hypothesis length, mean reference length, information of the matches of order 1..N, n-grams of order
    1..N. The information comes from the whole test set, also where totals are those of a resample.
    Score: from 0 up (about 0-15, NOT 0-100: the scale mteval prints), higher is better; 0 for an empty hypothesis or
    where references have no word.

    **Source:** Doddington 2002; mteval-v13a.pl (`compute_ngram_info`, `nist_score`, `nist_length_penalty`).
    """

    lowercase: bool = True
    max_ngram_order: int = 5
    name: str = "NIST"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("NIST", "max_ngram_order", self.max_ngram_order, 1)

    @property
    def details(self) -> Sequence[str]:
        return (f"order:{self.max_ngram_order}",)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Lengths, information of matches and n-gram counts, one row a segment: (segments, 2 + 2N)."""
        order = self.max_ngram_order
        tokens, references = self.tokens(hypotheses, test)
        information, known = _information(self.tokeniser, test.references, order)
        sums = np.zeros((len(test), order))
        for row, words, most in zip(sums, tokens.lines(), known, strict=True):
            for gram, n in (_ngrams(words, order) & most).items():
                row[len(gram) - 1] += n * information[gram]
        counts = np.maximum(tokens.lengths[:, None] - np.arange(order), 0)
        lengths = references.lengths.reshape(len(test.references), -1).mean(axis=0)
        return np.column_stack([tokens.lengths, lengths, sums, counts]).astype(np.float64)

    def score(self, totals: Doubles) -> Doubles:
        """NIST from summed statistics, vectorised over leading axes: (..., 2 + 2N) -> (...), from 0 up."""
        n = self.max_ngram_order
        information = ratio(totals[..., 2 : 2 + n], np.maximum(totals[..., 2 + n :], 1)).sum(axis=-1)
        lengths = np.minimum(ratio(totals[..., 0], totals[..., 1]), 1.0)
        logs = np.log(lengths, out=np.full_like(lengths, -np.inf), where=lengths > 0)
        return np.asarray(information * np.exp(-np.log(2) * (logs / HALVES_AT) ** 2))


@lru_cache(maxsize=4)
def _information(
    tokeniser: Tokeniser, references: tuple[tuple[str, ...], ...], order: int
) -> tuple[dict[Gram, float], list[Counter[Gram]]]:
    """The information of every n-gram of the references, and of each segment how often one reference has it at most."""
    tokens = reference_tokens(tokeniser, references)
    grams = [_ngrams(line, order) for line in tokens.lines()]
    counts = Counter[Gram]({(): len(tokens.numbers)})
    for line in grams:
        counts.update(line)
    information = {gram: log2(counts[gram[:-1]] / n) for gram, n in counts.items() if gram}
    segments = len(references[0])
    return information, [reduce(or_, grams[at::segments]) for at in range(segments)]


def _ngrams(words: Sequence[str], order: int) -> Counter[Gram]:
    """How often a line has each of its n-grams up to the order."""
    starts = range(len(words))
    return Counter(tuple(words[i : i + n]) for i in starts for n in range(1, min(order, len(words) - i) + 1))


@dataclass(frozen=True)
class RatioOfTokens(Tokenised):
    """A metric that is 100 times the ratio of two sums; 0 where there is nothing to divide by."""

    def score(self, totals: Doubles) -> Doubles:
        """The ratio from summed statistics, vectorised over leading axes: (..., 2) -> (...), from 0 up."""
        return np.asarray(100.0 * ratio(totals[..., 0], totals[..., 1]))


@dataclass(frozen=True)
class LengthRatio(RatioOfTokens):
    """How long the output is against the reference: 100 * hypothesis tokens / reference tokens.

    Statistics: hypothesis tokens, reference tokens. Score: from 0 up, 100 for equal lengths, more counts as better (a
    baseline, not a judgment); 0 for an empty output or totals without reference tokens. Of several references the
    first is used.

    **Source:** the length ratio that BLEU's brevity penalty is made of (Papineni et al. 2002).
    """

    first_reference: ClassVar[bool] = True

    name: str = "LengthRatio"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Hypothesis and reference tokens, one row a segment: (segments, 2)."""
        ours, theirs = self.tokens(hypotheses, test)
        return np.column_stack([ours.lengths, theirs.lengths]).astype(np.float64)


@dataclass(frozen=True)
class TypeCount(TypeAverage):
    """How many different word types the output has: |V_h|.

    Statistics: those of MacroF. Score: a count from 0 up (NOT 0-100), more counts as better; 0 for an empty output.

    **Source:** V_h of Gowda et al. 2021, section 2.
    """

    needs_reference: ClassVar[bool] = False

    name: str = "TypeCount"

    def score(self, totals: Statistics) -> Doubles:
        """Types with PREDS above 0, vectorised over leading axes: (..., 3 * types) -> (...)."""
        if isinstance(totals, np.ndarray):
            return np.asarray((totals[..., 1::3] > 0).sum(axis=-1), dtype=np.float64)
        entries = totals.tocoo()
        predicted = (entries.coords[1] % 3 == 1) & (entries.data > 0)
        return np.bincount(entries.coords[0][predicted], minlength=totals.shape[0]).astype(np.float64)


@dataclass(frozen=True)
class CopyRate(RatioOfTokens):
    """Share of the source's words that are left in the output: untranslated words, names, and words of both languages.

    CopyRate = 100 * sum over types with a letter of min(count in hypothesis, count in source) / source tokens with a
    letter, counted segment by segment.

    Statistics: words copied, source words. Score: 0-100, lower is better; 0 for an empty output or totals without
    source words.

    Raises `InputError` where the test set has no source.

    **Source:** untranslation as a failure of unsupervised systems, Gowda et al. 2021, section 4.
    """

    higher_is_better: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = False

    name: str = "CopyRate"

    @property
    def details(self) -> Sequence[str]:
        return ("words:with a letter",)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Words copied and source words, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        if test.source is None:
            raise InputError(f"{self.name} needs the source of the test set: put source.txt beside the reference")
        ours, theirs = aligned_tokens(self.tokeniser, hypotheses, TestSet((test.source,)))
        entries = type_statistics(ours, theirs).tocoo()
        words = np.array([any(map(str.isalpha, name)) for name in ours.types], dtype=bool)
        row, column = entries.coords
        kept = words[column // 3]

        def count(which: int) -> Doubles:
            chosen = kept & (column % 3 == which)
            counts = np.bincount(row[chosen], weights=entries.data[chosen], minlength=len(hypotheses))
            return np.asarray(counts, dtype=np.float64)

        return np.column_stack([count(2), count(0)])


@dataclass(frozen=True)
class RandomMetric(SegmentMean):
    """A metric that knows nothing: each segment's score is uniform in [0, 100), drawn by seed, line and text.

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better. The same seed and text give
    the same score on every machine and with any number of workers; equal segments of two systems score alike.

    **Source:** ours.
    """

    higher_is_better: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = False

    seed: int = 0
    name: str = "Random"

    @property
    def signature(self) -> str:
        return f"{self.name}|seed:{self.seed}|blake2b"

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> list[float]:
        """The draw of each segment: (segments,)."""
        return [self._draw(line, text) for line, text in enumerate(hypotheses)]

    def _draw(self, line: int, text: str) -> float:
        drawn = blake2b(f"{self.seed} {line} {text}".encode("utf-8", "surrogatepass"), digest_size=6).digest()
        return 100 * int.from_bytes(drawn) / 2**48
