"""A published table of summary rows: one block for each of several tables of taus.

**Source:** Gowda et al. 2021, Table 3: mean, median and wins of Tables 9 to 11.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from clirbench.papers.cells import PaperCell
from clirbench.papers.published import PublishedTable, printed_cells
from clirbench.papers.taus import PublishedTaus
from clirbench.result import AnalysisTable


@dataclass(frozen=True, kw_only=True)
class Overview(PublishedTable):
    """Summary rows (Mean, Median, Wins) of several tables.

    `parts`: label to table; the printed file has the label as `group` and the summary as `measure`. A part whose
    scores are not at hand keeps its printed rows, with the verdict `no scores` and its table's explanation.
    """

    printed: str
    parts: Mapping[str, PublishedTaus] = field(default_factory=dict)
    summaries: Sequence[str] = ("Mean", "Median", "Wins")

    def cells(self) -> Iterator[PaperCell]:
        """Every printed summary, computed again; a published error of a part is one here too."""
        printed = printed_cells(self.printed)
        for label, part in self.parts.items():
            found = {(cell.row, cell.metric): cell for cell in part.cells()} if part.scores else {}
            how_to_give = part.unavailable.replace("paper.scores", f"paper.parts.{label}.scores")
            for summary in self.summaries:
                for metric in part.metrics:
                    missing = PaperCell(summary, part.measures[0], metric, note=how_to_give)
                    cell = found.get((summary, metric), missing)
                    yield replace(cell, row=f"{label} {summary}", printed=printed[label, summary][metric])

    def further(self) -> Sequence[AnalysisTable]:
        """Every part whose scores are at hand, cell by cell."""
        return [part.table() for part in self.parts.values() if part.scores]
