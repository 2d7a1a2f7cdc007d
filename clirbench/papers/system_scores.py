"""A published table of scores of two systems and their difference, such as Table 6 of Gowda et al. 2021."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from clirbench.corpora.base import CorpusSource
from clirbench.files.tables import read_table
from clirbench.metrics.base import Metric
from clirbench.papers.cells import PaperCell, cells_table, compared, leading, without
from clirbench.papers.pair_texts import PairTexts, check_labels, how_to_give, read_pair
from clirbench.papers.tau_table import embedded, printed_cells
from clirbench.result import AnalysisTable
from clirbench.types import TestSet

if TYPE_CHECKING:
    from clirbench.result import Result

SIDES = ("SN", "UN")


@dataclass(frozen=True)
class ScoreTable:
    """Scores of two systems by language pair, computed from their texts, beside the printed ones.

    texts: language pair to corpus; folders: language pair to a folder, in their place. metrics: column to metric;
    imported: a shipped table of scores that are not computed here (columns `group`, `system`). `digits` of computed
    scores; imported ones have three, their differences two. explained: {row, measure, metric, ours, note}.
    """

    name: str
    title: str
    printed: str
    metrics: Mapping[str, Metric]
    texts: Mapping[str, CorpusSource] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    pair: Sequence[str] = ("snmt", "unmt")
    imported: str = ""
    digits: int = 1
    explained: Sequence[Mapping[str, str]] = ()

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The published table beside ours, cell by cell."""
        return [cells_table(self.name, self.title, list(reproduce_scores(self)))]


def corpus_score(metric: Metric, hypotheses: Sequence[str], test: TestSet) -> float:
    """The metric of a whole output: the score of the summed statistics."""
    return float(metric.score(np.asarray(metric.statistics(hypotheses, test).sum(axis=0)).reshape(-1)))


def reproduce_scores(table: ScoreTable) -> Iterator[PaperCell]:
    """Every printed cell, computed again where the texts are at hand."""
    printed = printed_cells(table.printed)
    labels = list(dict.fromkeys(label for label, _ in printed))
    check_labels(table.folders, labels)
    imported = _imported(table.imported)
    for label in labels:
        texts = read_pair(label, table.texts, table.folders, table.pair)
        for metric in printed[label, SIDES[0]]:
            if metric in ("group", "measure"):
                continue
            cells = [printed[label, measure][metric] for measure in (*SIDES, "difference")]
            if texts is not None and metric in table.metrics:
                yield from _computed(table, texts, metric, cells)
            elif all((label, system, metric) in imported for system in table.pair):
                yield from _given(table, label, metric, [imported[label, s, metric] for s in table.pair], cells)
            else:
                yield from _missing(table, label, metric, cells)


def _computed(table: ScoreTable, texts: PairTexts, metric: str, printed: Sequence[str]) -> Iterator[PaperCell]:
    scores = [corpus_score(table.metrics[metric], lines, texts.test) for lines in (texts.first, texts.second)]
    shown = [f"{score:.{table.digits}f}" for score in scores]
    yield from _three(table, texts.label, metric, scores, shown, str(Decimal(shown[0]) - Decimal(shown[1])), printed)


def _given(
    table: ScoreTable, label: str, metric: str, scores: Sequence[float], printed: Sequence[str]
) -> Iterator[PaperCell]:
    shown = [leading(score) for score in scores]
    difference = leading(scores[0] - scores[1], 2)
    yield from _three(table, label, metric, scores, shown, difference, printed, "scores as published, not computed")


def _three(
    table: ScoreTable, label: str, metric: str, scores: Sequence[float], shown: Sequence[str], difference: str,
    printed: Sequence[str], note: str = "",
) -> Iterator[PaperCell]:  # fmt: skip
    values = (*scores, scores[0] - scores[1])
    for measure, value, ours, theirs in zip((*SIDES, "difference"), values, (*shown, difference), printed, strict=True):
        why = {
            entry["ours"]: entry["note"]
            for entry in table.explained
            if (entry["row"], entry["measure"], entry["metric"]) == (label, measure, metric)
        }
        yield compared(table.name, label, measure, metric, value, ours, theirs, explained=why, note=note)


def _missing(table: ScoreTable, label: str, metric: str, printed: Sequence[str]) -> Iterator[PaperCell]:
    """Cells without texts; the printed difference is still held against the printed scores."""
    first, second, difference = map(Decimal, printed)
    places = Decimal(1).scaleb(difference.as_tuple().exponent)  # type: ignore[arg-type]
    off = abs(first - second - difference) > places
    why = how_to_give(label) if metric in table.metrics else "no model here scores segments as BLEURT does"
    for measure, theirs in zip((*SIDES, "difference"), printed, strict=True):
        note = f"the printed scores differ by {first - second}; {why}" if off and measure == "difference" else why
        yield without(table.name, label, measure, metric, theirs, note)


def _imported(name: str) -> dict[tuple[str, str, str], float]:
    if not name:
        return {}
    file = read_table(embedded(name))
    return {
        (record["group"], record["system"], column): float(record[column])
        for record in file.records()
        for column in file.header
        if column not in ("group", "system")
    }
