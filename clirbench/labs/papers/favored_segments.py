"""Published lists of the segments with the most favoritism.

**Source:** Gowda et al. 2021, Tables 7, 13 and 14 (deltas), 8 (one segment), 15 to 20 (the segments).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from clirbench.errors import UnknownName
from clirbench.labs.papers.analyses.favoritism import favoritism, rank_segments
from clirbench.labs.papers.cells import PaperCell, entries_for_place, joined
from clirbench.labs.papers.pair_texts import PairTable, PairTexts, how_to_give
from clirbench.labs.papers.printing import leading
from clirbench.labs.papers.published import load_published
from clirbench.metrics.base import Metric
from clirbench.result import AnalysisTable
from clirbench.types import Doubles


@dataclass(frozen=True, kw_only=True)
class FavoredSegments(PairTable):
    """The segments that metrics favour most, by leave-one-out, next to the printed deltas, systems and segments.

    printed: a shipped table (columns `table`, `pair`, `metric`, `rank`, `delta`, `favours`, `segment`); number: which
    of its tables, and label: its language pair. single: deltas printed elsewhere of one segment: {segment, metric,
    delta, digits, where}. known: {metric, rank, note}, remarks on rows. The first system of `pair` is the
    one that a positive delta favours.
    """

    printed: str
    number: str
    label: str
    metrics: Mapping[str, Metric]
    single: Sequence[Mapping[str, str]] = ()
    known: Sequence[Mapping[str, str]] = ()

    def cells(self) -> Iterator[PaperCell]:
        """Delta, favoured system and segment of every printed rank; without the texts, what is printed."""
        for record in load_published(self.printed).records():
            if record["table"] == self.number and self._texts is None:
                note = joined(self._note(record), how_to_give(self.label))
                yield PaperCell(f"rank {record['rank']}", "delta", record["metric"], printed=record["delta"], note=note)
            elif record["table"] == self.number:
                yield from self._ranked(record)
        if self._texts is not None:
            yield from map(self._single, self.single)

    def further(self) -> Sequence[AnalysisTable]:
        """The ten segments of each metric, where the texts are available."""
        return () if self._texts is None else [self._segments_table(self._texts)]

    @cached_property
    def _texts(self) -> PairTexts | None:
        self.check_labels([self.label])
        return self.read_pair(self.label)

    @cached_property
    def _deltas(self) -> Mapping[str, Doubles]:
        """Metric to the delta of each segment, (segments,)."""
        texts = self._texts
        if texts is None:
            return {}
        return {
            name: favoritism(metric, *(metric.statistics(lines, texts.test) for lines in texts.outputs))
            for name, metric in self.metrics.items()
        }

    def _note(self, record: Mapping[str, str]) -> str:
        found = entries_for_place(self.known, metric=record["metric"], rank=record["rank"])
        return joined(*(entry["note"] for entry in found))

    def _ranked(self, record: Mapping[str, str]) -> Iterator[PaperCell]:
        metric, row = record["metric"], f"rank {record['rank']}"
        if metric not in self._deltas:
            raise UnknownName(f"metric of {self.name}", metric, self._deltas)
        delta = self._deltas[metric]
        at = int(rank_segments(delta)[int(record["rank"]) - 1])
        value, segment = float(delta[at]), at + 1
        favours = "SN" if value > 0 else "UN"
        yield PaperCell(
            row, "delta", metric, printed=record["delta"], shown=leading(value), value=value, note=self._note(record)
        )
        yield PaperCell(row, "favours", metric, printed=record["favours"], shown=favours, value=value)
        if record["segment"]:
            yield PaperCell(row, "segment", metric, printed=record["segment"], shown=str(segment), value=segment)

    def _single(self, entry: Mapping[str, str]) -> PaperCell:
        row, metric, printed, where = f"segment {entry['segment']}", entry["metric"], entry["delta"], entry["where"]
        if metric not in self._deltas:
            return PaperCell(row, "delta", metric, printed=printed, note=f"{where}; no {metric} scores here")
        value = float(self._deltas[metric][int(entry["segment"]) - 1])
        shown = leading(value, int(entry["digits"]))
        return PaperCell(row, "delta", metric, printed=printed, shown=shown, value=value, note=where)

    def _segments_table(self, texts: PairTexts) -> AnalysisTable:
        """The ten segments of each metric with source, reference and both outputs, as the paper's appendix has them."""
        test = texts.test
        columns = (test.source or ("",) * len(test), test.references[0], *texts.outputs)
        rows = tuple(
            (name, rank, at + 1, float(delta[at]), *(lines[at] for lines in columns))
            for name, delta in self._deltas.items()
            for rank, at in enumerate(rank_segments(delta)[:10].tolist(), start=1)
        )
        header = ("metric", "rank", "segment", "delta", "source", "reference", *self.pair)
        return AnalysisTable(f"{self.name}_segments", f"{self.title}: the segments", header, rows)
