"""`analysis=[power]`: how many systems and topics it would take to see a difference between two metrics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isinf, isnan

from clirbench.labs.planning.power import Power, PowerPlan, power_table
from clirbench.pages.table import Table
from clirbench.pages.wording import number, short
from clirbench.report.facts import sizes
from clirbench.result import Result

HOW = (
    "Simulated from a normal copula of metrics and measure, each with the noise that resampling shows; tested as by "
    "analysis=[differences] (perm-systems, Holm over all pairs of metrics). Taus are of true values, without noise."
)


@dataclass(frozen=True)
class PowerAnalysis(PowerPlan):
    """How many systems and topics would it take? Table `power`.

    A run that cannot be modelled (fewer than 3 units or 2 metrics, or along training) gives no rows and a sentence.
    """

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        rows = power_table(evidence, self, result.units)
        text = [*power_findings(rows), sizes(evidence, self.simulations, self.seed)]
        return (Table.of("power", "How many systems and topics would it take?", Power, rows, text),)


def power_findings(rows: Sequence[Power]) -> Iterator[str]:
    """For each measure: the smallest difference that would be found; for each size its power, and what is enough."""
    if not rows:
        yield (
            "Not simulated: that takes 3 independent systems, 2 metrics that are not constant and a measure at least; "
            "along training no difference is claimed."
        )
    for measure in dict.fromkeys(row.measure for row in rows):
        here = [row for row in rows if row.measure == measure]
        first, simulated = here[0], [row for row in here if not isnan(row.power)]
        if simulated:
            found = f"the smallest difference in tau that would be found with probability {short(first.wanted)} is "
            found += number(first.smallest) if not isnan(first.smallest) else "larger than any that is possible"
            yield (
                f"{measure}, {first.n_systems} systems: {found} ({first.metric_a}, tau {number(first.tau_a)}, against "
                f"{first.metric_b}; Holm over {first.family} pairs, alpha {short(first.alpha)})."
            )
        for row in simulated:
            systems = (
                "more systems than were tried" if isinf(row.systems_needed) else f"{short(row.systems_needed)} systems"
            )
            text = f"{measure}: power for a difference of {short(row.difference)} is {number(row.power, 2)} now"
            text += f" (+-{number(row.error, 2)}); {short(row.wanted)} takes {systems}"
            if not isnan(row.topics_needed):
                enough = f"{short(row.topics_needed)} topics" if not isinf(row.topics_needed) else "no number of topics"
                text += f", or {enough} with {row.n_systems} systems"
            yield f"{text}."
        notes = dict.fromkeys(row.note for row in here if row.note)
        for note in notes:
            if any(other != note and other.startswith(note) for other in notes):
                continue
            yield f"{measure}, {first.metric_a} against {first.metric_b}: {note}."
    if rows:
        yield HOW
