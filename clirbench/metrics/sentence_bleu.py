"""Means of smoothed sentence BLEU: the WMT15 baseline SentBLEU, and BLEU+1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.checks import check_least
from clirbench.metrics.base import check_aligned
from clirbench.metrics.bleu import brevity_penalty, ngram_statistics
from clirbench.metrics.segments import as_statistics, mean
from clirbench.metrics.tokens import Tokeniser, hypothesis_tokens, sacrebleu_version
from clirbench.types import Doubles, TestSet

ORDER = 4


@dataclass(frozen=True)
class SentBLEU:
    """Mean of the smoothed sentence BLEU of Moses' `sentence-bleu`, the segment-level baseline of WMT15.

    Of one segment: 100 * BP * (prod over n = 1..4 of (matches_n + s) / (n-grams_n + s)) ** (1/4), with s = `smoothing`
    added to every order, unigrams too, BP = min(1, exp(1 - closest reference length / hypothesis length)).

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better. An empty hypothesis has
    score 0; an empty reference is one that nothing matches. Several references: as in BLEU.

    Raises `ConfigError` for a value out of range, `AlignmentError` for unequal numbers of lines.

    **Source:** Stanojević et al. 2015, section 2.2.11; Moses, `mert/BleuScorer.cpp`, `smoothedSentenceBleu`.
    """

    tokenize: str = "13a"
    lowercase: bool = False
    smoothing: float = 1
    name: str = "SentBLEU"

    def __post_init__(self) -> None:
        check_least(self.name, "smoothing", self.smoothing, 0)
        _ = self.tokeniser

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.tokenize, self.lowercase)

    @property
    def releases_gil(self) -> bool:
        return self.tokeniser.releases_gil

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def signature(self) -> str:
        return f"{self.name}|{self.tokeniser.signature}|add:{self.smoothing:g}|mean|sacrebleu:{sacrebleu_version()}"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """(segment score, 1), one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        tokens = hypothesis_tokens(self.tokeniser, tuple(hypotheses), test.references)
        return as_statistics(self.sentence_scores(ngram_statistics(self.tokeniser, tokens, test, ORDER)))

    def sentence_scores(self, rows: Doubles) -> Doubles:
        """Scores of segments from BLEU's statistics: (segments, 10) -> (segments,)."""
        added = np.full(ORDER, float(self.smoothing))
        return smoothed(rows, added)

    def score(self, totals: Doubles) -> Doubles:
        """Mean segment score, vectorised over leading axes: (..., 2) -> (...), 0-100."""
        return mean(totals)


@dataclass(frozen=True)
class BLEUPlus1(SentBLEU):
    """Mean of BLEU+1: sentence BLEU with one added to matches and counts of every order above 1.

    Of one segment: 100 * BP * (matches_1 / n-grams_1 * prod over n = 2..4 of (matches_n + 1) / (n-grams_n + 1))
    ** (1/4); the fourth root is the geometric mean that the text describes. Everything else is as in `SentBLEU`:
    statistics (segment score, 1), 0-100, higher is better, 0 where no unigram matches.

    Raises `ConfigError` for a value out of range, `AlignmentError` for unequal numbers of lines.

    **Source:** Neubig 2017, eq. 105; Lin and Och 2004.
    """

    name: str = "BLEU+1"

    def sentence_scores(self, rows: Doubles) -> Doubles:
        """Scores of segments from BLEU's statistics: (segments, 10) -> (segments,)."""
        added = np.full(ORDER, float(self.smoothing))
        added[0] = 0.0
        return smoothed(rows, added)


def smoothed(rows: Doubles, added: Doubles) -> Doubles:
    """100 * BP * geometric mean of (matches + added) / (counts + added): (segments, 10) -> (segments,)."""
    matches = rows[:, 2 : 2 + ORDER] + added
    counts = rows[:, 2 + ORDER :] + added
    precisions = np.divide(matches, counts, out=np.zeros_like(counts), where=counts > 0)
    product = np.prod(precisions, axis=1) ** (1 / ORDER)
    scores = 100.0 * brevity_penalty(rows[:, 0], rows[:, 1]) * product
    return np.where(rows[:, 0] > 0, scores, 0.0)
