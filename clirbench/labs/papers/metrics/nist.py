"""NIST as mteval-v13a computes it: n-gram matches weighted by their information."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clirbench.checks import check_least
from clirbench.metrics.bleu import reference_ngrams
from clirbench.metrics.segments import ratio
from clirbench.metrics.tokenised import Tokenised
from clirbench.metrics.tokens import Tokeniser, reference_tokens
from clirbench.types import Doubles, TestSet

HALVES_AT = np.log(1.5)
"""The length penalty is one half where the output has two thirds of the reference's length."""


@dataclass(frozen=True)
class NIST(Tokenised):
    """Information of the matching n-grams for each n-gram of the hypotheses, summed over orders 1 to 5.

    NIST = penalty * sum over n of (sum over matching n-grams of their information) / max(n-grams_n, 1),
    information of w1..wn = log2(count of w1..w(n-1) / count of w1..wn) in all references (of one word:
    log2(all words / count)), penalty = exp(-ln 2 * (ln(min(1, hypothesis length / mean reference length)) / ln 1.5)^2).

    Matches are clipped, several references as in BLEU; `lowercase` is on by default as in mteval without `-c`;
    `tokenize=intl` is its `--international-tokenization`.

    Statistics: hypothesis length, mean reference length, information of the matches of order 1..N, n-grams of order
    1..N. The information comes from the whole test set, also where totals are those of a resample.
    Score: from 0 up (about 0-15, NOT 0-100: the scale mteval prints), higher is better; 0 for an empty hypothesis or
    where references have no word.

    **Source:** Doddington 2002; mteval-v13a.pl (`compute_ngram_info`, `nist_score`, `nist_length_penalty`).
    """

    lowercase: bool = True
    max_ngram_order: int = 5
    name: str = "NIST"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("NIST", "max_ngram_order", self.max_ngram_order, 1)

    @property
    def details(self) -> Sequence[str]:
        return (f"order:{self.max_ngram_order}",)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Lengths, information of matches and n-gram counts, one row a segment: (segments, 2 + 2N)."""
        from clirbench.metrics.compiled.ngrams import count_matches

        order = self.max_ngram_order
        tokens, _ = self.tokens(hypotheses, test)
        known = reference_ngrams(self.tokeniser, test.references, order)
        all_keys, information = _information(self.tokeniser, test.references, order)
        sums = np.empty((len(test), order))
        for block, tables in known.blocks():
            offsets = tokens.offsets[block.start : block.stop + 1]
            sums[block] = count_matches(tokens.numbers, offsets, order, *tables, all_keys, information)
        counts = np.maximum(tokens.lengths[:, None] - np.arange(order), 0)
        return np.column_stack([tokens.lengths, known.lengths.mean(axis=0), sums, counts]).astype(np.float64)

    def score(self, totals: Doubles) -> Doubles:
        """NIST from summed statistics, vectorised over leading axes: (..., 2 + 2N) -> (...), from 0 up."""
        n = self.max_ngram_order
        information = ratio(totals[..., 2 : 2 + n], np.maximum(totals[..., 2 + n :], 1)).sum(axis=-1)
        lengths = np.minimum(ratio(totals[..., 0], totals[..., 1]), 1.0)
        logs = np.log(lengths, out=np.full_like(lengths, -np.inf), where=lengths > 0)
        return np.asarray(information * np.exp(-np.log(2) * (logs / HALVES_AT) ** 2))


@lru_cache(maxsize=4)
def _information(
    tokeniser: Tokeniser, references: tuple[tuple[str, ...], ...], order: int
) -> tuple[NDArray[np.int64], Doubles]:
    """All n-grams of the references and their information, as `compiled.ngrams` keeps them."""
    from clirbench.labs.papers.metrics.information import build_information

    tokens = reference_tokens(tokeniser, references)
    built: tuple[NDArray[np.int64], Doubles] = build_information(tokens.numbers, tokens.offsets, order)
    return built
