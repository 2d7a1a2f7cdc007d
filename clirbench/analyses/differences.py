"""`analysis=[differences]`: which metric predicts retrieval better."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from clirbench.analyses.wording import listed, number, sizes
from clirbench.errors import UnknownName
from clirbench.result import AnalysisTable, Result
from clirbench.statistics.differences import TESTS, Cluster, Difference, clusters, differences
from clirbench.statistics.evidence import Evidence, holes
from clirbench.statistics.p_values import smallest_significant_tau

CLUSTERS = (
    "Metrics by their coefficient; a new cluster begins where every metric above differs significantly from every "
    "metric below."
)


@dataclass(frozen=True)
class DifferencesAnalysis:
    """Is one metric a better predictor than another? Tables `differences` and `clusters`.

    Fields as in `differences.differences`. Raises `UnknownName` for a test. A run with fewer than two metrics gives no
    rows and a sentence that says so.
    """

    tests: Sequence[str] = ("perm-systems", "perm-both", "williams")
    coefficient: str = "kendall"
    samples: int = 1000
    alpha: float = 0.05
    complete: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in TESTS:
                raise UnknownName("analyses.differences.tests", test, TESTS)

    def tables(self, result: Result) -> Sequence[AnalysisTable]:
        evidence = result.evidence
        rows = differences(
            evidence,
            self.tests,
            coefficient=self.coefficient,
            samples=self.samples,
            alpha=self.alpha,
            seed=self.seed,
            complete=self.complete,
        )
        found = clusters(rows)
        size = sizes(evidence, self.samples, self.seed)
        text = [*difference_findings(evidence, rows, self.alpha), size, *_what_the_tests_ask(rows)]
        return (
            AnalysisTable.of("differences", "Is one metric a better predictor than another?", Difference, rows, text),
            AnalysisTable.of("clusters", "Significance clusters of metrics", Cluster, found, [CLUSTERS, size]),
        )


def difference_findings(evidence: Evidence, rows: Sequence[Difference], alpha: float) -> Iterator[str]:
    """A sentence for each measure, from the first test that could be done."""
    if not rows:
        yield "Nothing to compare: that takes two metrics and a measure, each with a value for every system."
    n = len(evidence.systems)
    smallest = smallest_significant_tau(n)
    if not isnan(smallest):
        yield f"With {n} systems and no ties, the smallest tau that differs from 0 at .05 is {number(smallest)}."
    for measure in evidence.measure_names:
        done = [row for row in rows if row.measure == measure and not isnan(row.p_value)]
        first = [row for row in done if row.test == done[0].test]
        if not first:
            continue
        values = {r.metric_a: r.value_a for r in first} | {r.metric_b: r.value_b for r in first}
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
        yield f"{head}; it is {versus} ({first[0].test}, Holm over {len(first)} pairs, alpha {alpha:g})."
    for hole in holes(evidence):
        yield f"{hole}: it takes part only if analyses.differences.complete=true."


def _what_the_tests_ask(rows: Sequence[Difference]) -> Iterator[str]:
    tests = {row.test for row in rows if not isnan(row.p_value)}
    if "perm-systems" in tests:
        yield "perm-systems swaps the two metrics' scores of whole systems; its error rate is correct."
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
