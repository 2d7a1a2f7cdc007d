"""`analysis=[accuracy]`: how often a metric orders two systems as retrieval does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clirbench.analyses.wording import as_table, sizes
from clirbench.result import AnalysisTable
from clirbench.statistics.accuracy import Accuracy, accuracies

if TYPE_CHECKING:
    from clirbench.result import Result


@dataclass(frozen=True)
class AccuracyAnalysis:
    """How often does a metric order two systems as the measure does? Table `accuracy`, plain and soft (SPA)."""

    samples: int = 1000
    complete: bool = False
    seed: int = 0

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        evidence = result.evidence
        rows = accuracies(evidence, samples=self.samples, seed=self.seed, complete=self.complete)
        text = [
            "accuracy: share of pairs of systems in the same order, chance .5. soft: 1 - mean |p - p| of both sides."
        ]
        text.append(sizes(evidence, self.samples, self.seed))
        return (as_table("accuracy", "Does a metric order two systems as retrieval does?", Accuracy, rows, text),)
