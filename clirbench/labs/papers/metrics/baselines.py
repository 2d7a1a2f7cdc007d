"""Baselines that every table needs: length ratio, type count, copy rate and a random metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from clirbench.errors import InputError
from clirbench.metrics.base import Statistics, check_aligned
from clirbench.metrics.macrof import TypeAverage, type_statistics
from clirbench.metrics.segments import SegmentMean, ratio
from clirbench.metrics.tokenised import Tokenised, aligned_tokens
from clirbench.types import Doubles, TestSet


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
