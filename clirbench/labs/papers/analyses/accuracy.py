"""`analysis=[accuracy]`: how often a metric orders two systems as retrieval does."""

from collections.abc import Sequence
from dataclasses import dataclass

from clirbench.labs.papers.statistics.soft_accuracy import Accuracy, accuracies
from clirbench.pages.table import Table
from clirbench.report.facts import sizes
from clirbench.result import Result

MEANING = (
    "accuracy: share of pairs of systems in the same order, chance .5. soft: 1 - mean |p - p| of both sides, with the "
    "interval of these topics and segments, systems being a sample (jackknife). Pairs within a unit are not counted."
)


@dataclass(frozen=True)
class AccuracyAnalysis:
    """How often does a metric order two systems as the measure does? Table `accuracy`, plain and soft (SPA)."""

    samples: int = 1000
    complete: bool = True
    seed: int = 0

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        rows = accuracies(evidence, samples=self.samples, seed=self.seed, complete=self.complete, units=result.units)
        text = [MEANING, sizes(evidence, self.samples, self.seed)]
        title = "Does a metric order two systems as retrieval does?"
        return (Table.of("accuracy", title, Accuracy, rows, text),)
