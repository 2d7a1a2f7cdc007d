"""`analysis=[power]`: how many systems and topics it would take to see a difference between two metrics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isinf, isnan

from clirbench.analyses.wording import number, sizes
from clirbench.result import AnalysisTable, Result
from clirbench.statistics.power import Power, power_table


@dataclass(frozen=True)
class PowerAnalysis:
    """How many systems and topics would it take? Table `power`; fields as in `power.power_table`.

    A run that cannot be modelled (fewer than 3 systems or 2 metrics) gives no rows and a sentence that says so.
    """

    differences: Sequence[float] = (0.05, 0.1, 0.2)
    wanted: float = 0.8
    alpha: float = 0.05
    simulations: int = 400
    seed: int = 0

    def tables(self, result: Result) -> Sequence[AnalysisTable]:
        evidence = result.evidence
        rows = power_table(
            evidence,
            self.differences,
            wanted=self.wanted,
            alpha=self.alpha,
            simulations=self.simulations,
            seed=self.seed,
        )
        text = [*power_findings(rows), sizes(evidence, self.simulations, self.seed)]
        return (AnalysisTable.of("power", "How many systems and topics would it take?", Power, rows, text),)


def power_findings(rows: Sequence[Power]) -> Iterator[str]:
    """For each measure and size of difference: the power now, and what would be enough."""
    if not rows:
        yield "Not simulated: that takes 3 systems, 2 metrics that are not constant and a measure at least."
    for row in rows:
        systems = "more systems than were tried" if isinf(row.systems_needed) else f"{row.systems_needed:g} systems"
        text = (
            f"{row.measure}: to see that {row.metric_a} agrees better than {row.metric_b} by {row.difference:g} (power "
            f"{row.wanted:g}, alpha {row.alpha:g}) takes {systems} at {row.n_topics} topics"
        )
        if not isnan(row.topics_needed):
            topics = (
                f"{row.topics_needed:g} topics are enough"
                if not isinf(row.topics_needed)
                else "no number of topics is enough"
            )
            text += f"; with {row.n_systems} systems {topics}"
        yield f"{text}; now the power is {number(row.power, 2)}."
    if rows:
        yield (
            "Simulated from a normal copula of metrics and measure with the noise that resampling shows, not by "
            "resampling systems."
        )
