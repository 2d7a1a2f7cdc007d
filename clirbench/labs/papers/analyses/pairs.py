"""`analysis=[pairs]`: which of two MT systems is better."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clirbench.errors import UnknownName
from clirbench.labs.papers.statistics.exchange import Typed
from clirbench.labs.papers.statistics.pair_tests import PairResult, PairTests, compare_systems
from clirbench.pages.table import Table
from clirbench.pages.wording import listed, short
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.evidence import Evidence, holes

NAMED_TESTS = {
    "sacrebleu": "sacrebleu is that tool's p, which is about one-sided: of pairs of equal systems it calls .10 to .14 "
    "different at 50 items, and more with fewer.",
    "koehn": "koehn is the share of samples in which the better system is not better: one-sided, and not corrected for "
    "having looked which one is better.",
}


@dataclass(frozen=True)
class PairsAnalysis(PairTests):
    """Is one MT system better than another, by every metric and measure? Table `pairs`."""

    def check(self, result: Result) -> None:
        """Raise `UnknownName` for a system of the pair that does not take part."""
        for name in self.pair or ():
            if name not in result.board.systems:
                raise UnknownName("system of pair", str(name), result.board.systems)

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        if "randomisation" in self.tests:
            evidence = replace(evidence, types=type_names(result))
        rows = compare_systems(evidence, self)
        text = [*pair_findings(evidence, rows, self.alpha), sizes(evidence)]
        return (Table.of("pairs", "Is one MT system better than another?", PairResult, rows, text),)


def type_names(result: Result) -> dict[tuple[str, str], tuple[str, ...]]:
    """(metric, system) -> the names of its types, for the metrics with columns for each type, in a run with texts."""
    if result.inputs is None:
        return {}
    test = result.inputs.corpus.test
    return {
        (metric.name, translation.system): metric.types(translation.test.lines(), test)
        for translation in result.inputs.translations
        if translation.test is not None
        for metric in result.experiment.metrics
        if isinstance(metric, Typed)
    }


def pair_findings(evidence: Evidence, rows: Sequence[PairResult], alpha: float) -> Iterator[str]:
    """For each column and test: the first system, and which others do not differ significantly from it."""
    for column, test in dict.fromkeys((row.column, row.test) for row in rows):
        here = [row for row in rows if (row.column, row.test) == (column, test)]
        first = here[0]
        others = first.system_b if len(here) == 1 else f"the other {len(here)}"
        how = f"{first.samples} samples, seed {first.seed}" if first.samples else "all exchanges counted"
        head = f"{column}: {first.system_a} against {others} ({test}, {first.n_items} {first.items}, {how}"
        if first.note:
            yield f"{head}): {first.note}."
            continue
        alike = [row.system_b for row in here if not row.p_holm < alpha]
        apart = f"{len(here) - len(alike)} of {len(here)}" if len(here) > 1 else ("no", "yes")[not alike]
        said = f"; not significantly different from {listed(alike)}" if alike and len(here) > 1 else ""
        yield f"{head}, Holm over {first.family}): significantly different at {short(alpha)}: {apart}{said}."
    yield from (NAMED_TESTS[test] for test in dict.fromkeys(row.test for row in rows) if test in NAMED_TESTS)
    if not rows:
        yield "No column's segments or topics are known, so no two systems can be compared."
    for hole in holes(evidence):
        yield f"{hole}: no systems are compared by it."
