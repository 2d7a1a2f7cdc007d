"""Published reports of every word type of a system, and the curves drawn from them, beside ours.

**Source:** Gowda et al. 2021, Figure 1, and the authors' files behind it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.analyses.types import TypeReport, running_f1, running_figure, type_report
from clirbench.labs.papers.author_files import AuthorTable, read_author_table
from clirbench.labs.papers.cells import PaperCell
from clirbench.labs.papers.pair_texts import PairTable, PairTexts
from clirbench.labs.papers.printing import leading
from clirbench.labs.papers.published import PublishedFiles
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed
from clirbench.types import Doubles

COLUMNS = ("Refs", "Preds", "Match", "F1", "Precisn", "Recall")
CASES = {"lc": True, "mc": False}
"""The name of a case in the files, and whether the texts are lower-cased first."""


@dataclass(frozen=True, kw_only=True)
class TypeReports(PairTable, PublishedFiles):
    """Every cell of the published per-type reports against ours, and the running mean of F1 over frequent types.

    `label`: the language pair of `texts`, unless `folders` gives another one; `manifest`: the data set (or the folder
    given, as far as it has them) whose files `typeperf.SYSTEM.tsv.CASE.macrof` are the reports, for the two systems of
    `pair` and both cases (lc: lower-cased first, as in Figure 1; mc: mixed). `first`: how many types the figure shows;
    `ranks`: where its curves are written down.
    """

    label: str
    first: int = 500
    ranks: Sequence[int] = (1, 10, 50, 100, 200, 300, 400, 500)

    def cells(self) -> Iterator[PaperCell]:
        """How many cells of each report are equal, and the curves of the figure at some ranks."""
        reports = {case: found for case in CASES if (found := self._published(case))}
        for case, published in reports.items():
            for ours, theirs in zip(self._ours[case], published, strict=True):
                yield from report_cells(f"{ours.system} {case}", ours, theirs)
        curves = published_curves(*reports["lc"], self.first) if "lc" in reports else (np.empty(0), np.empty(0))
        for system, mine, printed in zip(self.pair, self._curves, curves, strict=True):
            for rank in self.ranks:
                if rank <= len(mine):
                    there = leading(float(printed[rank - 1]), 1) if rank <= len(printed) else ""
                    value, row = float(mine[rank - 1]), f"{self._pair} first {rank} types"
                    yield PaperCell(row, "mean F1", system, printed=there, shown=leading(value, 1), value=value)

    def further(self) -> Sequence[Table]:
        """The curves of the figure from the texts."""
        a, b = self._curves
        return [
            Table(
                f"{self.name}_curves",
                f"{self.title}: mean F1 of the most frequent types",
                ("rank", *self.pair),
                tuple(zip(range(1, len(a) + 1), a.tolist(), b.tolist(), strict=True)),
                figure=lambda: running_figure(dict(zip(self.pair, self._curves, strict=True))),
            )
        ]

    @cached_property
    def _texts(self) -> PairTexts:
        texts = self.read_pair(self._pair)
        if texts is None:
            raise UnknownName("language pair with texts", self._pair, self.texts)
        return texts

    @property
    def _pair(self) -> str:
        """The language pair: that of the folder, where one is given."""
        if len(self.folders) > 1:
            raise ConfigError(f"paper.folders: one language pair was expected, not {', '.join(self.folders)}")
        return next(iter(self.folders), self.label)

    @cached_property
    def _curves(self) -> tuple[Doubles, Doubles]:
        _, first, second = running_f1(*self._ours["lc"], self.first)
        return first, second

    @cached_property
    def _ours(self) -> Mapping[str, tuple[TypeReport, TypeReport]]:
        """Our reports of both systems, for each case."""
        texts, (a, b) = self._texts, self.pair
        return {
            case: (
                type_report(a, texts.first, texts.test, lowercase=lowercase),
                type_report(b, texts.second, texts.test, lowercase=lowercase),
            )
            for case, lowercase in CASES.items()
        }

    def _published(self, case: str) -> tuple[AuthorTable, AuthorTable] | None:
        """The authors' reports of both systems; None where a folder has none."""
        names = [f"typeperf.{system}.tsv.{case}.macrof" for system in self.pair]
        if self.folders:
            paths: Mapping[str, Path] = {name: Path(self.folders[self._pair]) / name for name in names}
            if not all(path.is_file() for path in paths.values()):
                return None
        else:
            paths = self.locate(*names)
        first, second = (read_author_table(paths[name], first="Type") for name in names)
        return first, second


def report_cells(row: str, ours: TypeReport, theirs: AuthorTable) -> Iterator[PaperCell]:
    """How many types there are, and for each column of a report how many of them have the printed cell."""
    place = {name: i for i, name in enumerate(ours.types)}
    counts = (ours.refs, ours.preds, ours.match)
    rates = (ours.f1, ours.precision, ours.recall)
    cells = [[str(n) for n in count.tolist()] for count in counts]
    cells += [[fixed(x, 2) for x in rate.tolist()] for rate in rates]
    types = theirs.text("Type")
    printed = str(len(types))
    yield PaperCell(row, "types", printed=printed, shown=str(len(place)), value=len(place))
    for name, column in zip(COLUMNS, cells, strict=True):
        agree = sum(
            kind in place and column[place[kind]] == cell for kind, cell in zip(types, theirs.text(name), strict=True)
        )
        yield PaperCell(row, "types that agree", name, printed=printed, shown=str(agree), value=agree)


def published_curves(a: AuthorTable, b: AuthorTable, first: int) -> tuple[Doubles, Doubles]:
    """The figure's curves from two published reports: types of both, by falling Refs, running mean of F1.

    Types of equal Refs come in the order of our own report, since a curve read between them depends on it.
    """
    place = {kind: i for i, kind in enumerate(b.text("Type"))}
    types, refs, preds = a.text("Type"), a.numbers("Refs"), a.numbers("Preds")
    both = sorted((-refs[i], -preds[i], kind, i, place[kind]) for i, kind in enumerate(types) if kind in place)[:first]
    steps = np.arange(1, len(both) + 1)
    ours, theirs = a.numbers("F1"), b.numbers("F1")
    return (
        np.cumsum([ours[i] for *_, i, _ in both]) / steps,
        np.cumsum([theirs[j] for *_, j in both]) / steps,
    )
