"""TER by sacreBLEU's own counts, kept for each segment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.metrics.base import check_aligned
from clirbench.metrics.tokenised import sacrebleu_signature
from clirbench.metrics.tokens import case_of
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class TER:
    """Translation edit rate: insertions, deletions, substitutions and block shifts for each reference word.

    TER = 100 * edits / reference length. A real segment takes some 8 ms, one of 1,000 words up to a minute.

    `normalized` tokenises punctuation, `no_punct` removes it, `asian_support` treats CJK text with either,
    `case_sensitive` keeps the case (it is lowered otherwise).

    Statistics: edits against the reference that needs fewest, mean length of the references. Score: 0-100 and above
    (more edits than reference words), lower is better; 100 where references without words meet a text with words,
    0 where both have none.

    **Source:** Snover et al. 2006; the counts are those of `sacrebleu.metrics.TER`.
    """

    higher_is_better: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: str = "TER"

    @property
    def signature(self) -> str:
        norm, punct, asian = (
            "yes" if flag else "no" for flag in (self.normalized, not self.no_punct, self.asian_support)
        )
        settings = f"norm:{norm}", f"punct:{punct}", f"asian:{asian}"
        return sacrebleu_signature(self.name, case_of(not self.case_sensitive), "tok:tercom", *settings)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Edits and mean reference length, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        from sacrebleu.metrics.ter import TER as Counts

        counts = Counts(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        counts._force = True  # or it warns of texts with a space before the last full stop
        rows = counts._extract_corpus_statistics(hypotheses, test.references)
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    def score(self, totals: Doubles) -> Doubles:
        """TER from summed statistics, vectorised over leading axes: (..., 2) -> (...), 0-100 and above."""
        edits, length = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(edits, length, out=np.array(np.sign(edits)), where=length > 0))
