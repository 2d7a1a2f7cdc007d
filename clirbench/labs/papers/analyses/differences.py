"""`analysis=[differences]`: which metric predicts retrieval better."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from clirbench.labs.papers.statistics.differences import Comparing, Difference, MetricCluster, clusters, differences
from clirbench.pages.table import Table
from clirbench.pages.wording import listed, number, short
from clirbench.report.facts import sizes
from clirbench.report.tables import gap_findings
from clirbench.result import Result
from clirbench.statistics.evidence import Evidence, holes
from clirbench.statistics.model.pseudo_bias import TauGap, tau_gaps, twice_judged
from clirbench.statistics.p_values import smallest_significant_tau
from clirbench.statistics.units.belonging import Units

CLUSTERS = (
    "Metrics by their coefficient; a new cluster begins where every metric above differs significantly from every "
    "metric below."
)
BIAS = (
    "bias: tau with the measure by pseudo-relevance less tau with the same measure by the judgments, over the "
    "same systems; above 0 the metric looks better by pseudo-relevance. The intervals are not corrected for their "
    "number."
)
BIAS_COLUMNS = (
    "pseudo", "judged", "metric", "tau_pseudo", "tau_judged", "bias", "ci_low", "ci_high", "n_systems", "n_units",
    "note",
)  # fmt: skip


@dataclass(frozen=True)
class DifferencesAnalysis(Comparing):
    """Is one metric a better predictor than another? Tables `differences`, `clusters`.

    And `pseudo_bias`, where measures have both pseudo-relevance and other judgments. A run with fewer than two metrics
    gives no rows and a sentence that says so.
    """

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        rows = differences(evidence, self, result.units)
        found = clusters(rows)
        size = sizes(evidence, self.samples, self.seed)
        text = [*difference_findings(evidence, rows, self.alpha, result.units), size, *_what_the_tests_ask(rows)]
        tables = [
            Table.of("differences", "Is one metric a better predictor than another?", Difference, rows, text),
            Table.of("clusters", "Significance clusters of metrics", MetricCluster, found, [CLUSTERS, size]),
        ]
        bias = tau_gaps(evidence.board, result.units, twice_judged(evidence.board))
        if bias:
            title = "Does a metric look better by pseudo-relevance than by the judgments?"
            text = [BIAS, *gap_findings(bias), size]
            tables.append(Table.of("pseudo_bias", title, TauGap, bias, text, header=BIAS_COLUMNS))
        return tables


def difference_findings(evidence: Evidence, rows: Sequence[Difference], alpha: float, units: Units) -> Iterator[str]:
    """A sentence for each measure, from the first test that could be done."""
    if not rows:
        yield "Nothing to compare: that takes two metrics and a measure, each with a value for every system."
    n = len(evidence.systems)
    smallest = smallest_significant_tau(n)
    if not isnan(smallest) and units.independent:
        yield f"With {n} systems and no ties, the smallest tau that differs from 0 at .05 is {number(smallest)}."
    for measure in evidence.measure_names:
        done = [row for row in rows if row.measure == measure and not isnan(row.p_value)]
        first = [row for row in done if row.test == done[0].test]
        if not first:
            why = dict.fromkeys(row.note for row in rows if row.measure == measure)
            yield from (f"{measure}: no metric is called better than another: {note}." for note in why)
            continue
        most = [row for row in first if row.n_systems == max(r.n_systems for r in first)]
        values = {r.metric_a: r.value_a for r in most} | {r.metric_b: r.value_b for r in most}
        best = max(values, key=lambda metric: values[metric])
        apart = [r for r in first if r.significant == "true"]
        head = f"{measure}: {best} agrees best ({number(values[best])}, {first[0].coefficient})"
        if not apart:
            least = min(row.p_value for row in first)
            yield (
                f"{head}, but no two metrics differ significantly ({first[0].test}, Holm over {len(first)} pairs; "
                f"smallest uncorrected p {number(least)})."
            )
            continue
        beaten = [r.metric_b if r.metric_a == best else r.metric_a for r in apart if best in (r.metric_a, r.metric_b)]
        versus = f"significantly better than {listed(beaten)}" if beaten else "not significantly better than any other"
        yield f"{head}; it is {versus} ({first[0].test}, Holm over {len(first)} pairs, alpha {short(alpha)})."
    yield from (f"{hole}: its rows are over the systems it has." for hole in holes(evidence))


def _what_the_tests_ask(rows: Sequence[Difference]) -> Iterator[str]:
    tests = {row.test for row in rows if not isnan(row.p_value)}
    if "perm-systems" in tests:
        yield (
            "perm-systems swaps the two metrics' values of whole systems (their ranks); where systems "
            "form units, it holds the difference of tau between units against its jackknife error."
        )
    if tests & {"perm-both", "perm-inputs"}:
        shift = max(
            abs(s) for row in rows if row.test in ("perm-both", "perm-inputs") for s in (row.shift_a, row.shift_b)
        )
        yield (
            "perm-both and perm-inputs exchange segments' pseudo-values: more power, but they reject too often where "
            "equally good metrics see whole systems differently. The mean pseudo-values give coefficients at most "
            f"{number(shift)} away from the scores' own."
        )
    if "williams" in tests:
        yield "williams is a test of Pearson's r, not of tau, and assumes normal columns."
