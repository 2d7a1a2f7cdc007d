"""A published table of scores of two systems and their difference.

**Source:** Gowda et al. 2021, Table 6: supervised and unsupervised machine translation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isnan, nan

from clirbench.labs.papers.cells import PaperCell, known_differences
from clirbench.labs.papers.pair_texts import PairTable, how_to_give
from clirbench.labs.papers.printing import leading
from clirbench.labs.papers.published import load_published, printed_cells
from clirbench.labs.papers.statistics.jackknife import text_score
from clirbench.metrics.base import Metric
from clirbench.pages.wording import fixed

MEASURES = ("SN", "UN", "difference")


@dataclass(frozen=True, kw_only=True)
class ScoreTable(PairTable):
    """Scores of two systems by language pair, computed from their texts, beside the printed ones.

    metrics: column to metric; imported: a shipped table of scores that are not computed here (columns `group`,
    `system`). `digits` of computed scores; imported ones have three, their differences two.
    explained: {row, measure, metric, ours, note}.
    """

    printed: str
    metrics: Mapping[str, Metric]
    imported: str = ""
    digits: int = 1
    explained: Sequence[Mapping[str, str]] = ()

    def cells(self) -> Iterator[PaperCell]:
        """Every printed cell, computed again where the texts are available."""
        printed = printed_cells(self.printed)
        labels = list(dict.fromkeys(label for label, _ in printed))
        self.check_labels(labels)
        imported = _imported(self.imported)
        for label in labels:
            texts = self.read_pair(label)
            for metric in printed[label, "SN"]:
                theirs = [printed[label, measure][metric] for measure in MEASURES]
                given = [imported.get((label, system, metric), nan) for system in self.pair]
                if texts is not None and metric in self.metrics:
                    scores = [text_score(self.metrics[metric], lines, texts.test) for lines in texts.outputs]
                    first, second = (fixed(score, self.digits) for score in scores)
                    shown = [first, second, str(Decimal(first) - Decimal(second))]
                    yield from self._compared(label, metric, theirs, scores, shown)
                elif not any(map(isnan, given)):
                    shown = [*map(leading, given), leading(given[0] - given[1], 2)]
                    yield from self._compared(label, metric, theirs, given, shown, "scores as published, not computed")
                else:
                    yield from self._missing(label, metric, theirs)

    def _compared(
        self,
        row: str,
        metric: str,
        theirs: Sequence[str],
        scores: Sequence[float],
        shown: Sequence[str],
        note: str = "",
    ) -> Iterator[PaperCell]:
        values = (*scores, scores[0] - scores[1])
        for measure, printed, ours, value in zip(MEASURES, theirs, shown, values, strict=True):
            known = known_differences(self.explained, row=row, measure=measure, metric=metric)
            yield PaperCell(row, measure, metric, printed=printed, shown=ours, value=value, note=note, known=known)

    def _missing(self, row: str, metric: str, theirs: Sequence[str]) -> Iterator[PaperCell]:
        """Cells without texts; the printed difference is still held against the printed scores."""
        first, second, difference = map(Decimal, theirs)
        last_digit = Decimal(1).scaleb(int(difference.as_tuple().exponent))
        why = how_to_give(row) if metric in self.metrics else "no model here scores segments as BLEURT does"
        notes = [why, why, why]
        if abs(first - second - difference) > last_digit:
            notes[-1] = f"the printed scores differ by {first - second}; {why}"
        for measure, printed, note in zip(MEASURES, theirs, notes, strict=True):
            yield PaperCell(row, measure, metric, printed=printed, note=note)


def _imported(name: str) -> dict[tuple[str, str, str], float]:
    """(group, system, metric) -> score."""
    found: dict[tuple[str, str, str], float] = {}
    for record in load_published(name).records() if name else ():
        group, system = record.pop("group"), record.pop("system")
        found |= {(group, system, metric): float(score) for metric, score in record.items()}
    return found
