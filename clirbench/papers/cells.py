"""The cells of a reproduced table: what was printed, what we find, and whether they agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

from clirbench.result import AnalysisTable

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


def compared(
    table: str,
    row: str,
    measure: str,
    metric: str,
    value: float,
    shown: str,
    printed: str,
    *,
    explained: Mapping[str, str] | None = None,
    note: str = "",
    n: int = 0,
    p_value: float = nan,
) -> PaperCell:
    """A cell with its verdict. `explained` maps a value of ours to why it is not the printed one; no other will do."""
    verdict: Verdict = "not printed" if not printed else "as printed" if shown == printed else "differs"
    if verdict == "differs" and explained and shown in explained:
        verdict, note = "explained", "; ".join(filter(None, (explained[shown], note)))
    return PaperCell(table, row, measure, metric, value, p_value, n, shown, printed, verdict, note)


def without(table: str, row: str, measure: str, metric: str, printed: str, note: str) -> PaperCell:
    """A printed cell that cannot be computed here, and why."""
    return PaperCell(table, row, measure, metric, nan, nan, 0, "", printed, "no scores", note)


def leading(value: float, digits: int = 3) -> str:
    """A number as the papers print it: `.071`, `-.055`, `1.099`; a negative zero has no sign."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
