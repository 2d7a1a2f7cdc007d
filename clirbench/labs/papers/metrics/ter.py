"""TER as sacreBLEU (and Tercom) computes it, from additive counts of edits and reference words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.metrics.base import check_aligned
from clirbench.metrics.tokenised import sacrebleu_signature
from clirbench.metrics.tokens import SPLIT, case_of, reference_tokens, tokens_of
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

    **Source:** Snover et al. 2006; conventions: sacreBLEU's port of Tercom.
    """

    higher_is_better: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: str = "TER"

    def rules(self, passes: int) -> "Tercom":
        return Tercom(self.normalized, self.no_punct, self.asian_support, self.case_sensitive, passes)

    @property
    def signature(self) -> str:
        def said(flag: bool) -> str:
            return "yes" if flag else "no"

        return sacrebleu_signature(
            self.name,
            case_of(not self.case_sensitive),
            "tok:tercom",
            f"norm:{said(self.normalized)}",
            f"punct:{said(not self.no_punct)}",
            f"asian:{said(self.asian_support)}",
        )

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Edits and mean reference length, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        from clirbench.labs.papers.metrics.ter_edits import count_edits

        n_references = len(test.references)
        # The library normalises references twice; where that changes anything (`..5`) so must we.
        known = reference_tokens(self.rules(2), test.references)
        tokens = tokens_of(self.rules(1), hypotheses, known)
        n = len(test)
        edits = [
            count_edits(tokens.numbers, tokens.offsets, known.numbers, known.offsets[at * n : (at + 1) * n + 1])
            for at in range(n_references)
        ]
        lengths = known.lengths.reshape(n_references, n)
        return np.column_stack([np.min(edits, axis=0), lengths.sum(axis=0) / n_references])

    def score(self, totals: Doubles) -> Doubles:
        """TER from summed statistics, vectorised over leading axes: (..., 2) -> (...), 0-100 and above."""
        edits, length = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(edits, length, out=np.array(np.sign(edits)), where=length > 0))


@dataclass(frozen=True)
class Tercom:
    """Tercom's normalisation: lower case, and sacreBLEU's rules for what else is asked for, `passes` times."""

    normalized: bool
    no_punct: bool
    asian_support: bool
    case_sensitive: bool
    passes: int

    @property
    def way(self) -> int:
        return SPLIT

    def prepare(self, lines: Sequence[str]) -> Sequence[str]:
        if self.normalized or self.no_punct:
            from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

            rewrite = TercomTokenizer(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
            for _ in range(self.passes):
                lines = [rewrite(line.rstrip()) for line in lines]
            return lines
        return lines if self.case_sensitive else [line.lower() for line in lines]
