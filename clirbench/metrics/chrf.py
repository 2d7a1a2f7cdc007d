"""chrF and chrF++ as sacreBLEU computes them, from additive counts of n-gram matches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from clirbench.checks import number
from clirbench.later import keep_recent
from clirbench.metrics import tokens
from clirbench.metrics.base import check_aligned, hashable
from clirbench.metrics.tokens import ReferenceNgrams, sacrebleu_signature
from clirbench.types import Doubles, Ints, Ints32, TestSet


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

    **Source:** Popović 2015 (chrF), Popović 2017 (chrF++); conventions: sacreBLEU.
    """

    higher_is_better = True
    needs_reference: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    beta: float = 2
    char_order: int = 6
    word_order: int = 0
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        number("chrF: beta", self.beta, least=0)
        number("chrF: char_order", self.char_order, least=0)
        number("chrF: word_order", self.word_order, least=0)
        number("chrF: char_order + word_order", self.char_order + self.word_order, least=1)
        if not self.name:
            # As the field says it: chrF1, chrF2, chrF3 by beta; chrF++ is beta 2 with two word orders.
            plain = f"chrF{self.beta:g}" if not self.word_order or self.beta != 2 else "chrF"
            object.__setattr__(self, "name", plain + "+" * self.word_order)

    @property
    def signature(self) -> str:
        return sacrebleu_signature(
            self.name,
            tokens.case_of(self.lowercase),
            f"eff:{'no' if self.eps_smoothing else 'yes'}",
            f"nc:{self.char_order}",
            f"nw:{self.word_order}",
            f"space:{'yes' if self.whitespace else 'no'}",
            f"beta:{self.beta:g}",
        )

    def counter(self, test: TestSet) -> "ChrF":
        """The same for every beta, unless it must choose among references."""
        if len(test.references) > 1:
            return self
        return replace(self, beta=2, eps_smoothing=False, name=f"chrF{'+' * self.word_order} counts")

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Hypothesis, reference and matching n-grams of every order, one row a segment: (segments, 3 * orders)."""
        check_aligned(hypotheses, test)
        ours = hashable(hypotheses)
        characters = _counts(Symbols(self.lowercase, self.whitespace), self.char_order, ours, test)
        words = [_counts(Symbols(self.lowercase, False, True), self.word_order, ours, test)] if self.word_order else []
        return self._of_best_reference(np.concatenate([characters, *words], axis=2, dtype=np.float64))

    def _of_best_reference(self, counts: Doubles) -> Doubles:
        """Each segment's row of the reference that scores highest: (references, segments, 3N) -> (segments, 3N)."""
        if len(counts) == 1:
            return np.asarray(counts[0])
        return np.asarray(np.take_along_axis(counts, self.score(counts).argmax(axis=0)[None, :, None], axis=0)[0])

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


@dataclass(frozen=True)
class Symbols:
    """Lines as sequences of characters, without white space unless it is kept, or of words."""

    lowercase: bool
    whitespace: bool
    words: bool = False

    def of(self, lines: Sequence[str], reference: Sequence[str]) -> tuple[Ints32, Ints]:
        """The number of each symbol, equal ones alike in the lines and the reference, and where each line begins."""
        from clirbench.metrics.kernels import without_white

        if self.words:
            tokeniser = tokens.Tokeniser(tokens.WORDS, self.lowercase)
            known = tokens.reference_tokens(tokeniser, (reference,))
            cut = known if lines is reference else tokens.tokens_of(tokeniser, lines, known)
            return cut.numbers, cut.offsets
        codes, offsets = tokens.code_points([line.lower() for line in lines] if self.lowercase else lines)
        return (codes.astype(np.int32), offsets) if self.whitespace else without_white(codes, offsets)


@tokens.of_references(8)
def _reference_ngrams(symbols: Symbols, order: int, reference: Sequence[str]) -> ReferenceNgrams:
    return ReferenceNgrams(*symbols.of(reference, reference), 1, order).prepared()


@keep_recent(2)
def _counts(symbols: Symbols, order: int, hypotheses: Sequence[str], test: TestSet) -> Ints32:
    """Hypothesis, reference and matching n-grams against each reference: (references, segments, 3 * order).

    Cached, so that chrF1, chrF2, chrF3 and chrF++ of one system count once.
    """
    counts = np.empty((len(test.references), len(hypotheses), 3 * order), dtype=np.int32)
    below = np.arange(order)
    for reference, out in zip(test.references, counts, strict=True):
        known = _reference_ngrams(symbols, order, reference)
        numbers, offsets = symbols.of(hypotheses, reference)
        of_reference = np.maximum(known.lengths[0][:, None] - below, 0)
        of_hypothesis = np.maximum(np.diff(offsets)[:, None] - below, 0)
        # As in the library, hypothesis n-grams of an order that the reference has no n-gram of are not counted.
        out[:, 0::3] = np.where(of_reference > 0, of_hypothesis, 0)
        out[:, 1::3] = of_reference
        out[:, 2::3] = known.matches(numbers, offsets)
    counts.flags.writeable = False
    return counts
