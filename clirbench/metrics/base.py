"""What an MT metric is: one row of statistics a segment, and a score from summed rows.

    score = metric.score(metric.statistics(hypotheses, test).sum(axis=0))

Because the statistics are additive, every resampling is a product: `metric.score(W @ statistics)` for integer
weights W (resamples x segments). A median is one too: a sum says how often it holds each segment (`segments.py`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from clirbench.errors import AlignmentError
from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Sparse: TypeAlias = "csr_array[Any]"
Statistics: TypeAlias = "Doubles | Sparse"


@runtime_checkable
class Metric(Protocol):
    """An MT metric; a frozen dataclass whose fields are its configuration.

    Raises `ConfigError` when it is made with a value outside its range or choices (a tokeniser is one), and, of lines,
    `AlignmentError` unless there is one hypothesis for each line of every reference.

    It may declare `needs_reference`, whether its score depends on the reference (default: not known), and
    `by_segment`, that its statistics are dense and each row depends on its own segment alone: then a large test set is
    counted some segments at a time. One whose statistics are those of others too declares `counter(test)`: what counts
    for all that have an equal one, named after what it counts; MacroF1 and MicroF1 so count once. One that must know
    whose text it scores declares `for_systems`, as `segments.per_system` says.
    """

    @property
    def name(self) -> str:
        """The column's name, e.g. `BLEU`; equal to the name of its YAML unless the YAML cannot spell it."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score means a better translation; False for TER, WER, ..."""

    @property
    def signature(self) -> str:
        """Everything that can move the number, in sacreBLEU's manner."""

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Statistics:
        """Additive statistics: float64 array or scipy.sparse csr_array (segments x k).

        What is derived from the test set alone is analysed once per run (cached on the hashable `TestSet`).
        """

    def score(self, totals: Doubles) -> Doubles:
        """Scores from summed statistics, (..., k) -> (...), vectorised, times 100: error rates can be above 100."""


@runtime_checkable
class Resampled(Protocol):
    """A metric of sparse statistics that has a faster way to the scores of many resamples than summing rows."""

    def resampled(self, statistics: Sparse, weights: Doubles) -> Doubles:
        """Scores under every row of segment weights: (samples, segments) -> (samples,)."""


def counter(metric: Metric, test: TestSet) -> Metric:
    """The metric that makes the statistics of this one: itself, unless others count the same.

    A class that counts in its own way, but was derived from one that shares its counts, counts for itself.
    """
    counts: Metric = metric.counter(test) if hasattr(metric, "counter") else metric
    return counts if type(counts).statistics is type(metric).statistics else metric


def hashable(lines: Sequence[str]) -> Sequence[str]:
    """The lines as a part of a cache's key: as they are where they can be one, else as a tuple."""
    return tuple(lines) if getattr(lines, "__hash__", None) is None else lines


def check_aligned(hypotheses: Sequence[str], test: TestSet) -> None:
    """Raise `AlignmentError` unless there is one hypothesis for each line of every reference."""
    counts = [len(reference) for reference in test.references]
    if any(len(hypotheses) != count for count in counts):
        lines = ", ".join(map(str, counts))
        said = f"{len(hypotheses)} hypotheses for references of {lines} lines:"
        raise AlignmentError(f"{said} a metric needs one hypothesis a line; check which file was cut short")
