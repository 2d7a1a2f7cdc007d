"""Table 1 of Gowda et al. 2021: sentences that differ from their reference in one word, as metrics score them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clirbench.datasets.manifests import ManifestFiles, Places, load_manifest
from clirbench.errors import AlignmentError
from clirbench.files.tables import read_table
from clirbench.metrics.base import Metric
from clirbench.papers.cells import PaperCell, cells_table, compared, leading, without
from clirbench.papers.tau_table import embedded
from clirbench.result import AnalysisTable
from clirbench.text import TextFile
from clirbench.types import TestSet

if TYPE_CHECKING:
    from clirbench.result import Result

CANDIDATES, REFERENCES, SCORES = "cands.txt", "refs.txt", "bleurt-base.scores.txt"


@dataclass(frozen=True)
class OneWord:
    """The printed BLEURT scores beside the published score file, and every metric's score of each sentence alone.

    The paper's claim, that a model-free metric scores all the wrong words of one sentence alike, is a row of the
    table of scores: its spread over the wrong words of each reference.
    """

    name: str
    title: str
    printed: str
    metrics: Mapping[str, Metric]
    manifest: str = "gowda2021_bleurt_bias"
    mirror: str | None = None
    cache: str | None = None
    download: bool = False

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The printed cells beside the published scores, and what each metric gives every sentence."""
        files = ManifestFiles(load_manifest(self.manifest), Places(self.mirror, self.cache, self.download))
        paths = files.locate([CANDIDATES, REFERENCES, SCORES])
        candidates, references, scores = (TextFile(paths[n]).lines() for n in (CANDIDATES, REFERENCES, SCORES))
        if not len(candidates) == len(references) == len(scores):
            raise AlignmentError(f"{paths[CANDIDATES]}, {REFERENCES}, {SCORES}: different numbers of lines")
        bleurt = {line.split(" ")[0]: float(score) for line, score in zip(candidates, scores, strict=True)}
        test = TestSet((references,))
        by_metric = {
            name: np.asarray(metric.score(_dense(metric.statistics(candidates, test)))).tolist()
            for name, metric in self.metrics.items()
        }
        header = ("reference", "candidate", "BLEURT", *by_metric)
        rows = tuple(
            (references[i], line, float(scores[i]), *(values[i] for values in by_metric.values()))
            for i, line in enumerate(candidates)
        )
        text = tuple(spreads(references, candidates, {"BLEURT": list(map(float, scores)), **by_metric}))
        n = len(rows)
        scored = AnalysisTable(f"{self.name}_scores", "Each sentence scored alone", header, rows, text, shown=n, said=n)
        return [cells_table(self.name, self.title, list(self.cells(bleurt))), scored]

    def cells(self, bleurt: Mapping[str, float]) -> Iterator[PaperCell]:
        """A cell for each printed word."""
        for record in read_table(embedded(self.printed)).records():
            word, printed = record["word"], leading(float(record["BLEURT"]))
            if word in bleurt:
                yield compared(self.name, word, "score", "BLEURT", bleurt[word], leading(bleurt[word]), printed,
                               note="from the published score file; BLEURT is not run")  # fmt: skip
            else:
                why = "this word is not in the published score file, which has Joel and Lexi among the names"
                yield without(self.name, word, "score", "BLEURT", printed, why)


def spreads(
    references: Sequence[str], candidates: Sequence[str], scores: Mapping[str, Sequence[float]]
) -> Iterator[str]:
    """For each metric and reference, the least and greatest score of the wrong words."""
    for reference in dict.fromkeys(references):
        wrong = [i for i, line in enumerate(candidates) if references[i] == reference and line != reference]
        parts = [
            f"{name} {min(values[i] for i in wrong):.3f} to {max(values[i] for i in wrong):.3f}"
            for name, values in scores.items()
        ]
        yield f"{reference!r} with {len(wrong)} wrong first words: {', '.join(parts)}."


def _dense(statistics: object) -> np.typing.NDArray[np.float64]:
    return statistics if isinstance(statistics, np.ndarray) else np.asarray(statistics.toarray())  # type: ignore[attr-defined]
