"""One table over a whole sweep of conditions: every job's correlations, with the overrides that made it."""

from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from clirbench.files.run_files import RESULTS, read_results
from clirbench.files.tables import read_table
from clirbench.pages.table import Table
from clirbench.report import conditions
from clirbench.statistics.aggregate import Aggregate, aggregate
from clirbench.statistics.correlation import Correlation

NAME = "sweep"
SUMMARY = "sweep_summary"
TABLE = "correlations.tsv"


def combine(
    folder: Path,
    jobs: Sequence[tuple[Path, Sequence[str]]],
    *,
    exclude_not_significant: bool = False,
    failed: Mapping[Path, str] = MappingProxyType({}),
) -> Path:
    """Write `sweep.tsv`: the rows of each job's correlations.tsv behind `job` and one column for each swept key.

    `sweep_summary.tsv` beside it has mean, median, SD and wins of each metric over the jobs
    (`clirbench.statistics.aggregate`, with the papers' exclusion rule where `exclude_not_significant`).

    `jobs`: the run folder of each job and its overrides (`key=value`). A key that is the same in every job has no
    column. A job that failed has no correlations.tsv: its row says so, so that no hole goes unseen; `failed` says why.
    `sweep.html` and `sweep.md` show the conditions side by side.
    """
    settings = [dict(override.lstrip("+").partition("=")[::2] for override in overrides) for _, overrides in jobs]
    keys = [key for key in dict.fromkeys(k for s in settings for k in s) if len({s.get(key) for s in settings}) > 1]
    tables = [read_table(job / TABLE) if (job / TABLE).is_file() else None for job, _ in jobs]
    taus = [[] if table is None else list(map(_row, table.records())) for table in tables]
    labels = [",".join(f"{key}={setting.get(key, '')}" for key in keys) or str(n) for n, setting in enumerate(settings)]
    summary = aggregate(dict(zip(labels, taus, strict=True)), exclude_not_significant=exclude_not_significant)
    Table.of(SUMMARY, "Means over conditions", Aggregate, summary).write(folder)
    header = next((table.header for table in tables if table), ())
    rows: list[list[str]] = []
    compared = []
    for number, ((job, _), setting, table, found) in enumerate(zip(jobs, settings, tables, taus, strict=True)):
        swept = [str(number), *(setting.get(key, "") for key in keys)]
        rows += [[*swept, *row] for row in (table.rows if table else ())] or [
            [*swept, "this job failed or wrote no table", *[""] * (len(header) - 1)]
        ]
        by_pair = {(row.measure, row.metric): row for row in found if row.coefficient == "kendall"}
        link = f"{quote(job.name)}/report.html" if (job / "report.html").exists() else ""
        why = failed.get(job, "" if table else "it wrote no table")
        swept_here = {key: setting.get(key, "") for key in keys}
        compared.append(conditions.Condition(swept_here, by_pair, link, why, _answer(job)))
    conditions.write(folder, f"Conditions: {', '.join(keys)}" if keys else "Conditions", compared)
    Table(NAME, "Every condition", ("job", *keys, *header), rows).write(folder)
    return folder / f"{NAME}.tsv"


def _answer(job: Path) -> str:
    """The answer of a job's results.json; nothing where there is none."""
    if not (job / RESULTS).is_file():
        return ""
    return str(read_results(job).get("answer", ""))


def _row(cells: Mapping[str, str]) -> Correlation:
    """What a row of correlations.tsv says of a pair, as far as a summary needs it."""
    value, p_value = (float(cells[name]) if cells.get(name) else nan for name in ("value", "p_value"))
    n_systems = int(cells.get("n_systems") or 0)
    significant = cells.get("significant", "undefined")
    return Correlation(cells["measure"], cells["metric"], cells["coefficient"], value, p_value, n_systems, significant)  # type: ignore[arg-type]
