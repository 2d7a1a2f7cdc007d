"""MacroF and MicroF: F-scores of word types, as if translation were a classification of tokens.

Statistics have three columns a type: REFS, PREDS, MATCH of type t are columns 3t, 3t + 1, 3t + 2. Types are numbered
in one consistent way: those of the reference in order of first occurrence, then those that only the hypotheses have,
in order of first occurrence there; `types` gives their names in that order.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.metrics.base import check_aligned, check_least
from clirbench.metrics.tokens import Tokeniser, sacrebleu_version
from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class TypeAverage:
    """What MacroF and MicroF share: the tokeniser, the statistics and the names of the types."""

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        _ = self.tokeniser

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.tokenize, self.lowercase)

    @property
    def higher_is_better(self) -> bool:
        return True

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> "csr_array[Any]":
        """REFS, PREDS and MATCH of every type, one sparse row a segment: (segments, 3 * types)."""
        check_aligned(hypotheses, test)
        from scipy.sparse import csr_array

        rows, columns, values, n_types = _type_counts(self.tokeniser, tuple(hypotheses), test.references[0])
        return csr_array((values, (rows, columns)), shape=(len(hypotheses), 3 * n_types))

    def types(self, hypotheses: Sequence[str], test: TestSet) -> tuple[str, ...]:
        """The names of the types, in the order of the statistics' column triples."""
        check_aligned(hypotheses, test)
        known = _reference_types(self.tokeniser, test.references[0])
        found = dict.fromkeys(token for line in self.tokeniser(hypotheses) for token in line)
        return (*known, *(token for token in found if token not in known))


@dataclass(frozen=True)
class MacroF(TypeAverage):
    """Mean over all word types of the type's F-score.

    MacroF_beta = 100 / |V| * sum over c in V of F_beta(c), V = types of hypotheses and reference together,
    F_beta(c) = (1 + beta^2) P R / (beta^2 P + R), P = MATCH / PREDS, R = MATCH / REFS, and 0 where MATCH is 0.

    V is the types with a count in the totals, so it is recomputed for every resample, document or segment.
    Score: 0-100, higher is better; 0 for totals without any token. Defined for one reference: of several, the first
    is used (`refs:first` in the signature). An empty reference line has no types.

    Raises `ConfigError` for a value out of range, `AlignmentError` for unequal numbers of lines.

    **Source:** Gowda et al. 2021, section 2.
    """

    beta: float = 1
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("MacroF", "beta", self.beta, 0)
        object.__setattr__(self, "name", self.name or f"MacroF{self.beta:g}")

    @property
    def signature(self) -> str:
        return f"{self.name}|{self.tokeniser.signature}|refs:first|sacrebleu:{sacrebleu_version()}"

    def score(self, totals: Doubles) -> Doubles:
        """MacroF from summed statistics, vectorised over leading axes: (..., 3 * types) -> (...), 0-100."""
        refs, preds, match = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        f_sum = type_f(refs, preds, match, self.beta).sum(axis=-1)
        n_types = ((refs + preds) > 0).sum(axis=-1)
        return np.asarray(100.0 * f_sum / np.maximum(n_types, 1))


@dataclass(frozen=True)
class MicroF(TypeAverage):
    """Mean over all word types of the type's F-score, weighted by how often the reference has it.

    MicroF_beta = 100 * sum over c in V of f(c) F_beta(c) / sum over c in V of f(c), f(c) = REFS(c) + k.

    V and F_beta(c) as in `MacroF`; `k` smooths the weights (1). Score: 0-100, higher is better; 0 for totals
    without any token. Of several references the first is used.

    Raises `ConfigError` for a value out of range, `AlignmentError` for unequal numbers of lines.

    **Source:** Gowda et al. 2021, section 2 and footnote 3.
    """

    beta: float = 1
    k: float = 1
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("MicroF", "beta", self.beta, 0)
        check_least("MicroF", "k", self.k, 0)
        object.__setattr__(self, "name", self.name or f"MicroF{self.beta:g}")

    @property
    def signature(self) -> str:
        return f"{self.name}|{self.tokeniser.signature}|k:{self.k:g}|refs:first|sacrebleu:{sacrebleu_version()}"

    def score(self, totals: Doubles) -> Doubles:
        """MicroF from summed statistics, vectorised over leading axes: (..., 3 * types) -> (...), 0-100."""
        refs, preds, match = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        weights = np.where((refs + preds) > 0, refs + self.k, 0.0)
        weighted = (weights * type_f(refs, preds, match, self.beta)).sum(axis=-1)
        whole = weights.sum(axis=-1)
        return np.asarray(100.0 * np.divide(weighted, whole, out=np.zeros_like(weighted), where=whole > 0))


def type_f(refs: Doubles, preds: Doubles, match: Doubles, beta: float) -> Doubles:
    """F_beta of types from their counts: (1 + beta^2) MATCH / (PREDS + beta^2 REFS), 0 where nothing matches."""
    below = preds + beta**2 * refs
    return np.divide((1 + beta**2) * match, below, out=np.zeros_like(below), where=match > 0)


@lru_cache(maxsize=4)
def _reference_types(tokeniser: Tokeniser, reference: tuple[str, ...]) -> dict[str, int]:
    found = dict.fromkeys(token for line in tokeniser(reference) for token in line)
    return {token: number for number, token in enumerate(found)}


@lru_cache(maxsize=4)
def _reference_counts(tokeniser: Tokeniser, reference: tuple[str, ...]) -> tuple[Counter[str], ...]:
    return tuple(Counter(tokens) for tokens in tokeniser(reference))


@lru_cache(maxsize=2)
def _type_counts(
    tokeniser: Tokeniser, hypotheses: tuple[str, ...], reference: tuple[str, ...]
) -> tuple[list[int], list[int], list[float], int]:
    """Row, column and value of every count, and the number of types."""
    number = dict(_reference_types(tokeniser, reference))
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, (tokens, refs) in enumerate(
        zip(tokeniser(hypotheses), _reference_counts(tokeniser, reference), strict=True)
    ):
        preds = Counter(tokens)
        for token in {**preds, **refs}:
            column = 3 * number.setdefault(token, len(number))
            for offset, count in enumerate((refs[token], preds[token], min(refs[token], preds[token]))):
                if count:
                    rows.append(row)
                    columns.append(column + offset)
                    values.append(float(count))
    return rows, columns, values, len(number)
