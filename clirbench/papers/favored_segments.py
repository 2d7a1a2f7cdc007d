"""Published lists of the segments with the most favoritism, such as Tables 7 and 13-20 of Gowda et al. 2021."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clirbench.analyses.favoritism import favoritism, ranked
from clirbench.corpora.base import CorpusSource
from clirbench.errors import UnknownName
from clirbench.files.tables import read_table
from clirbench.metrics.base import Metric
from clirbench.papers.cells import PaperCell, cells_table, compared, leading, without
from clirbench.papers.pair_texts import PairTexts, check_labels, how_to_give, read_pair
from clirbench.papers.tau_table import embedded
from clirbench.result import AnalysisTable
from clirbench.types import Doubles

if TYPE_CHECKING:
    from clirbench.result import Result


@dataclass(frozen=True)
class FavoredSegments:
    """The segments that metrics favour most, by leave-one-out, beside the printed deltas, systems and segments.

    printed: a shipped table (columns `table`, `pair`, `metric`, `rank`, `delta`, `favours`, `segment`); number: which
    of its tables, and label: its language pair. single: deltas printed elsewhere of one segment: {segment, metric,
    delta, digits, where}. known: {metric, rank, note}, what must be said of a row. The first system of `pair` is the
    one that a positive delta favours.
    """

    name: str
    title: str
    printed: str
    number: str
    label: str
    metrics: Mapping[str, Metric]
    texts: Mapping[str, CorpusSource] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    pair: Sequence[str] = ("snmt", "unmt")
    single: Sequence[Mapping[str, str]] = ()
    known: Sequence[Mapping[str, str]] = ()

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The printed rows beside ours; where the texts are at hand, the ten segments of each metric too."""
        check_labels(self.folders, [self.label])
        texts = read_pair(self.label, self.texts, self.folders, self.pair)
        if texts is None:
            return [cells_table(self.name, self.title, list(_without_texts(self)))]
        deltas = {
            name: favoritism(metric, *(metric.statistics(lines, texts.test) for lines in (texts.first, texts.second)))
            for name, metric in self.metrics.items()
        }
        cells = [*_rows(self, deltas), *_single(self, deltas)]
        return [cells_table(self.name, self.title, cells), segments_table(self, texts, deltas)]


def segments_table(table: FavoredSegments, texts: PairTexts, deltas: Mapping[str, Doubles]) -> AnalysisTable:
    """The ten segments of each metric with source, reference and both outputs, as the paper's appendix has them."""
    source = texts.test.source or ("",) * len(texts.test)
    rows = [
        (
            name,
            rank,
            at + 1,
            float(delta[at]),
            source[at],
            texts.test.references[0][at],
            texts.first[at],
            texts.second[at],
        )
        for name, delta in deltas.items()
        for rank, at in enumerate(ranked(delta)[:10].tolist(), start=1)
    ]
    header = ("metric", "rank", "segment", "delta", "source", "reference", *table.pair)
    return AnalysisTable(f"{table.name}_segments", f"{table.title}: the segments", header, tuple(rows))


def _printed(table: FavoredSegments) -> Iterator[dict[str, str]]:
    for record in read_table(embedded(table.printed)).records():
        if record["table"] == table.number:
            yield record


def _rows(table: FavoredSegments, deltas: Mapping[str, Doubles]) -> Iterator[PaperCell]:
    """Delta, favoured system and segment of every printed rank."""
    for record in _printed(table):
        metric, rank = record["metric"], int(record["rank"])
        if metric not in deltas:
            raise UnknownName(f"metric of {table.name}", metric, deltas)
        delta = deltas[metric]
        at = int(ranked(delta)[rank - 1])
        value, row = float(delta[at]), f"rank {rank}"
        note = "; ".join(k["note"] for k in table.known if (k["metric"], int(k["rank"])) == (metric, rank))
        favours = "SN" if value > 0 else "UN"
        yield compared(table.name, row, "delta", metric, value, leading(value), record["delta"], note=note)
        yield compared(table.name, row, "favours", metric, value, favours, record["favours"])
        if record["segment"]:
            yield compared(table.name, row, "segment", metric, at + 1, str(at + 1), record["segment"])


def _single(table: FavoredSegments, deltas: Mapping[str, Doubles]) -> Iterator[PaperCell]:
    for one in table.single:
        row, metric = f"segment {one['segment']}", one["metric"]
        if metric in deltas:
            value = float(deltas[metric][int(one["segment"]) - 1])
            shown = leading(value, int(one["digits"]))
            yield compared(table.name, row, "delta", metric, value, shown, one["delta"], note=one["where"])
        else:
            yield without(table.name, row, "delta", metric, one["delta"], f"{one['where']}; no {metric} scores here")


def _without_texts(table: FavoredSegments) -> Iterator[PaperCell]:
    known = {(k["metric"], int(k["rank"])): k["note"] for k in table.known}
    for record in _printed(table):
        note = "; ".join(filter(None, (known.get((record["metric"], int(record["rank"]))), how_to_give(table.label))))
        yield without(table.name, f"rank {record['rank']}", "delta", record["metric"], record["delta"], note)
