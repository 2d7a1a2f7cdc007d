"""chrF and chrF++ as sacreBLEU computes them, from additive counts of n-gram matches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.metrics.base import check_aligned, check_least
from clirbench.metrics.tokens import sacrebleu_version
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class ChrF:
    """F-score of character n-grams (and word n-grams for chrF++), equal to sacreBLEU's.

    chrF = 100 * (1 + beta^2) * P * R / (beta^2 * P + R), where P and R are the means of the n-gram precisions and
    recalls over the orders that both sides have (`eps_smoothing`: the mean of the orders' own F-scores instead).

    `char_order` character orders (6), `word_order` word orders (0; 2 is chrF++), `beta` the weight of recall,
    `whitespace` keeps white space among the characters.

    Statistics: for each order hypothesis n-grams (0 where the reference has none of that order), reference n-grams,
    matches. Several references: the one with the highest score of the segment, the first on a tie.
    Score: 0-100, higher is better; 0 where nothing can be compared (empty hypothesis or reference).

    Raises `ConfigError` for a value out of range, `AlignmentError` for unequal numbers of lines.

    **Source:** Popović 2015 (chrF), Popović 2017 (chrF++); conventions: sacreBLEU.
    """

    beta: float = 2
    char_order: int = 6
    word_order: int = 0
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        check_least("chrF", "beta", self.beta, 0)
        check_least("chrF", "char_order", self.char_order, 0)
        check_least("chrF", "word_order", self.word_order, 0)
        check_least("chrF", "char_order + word_order", self.char_order + self.word_order, 1)
        if not self.name:
            # As the field says it: chrF1, chrF2, chrF3 by beta; chrF++ is beta 2 with two word orders.
            plain = f"chrF{self.beta:g}" if not self.word_order or self.beta != 2 else "chrF"
            object.__setattr__(self, "name", plain + "+" * self.word_order)

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def signature(self) -> str:
        case = "lc" if self.lowercase else "mixed"
        effective = "no" if self.eps_smoothing else "yes"
        space = "yes" if self.whitespace else "no"
        return (
            f"{self.name}|case:{case}|eff:{effective}|nc:{self.char_order}|nw:{self.word_order}|space:{space}"
            f"|beta:{self.beta:g}|sacrebleu:{sacrebleu_version()}"
        )

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Hypothesis, reference and matching n-grams of every order, one row a segment: (segments, 3 * orders)."""
        check_aligned(hypotheses, test)
        from sacrebleu.metrics.chrf import CHRF

        library = CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,  # type: ignore[arg-type]  # any number, says its arithmetic
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )
        rows = library._extract_corpus_statistics(list(hypotheses), [list(r) for r in test.references])
        return np.array(rows, dtype=np.float64).reshape(len(hypotheses), -1)

    def score(self, totals: Doubles) -> Doubles:
        """chrF from summed statistics, vectorised over leading axes: (..., 3 * orders) -> (...), 0-100."""
        hypothesis, reference, match = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        factor = self.beta**2
        missing = 1e-16 if self.eps_smoothing else 0.0
        precision = _ratio(match, hypothesis, missing)
        recall = _ratio(match, reference, missing)
        if self.eps_smoothing:
            f_scores = _ratio((1 + factor) * precision * recall, factor * precision + recall, missing)
            return np.asarray(100.0 * _sum(f_scores) / f_scores.shape[-1])
        both = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(both.sum(axis=-1), 1)
        mean_precision = _sum(np.where(both, precision, 0.0)) / orders
        mean_recall = _sum(np.where(both, recall, 0.0)) / orders
        product = (1 + factor) * mean_precision * mean_recall
        return np.asarray(100.0 * _ratio(product, factor * mean_precision + mean_recall, 0.0))


def _ratio(above: Doubles, below: Doubles, missing: float) -> Doubles:
    return np.divide(above, below, out=np.full_like(above, missing), where=below > 0)


def _sum(orders: Doubles) -> Doubles:
    """Sum over the last axis one order after the other, in the library's order of additions (ties depend on it)."""
    total = np.zeros(orders.shape[:-1])
    for order in range(orders.shape[-1]):
        total = total + orders[..., order]
    return total
