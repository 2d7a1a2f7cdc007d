"""Means of smoothed sentence BLEU: the WMT15 baseline SentBLEU, and BLEU+1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.checks import check_least
from clirbench.metrics.bleu import brevity_penalty, ngram_statistics
from clirbench.metrics.segments import SegmentMean
from clirbench.metrics.tokenised import Tokenised
from clirbench.types import Doubles, TestSet

ORDER = 4


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
