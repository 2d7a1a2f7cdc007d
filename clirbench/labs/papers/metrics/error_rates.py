"""WER, PER and CDER: errors for each reference word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.metrics.tokenised import Tokenised
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class WER(Tokenised):
    """Word error rate: word insertions, deletions and substitutions for each reference word, as jiwer computes it.

    WER = 100 * edits / reference words, edits = Levenshtein distance of the tokens.

    `tokenize=none` (the default, as in jiwer) splits on white space.

    Statistics: edits, reference words. Score: 0-100 and above, lower is better; an empty hypothesis has one deletion
    a word; totals without any reference word have 100 where there are edits and 0 where there are none. Defined for
    one reference: of several, the first is used (`refs:first` in the signature).

    **Source:** Levenshtein 1966; jiwer.
    """

    higher_is_better: ClassVar[bool] = False
    first_reference: ClassVar[bool] = True
    kind: ClassVar[int] = 0

    tokenize: str = "none"
    name: str = "WER"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Errors and reference words, one row a segment: (segments, 2)."""
        from clirbench.labs.papers.metrics.edits import errors

        ours, theirs = self.tokens(hypotheses, test)
        counts = errors(ours.numbers, ours.offsets, theirs.numbers, theirs.offsets, self.kind)
        return np.column_stack([counts, theirs.lengths])

    def score(self, totals: Doubles) -> Doubles:
        """Error rate from summed statistics, vectorised over leading axes: (..., 2) -> (...), 0-100 and above."""
        found, words = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(found, words, out=np.array(np.sign(found)), where=words > 0))


@dataclass(frozen=True)
class PER(WER):
    """Position-independent error rate: word errors where the order of words does not matter.

    PER = 100 * (max(hypothesis words, reference words) - words in both) / reference words, per segment, words in
    both = sum over types of the smaller count.

    Statistics, scale, direction, empty sides and several references as in `WER`; tokens are those of `tokenize`.

    **Source:** Tillmann et al. 1997; Moses, `mert/PerScorer.cpp`.
    """

    kind: ClassVar[int] = 1

    tokenize: str = "13a"
    name: str = "PER"


@dataclass(frozen=True)
class CDER(WER):
    """Block-movement error rate: edits where a jump to any place in the hypothesis costs one.

    CDER = 100 * CD distance / reference words. Each reference word is covered exactly once; hypothesis words may be
    covered several times or not at all.

    Statistics, scale, direction, empty sides and several references as in `WER`; tokens are those of `tokenize`.

    **Source:** Leusch et al. 2006, section 3; Moses, `mert/CderScorer.cpp`.
    """

    kind: ClassVar[int] = 2

    tokenize: str = "13a"
    name: str = "CDER"
