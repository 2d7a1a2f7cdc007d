"""A published table of summary rows: one block for each of several tables of taus.

**Source:** Gowda et al. 2021, Table 3: mean, median and wins of Tables 9 to 11.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from clirbench.errors import UnknownName
from clirbench.labs.papers.cells import PaperCell
from clirbench.labs.papers.published import PublishedTable, printed_cells
from clirbench.labs.papers.taus import PublishedTaus
from clirbench.pages.table import Table


@dataclass(frozen=True, kw_only=True)
class Overview(PublishedTable):
    """Summary rows (Mean, Median, Wins) of several tables.

    `parts`: label to table; `scores`: label to the file of a part whose scores are not shipped. The printed file has
    the label as `group` and the summary as `measure`. A part whose scores are missing keeps its printed rows, with
    the verdict `no scores` and its table's explanation.
    """

    printed: str
    parts: Mapping[str, PublishedTaus] = field(default_factory=dict)
    summaries: Sequence[str] = ("Mean", "Median", "Wins")
    scores: Mapping[str, str] = field(default_factory=dict)

    def cells(self) -> Iterator[PaperCell]:
        """Every printed summary, computed again; a published error of a part is one here too."""
        printed = printed_cells(self.printed)
        for label, part in self._given.items():
            found = {(cell.row, cell.metric): cell for cell in part.cells()} if part.scores else {}
            for summary in self.summaries:
                for metric in part.metrics:
                    missing = PaperCell(summary, part.measures[0], metric, note=part.unavailable)
                    cell = found.get((summary, metric), missing)
                    yield replace(cell, row=f"{label} {summary}", printed=printed[label, summary][metric])

    def further(self) -> Sequence[Table]:
        """Every part whose scores are available, cell by cell."""
        return [part.table() for part in self._given.values() if part.scores]

    @property
    def _given(self) -> Mapping[str, PublishedTaus]:
        """The parts, with the scores that were given; raises `UnknownName` for a label that no part has."""
        if unknown := [label for label in self.scores if label not in self.parts]:
            raise UnknownName("table of paper.scores", unknown[0], self.parts)
        given = {label: {label: file} for label, file in self.scores.items()}
        return {label: replace(part, scores=given.get(label, part.scores)) for label, part in self.parts.items()}
