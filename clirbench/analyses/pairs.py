"""`analysis=[pairs]`: which of two MT systems is better."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clirbench.analyses.wording import sizes
from clirbench.errors import ConfigError, UnknownName
from clirbench.metrics.base import Typed
from clirbench.result import AnalysisTable, Result
from clirbench.statistics.pairs import PAIR_TESTS, PairTest, compare_pairs
from clirbench.statistics.resampling import SAMPLING


@dataclass(frozen=True)
class PairsAnalysis:
    """Is one MT system better than another, by every metric and measure? Table `pairs`.

    `pair` names two systems; none: all pairs. Other fields as in `pairs.compare_pairs`. Raises `UnknownName`,
    `ConfigError`.
    """

    pair: Sequence[str] | None = None
    tests: Sequence[str] = ("bootstrap",)
    samples: int = 1000
    sampling: str = "replacement"
    alpha: float = 0.05
    seed: int = 12345

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in PAIR_TESTS:
                raise UnknownName("analyses.pairs.tests", test, PAIR_TESTS)
        if self.sampling not in SAMPLING:
            raise UnknownName("analyses.pairs.sampling", self.sampling, SAMPLING)
        if len(self.pair or ()) not in (0, 2):
            raise ConfigError(f"pair={list(self.pair or ())}: name two systems, or none for all pairs")

    def tables(self, result: Result) -> Sequence[AnalysisTable]:
        pairs = [(self.pair[0], self.pair[1])] if self.pair else None
        evidence = result.evidence
        if "randomisation" in self.tests:
            evidence = replace(evidence, types=type_names(result))
        rows = compare_pairs(
            evidence, self.tests, pairs=pairs, samples=self.samples, sampling=self.sampling, seed=self.seed
        )
        text = [*pair_findings(rows, self.alpha), sizes(evidence, self.samples, self.seed)]
        return (AnalysisTable.of("pairs", "Is one MT system better than another?", PairTest, rows, text),)


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


def pair_findings(rows: Sequence[PairTest], alpha: float) -> Iterator[str]:
    """For each column and test, how many pairs of systems it tells apart."""
    for column, test in dict.fromkeys((row.column, row.test) for row in rows):
        here = [row for row in rows if (row.column, row.test) == (column, test)]
        single, apart = sum(row.p_value < alpha for row in here), sum(row.p_holm < alpha for row in here)
        text = (
            f"{column} ({test}, {here[0].n_items} {here[0].items}, {here[0].samples} samples, seed {here[0].seed}): "
            f"{single} of {len(here)} pairs of systems have p < {alpha:g}"
        )
        if len(here) > alpha * (here[0].samples + 1):
            least = int(len(here) / alpha)
            yield f"{text}; Holm's correction over all pairs cannot be met with fewer than {least} samples."
        else:
            yield f"{text}, {apart} after Holm's correction."
    if any(row.test == "bootstrap" for row in rows):
        yield (
            "The bootstrap's p is sacreBLEU's, which is one-sided for all but tiny differences: at .05 about one in "
            "ten pairs of equal systems is called different. The interval of the difference is two-sided."
        )
    if not rows:
        yield "No column's segments or topics are known, so no two systems can be compared."
