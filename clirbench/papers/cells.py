"""The cells of a reproduced table: what was printed, what we find, and whether they agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clirbench.analysis.base import AnalysisTable

Verdict = Literal["as printed", "published error", "explained", "differs", "not printed", "no scores"]


@dataclass(frozen=True)
class PaperCell:
    """One cell of a reproduced table: ours, theirs, and whether they agree.

    `value` keeps its sign and full precision; `shown` is what the table's rules print for it (three decimals, x for
    "not significant"), `printed` what the paper prints. Summary rows (Mean, Wins, ...) have no p-value and no n.
    """

    table: str
    row: str
    measure: str
    metric: str
    value: float
    p_value: float
    n_systems: int
    shown: str
    printed: str
    verdict: Verdict
    note: str = ""


HEADER = ("row", "measure", "metric", "published", "ours", "verdict", "remark", "value", "p_value", "n")


def cells_table(name: str, title: str, cells: Sequence[PaperCell], text: Sequence[str] = ()) -> AnalysisTable:
    """A reproduced table as the report shows it; a cell that `differs` makes the run fail once all is written.

    Verdicts: `as printed`; `published error` (ours is what the paper should have printed, the remark says why);
    `explained` (differs for a known reason, given in the remark); `differs`; `not printed`; `no scores` (what the cell
    was made from is not at hand).
    """
    counted = Counter(cell.verdict for cell in cells)
    found = ", ".join(f"{n} {verdict}" for verdict, n in counted.items())
    failures = tuple(
        f"{title}: {' '.join(filter(None, (cell.row, cell.measure, cell.metric)))} is printed {cell.printed}, "
        f"ours is {cell.shown}, and nothing explains it"
        for cell in cells
        if cell.verdict == "differs"
    )
    rows = tuple(
        (c.row, c.measure, c.metric, c.printed, c.shown, c.verdict, c.note, c.value, c.p_value, c.n_systems or "")
        for c in cells
    )
    n = len(rows)
    return AnalysisTable(name, title, HEADER, rows, (f"{n} cells: {found}.", *text), shown=n, said=n, failures=failures)
