"""An error rate that is computed by hand in a moment: lower is better."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.metrics.tokens import Tokenised
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class WrongWords(Tokenised):
    """100 * reference words that the hypothesis has not at their place / reference words."""

    higher_is_better = False
    first_reference: ClassVar[bool] = True

    tokenize: str = "none"
    name: str = "Wrong"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Wrong words and reference words, one row a segment: (segments, 2)."""
        ours, theirs = self.tokens(hypotheses, test)
        pairs = [(set(enumerate(h)), set(enumerate(r))) for h, r in zip(ours.lines(), theirs.lines(), strict=True)]
        return np.array([(len(reference - hypothesis), len(reference)) for hypothesis, reference in pairs], dtype=float)

    def score(self, totals: Doubles) -> Doubles:
        return 100 * totals[..., 0] / totals[..., 1]
