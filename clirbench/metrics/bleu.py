"""BLEU as sacreBLEU computes it, from additive counts of n-gram matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.checks import number, one_of
from clirbench.metrics.tokens import (
    ReferenceNgrams,
    References,
    Tokenised,
    Tokeniser,
    Tokens,
    of_references,
    reference_tokens,
)
from clirbench.types import Doubles, Ints, TestSet

KEPT = 2_000_000
"""N-grams of all references above which tables are made at each use: those of words cost little time."""
SMOOTHING: dict[str, float] = {"exp": 0.0, "floor": 0.1, "add-k": 1.0, "none": 0.0}
"""Smoothing methods and the value each takes when none is given (0: it takes none)."""


@dataclass(frozen=True)
class BLEU(Tokenised):
    """Geometric mean of clipped n-gram precisions times a brevity penalty, equal to sacreBLEU's.

    BLEU = 100 * BP * exp(mean over n of log p_n), p_n = matches_n / n-grams_n of the hypotheses,
    BP = min(1, exp(1 - reference length / hypothesis length)).

    `tokenize` and `lowercase` as in `Tokenised`; `smooth_method` is exp, floor, add-k or none, with `smooth_value` for
    floor and add-k; `effective_order` leaves out the orders that a short text cannot have, as one wants for scores of
    single segments.

    Statistics: hypothesis length, length of the closest reference (the shorter one on a tie), matches of order 1..N,
    hypothesis n-grams of order 1..N. Several references: an n-gram counts as often as in the reference that has it
    most. Score: 0-100, higher is better; 0 where nothing matches at all, an empty hypothesis included; an empty
    reference is a reference of length 0 that nothing matches.

    **Source:** Papineni et al. 2002; smoothing: Chen and Cherry 2014; conventions: sacreBLEU (Post 2018).
    """

    by_segment: ClassVar[bool] = True

    smooth_method: str = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = False
    name: str = "BLEU"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("BLEU: smooth_method", self.smooth_method, SMOOTHING)
        number("BLEU: max_ngram_order", self.max_ngram_order, least=1)
        if self.smooth_value is not None:
            number("BLEU: smooth_value", self.smooth_value, least=0)

    @property
    def smoothed_by(self) -> float:
        """The value of the smoothing method: the one given, or the method's own."""
        return SMOOTHING[self.smooth_method] if self.smooth_value is None else self.smooth_value

    @property
    def details(self) -> Sequence[str]:
        value = f"[{self.smoothed_by:.2f}]" if SMOOTHING[self.smooth_method] else ""
        order = () if self.max_ngram_order == 4 else (f"order:{self.max_ngram_order}",)
        return (f"eff:{'yes' if self.effective_order else 'no'}", f"smooth:{self.smooth_method}{value}", *order)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Lengths, matches and n-gram counts, one row a segment: (segments, 2 + 2N)."""
        ours, _ = self.tokens(hypotheses, test)
        return ngram_statistics(self.tokeniser, ours, test, self.max_ngram_order)

    def score(self, totals: Doubles) -> Doubles:
        """BLEU from summed statistics, vectorised over leading axes: (..., 2 + 2N) -> (...), 0-100."""
        n = self.max_ngram_order
        value = self.smoothed_by
        matches = totals[..., 2 : 2 + n].copy()
        counts = totals[..., 2 + n :].copy()
        any_match = matches.any(axis=-1)
        if self.smooth_method == "add-k":
            matches[..., 1:] += value
            counts[..., 1:] += value
        # The library stops at the first order without n-grams: every later one keeps precision 0.
        reached = np.logical_and.accumulate(counts > 0, axis=-1)
        precisions = np.divide(100.0 * matches, counts, out=np.zeros_like(counts), where=reached)
        missed = reached & (matches == 0)
        if self.smooth_method == "exp":
            halvings = 2.0 ** np.cumsum(missed, axis=-1)
            np.divide(100.0, halvings * counts, out=precisions, where=missed)
        elif self.smooth_method == "floor":
            np.divide(100.0 * value, counts, out=precisions, where=missed)
        logs = np.log(precisions, out=np.full_like(precisions, -9999999999.0), where=precisions > 0)
        orders = np.full(any_match.shape, n)
        if self.effective_order:
            orders = np.maximum(reached.sum(axis=-1), 1)
            logs[~reached] = 0.0
        score = brevity_penalty(totals[..., 0], totals[..., 1]) * np.exp(logs.sum(axis=-1) / orders)
        return np.where(any_match, score, 0.0)


def brevity_penalty(hypothesis: Doubles, reference: Doubles) -> Doubles:
    """exp(1 - reference / hypothesis) where the hypothesis is shorter (0 where it is empty), else 1."""
    ratio = np.divide(reference, hypothesis, out=np.full_like(hypothesis, np.inf), where=hypothesis > 0)
    return np.where(hypothesis < reference, np.exp(1.0 - ratio), 1.0)


@of_references(4)
def reference_ngrams(tokeniser: Tokeniser, references: References, order: int) -> ReferenceNgrams:
    """The n-grams of each segment's references with their highest count."""
    tokens = reference_tokens(tokeniser, references)
    return ReferenceNgrams(tokens.numbers, tokens.offsets, len(references), order).prepared(KEPT)


def ngram_statistics(tokeniser: Tokeniser, tokens: Tokens, test: TestSet, order: int) -> Doubles:
    """Hypothesis length, closest reference length, matches and counts of orders 1..N: (segments, 2 + 2N)."""
    known = reference_ngrams(tokeniser, test.references, order)
    lengths = tokens.lengths
    counts = np.maximum(lengths[:, None] - np.arange(order), 0)
    matches = known.matches(tokens.numbers, tokens.offsets)
    return np.column_stack([lengths, closest_lengths(lengths, known.lengths), matches, counts]).astype(np.float64)


def closest_lengths(lengths: Ints, of_references: Ints) -> Ints:
    """The reference length closest to each hypothesis length, the shorter one on a tie: (segments,)."""
    shortest_first = np.sort(of_references, axis=0)
    nearest = np.abs(shortest_first - lengths).argmin(axis=0)
    return np.asarray(np.take_along_axis(shortest_first, nearest[None, :], axis=0)[0])
