"""Do MT metrics order the data-to-text systems of WebNLG 2017 as people do?

**Source:** Gowda et al. 2021, Table 2.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from clirbench.errors import AlignmentError, ConfigError, InputError, UnknownName
from clirbench.files.tables import read_table
from clirbench.labs.papers.cells import PaperCell, known_differences
from clirbench.labs.papers.printing import print_cell
from clirbench.labs.papers.published import PublishedFiles, printed_cells
from clirbench.labs.papers.statistics.jackknife import text_score
from clirbench.metrics.base import Metric
from clirbench.pages.table import Table
from clirbench.statistics.coefficients import kendall
from clirbench.text import TextFile
from clirbench.types import Doubles, TestSet

LABEL = "WebNLG"

HUMAN = ("fluency", "grammar", "semantics")
JUDGED, RECORDS = "all_data_final_averaged.csv", "MRs.txt"


@dataclass(frozen=True, eq=False)
class HumanJudgments:
    """Each system's output for every record, in order, and people's mean judgments of it."""

    systems: tuple[str, ...]
    outputs: Mapping[str, tuple[str, ...]]
    means: Mapping[str, Doubles]
    test: TestSet


@dataclass(frozen=True, kw_only=True)
class WebNLG(PublishedFiles):
    """Kendall's tau of metrics with people's judgments of fluency, grammar and semantics, over the systems.

    `references`: which files are references (the paper's numbers come from the first alone); `exclude`: outputs that
    are no system's (`webnlg` are the references themselves). `scores`: under `WebNLG` a table (column `system`),
    such as BLEURTmean. `explained`: {metric, measure, ours, note}, a difference that is understood.
    """

    printed: str
    metrics: Mapping[str, Metric]
    references: Sequence[str] = ("gold-sample-reference0.lex",)
    exclude: Sequence[str] = ("webnlg",)
    scores: Mapping[str, str] = field(default_factory=dict)
    explained: Sequence[Mapping[str, str]] = ()
    alpha: float = 0.05

    def cells(self) -> Iterator[PaperCell]:
        """The tau of each metric with each judgment; printed metrics first, then those that were not printed."""
        printed = printed_cells(self.printed)
        for kind in HUMAN:
            row = printed["WebNLG", kind]
            for metric in dict.fromkeys((*row, *self._scores)):
                if metric in self._scores:
                    yield self._cell(kind, metric, row.get(metric, ""))
                else:
                    why = "no scores; give a table with 'paper.scores={WebNLG: FILE}'"
                    yield PaperCell("WebNLG", kind, metric, printed=row[metric], note=why)

    def further(self) -> Sequence[Table]:
        """The judgments and scores behind the table."""
        columns = {**self._judged.means, **self._scores}
        values = (column.tolist() for column in columns.values())
        rows = tuple(zip(self._judged.systems, *values, strict=True))
        title = "WebNLG 2017: judgments and scores"
        return [Table(f"{self.name}_scores", title, ("system", *columns), rows)]

    def _cell(self, kind: str, metric: str, printed: str) -> PaperCell:
        found = kendall(self._scores[metric], self._judged.means[kind], p_value="scipy")
        return PaperCell(
            "WebNLG",
            kind,
            metric,
            printed=printed,
            shown=print_cell(found.value, found.p_value, self.alpha, absolute=False),
            value=found.value,
            p_value=found.p_value,
            n=found.n,
            note=found.note,
            known=known_differences(self.explained, metric=metric, measure=kind),
        )

    @cached_property
    def _scores(self) -> Mapping[str, Doubles]:
        """Metric to the score of each system."""
        judged = self._judged
        computed = {
            name: np.array([text_score(metric, judged.outputs[s], judged.test) for s in judged.systems])
            for name, metric in self.metrics.items()
        }
        return computed | self._further_scores(judged.systems)

    def _further_scores(self, systems: Sequence[str]) -> dict[str, Doubles]:
        """Columns of the table of further scores; raises `InputError` where a system is missing."""
        if unknown := [label for label in self.scores if label != LABEL]:
            raise UnknownName("table of paper.scores", unknown[0], [LABEL])
        if not self.scores:
            return {}
        file = read_table(Path(self.scores[LABEL]))
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

    @cached_property
    def _judged(self) -> HumanJudgments:
        """Outputs and judgments in the order of the records; raises `AlignmentError` where a system has none."""
        paths = self.locate(JUDGED, RECORDS, *self.references)
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
        return HumanJudgments(systems, outputs, means, TestSet(tuple(references)))
