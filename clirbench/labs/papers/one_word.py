"""Sentences that differ from their reference in one word, as metrics score them.

**Source:** Gowda et al. 2021, Table 1: BLEURT prefers some words to others where BLEU and MacroF1 do not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from clirbench.errors import AlignmentError
from clirbench.labs.papers.cells import PaperCell
from clirbench.labs.papers.printing import leading
from clirbench.labs.papers.published import PublishedFiles, load_published
from clirbench.labs.papers.statistics.segment_level import segment_scores
from clirbench.metrics.base import Metric
from clirbench.result import AnalysisTable
from clirbench.text import TextFile
from clirbench.types import TestSet

CANDIDATES, REFERENCES, SCORES = "cands.txt", "refs.txt", "bleurt-base.scores.txt"


@dataclass(frozen=True)
class ScoredSentences:
    """Each candidate with its reference and its published BLEURT score."""

    candidates: tuple[str, ...]
    references: tuple[str, ...]
    bleurt: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class OneWord(PublishedFiles):
    """The printed BLEURT scores beside the published score file, and every metric's score of each sentence alone.

    The paper's claim, that a model-free metric scores all the wrong words of one sentence alike, is a row of the
    table of scores: its spread over the wrong words of each reference.
    """

    printed: str
    metrics: Mapping[str, Metric]

    def cells(self) -> Iterator[PaperCell]:
        """The score of each printed word."""
        found = {line.split(" ")[0]: s for line, s in zip(self._read.candidates, self._read.bleurt, strict=True)}
        for record in load_published(self.printed).records():
            word, printed = record["word"], leading(float(record["BLEURT"]))
            if word in found:
                note = "from the published score file; BLEURT is not run"
                value = found[word]
                yield PaperCell(word, "score", "BLEURT", printed=printed, shown=leading(value), value=value, note=note)
            else:
                why = "this word is not in the published score file, which has Joel and Lexi among the names"
                yield PaperCell(word, "score", "BLEURT", printed=printed, note=why)

    def further(self) -> Sequence[AnalysisTable]:
        """What each metric gives every sentence."""
        read = self._read
        scores: dict[str, Sequence[float]] = {"BLEURT": read.bleurt}
        test = TestSet((read.references,))
        for name, metric in self.metrics.items():
            scores[name] = segment_scores(metric, metric.statistics(read.candidates, test)).tolist()
        rows = tuple(zip(read.references, read.candidates, *scores.values(), strict=True))
        return [
            AnalysisTable(
                f"{self.name}_scores",
                "Each sentence scored alone",
                ("reference", "candidate", *scores),
                rows,
                tuple(spreads(read, scores)),
                shown=len(rows),
                said=len(rows),
            )
        ]

    @cached_property
    def _read(self) -> ScoredSentences:
        paths = self.locate(CANDIDATES, REFERENCES, SCORES)
        candidates, references, scores = (TextFile(paths[name]).lines() for name in (CANDIDATES, REFERENCES, SCORES))
        if not len(candidates) == len(references) == len(scores):
            raise AlignmentError(f"{paths[CANDIDATES]}, {REFERENCES}, {SCORES}: different numbers of lines")
        return ScoredSentences(candidates, references, tuple(map(float, scores)))


def spreads(read: ScoredSentences, scores: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """For each metric and reference, the least and greatest score of the wrong words."""
    pairs = list(zip(read.references, read.candidates, strict=True))
    for reference in dict.fromkeys(read.references):
        wrong = [i for i, (expected, line) in enumerate(pairs) if expected == reference and line != reference]
        parts = [
            f"{name} {min(values[i] for i in wrong):.3f} to {max(values[i] for i in wrong):.3f}"
            for name, values in scores.items()
        ]
        yield f"{reference!r} with {len(wrong)} wrong first words: {', '.join(parts)}."
