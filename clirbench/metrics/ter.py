"""TER as sacreBLEU (and Tercom) computes it, from additive counts of edits and reference words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.metrics.base import check_aligned
from clirbench.metrics.tokens import sacrebleu_version
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class TER:
    """Translation edit rate: insertions, deletions, substitutions and block shifts for each reference word.

    TER = 100 * edits / reference length. Shifts are found greedily under Tercom's limits (10 words, 50 positions,
    beam of 25 around the diagonal), as in sacreBLEU.

    `normalized` tokenises punctuation, `no_punct` removes it, `asian_support` treats CJK text with either,
    `case_sensitive` keeps the case (it is lowered otherwise).

    Statistics: edits against the reference that needs fewest, mean length of the references. Score: 0-100 and above
    (more edits than reference words), lower is better; 100 where references without words meet a text with words,
    0 where both have none.

    Raises `AlignmentError` for unequal numbers of lines.

    **Source:** Snover et al. 2006; conventions: sacreBLEU's port of Tercom.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: str = "TER"

    @property
    def higher_is_better(self) -> bool:
        return False

    @property
    def signature(self) -> str:
        def said(flag: bool) -> str:
            return "yes" if flag else "no"

        return (
            f"{self.name}|case:{'mixed' if self.case_sensitive else 'lc'}|tok:tercom|norm:{said(self.normalized)}"
            f"|punct:{said(not self.no_punct)}|asian:{said(self.asian_support)}|sacrebleu:{sacrebleu_version()}"
        )

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Edits and mean reference length, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        from sacrebleu.metrics.ter import TER as SacreTER

        library = SacreTER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        rows = library._extract_corpus_statistics(list(hypotheses), [list(r) for r in test.references])
        return np.array(rows, dtype=np.float64).reshape(len(hypotheses), 2)

    def score(self, totals: Doubles) -> Doubles:
        """TER from summed statistics, vectorised over leading axes: (..., 2) -> (...), 0-100 and above."""
        edits, length = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(edits, length, out=np.array(np.sign(edits)), where=length > 0))
