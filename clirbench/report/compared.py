"""Runs next to each other, from the folders that they have written: two that differ (`compare`), and the conditions of
a sweep (`combine`).

Of two runs a number that should be equal and is not stands out: everything that decides it is the same in both, so that
only the program can have moved it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from clirbench.errors import escape_unseen
from clirbench.files.run_files import RESULTS, numbers, read_provenance, read_results, read_run_table
from clirbench.files.tables import TextTable, read_table
from clirbench.pages import Cell, Page, Section, Table, short
from clirbench.report import markdown
from clirbench.report.html.page import MOST_ROWS, write_page
from clirbench.statistics.correlation import Aggregate, Correlation, aggregate

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-9  # relative; below it, two platforms may differ in how they sum
ABSENT = "(absent)"
PROGRAM = ("clirbench", "python", "platform", "libraries", "seed", "command")
KEYS = {
    "scores": ("systems", ("system",)),
    "tau": ("correlations", ("measure", "metric", "coefficient")),
    "topics": ("per_topic", ("measure", "system", "topic_id")),
}
"""Part of a run with numbers -> its table, and the columns that name a row."""
Key = tuple[str, ...]


@dataclass(frozen=True)
class RunFiles:
    """A run's folder, read: its provenance, and `values` by part.

    A value is a text, or a number (NaN: a hole). Numbers are by the row that has them, then their column: scores by
    (system, column), taus by (measure, metric, coefficient, `value` or `significant`).
    """

    path: Path
    provenance: Mapping[str, Any]
    values: Mapping[str, Mapping[Key, Any]]

    @property
    def columns(self) -> set[str]:
        """The columns of systems.tsv that are compared."""
        return {column for _, column in self.values["scores"]}

    def made_of(self, part: str, key: Key) -> set[str]:
        """The columns that decide a number; the significance of a tau has all metrics that are tested together."""
        if part != "tau":
            return {key[1] if part == "scores" else key[0]}
        tested = {m for n, m, c, _ in self.values["tau"] if (n, c) == (key[0], key[2])}
        return {key[0], *(tested if key[3] == "significant" else [key[1]])}


@dataclass(frozen=True)
class Change:
    """One difference: `what` of a `part` changed from `first` to `second`.

    `difference` = second - first, NaN where there is none; `unequal`: the two should be equal and are not.
    """

    part: str
    what: str
    first: str
    second: str
    difference: float = nan
    unequal: bool = False


@dataclass(frozen=True, repr=False)
class Comparison:
    """Everything that differs between two runs, what should not first.

    >>> import clirbench as cb
    >>> two = [cb.run("europarl_csen_published", scores__ignore=[name]) for name in ("MicroF1", "chrF1")]
    >>> found = cb.compare(*two)
    >>> found.table.columns.tolist()
    ['part', 'what', 'first', 'second', 'difference', 'unequal']
    >>> found.write_html("compared.html").name
    'compared.html'
    """

    runs: tuple[RunFiles, RunFiles]
    changes: tuple[Change, ...]
    same_numbers: int

    @property
    def verdict(self) -> str:
        """One sentence: do the numbers agree, and where they do not, should they?"""
        if wrong := sum(change.unequal for change in self.changes):
            return f"{wrong} numbers differ that should be equal (same signature, same inputs); they come first."
        if changed := sum(change.part in KEYS for change in self.changes):
            return f"{changed} numbers differ; none of them should be equal: configuration or inputs differ too."
        return f"All {self.same_numbers} numbers that both runs have are equal."

    @property
    def rows(self) -> Table:
        """A row for each difference, as the screen and the page show it."""
        formats = {"difference": "difference"}
        return Table.of("differences", f"{len(self.changes)} differ", Change, self.changes, formats=formats)

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each difference; `unequal`: the two numbers should be equal and are not."""
        import pandas as pd

        return pd.DataFrame(self.rows.rows, columns=[*self.rows.header])

    def write_html(self, path: "str | Path") -> Path:
        """Write the page that `clirbench compare --html` writes; rows that a page has no place for, beside it."""
        rows = replace(self.rows, name=f"{Path(path).stem}-differences")
        if len(self.changes) > MOST_ROWS:
            rows.write(Path(path).parent)
        made = [f"{run.path}, made {run.provenance.get('made', '')}" for run in self.runs]
        read = f"first: {made[0]}; second: {made[1]}. Equal means equal up to one part in 10^9."
        title = " and ".join(run.path.name or str(run.path) for run in self.runs)
        write_page(Path(path), Page(title, (Section("answer", "", (self.verdict, read, rows)),)))
        return Path(path)

    def __repr__(self) -> str:
        return f"<clirbench comparison: {self.verdict}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.verdict)}</p>\n{self.table.to_html(index=False, max_rows=30)}"


def read_run(path: Path) -> RunFiles:
    """Read a run's folder; raises `InputError` where it is none."""
    provenance = read_provenance(path)
    results = read_results(path) if (path / RESULTS).is_file() else {}
    program = {name: provenance[name] for name in PROGRAM if name in provenance}
    values: dict[str, Mapping[Key, Any]] = {"answer": {(kind, *names): text for kind, text, *names in _answer(results)}}
    for part in ("configuration", "program", "inputs", "signatures"):
        said = leaves(program if part == "program" else provenance.get(part) or {}, "")
        values[part] = {(name,): text for name, text in said}
    for part, (name, keys) in KEYS.items():
        if part == "topics" and not (path / f"{name}.tsv").is_file():
            continue
        table = read_run_table(path, name, (*keys, *([] if part == "scores" else ["value"])))
        if part == "scores":
            table.unique("system")
        rows = list(zip(*map(table.column, keys), strict=True))
        wanted = provenance.get("signatures", {}) if part == "scores" else ("value", "significant")
        columns = {c: table.column(c) if c == "significant" else numbers(table, c) for c in table.header if c in wanted}
        values[part] = {(*row, c): v for c, cells in columns.items() for row, v in zip(rows, cells, strict=True)}
    return RunFiles(path, provenance, values)


def _answer(results: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """What the answer and the decision of a results.json come to: (what, text, its metric)."""
    yield "measure", str(results.get("measure", ""))
    for one in results.get("findings", ()):
        if one.get("kind") == "agreement":
            yield "grade", str(one.get("grade") or "not tested"), str(one.get("metric"))
        elif one.get("kind") == "recommendation" and isinstance(one.get("systems"), list):
            yield "recommended", ", ".join(map(str, one["systems"]))


def compare(a: RunFiles, b: RunFiles) -> Comparison:
    """Everything that differs; of a column that one run has, its signature alone."""
    changes, same = list[Change](), 0
    (signed, scores), theirs = ([run.values[part] for part in ("signatures", "scores")] for run in (a, b))
    made_alike = {name for name, *_ in signed if signed[name,] and signed[name,] == theirs[0].get((name,))}
    fixed = made_alike if a.values["inputs"] == b.values["inputs"] else set()
    moved = {key[1] for key in {**scores, **theirs[1]} if not equal(scores.get(key), theirs[1].get(key))}
    for part in dict.fromkeys((*a.values, *b.values)):
        x, y = a.values.get(part, {}), b.values.get(part, {})
        for key in dict.fromkeys((*x, *y)):
            first, second = x.get(key, ABSENT), y.get(key, ABSENT)
            absent = ABSENT in (first, second)
            if (part == "scores" and key[1] in a.columns ^ b.columns) or (key[-1] == "significant" and absent):
                continue
            both = isinstance(first, float) and isinstance(second, float)
            if equal(first, second):
                same += both
                continue
            unequal = part in KEYS and not absent and (made := a.made_of(part, key)) == b.made_of(part, key)
            unequal = unequal and made <= (fixed | (a.columns - moved) if part == "tau" else fixed)
            what = " ".join(key[:-1] if part in KEYS and key[-1] == "value" else key)
            changes.append(Change(part, what, *_told_apart(first, second), second - first if both else nan, unequal))
    return Comparison((a, b), tuple(sorted(changes, key=lambda change: not change.unequal)), same)


def leaves(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """`a.b.c` and its value as text, for every value that is no mapping."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, f"{key}.{name}" if key else str(name))
    else:
        yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def equal(a: Any, b: Any) -> bool:
    """Equal texts, or numbers that are equal up to rounding; two holes are equal."""
    if not (isinstance(a, float) and isinstance(b, float)):
        return bool(a == b)
    return (isnan(a) and isnan(b)) or abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-300)


def _told_apart(a: Any, b: Any) -> tuple[str, str]:
    """Both numbers, with as many digits as make them differ; of two signatures only the parts that differ."""
    for digits in (6, 9, 12, 17):
        first, second = (v if isinstance(v, str) else "" if isnan(v) else short(v, digits) for v in (a, b))
        if first != second:
            break
    ours, theirs = first.split("|"), second.split("|")
    apart = "|".join(p for p in ours if p not in theirs), "|".join(p for p in theirs if p not in ours)
    return apart if any(apart) else (first, second)


NAME, SUMMARY = "sweep", "sweep_summary"
PAGE, TEXT = "sweep.html", "sweep.md"
TABLE = "correlations.tsv"
NO_TABLE = "it wrote no table"
ANSWERS = ("condition", "best evidence", "grade", "recommended", "answer")
CONDITIONS = ("condition", "measure", "metric", "coefficient", "value", "significant")
UNTESTED = "Whether the highest tau of a condition is truly higher than the next is not tested here."


@dataclass(frozen=True)
class SweptJob:
    """A finished job of a sweep: the folder of its run, its settings (key -> value), and why it has no table."""

    folder: Path
    settings: Mapping[str, str]
    failed: str = ""

    @classmethod
    def of(cls, folder: Path, overrides: Sequence[str], failed: str = "") -> "SweptJob":
        """A job with these overrides (`key=value`)."""
        settings = dict(override.lstrip("+").partition("=")[::2] for override in overrides)
        return cls(folder, settings, failed or ("" if (folder / TABLE).is_file() else NO_TABLE))

    @cached_property
    def table(self) -> TextTable | None:
        """Its correlations.tsv; raises `InputError` for a file that is damaged."""
        return read_table(self.folder / TABLE) if (self.folder / TABLE).is_file() else None

    @property
    def taus(self) -> list[Correlation]:
        """The coefficients of its table, as far as a sweep shows them."""
        rows = self.table.records() if self.table else ()
        texts = ("measure", "metric", "coefficient", "significant")
        known = ((float(row["value"] or nan), {name: row[name] for name in texts}) for row in rows)
        return [Correlation(value=value, **cast(Any, cells)) for value, cells in known]

    @property
    def answered(self) -> tuple[str, ...]:
        """The cells of `ANSWERS` behind the first; why there is no answer in the place of one."""
        results = read_results(self.folder) if (self.folder / RESULTS).is_file() else {}
        words = {what: text for what, *text in reversed([*_answer(results)])}
        grade, metric = words.get("grade", ("", ""))
        return metric, grade, *words.get("recommended", ("",)), results.get("answer") or self.failed

    @property
    def name(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.settings.items()) or "the one condition"

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


def swept_keys(jobs: Sequence[SweptJob]) -> list[str]:
    """The keys that are not the same in all jobs."""
    settings = [job.settings for job in jobs]
    return [key for key in dict.fromkeys(k for s in settings for k in s) if len({s.get(key) for s in settings}) > 1]


def combine(folder: Path, jobs: Sequence[SweptJob]) -> None:
    """Write `sweep.tsv`: the rows of each job's correlations.tsv behind `job` and one column for each swept key.

    `sweep_summary.tsv` beside it has mean, median, SD and wins of each metric over the jobs (`aggregate`). A job that
    failed has no correlations.tsv: its row says so, so that no hole goes unseen. `sweep.html` and `sweep.md` show each
    condition's answer, or why it has none, the summary and every coefficient.
    """
    keys = swept_keys(jobs)
    jobs = [replace(job, settings={key: job.settings.get(key, "") for key in keys}) for job in jobs]
    header = next((job.table.header for job in jobs if job.table), ())
    failed = ("this job failed or wrote no table", *[""] * (len(header) - 1))
    rows = []
    for number, job in enumerate(jobs):
        rows += [(str(number), *job.settings.values(), *row) for row in (job.table and job.table.rows) or [failed]]
    Table(NAME, "", ("job", *keys, *header), rows).write(folder)
    summary = aggregate({job.name if keys else str(n): job.taus for n, job in enumerate(jobs)})
    means = Table.of(SUMMARY, "Means over conditions", Aggregate, summary)
    means.write(folder)
    answers = [(job.cell, *job.answered) for job in jobs]
    taus = [(job.cell, *(getattr(tau, name) for name in CONDITIONS[1:])) for job in jobs for tau in job.taus]
    tables = (
        Table("answers", "The answer in each condition", ANSWERS, answers, shown=len(answers)),
        means,
        Table(NAME, "Every condition", CONDITIONS, taus, (UNTESTED,), formats={"value": "coefficient"}),
    )
    shown = (table for table in tables if table.rows)
    sections = [Section(f"part-{table.name}", table.title, (*table.text, table.compact())) for table in shown]
    page = Page(f"Conditions: {', '.join(keys)}".removesuffix(": "), sections)
    (folder / TEXT).write_text(escape_unseen(markdown.page(page)), encoding="utf-8", newline="\n")
    write_page(folder / PAGE, page)
