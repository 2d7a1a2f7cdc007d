"""What an MT metric is: one row of statistics a segment, and a score from summed rows.

    score = metric.score(metric.statistics(hypotheses, test).sum(axis=0))

Because the statistics are additive, every resampling is a product: `metric.score(W @ statistics)` for integer
weights W (resamples x segments). Medians and other aggregates that are no function of sums set `additive = False`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Statistics = Doubles | csr_array[Any]


@runtime_checkable
class Metric(Protocol):
    """An MT metric; a frozen dataclass whose fields are its configuration."""

    @property
    def name(self) -> str:
        """The column's name, e.g. `BLEU`; equal to the name of its YAML unless the YAML cannot spell it."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score means a better translation; False for TER, WER, ..."""

    @property
    def signature(self) -> str:
        """Everything that can move the number, in sacreBLEU's manner."""

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> "Statistics":
        """Additive statistics: float64 array or scipy.sparse csr_array (segments x k).

        What is derived from the test set alone is analysed once per run (cached on the hashable `TestSet`).
        """

    def score(self, totals: Doubles) -> Doubles:
        """Scores from summed statistics, vectorised over leading axes: (..., k) -> (...), on a scale of 0-100."""
