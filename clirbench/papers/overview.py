"""A published table of summary rows: one block for each of several tau tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clirbench.papers.cells import PaperCell, Verdict, cells_table
from clirbench.papers.tau_table import TauTable, printed_cells, reproduce
from clirbench.result import AnalysisTable

if TYPE_CHECKING:
    from clirbench.result import Result


@dataclass(frozen=True)
class Overview:
    """Summary rows (Mean, Median, Wins) of several tables, such as Table 3 of Gowda et al. 2021.

    `parts`: label to table; the printed file has the label as `group` and the summary as `measure`. A part whose
    scores are not at hand keeps its printed rows, with the verdict `no scores` and its table's explanation.
    """

    name: str
    title: str
    printed: str
    parts: Mapping[str, TauTable] = field(default_factory=dict)
    summaries: Sequence[str] = ("Mean", "Median", "Wins")

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The published summaries beside ours, and every part whose scores are at hand, cell by cell."""
        parts = [table for part in self.parts.values() if part.scores for table in part.tables(result)]

        return [cells_table(self.name, self.title, reproduce_overview(self)), *parts]


def reproduce_overview(overview: Overview) -> list[PaperCell]:
    """Every printed summary cell, computed again; a published error of a part is one here too."""
    printed = printed_cells(overview.printed)
    found = []
    for label, part in overview.parts.items():
        cells = {(cell.row, cell.metric): cell for cell in reproduce(part)} if part.scores else {}
        for summary in overview.summaries:
            for metric in part.metrics:
                text = printed[label, summary][metric]
                cell = cells.get((summary, metric)) or _without_scores(label, part, summary, metric)
                found.append(_here(overview, label, cell, text))
    return found


def _here(overview: Overview, label: str, cell: PaperCell, text: str) -> PaperCell:
    verdict: Verdict = cell.verdict
    if verdict in ("as printed", "differs", "not printed"):
        verdict = "as printed" if cell.shown == text else "differs"
    return replace(cell, table=overview.name, row=f"{label} {cell.row}", printed=text, verdict=verdict)


def _without_scores(label: str, part: TauTable, summary: str, metric: str) -> PaperCell:
    nan = float("nan")
    how = part.unavailable.replace("paper.scores", f"paper.parts.{label}.scores")
    return PaperCell(part.name, summary, part.measures[0], metric, nan, nan, 0, "", "", "no scores", how)
