"""One table over a whole sweep of conditions: every job's correlations, with the overrides that made it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import quote

from clirbench.files.run_files import RESULTS, read_results
from clirbench.files.tables import TextTable, read_table
from clirbench.pages.table import Table
from clirbench.report import conditions
from clirbench.statistics.aggregate import Aggregate, aggregate
from clirbench.statistics.correlation import Correlation

NAME = "sweep"
SUMMARY = "sweep_summary"
TABLE = "correlations.tsv"
NO_TABLE = "it wrote no table"


@dataclass(frozen=True)
class SweptJob:
    """A finished job of a sweep: the folder of its run, its overrides (`key=value`), and what it wrote there.

    `table`: its correlations.tsv, None where it has none; `taus`: the rows of that; `failed`: why it has none.
    """

    folder: Path
    overrides: Sequence[str]
    table: TextTable | None
    taus: Sequence[Correlation]
    answer: str = ""
    failed: str = ""
    decided: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, overrides: Sequence[str], failed: str = "") -> "SweptJob":
        """Read what a job wrote; raises `InputError` for a file that is damaged."""
        table = read_table(folder / TABLE) if (folder / TABLE).is_file() else None
        taus = [] if table is None else list(map(_row, table.records()))
        why = failed or ("" if table else NO_TABLE)
        results = read_results(folder) if (folder / RESULTS).is_file() else {}
        return cls(folder, tuple(overrides), table, taus, str(results.get("answer", "")), why, _decided(results))

    @property
    def settings(self) -> dict[str, str]:
        """The value of each overridden key."""
        return dict(override.lstrip("+").partition("=")[::2] for override in self.overrides)


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
    labels = [",".join(f"{key}={job.settings.get(key, '')}" for key in keys) or str(n) for n, job in enumerate(jobs)]
    taus = {label: job.taus for label, job in zip(labels, jobs, strict=True)}
    summary = aggregate(taus, exclude_not_significant=exclude_not_significant)
    Table.of(SUMMARY, "Means over conditions", Aggregate, summary).write(folder)
    header = next((job.table.header for job in jobs if job.table), ())
    rows: list[list[str]] = []
    compared = []
    for number, job in enumerate(jobs):
        swept = {key: job.settings.get(key, "") for key in keys}
        cells = [str(number), *swept.values()]
        rows += [[*cells, *row] for row in (job.table.rows if job.table else ())] or [
            [*cells, "this job failed or wrote no table", *[""] * (len(header) - 1)]
        ]
        by_pair = {(row.measure, row.metric): row for row in job.taus if row.coefficient == "kendall"}
        link = f"{quote(job.folder.name)}/report.html" if (job.folder / "report.html").exists() else ""
        compared.append(conditions.Condition(swept, by_pair, link, job.failed, job.answer, job.decided))
    conditions.write(folder, f"Conditions: {', '.join(keys)}" if keys else "Conditions", compared)
    Table(NAME, "Every condition", ("job", *keys, *header), rows).write(folder)
    return folder / f"{NAME}.tsv"


def _decided(results: Mapping[str, Any]) -> dict[str, str]:
    """What the answer of a results.json comes to, by the names of `conditions.DECIDED`."""
    found = results.get("findings", ())
    agreement = next((one for one in found if one.get("kind") == "agreement"), None)
    recommended = next((one for one in found if one.get("kind") == "recommendation" and "systems" in one), None)
    values = [agreement and agreement.get("metric"), agreement and agreement.get("grade")]
    values.append(recommended and ", ".join(map(str, recommended["systems"])))
    return {name: str(value) for name, value in zip(conditions.DECIDED, values, strict=True) if value is not None}


def _row(cells: Mapping[str, str]) -> Correlation:
    """What a row of correlations.tsv says of a pair, as far as a summary needs it."""
    value, p_value = (float(cells[name]) if cells.get(name) else nan for name in ("value", "p_value"))
    n_systems = int(cells.get("n_systems") or 0)
    significant = cells.get("significant", "undefined")
    return Correlation(cells["measure"], cells["metric"], cells["coefficient"], value, p_value, n_systems, significant)  # type: ignore[arg-type]
