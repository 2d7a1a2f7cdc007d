"""Several conditions side by side: one table over all of them, and a page with each one's answer and taus."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import quote

from clirbench.errors import escape_unseen
from clirbench.files.run_files import RESULTS, read_results
from clirbench.files.tables import TextTable, read_table
from clirbench.pages.page import Alarm, Aside, Page, Section
from clirbench.pages.table import Cell, Table
from clirbench.report import markdown
from clirbench.report.facts import tau_cells, tau_table
from clirbench.report.html.page import write_page
from clirbench.statistics.aggregate import Aggregate, aggregate
from clirbench.statistics.correlation import KENDALL, Correlation

NAME, SUMMARY = "sweep", "sweep_summary"
PAGE, TEXT = "sweep.html", "sweep.md"
TABLE = "correlations.tsv"
NO_TABLE = "it wrote no table"
ANSWERS = ("condition", "best evidence", "grade", "recommended", "answer")
MARKS = Aside(
    "Bold: the highest of its condition. x: not significant. ?: not tested. –: no value; the report of the condition "
    "says why. Whether the highest tau of a condition is truly higher than the next is not tested here."
)


@dataclass(frozen=True)
class SweptJob:
    """A finished job of a sweep: the folder of its run, its settings (key -> value), and what it wrote there.

    `table`: its correlations.tsv, None where it has none; `taus`: the rows of that; `failed`: why it has none;
    `answered`: the cells of `ANSWERS` behind the first, empty without an answer.
    """

    folder: Path
    settings: Mapping[str, str]
    table: TextTable | None = None
    taus: Sequence[Correlation] = ()
    failed: str = ""
    answered: tuple[str, ...] = ()

    @classmethod
    def read(cls, folder: Path, overrides: Sequence[str], failed: str = "") -> "SweptJob":
        """Read what a job with these overrides (`key=value`) wrote; raises `InputError` for a file that is damaged."""
        table = read_table(folder / TABLE) if (folder / TABLE).is_file() else None
        taus = [] if table is None else list(map(_row, table.records()))
        settings = dict(override.lstrip("+").partition("=")[::2] for override in overrides)
        results = read_results(folder) if (folder / RESULTS).is_file() else {}
        return cls(folder, settings, table, taus, failed or ("" if table else NO_TABLE), _answered(results))

    @property
    def spelt(self) -> list[str]:
        return [f"{key}={value}" for key, value in self.settings.items()]

    @property
    def name(self) -> str:
        return " ".join(self.spelt) or "the one condition"

    @property
    def cell(self) -> Cell:
        """The name, with a link to the report of the run."""
        there = (self.folder / "report.html").is_file()
        return Cell(self.name, href=f"{quote(self.folder.name)}/report.html" if there else "")


@dataclass(frozen=True)
class UniverseTau:
    """One coefficient in one universe; `choices` spell it: `relevance.k=100 retrieval.k1=0.9`."""

    universe: int
    choices: str
    measure: str
    metric: str
    value: float
    best: bool
    note: str = ""


def of_universes(rows: Sequence[UniverseTau]) -> list[SweptJob]:
    """The conditions that an analysis of this run went through; nothing is tested there."""
    found: dict[str, list[Correlation]] = {}
    for row in rows:
        tau = Correlation(row.measure, row.metric, KENDALL, row.value, nan, 0, "undefined", row.note)
        found.setdefault(row.choices, []).append(tau)
    return [SweptJob(Path(), dict(p.split("=", 1) for p in name.split()), taus=taus) for name, taus in found.items()]


def swept_keys(jobs: Sequence[SweptJob]) -> list[str]:
    """The keys that are not the same in all jobs."""
    settings = [job.settings for job in jobs]
    return [key for key in dict.fromkeys(k for s in settings for k in s) if len({s.get(key) for s in settings}) > 1]


def combine(folder: Path, jobs: Sequence[SweptJob], *, exclude_not_significant: bool = False) -> Path:
    """Write `sweep.tsv`: the rows of each job's correlations.tsv behind `job` and one column for each swept key.

    `sweep_summary.tsv` beside it has mean, median, SD and wins of each metric over the jobs
    (`clirbench.statistics.aggregate`, with the papers' exclusion rule where `exclude_not_significant`).

    A job that failed has no correlations.tsv: its row says so, so that no hole goes unseen. `sweep.html` and `sweep.md`
    show the conditions side by side.
    """
    keys = swept_keys(jobs)
    jobs = [replace(job, settings={key: job.settings.get(key, "") for key in keys}) for job in jobs]
    labels = [",".join(job.spelt) or str(n) for n, job in enumerate(jobs)]
    taus = {label: job.taus for label, job in zip(labels, jobs, strict=True)}
    found = aggregate(taus, exclude_not_significant=exclude_not_significant)
    summary = Table.of(SUMMARY, "Means over conditions", Aggregate, found)
    header = next((job.table.header for job in jobs if job.table), ())
    rows: list[list[str]] = []
    for number, job in enumerate(jobs):
        cells = [str(number), *job.settings.values()]
        rows += [[*cells, *row] for row in (job.table.rows if job.table else ())] or [
            [*cells, "this job failed or wrote no table", *[""] * (len(header) - 1)]
        ]
    for table in (summary, Table(NAME, "Every condition", ("job", *keys, *header), rows)):
        table.write(folder)
    write(folder, f"Conditions: {', '.join(keys)}" if keys else "Conditions", jobs, summary)
    return folder / f"{NAME}.tsv"


def write(folder: Path, title: str, jobs: Sequence[SweptJob], *further: Table) -> None:
    """Write sweep.html and sweep.md: what failed, the answers, `further` tables, and a heat map for each measure."""
    said = (*(Alarm(f"{job.name} has no results: {job.failed}") for job in jobs if job.failed), MARKS)
    tables = [*_answers(jobs), *further, *_heat_maps(jobs)]
    sections = (Section(f"part-{table.name}", table.title, (table.compact(),)) for table in tables if table.rows)
    made = Page(title, (Section("answer", "Does the best metric depend on the condition?", said), *sections))
    (folder / TEXT).write_text(escape_unseen(markdown.page(made, bold=True)), encoding="utf-8", newline="\n")
    write_page(folder / PAGE, made)


def _answers(jobs: Sequence[SweptJob]) -> Iterator[Table]:
    """A row for each condition: what its answer comes to, or why there is none."""
    if any(job.answered for job in jobs):
        rows = [(job.cell, *(job.answered or ("", "", "", job.failed))) for job in jobs]
        yield Table("answers", "The answer in each condition", ANSWERS, rows, shown=len(rows))


def _heat_maps(jobs: Sequence[SweptJob]) -> Iterator[Table]:
    """For each measure a row for each condition, a column for each metric, coloured by the coefficient."""
    taus = [[row for row in job.taus if row.coefficient == KENDALL] for job in jobs]
    for place, measure in enumerate(dict.fromkeys(row.measure for rows in taus for row in rows)):
        own = [[row for row in rows if row.measure == measure] for rows in taus]
        metrics = list(dict.fromkeys(row.metric for rows in own for row in rows))
        table = []
        for job, found in zip(jobs, own, strict=True):
            cells = dict(zip((tau.metric for tau in found), tau_cells(found), strict=True))
            none = Cell("–", tip=job.failed or "no value")
            table.append((job.cell, *(cells.get(metric, none) for metric in metrics)))
        yield tau_table(f"heat-{place}", f"{measure}: tau in each condition", "condition", metrics, table)


def _answered(results: Mapping[str, Any]) -> tuple[str, ...]:
    """The cells of `ANSWERS` from a results.json; none without an answer."""
    found = results.get("findings", ())
    agreement: Mapping[str, Any] = next((one for one in found if one.get("kind") == "agreement"), {})
    systems = next((one["systems"] for one in found if one.get("kind") == "recommendation" and "systems" in one), ())
    values = (agreement.get("metric", ""), agreement.get("grade", ""), ", ".join(map(str, systems)))
    return (*map(str, values), str(results["answer"])) if results.get("answer") else ()


def _row(cells: Mapping[str, str]) -> Correlation:
    """What a row of correlations.tsv says of a pair, as far as a summary needs it."""
    value, p_value = (float(cells[name]) if cells.get(name) else nan for name in ("value", "p_value"))
    n_systems = int(cells.get("n_systems") or 0)
    significant = cells.get("significant", "undefined")
    return Correlation(cells["measure"], cells["metric"], cells["coefficient"], value, p_value, n_systems, significant)  # type: ignore[arg-type]
