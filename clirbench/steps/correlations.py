"""The finished tau table: tests, corrections and intervals, which need all segments and topics of all systems."""

from dataclasses import asdict, dataclass
from typing import Any

import scipy

from clirbench.statistics.bootstrap import Bootstrap
from clirbench.statistics.correlation import KENDALL, correlate, reliabilities, with_corrections, with_intervals
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.units.belonging import Units


@dataclass(frozen=True)
class Correlations:
    """(evidence, units) -> the fields of every row of correlations.tsv; without `intervals` no resampled ones.

    Kendall's tau is always among the coefficients: the answer is made from it.

    `same_lines`: see `without_noise`.
    """

    coefficients: tuple[str, ...]
    alpha: float
    p_value: str
    complete: bool
    seed: int
    intervals: Bootstrap | None
    same_lines: bool

    @property
    def signature(self) -> str:
        """Whose quantiles these are: part of the key of the result."""
        return f"scipy-{scipy.__version__}"

    def __call__(self, item: tuple[Evidence, Units]) -> list[dict[str, Any]]:
        evidence, units = item
        rows = correlate(
            evidence.board,
            self.coefficients if KENDALL in self.coefficients else (*self.coefficients, KENDALL),
            alpha=self.alpha,
            p_value=self.p_value,
            complete=self.complete,
            seed=self.seed,
            units=units,
            reliabilities=reliabilities(evidence),
        )
        if self.intervals is not None:
            rows = with_corrections(rows, evidence, units, same_lines=self.same_lines, seed=self.seed)
            rows = with_intervals(rows, evidence, self.intervals, self.complete, units)
        return [asdict(row) for row in rows]
