"""MacroF and MicroF: F-scores of word types, as if translation were a classification of tokens.

Statistics have three columns a type: REFS, PREDS, MATCH of type t are columns 3t, 3t + 1, 3t + 2. Types are numbered
in one consistent way: those of the reference in order of first occurrence, then those that only the hypotheses have,
in order of first occurrence there; `types` gives their names in that order.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.checks import number
from clirbench.files.lines import Spool
from clirbench.metrics.base import Sparse, Statistics, check_aligned
from clirbench.metrics.tokens import STRETCH, Tokenised, Tokens, token_stretches
from clirbench.types import Doubles, Ints, TestSet


@dataclass(frozen=True)
class TypeAverage(Tokenised):
    """What averages over word types share: the statistics and the names of the types.

    An empty hypothesis or reference line has no types. Defined for one reference: of several, the first is used
    (`refs:first` in the signature).
    """

    first_reference: ClassVar[bool] = True

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Sparse:
        """REFS, PREDS and MATCH of every type, one sparse row a segment: (segments, 3 * types)."""
        if len(test) <= STRETCH:
            return type_statistics(*self.tokens(hypotheses, test))
        check_aligned(hypotheses, test)
        return _joined(token_stretches(self.tokeniser, hypotheses, test.references[:1]), len(test))

    def counter(self, test: TestSet) -> "MacroF":
        """The same for all averages over types of one tokeniser."""
        return MacroF(self.tokenize, self.lowercase, name="type counts")

    def types(self, hypotheses: Sequence[str], test: TestSet) -> tuple[str, ...]:
        """The names of the types, in the order of the statistics' column triples."""
        return self.tokens(hypotheses, test)[0].types


@dataclass(frozen=True)
class MacroF(TypeAverage):
    """Mean over all word types of the type's F-score.

    MacroF_beta = 100 / |V| * sum over c in V of F_beta(c), V = types of hypotheses and reference together,
    F_beta(c) = (1 + beta^2) P R / (beta^2 P + R), P = MATCH / PREDS, R = MATCH / REFS, and 0 where MATCH is 0.

    V is the types with a count in the totals, so it is recomputed for every resample, document or segment.
    Score: 0-100, higher is better; 0 for totals without any token.

    **Source:** Gowda et al. 2021, section 2.
    """

    kind: ClassVar[str] = "MacroF"

    beta: float = 1
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        number(f"{self.kind}: beta", self.beta, least=0)
        object.__setattr__(self, "name", self.name or f"{self.kind}{self.beta:g}")

    @property
    def details(self) -> Sequence[str]:
        return (f"beta:{self.beta:g}",)

    @property
    def weighting(self) -> tuple[bool, float]:
        """Whether a type has a weight of its own, REFS + k, and k."""
        return False, 0.0

    def score(self, totals: Statistics) -> Doubles:
        """The average from summed statistics, vectorised over leading axes: (..., 3 * types) -> (...), 0-100."""
        micro, k = self.weighting
        return average_types(totals, micro=micro, beta=self.beta, k=k)

    def resampled(self, statistics: Sparse, weights: Doubles) -> Doubles:
        """Scores under every row of weights: (samples, segments) -> (samples,), 0-100; one pass over the types."""
        from clirbench.metrics.kernels import resampled

        micro, k = self.weighting
        return resampled(statistics.tocsc(), weights, self.beta**2, k, micro)


@dataclass(frozen=True)
class MicroF(MacroF):
    """Mean over all word types of the type's F-score, weighted by how often the reference has it.

    MicroF_beta = 100 * sum over c in V of f(c) F_beta(c) / sum over c in V of f(c), f(c) = REFS(c) + k.

    V and F_beta(c) as in `MacroF`; `k` smooths the weights (1). Score: 0-100, higher is better; 0 for totals
    without any token.

    **Source:** Gowda et al. 2021, section 2 and footnote 3.
    """

    kind: ClassVar[str] = "MicroF"

    k: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        number(f"{self.kind}: k", self.k, least=0)

    @property
    def details(self) -> Sequence[str]:
        return (*super().details, f"k:{self.k:g}")

    @property
    def weighting(self) -> tuple[bool, float]:
        return True, float(self.k)


def average_types(totals: Statistics, *, micro: bool = False, beta: float = 1, k: float = 1) -> Doubles:
    """100 times the average over types of F, from dense or sparse totals.

    Dense totals (..., 3 * types) give (...); a sparse matrix gives one value for each of its rows; 0 without any type.
    How types are numbered moves no bit: of a row the small terms are added first.
    """
    if isinstance(totals, np.ndarray):
        shape = totals.shape[:-1]
        dense = totals.reshape(math.prod(shape), totals.shape[-1] // 3, 3)
        rows, kinds = np.nonzero(dense[..., 0] + dense[..., 1])
        held = dense[rows, kinds]
    else:
        (rows, held), shape = _by_type(totals), totals.shape[:1]
    above, below = (_sums(rows, part, shape) for part in _terms(held, micro=micro, beta=beta, k=k))
    return np.asarray(100.0 * above / np.where(below > 0, below, 1.0))


def _sums(rows: Ints, values: Doubles, shape: tuple[int, ...]) -> Doubles:
    """The sum of each row's values, smallest first."""
    order = np.lexsort((values, rows))
    return np.bincount(rows[order], values[order], math.prod(shape)).reshape(shape).astype(np.float64)


def _by_type(totals: Sparse) -> tuple[Ints, Doubles]:
    """Row, and REFS, PREDS and MATCH (entries, 3), of every type that a sparse matrix holds, row by row."""
    entries, kinds = totals.tocoo(), max(1, totals.shape[1] // 3)
    row, column = entries.coords
    keys, at = np.unique(row.astype(np.int64) * kinds + column // 3, return_inverse=True)
    held = np.zeros((len(keys), 3))
    np.add.at(held, (at, column % 3), entries.data)
    return keys // kinds, held


def _terms(held: Doubles, *, micro: bool, beta: float, k: float) -> tuple[Doubles, Doubles]:
    """Weight times F, and weight, of each type: (..., 3) -> (...) twice; both are 0 for a type without a count."""
    refs, preds, match = (held[..., column] for column in range(3))
    weight = refs + k if micro else np.ones_like(refs)
    weight = np.where(refs + preds > 0, weight, 0.0)
    return weight * (1 + beta**2) * match / np.where(match > 0, preds + beta**2 * refs, 1.0), weight


def type_statistics(ours: Tokens, theirs: Tokens) -> Sparse:
    """REFS, PREDS and MATCH of every type, one sparse row a segment, from the tokens of both sides."""
    from clirbench.metrics.kernels import count_types
    from clirbench.native.special import csr_array

    counts = count_types(ours.numbers, ours.offsets, theirs.numbers, theirs.offsets)
    return csr_array(counts, shape=(len(ours.lengths), 3 * ours.n_types))


def _joined(stretches: Iterable[tuple[Tokens, Tokens]], n: int) -> Sparse:
    """The statistics of `n` segments, of which some are counted at a time."""
    from clirbench.native.special import csr_array

    data, indices, indptr, shape = Spool(), Spool(), Spool(), (0, 0)
    indptr.write(np.zeros(1, dtype=np.int64))
    for ours, theirs in stretches:
        part = type_statistics(ours, theirs)
        indptr.write(part.indptr[1:] + np.int64(data.length // part.data.itemsize))
        data.write(part.data)
        indices.write(part.indices)
        shape = n, part.shape[1]
    starts = indptr.array(np.int64).astype(np.int32 if data.length < 2**31 * 8 else np.int64)
    return csr_array((data.array(np.float64), indices.array(np.int32), starts), shape=shape)
