"""The cells of a published table: what was printed, what we find, and whether they agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

from clirbench.errors import ClirbenchError, NothingCompared, NotReproduced
from clirbench.result import AnalysisTable

Verdict = Literal["as printed", "published error", "explained", "differs", "not printed", "no scores"]


@dataclass(frozen=True)
class Known:
    """A difference that is understood, and why; it holds where we find `ours` and for no other value."""

    ours: str
    note: str
    verdict: Verdict = "explained"


@dataclass(frozen=True)
class PaperCell:
    """One cell of a published table: where it is, theirs and ours.

    `value` has its sign and full precision; `shown` is what the table's rules print for it (three decimals, x for
    "not significant"), empty where the cell cannot be computed here; `printed` is what the paper prints, empty where
    it prints nothing. Only coefficients have a p-value and `n` systems.
    """

    row: str
    measure: str
    metric: str = ""
    printed: str = ""
    shown: str = ""
    value: float = nan
    p_value: float = nan
    n: int = 0
    note: str = ""
    known: Sequence[Known] = ()

    @property
    def verdict(self) -> Verdict:
        """`published error`: ours is what should have been printed; `explained`: it differs for a known reason."""
        if not self.shown:
            return "no scores"
        if not self.printed:
            return "not printed"
        if self.shown == self.printed:
            return "as printed"
        return next((known.verdict for known in self._that_hold()), "differs")

    @property
    def remark(self) -> str:
        """Why the cell differs, where that is known, and further remarks on it."""
        reasons = self._that_hold() if self.verdict in ("published error", "explained") else []
        return joined(*(known.note for known in reasons), self.note)

    def _that_hold(self) -> list[Known]:
        return [known for known in self.known if known.ours == self.shown]


HEADER = ("row", "measure", "metric", "published", "ours", "verdict", "remark", "value", "p_value", "n")


def cells_table(name: str, title: str, cells: Sequence[PaperCell]) -> AnalysisTable:
    """A published table as the report shows it, with what makes the run fail once all is written."""
    counted = Counter(cell.verdict for cell in cells)
    found = ", ".join(f"{n} {verdict}" for verdict, n in counted.items())
    rows = tuple(
        (c.row, c.measure, c.metric, c.printed, c.shown, c.verdict, c.remark, c.value, c.p_value, c.n or "")
        for c in cells
    )
    n, text = len(rows), (f"{len(rows)} cells: {found}.",)
    return AnalysisTable(name, title, HEADER, rows, text, shown=n, said=n, failures=failures(title, cells))


def failures(title: str, cells: Sequence[PaperCell]) -> tuple[ClirbenchError, ...]:
    """Cells that differ for no known reason; or that there is not one cell to compare, and why."""
    if cells and all(cell.verdict == "no scores" for cell in cells):
        return (NothingCompared(f"{title}: none of the {len(cells)} cells could be compared: {cells[0].remark}"),)
    return tuple(
        NotReproduced(
            f"{title}: {' '.join(filter(None, (cell.row, cell.measure, cell.metric)))} is printed {cell.printed}, "
            f"ours is {cell.shown}, and nothing explains it"
        )
        for cell in cells
        if cell.verdict == "differs"
    )


def entries_for_place(entries: Sequence[Mapping[str, str]], **where: object) -> list[Mapping[str, str]]:
    """The entries of a configuration about a place, such as metric="BLEU"; an entry without a key fits any value."""
    return [e for e in entries if all(str(e.get(key, value)) == str(value) for key, value in where.items())]


def known_differences(entries: Sequence[Mapping[str, str]], **where: object) -> list[Known]:
    """The known differences at a place: {..., right, note} is an error of the paper, {..., ours, note} has a reason."""
    return [
        Known(e["right"], e["note"], "published error") if "right" in e else Known(e["ours"], e["note"])
        for e in entries_for_place(entries, **where)
    ]


def joined(*notes: str) -> str:
    """The notes that say something, in one line."""
    return "; ".join(filter(None, notes))
