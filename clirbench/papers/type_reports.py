"""Published reports of every word type of a system, and Figure 1 of Gowda et al. 2021, beside ours."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clirbench.analyses.types import TypeReport, running_f1, type_report
from clirbench.corpora.base import CorpusSource
from clirbench.datasets.manifests import ManifestFiles, Places, load_manifest
from clirbench.errors import InputError, UnknownName
from clirbench.papers.cells import PaperCell, cells_table, compared, leading
from clirbench.papers.pair_texts import read_pair
from clirbench.result import AnalysisTable
from clirbench.text import TextFile
from clirbench.types import Doubles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from clirbench.result import Result

COLUMNS = ("Refs", "Preds", "Match", "F1", "Precisn", "Recall")
CASES = {"lc": True, "mc": False}


@dataclass(frozen=True)
class TypeReports:
    """Every cell of the published per-type reports against ours, and the running mean of F1 over frequent types.

    `label`: the language pair of `texts`; `manifest`: the data set whose files `typeperf.SYSTEM.tsv.CASE.macrof` are
    the reports, for the two systems of `pair` and both cases (lc: lower-cased first, as in Figure 1; mc: mixed).
    `first`: so many types make the figure; `ranks`: where its curves are written down.
    """

    name: str
    title: str
    label: str
    texts: Mapping[str, CorpusSource]
    manifest: str
    mirror: str | None = None
    cache: str | None = None
    download: bool = False
    pair: Sequence[str] = ("snmt", "unmt")
    first: int = 500
    ranks: Sequence[int] = (1, 10, 50, 100, 200, 300, 400, 500)

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """Counts of equal cells for every report, and the curves of the figure from the texts and from the reports."""
        texts = read_pair(self.label, self.texts, {}, self.pair)
        if texts is None:
            raise UnknownName("language pair with texts", self.label, self.texts)
        files = ManifestFiles(load_manifest(self.manifest), Places(self.mirror, self.cache, self.download))
        cells: list[PaperCell] = []
        curves: dict[str, tuple[Doubles, Doubles]] = {}
        for case, lowercase in CASES.items():
            names = [f"typeperf.{system}.tsv.{case}.macrof" for system in self.pair]
            paths = files.locate(names)
            theirs = [published_report(paths[n], s) for n, s in zip(names, self.pair, strict=True)]
            ours = [
                type_report(system, lines, texts.test, lowercase=lowercase)
                for system, lines in zip(self.pair, (texts.first, texts.second), strict=True)
            ]
            for mine, (kinds, printed) in zip(ours, theirs, strict=True):
                cells += list(self._report_cells(case, mine, kinds, printed))
            if lowercase:
                curves["ours"] = running_f1(ours[0], ours[1], self.first)[1:]
                curves["published"] = published_curves(theirs[0], theirs[1], self.first)
        cells += list(self._curve_cells(curves["ours"], curves["published"]))
        made = cells_table(self.name, self.title, cells)
        points = zip(range(1, self.first + 1), *curves["ours"], strict=False)
        header = ("rank", *self.pair)
        return [
            made,
            AnalysisTable(
                f"{self.name}_curves", f"{self.title}: mean F1 of the most frequent types", header,
                tuple((rank, float(a), float(b)) for rank, a, b in points),
                figure=lambda: figure(curves["ours"], self.pair),
            ),
        ]  # fmt: skip

    def _report_cells(
        self, case: str, ours: TypeReport, kinds: Sequence[str], printed: Mapping[str, Sequence[str]]
    ) -> Iterator[PaperCell]:
        """One cell for each column of a report: how many of its types agree as printed."""
        place = {name: i for i, name in enumerate(ours.types)}
        columns = {
            "Refs": [str(n) for n in ours.refs.tolist()],
            "Preds": [str(n) for n in ours.preds.tolist()],
            "Match": [str(n) for n in ours.match.tolist()],
            "F1": [f"{x:.2f}" for x in ours.f1.tolist()],
            "Precisn": [f"{x:.2f}" for x in ours.precision.tolist()],
            "Recall": [f"{x:.2f}" for x in ours.recall.tolist()],
        }
        row = f"{ours.system} {case}"
        yield compared(self.name, row, "types", "", len(place), str(len(place)), str(len(kinds)))
        for name in COLUMNS:
            agree = sum(
                kind in place and columns[name][place[kind]] == cell
                for kind, cell in zip(kinds, printed[name], strict=True)
            )
            yield compared(self.name, row, "types that agree", name, agree, str(agree), str(len(kinds)))

    def _curve_cells(self, ours: tuple[Doubles, Doubles], theirs: tuple[Doubles, Doubles]) -> Iterator[PaperCell]:
        for system, mine, published in zip(self.pair, ours, theirs, strict=True):
            for rank in self.ranks:
                if rank <= min(len(mine), len(published)):
                    value = float(mine[rank - 1])
                    text, there = leading(value, 1), leading(float(published[rank - 1]), 1)
                    yield compared(self.name, f"first {rank} types", "mean F1", system, value, text, there)


def published_report(path: Path, system: str) -> tuple[list[str], dict[str, list[str]]]:
    """Types in file order and the printed cells by column; raises `InputError` for a file of another form."""
    lines = TextFile(path).lines()
    start = next((i for i, line in enumerate(lines) if line.split("\t")[0].strip() == "Type"), None)
    if start is None:
        raise InputError(f"{path}: no line begins with `Type`: not a report of word types")
    header = [name.strip() for name in lines[start].split("\t")]
    kinds: list[str] = []
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for number, line in enumerate(lines[start + 1 :], start=start + 2):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) != len(header):
            raise InputError(f"{path}: line {number}: {len(cells)} columns, the header has {len(header)}")
        record = dict(zip(header, cells, strict=True))
        kinds.append(record["Type"])
        for name in COLUMNS:
            columns[name].append(record[name])
    return kinds, columns


def published_curves(
    ours: tuple[Sequence[str], Mapping[str, Sequence[str]]],
    theirs: tuple[Sequence[str], Mapping[str, Sequence[str]]],
    first: int,
) -> tuple[Doubles, Doubles]:
    """The figure's curves from two published reports: types of both, by falling Refs, running mean of F1.

    Types of equal Refs come in the order of our own report, since a curve read between them depends on it.
    """
    (kinds, a), (others, b) = ours, theirs
    place = {kind: i for i, kind in enumerate(others)}
    both = [(i, place[kind]) for i, kind in enumerate(kinds) if kind in place]
    both.sort(key=lambda pair: (-int(a["Refs"][pair[0]]), -int(a["Preds"][pair[0]]), kinds[pair[0]]))
    kept = both[:first]
    steps = np.arange(1, len(kept) + 1)
    left = np.cumsum([float(a["F1"][i]) for i, _ in kept]) / steps
    right = np.cumsum([float(b["F1"][j]) for _, j in kept]) / steps
    return left, right


def figure(curves: tuple[Doubles, Doubles], systems: Sequence[str]) -> "Figure":
    """Running mean of F1 by rank of the type, one line for each system."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6, 4), layout="constrained")
    axis = drawn.subplots()
    for values, name, color in zip(curves, systems, ("#0072B2", "#D55E00"), strict=True):
        axis.plot(np.arange(1, len(values) + 1), values, label=name, color=color, linewidth=1.2)
    axis.set_xlabel("rank of the word type by frequency in the reference")
    axis.set_ylabel("mean F1 of the types up to that rank")
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.legend()
    return drawn
