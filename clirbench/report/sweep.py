"""One table over a whole sweep of conditions: every job's correlations, with the overrides that made it."""

import csv
from collections.abc import Sequence
from pathlib import Path

from clirbench.report.tables import write_tsv

NAME = "sweep.tsv"


def combine(folder: Path, jobs: Sequence[tuple[Path, Sequence[str]]]) -> Path:
    """Write `sweep.tsv`: the rows of each job's correlations.tsv behind `job` and one column for each swept key.

    `jobs`: the run folder of each job and its overrides (`key=value`). A key that is the same in every job has no
    column. A job that failed has no correlations.tsv: its row says so, so that no hole goes unseen.
    """
    settings = [dict(override.lstrip("+").partition("=")[::2] for override in overrides) for _, overrides in jobs]
    keys = [key for key in dict.fromkeys(k for s in settings for k in s) if len({s.get(key) for s in settings}) > 1]
    header: list[str] = []
    rows: list[list[str]] = []
    for number, ((job, _), setting) in enumerate(zip(jobs, settings, strict=True)):
        swept = [str(number), *(setting.get(key, "") for key in keys)]
        names, found = _correlations(job / "correlations.tsv")
        header = header or names
        rows += [[*swept, *row] for row in found] or [[*swept, "this job failed or wrote no table"]]
    width = 1 + len(keys) + len(header)
    write_tsv(folder / NAME, ["job", *keys, *header], [[*row, *[""] * (width - len(row))] for row in rows])
    return folder / NAME


def _correlations(path: Path) -> tuple[list[str], list[list[str]]]:
    if not path.is_file():
        return [], []
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
    return header, rows
