"""One table over a whole sweep of conditions: every job's correlations, with the overrides that made it."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from clirbench.errors import InputError
from clirbench.report import conditions
from clirbench.report.tables import write_tsv
from clirbench.statistics.aggregate import Aggregate, aggregate
from clirbench.statistics.correlation import Correlation

TITLE = "Which MT metrics predict retrieval?"
METHOD = """Method

Each collection has outputs of several MT systems. An MT metric scores them, and a retrieval measure says how well
people who search in English would be served by each. Kendall's tau between the two columns, over the independent
systems of a collection, is what is pooled: a random-effects mean over collections, its interval by Hartung and Knapp,
p-values of differences by Holm, and where a *new* collection would lie. What is never averaged has its own section: who
judged (pseudo-relevance or people), the measure, the retriever. Collections with the same systems count as one. The
ceiling is what a metric without any error would reach in spite of the measure's noise. How to read the numbers:
docs/how-to/collections.md; how they keep their promises in worlds with known truth:
docs/explanation/validity-pooled.md. This page is made by a sweep over collections, such as
`python -m clirbench +experiment=study paths.mirror=DATA`, and every sentence with it.
"""
NAME = "sweep.tsv"
SUMMARY = "sweep_summary.tsv"


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
    swept = [{key: setting.get(key, "") for key in keys} for setting in settings]
    taus = [_rows(job / "correlations.tsv") for job, _ in jobs]
    header: list[str] = []
    rows: list[list[str]] = []
    for number, ((job, _), setting) in enumerate(zip(jobs, swept, strict=True)):
        names, found = _correlations(job / "correlations.tsv")
        header = header or names
        before = [str(number), *setting.values()]
        rows += [[*before, *row] for row in found] or [[*before, "this job failed or wrote no table"]]
    labels = [",".join(f"{key}={value}" for key, value in setting.items()) for setting in swept]
    labelled = {label or str(number): taus[number] for number, label in enumerate(labels)}
    summary = aggregate(labelled, exclude_not_significant=exclude_not_significant)
    write_tsv(folder / SUMMARY, [field.name for field in fields(Aggregate)], [astuple(row) for row in summary])
    conditions.write(
        folder,
        _title(keys),
        [
            conditions.Condition(
                setting,
                {(row.measure, row.metric): row for row in of_job if row.coefficient == "kendall"},
                f"{quote(job.name)}/report.html" if (job / "report.html").exists() else "",
                failed.get(job, "") if (job / "correlations.tsv").exists() else failed.get(job, "it wrote no table"),
            )
            for (job, _), setting, of_job in zip(jobs, swept, taus, strict=True)
        ],
    )
    width = 1 + len(keys) + len(header)
    write_tsv(folder / NAME, ["job", *keys, *header], [[*row, *[""] * (width - len(row))] for row in rows])
    return folder / NAME


def _title(keys: Sequence[str]) -> str:
    return f"Conditions: {', '.join(keys)}" if keys else "Conditions"


def _correlations(path: Path) -> tuple[list[str], list[list[str]]]:
    if not path.is_file():
        return [], []
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t")
    return header, rows


def _rows(path: Path) -> list[Correlation]:
    """What a correlations.tsv says of each pair, as far as a summary needs it."""
    header, rows = _correlations(path)
    return [_row(dict(zip(header, row, strict=True))) for row in rows]


def _row(cells: Mapping[str, str]) -> Correlation:
    value, p_value = (float(cells[name]) if cells.get(name) else nan for name in ("value", "p_value"))
    n_systems = int(cells.get("n_systems") or 0)
    significant = cells.get("significant", "undefined")
    return Correlation(cells["measure"], cells["metric"], cells["coefficient"], value, p_value, n_systems, significant)  # type: ignore[arg-type]


def pool_sweep(folder: Path, jobs: Sequence[Path], settings: Mapping[str, Any]) -> list[Path]:
    """Pool the jobs of a sweep over collections, and `settings["tables"]`; the files written, none for other sweeps.

    settings: the key `pool`: `groups`, `tables` (score tables with a column `collection`), their `measures` and
    `metrics`. All the sentences and tables together are findings.md.
    """
    from clirbench.papers.published import shipped_path  # loaded where a sweep has ended
    from clirbench.report.pooled import view
    from clirbench.report.pooled.pooling import pool

    done = [job for job in jobs if (job / "provenance.json").is_file()]
    if len({_collection(job) for job in done}) < 2:
        return []
    try:
        found = [pool(done, settings.get("groups") or ())]
        written = view.write(folder, found[0])
        for table in settings.get("tables") or ():
            path = shipped_path(table.removeprefix("embedded:")) if table.startswith("embedded:") else Path(table)
            found.append(pool([path], (), settings.get("measures") or (), settings.get("metrics") or ()))
            written += view.write(folder / path.stem, found[-1], path.stem)
    except InputError as error:
        print(f"not pooled: {error}")
        return []
    head, short, rest = view.markdown(found[0], TITLE).split("\n## ", 2)
    texts = (view.markdown(more).replace("# ", "# Published table: ", 1) for more in found[1:])
    page = "\n".join(["\n## ".join([head, short, METHOD, rest]), *texts])
    (folder / "findings.md").write_text(page, encoding="utf-8", newline="\n")
    return [*written, folder / "findings.md"]


def _collection(job: Path) -> str:
    provenance = json.loads((job / "provenance.json").read_text(encoding="utf-8"))
    tables = provenance.get("configuration", {}).get("scores", {}).get("tables")
    return json.dumps([provenance.get("inputs"), tables], sort_keys=True)
