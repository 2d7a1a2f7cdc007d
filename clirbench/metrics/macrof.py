"""MacroF and MicroF: F-scores of word types, as if translation were a classification of tokens.

Statistics have three columns a type: REFS, PREDS, MATCH of type t are columns 3t, 3t + 1, 3t + 2. Types are numbered
in one consistent way: those of the reference in order of first occurrence, then those that only the hypotheses have,
in order of first occurrence there; `types` gives their names in that order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clirbench.checks import check_least
from clirbench.metrics.base import check_aligned
from clirbench.metrics.tokens import Cutter, Tokeniser, hypothesis_tokens, reference_tokens, sacrebleu_version
from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from clirbench.metrics.base import Statistics


@dataclass(frozen=True)
class TypeAverage:
    """What averages over word types share: the tokeniser, the statistics and the names of the types.

    An empty hypothesis or reference line has no types. Defined for one reference: of several, the first is used
    (`refs:first` in the signature).
    """

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        _ = self.tokeniser

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.tokenize, self.lowercase)

    @property
    def releases_gil(self) -> bool:
        return self.tokeniser.releases_gil

    @property
    def higher_is_better(self) -> bool:
        return True

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> "csr_array[Any]":
        """REFS, PREDS and MATCH of every type, one sparse row a segment: (segments, 3 * types)."""
        check_aligned(hypotheses, test)
        return type_statistics(self.tokeniser, hypotheses, test)

    def counter(self, test: TestSet) -> "MacroF":
        """The same for all averages over types of one tokeniser."""
        return MacroF(self.tokenize, self.lowercase, name="type counts")

    def types(self, hypotheses: Sequence[str], test: TestSet) -> tuple[str, ...]:
        """The names of the types, in the order of the statistics' column triples."""
        check_aligned(hypotheses, test)
        return hypothesis_tokens(self.tokeniser, tuple(hypotheses), test.references[:1]).types

    def sign(self, name: str, *more: str) -> str:
        return "|".join([name, self.tokeniser.signature, *more, "refs:first", f"sacrebleu:{sacrebleu_version()}"])


@dataclass(frozen=True)
class MacroF(TypeAverage):
    """Mean over all word types of the type's F-score.

    MacroF_beta = 100 / |V| * sum over c in V of F_beta(c), V = types of hypotheses and reference together,
    F_beta(c) = (1 + beta^2) P R / (beta^2 P + R), P = MATCH / PREDS, R = MATCH / REFS, and 0 where MATCH is 0.

    V is the types with a count in the totals, so it is recomputed for every resample, document or segment.
    Score: 0-100, higher is better; 0 for totals without any token.

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
        return self.sign(self.name, f"beta:{self.beta:g}")

    def score(self, totals: "Statistics") -> Doubles:
        """MacroF from summed statistics, vectorised over leading axes: (..., 3 * types) -> (...), 0-100."""
        return average_types(totals, beta=self.beta)


@dataclass(frozen=True)
class MicroF(TypeAverage):
    """Mean over all word types of the type's F-score, weighted by how often the reference has it.

    MicroF_beta = 100 * sum over c in V of f(c) F_beta(c) / sum over c in V of f(c), f(c) = REFS(c) + k.

    V and F_beta(c) as in `MacroF`; `k` smooths the weights (1). Score: 0-100, higher is better; 0 for totals
    without any token.

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
        return self.sign(self.name, f"beta:{self.beta:g}", f"k:{self.k:g}")

    def score(self, totals: "Statistics") -> Doubles:
        """MicroF from summed statistics, vectorised over leading axes: (..., 3 * types) -> (...), 0-100."""
        return average_types(totals, micro=True, beta=self.beta, k=self.k)


@dataclass(frozen=True)
class MacroPrecision(TypeAverage):
    """Mean over the word types of the hypotheses of MATCH / PREDS.

    MacroP = 100 / |V_h| * sum over c in V_h of MATCH(c) / PREDS(c); types that are never predicted have no precision.
    Score: 0-100, higher is better; 0 where nothing is predicted at all.

    Raises `ConfigError` for an unknown tokeniser, `AlignmentError` for unequal numbers of lines.

    **Source:** Gowda et al. 2021, section 2, P_c averaged over V_h.
    """

    rate: ClassVar[int] = 1
    name: str = "MacroP"

    @property
    def signature(self) -> str:
        return self.sign(self.name)

    def score(self, totals: "Statistics") -> Doubles:
        """The average from summed statistics, vectorised over leading axes: (..., 3 * types) -> (...), 0-100."""
        return average_types(totals, rate=self.rate)


@dataclass(frozen=True)
class MacroRecall(MacroPrecision):
    """Mean over the word types of the reference of MATCH / REFS.

    MacroR = 100 / |V_y| * sum over c in V_y of MATCH(c) / REFS(c); types that the reference lacks have no recall.
    Score: 0-100, higher is better; 0 where the reference has no token at all.

    Raises `ConfigError` for an unknown tokeniser, `AlignmentError` for unequal numbers of lines.

    **Source:** Gowda et al. 2021, section 2, R_c averaged over V_y.
    """

    rate: ClassVar[int] = 2
    name: str = "MacroR"


def average_types(
    totals: "Statistics", *, width: int = 3, rate: int = 0, micro: bool = False, beta: float = 1, k: float = 1
) -> Doubles:
    """100 times the average over types of F (`rate` 0), precision (1) or recall (2), from dense or sparse totals.

    Dense totals (..., width * types) give (...); a sparse matrix gives one value for each of its rows.
    """
    from clirbench.metrics.compiled.averages import average_columns, average_dense, average_sparse

    options = (width, rate, micro, float(beta), float(k))
    if isinstance(totals, np.ndarray):
        if totals.ndim == 2 and totals.T.flags.c_contiguous and totals.dtype == np.float64:
            # So scipy leaves the product of weights and sparse statistics; turning it round would copy it.
            return np.asarray(100.0 * average_columns(totals.T, *options))
        n_rows = int(np.prod(totals.shape[:-1]))
        rows = np.ascontiguousarray(totals, dtype=np.float64).reshape(n_rows, totals.shape[-1])
        return np.asarray(100.0 * average_dense(rows, *options).reshape(totals.shape[:-1]))
    sparse = totals.tocsr()
    sparse.sum_duplicates()  # sorts the columns of each row as well
    return np.asarray(100.0 * average_sparse(sparse.data, sparse.indices, sparse.indptr, *options))


def type_statistics(cutter: Cutter, hypotheses: Sequence[str], test: TestSet) -> "csr_array[Any]":
    """REFS, PREDS and MATCH of every type, one sparse row a segment."""
    from scipy.sparse import csr_array

    from clirbench.metrics.compiled.ngrams import count_types

    reference = test.references[:1]
    ours = hypothesis_tokens(cutter, tuple(hypotheses), reference)
    theirs = reference_tokens(cutter, reference)
    counts = count_types(ours.numbers, ours.offsets, theirs.numbers, theirs.offsets, ours.n_types)
    return csr_array(counts, shape=(len(hypotheses), 3 * ours.n_types))
