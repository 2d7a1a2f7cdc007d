"""Table 2 of Gowda et al. 2021: do MT metrics order the data-to-text systems of WebNLG 2017 as people do?"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clirbench.datasets.manifests import ManifestFiles, Places, load_manifest
from clirbench.errors import AlignmentError, ConfigError, InputError
from clirbench.files.tables import read_table
from clirbench.metrics.base import Metric
from clirbench.papers.cells import PaperCell, cells_table, compared, without
from clirbench.papers.printing import shown
from clirbench.papers.system_scores import corpus_score
from clirbench.papers.tau_table import printed_cells
from clirbench.result import AnalysisTable
from clirbench.statistics.coefficients import kendall
from clirbench.text import TextFile
from clirbench.types import Doubles, TestSet

if TYPE_CHECKING:
    from clirbench.result import Result

HUMAN = ("fluency", "grammar", "semantics")
JUDGED, RECORDS = "all_data_final_averaged.csv", "MRs.txt"


@dataclass(frozen=True, eq=False)
class Judgments:
    """Each system's output for every record, in order, and people's mean judgments of it."""

    systems: tuple[str, ...]
    outputs: Mapping[str, tuple[str, ...]]
    means: Mapping[str, Doubles]
    test: TestSet


@dataclass(frozen=True)
class WebNLG:
    """Kendall's tau of metrics with people's judgments of fluency, grammar and semantics, over the systems.

    `references`: which files are references (the paper's numbers come from the first alone); `exclude`: outputs that
    are no system's (`webnlg` are the references themselves). `scores`: a table of further metrics (column `system`),
    such as BLEURTmean. `explained`: {metric, measure, ours, note}, a difference that is understood.
    """

    name: str
    title: str
    printed: str
    metrics: Mapping[str, Metric]
    manifest: str = "webnlg2017_human"
    mirror: str | None = None
    cache: str | None = None
    download: bool = False
    references: Sequence[str] = ("gold-sample-reference0.lex",)
    exclude: Sequence[str] = ("webnlg",)
    scores: str | None = None
    explained: Sequence[Mapping[str, str]] = field(default_factory=tuple)
    alpha: float = 0.05

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The published table beside ours, and the scores behind it."""
        judged = self.read()
        columns = {
            name: np.array([corpus_score(metric, judged.outputs[s], judged.test) for s in judged.systems])
            for name, metric in self.metrics.items()
        }
        columns |= self.further(judged.systems)
        cells = cells_table(self.name, self.title, list(self.cells(judged, columns)))
        header = ("system", *HUMAN, *columns)
        rows = tuple(
            (system, *(float(judged.means[kind][at]) for kind in HUMAN), *(float(c[at]) for c in columns.values()))
            for at, system in enumerate(judged.systems)
        )
        return [cells, AnalysisTable(f"{self.name}_scores", "WebNLG 2017: judgments and scores", header, rows)]

    def cells(self, judged: Judgments, columns: Mapping[str, Doubles]) -> Iterator[PaperCell]:
        """A cell for each judgment and metric; printed metrics first, then those that were not printed."""
        printed = printed_cells(self.printed)
        for kind in HUMAN:
            row = printed["WebNLG", kind]
            for metric in (name for name in row if name not in ("group", "measure")):
                if metric in columns:
                    yield self._cell(judged, columns[metric], kind, metric, row[metric])
                else:
                    why = "no scores at hand; give a table with 'paper.scores=FILE'"
                    yield without(self.name, "WebNLG", kind, metric, row[metric], why)
            for metric in (name for name in columns if name not in row):
                yield self._cell(judged, columns[metric], kind, metric, "")

    def _cell(self, judged: Judgments, values: Doubles, kind: str, metric: str, printed: str) -> PaperCell:
        found = kendall(values, judged.means[kind], p_value="scipy")
        why = {e["ours"]: e["note"] for e in self.explained if (e["metric"], e["measure"]) == (metric, kind)}
        text = shown(found.value, found.p_value, self.alpha, absolute=False)
        return compared(
            self.name, "WebNLG", kind, metric, found.value, text, printed,
            explained=why, note=found.note, n=found.n, p_value=found.p_value,
        )  # fmt: skip

    def further(self, systems: Sequence[str]) -> dict[str, Doubles]:
        """Columns of the table of further scores; raises `InputError` where a system is missing."""
        if not self.scores:
            return {}
        file = read_table(Path(self.scores))
        if "system" not in file.header:
            raise InputError(f"{file.where}: there is no column `system`")
        by_system = {record["system"]: record for record in file.records()}
        if missing := [system for system in systems if system not in by_system]:
            raise InputError(f"{file.where}: no row for {', '.join(missing)}")
        names = [name for name in file.header if name != "system"]
        try:
            return {name: np.array([float(by_system[s][name]) for s in systems]) for name in names}
        except ValueError as error:
            raise InputError(f"{file.where}: {error}") from None

    def read(self) -> Judgments:
        """Outputs and judgments in the order of the records; raises `AlignmentError` where a system lacks one."""
        files = ManifestFiles(load_manifest(self.manifest), Places(self.mirror, self.cache, self.download))
        paths = files.locate([JUDGED, RECORDS, *self.references])
        records = TextFile(paths[RECORDS]).lines()
        references = [TextFile(paths[name]).lines() for name in self.references]
        for name, lines in zip(self.references, references, strict=True):
            if len(lines) != len(records):
                raise AlignmentError(f"{paths[name]}: {len(lines)} lines, {paths[RECORDS]} has {len(records)}")
        rows: dict[tuple[str, str], dict[str, str]] = {}
        for row in csv.DictReader(TextFile(paths[JUDGED]).lines()):
            rows[row["team"], row["mr"]] = row
        systems = tuple(sorted({team for team, _ in rows} - set(self.exclude)))
        if len(systems) < 2:
            raise ConfigError(f"paper.exclude={list(self.exclude)}: fewer than two systems are left")
        if missing := [(team, mr) for team in systems for mr in records if (team, mr) not in rows]:
            raise AlignmentError(f"{paths[JUDGED]}: {missing[0][0]} has no output for the record {missing[0][1]!r}")
        outputs = {team: tuple(rows[team, mr]["text"] for mr in records) for team in systems}
        means = {
            kind: np.array([np.mean([float(rows[team, mr][kind]) for mr in records]) for team in systems])
            for kind in HUMAN
        }
        return Judgments(systems, outputs, means, TestSet(tuple(references)))
