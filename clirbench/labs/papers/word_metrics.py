"""SentBLEU and BLEU+1; what judges no translation and every table needs: length ratio, type count, a random metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from clirbench.checks import number
from clirbench.metrics.base import Statistics
from clirbench.metrics.bleu import brevity_penalty, ngram_statistics
from clirbench.metrics.macrof import TypeAverage
from clirbench.metrics.segments import SegmentMean, ratio
from clirbench.metrics.tokens import Tokenised
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
        number(f"{self.name}: smoothing", self.smoothing, least=0)

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
        return np.where(rows[:, 0] > 0, 100.0 * brevity_penalty(rows[:, 0], rows[:, 1]) * product, 0.0)


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
class LengthRatio(Tokenised):
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

    def score(self, totals: Doubles) -> Doubles:
        """The ratio from summed statistics, vectorised over leading axes: (..., 2) -> (...), from 0 up."""
        return np.asarray(100.0 * ratio(totals[..., 0], totals[..., 1]))


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
        predicted = totals[..., 1::3] if isinstance(totals, np.ndarray) else totals.tocsc()[:, 1::3]
        return np.asarray((predicted > 0).sum(axis=-1), dtype=np.float64)


@dataclass(frozen=True)
class RandomMetric(SegmentMean):
    """A metric that knows nothing: each segment's score is uniform in [0, 100), drawn by seed, line and text.

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better. The same seed and text give
    the same score on every machine and with any number of workers; equal segments of two systems score alike.

    **Source:** ours.
    """

    higher_is_better = True
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
