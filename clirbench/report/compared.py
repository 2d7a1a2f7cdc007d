"""Runs next to each other, from the folders that they have written: two that differ (`compare`), and the conditions of
a sweep (`combine`).

Of two runs a number that should be equal and is not stands out: everything that decides it is the same in both, so that
only the program can have moved it.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isnan, nan
from pathlib import Path
from typing import Any
from urllib.parse import quote

from clirbench.errors import escape_unseen
from clirbench.files.run_files import RESULTS, described_columns, numbers, read_provenance, read_results, read_run_table
from clirbench.files.tables import TextTable, read_table
from clirbench.pages import Alarm, Aside, Cell, Page, Section, Table, short
from clirbench.report import markdown
from clirbench.report.facts import tau_cells, tau_table
from clirbench.report.html.page import write_page
from clirbench.statistics.correlation import KENDALL, Aggregate, Correlation, aggregate

TOLERANCE = 1e-9  # relative; below it, two platforms may differ in how they sum
ABSENT = "(absent)"
HEADER = ("part", "what", "first", "second", "difference")
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
    """A run's folder, read: provenance, results.json (empty where an older run has none), and `values` by part.

    A value is a text, or a number (NaN: a hole). Numbers are by the row that has them, then their column: scores by
    (system, column), taus by (measure, metric, coefficient, `value` or `significant`).
    """

    path: Path
    provenance: Mapping[str, Any]
    results: Mapping[str, Any]
    values: Mapping[str, Mapping[Key, Any]]

    def made_of(self, part: str, key: Key) -> object:
        """Everything that decides a number; None where the run does not record it all: an imported column, an older
        run without results.json.
        """
        if part == "tau":
            measure, metric, coefficient, what = key
            tested = {m for n, m, c, _ in self.values["tau"] if (n, c) == (measure, coefficient)}
            of = {measure, *(tested if what == "significant" else [metric])}
            scores = self.values["scores"].items()
            return {pair: self.made_of("scores", pair) or short(v, 9) for pair, v in scores if pair[1] in of}
        system, column = key[:2] if part == "scores" else key[1::-1]
        described, inputs = described_columns(self.results).get(column, {}), self.provenance.get("inputs", {})
        texts = inputs.get("systems", {}).get(system, {})
        if described.get("origin") != "computed":
            return None
        read = {
            "measure": (inputs.get("collection", {}).get("sha256"), texts.get("collection")),
            "metric": (inputs.get("test_sha256"), texts.get("test")),
        }
        made = (self.provenance.get("signatures", {}).get(column), *read[described["role"]])
        return None if None in made else made


@dataclass(frozen=True)
class Change:
    """One difference: `what` of a `part` changed from `first` to `second`.

    `difference` = second - first, NaN where there is none; `unequal`: the two should be equal and are not.
    """

    part: str
    what: Key
    first: str
    second: str
    difference: float = nan
    unequal: bool = False

    def row(self) -> tuple[Any, ...]:
        return self.part, " ".join(self.what), self.first, self.second, self.difference


@dataclass(frozen=True)
class Differences:
    """Everything that differs between two runs, what should not first; of what does not, how many numbers and texts."""

    runs: tuple[RunFiles, RunFiles]
    changes: tuple[Change, ...]
    same_numbers: int
    same_texts: int

    @property
    def verdict(self) -> str:
        """One sentence: do the numbers agree, and where they do not, should they?"""
        if wrong := sum(change.unequal for change in self.changes):
            return (
                f"{wrong} numbers differ that should be equal (same signature, same inputs); they are first in the "
                "list and marked."
            )
        if changed := sum(change.part in KEYS for change in self.changes):
            return f"{changed} numbers differ; none of them should be equal: configuration or inputs differ too."
        return f"All {self.same_numbers} numbers that both runs have are equal."

    def table(self) -> Table:
        """A row for each difference."""
        tip = "should be equal: same signature, same inputs"
        rows = [
            (Cell(change.part, tip=tip, alarm=True) if change.unequal else change.part, *change.row()[1:])
            for change in self.changes
        ]
        title = f"{len(rows)} differ, {self.same_numbers + self.same_texts} do not"
        return Table("differences", title, HEADER, rows, formats={"difference": "difference"})

    def page(self) -> Page:
        """The verdict and the table."""
        made = [f"{run.path}, made {run.provenance.get('made', '')}" for run in self.runs]
        read = Aside(f"first: {made[0]}; second: {made[1]}. Equal means equal up to one part in 10^9.")
        said = Alarm(self.verdict) if any(change.unequal for change in self.changes) else self.verdict
        title = " and ".join(run.path.name or str(run.path) for run in self.runs)
        return Page(title, (Section("answer", "", (said, read)), Section("differences", "", (self.table(),))))


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
    return RunFiles(path, provenance, results, values)


def _answer(results: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """What the answer and the decision of a results.json come to: (what, text, its metric)."""
    yield "measure", str(results.get("measure", ""))
    for one in results.get("findings", ()):
        if one.get("kind") == "agreement":
            yield "grade", str(one.get("grade") or "not tested"), str(one.get("metric"))
        elif one.get("kind") == "recommendation" and isinstance(one.get("systems"), list):
            yield "recommended", ", ".join(map(str, one["systems"]))


def compare(a: RunFiles, b: RunFiles) -> Differences:
    """Everything that differs; of a column that one run has, its signature alone."""
    changes: list[Change] = []
    same: Counter[bool] = Counter()
    columns = [{column for _, column in run.values["scores"]} for run in (a, b)]
    lone = columns[0] ^ columns[1]
    for part in dict.fromkeys((*a.values, *b.values)):
        x, y = a.values.get(part, {}), b.values.get(part, {})
        found = []
        for key in dict.fromkeys((*x, *y)):
            first, second = x.get(key, ABSENT), y.get(key, ABSENT)
            if (part == "scores" and key[1] in lone) or (key[-1] == "significant" and ABSENT in (first, second)):
                continue
            if equal(first, second):
                same[isinstance(first, float)] += 1
                continue
            comparable = part in KEYS and ABSENT not in (first, second)
            unequal = comparable and (made := a.made_of(part, key)) is not None and made == b.made_of(part, key)
            both = isinstance(first, float) and isinstance(second, float)
            what = key[:-1] if part in KEYS and key[-1] == "value" else key
            found.append(Change(part, what, *_told_apart(first, second), second - first if both else nan, unequal))
        changes += sorted(found, key=lambda c: 0 if isnan(c.difference) else -abs(c.difference))
    return Differences((a, b), tuple(sorted(changes, key=lambda c: not c.unequal)), same[True], same[False])


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
        taus = [] if table is None else [_correlation(cells) for cells in table.records()]
        settings = dict(override.lstrip("+").partition("=")[::2] for override in overrides)
        results = read_results(folder) if (folder / RESULTS).is_file() else {}
        answered: tuple[str, ...] = ()
        if results.get("answer"):
            found = list(_answer(results))
            grade, metric = next((one[1:] for one in found if one[0] == "grade"), ("", ""))
            systems = next((one[1] for one in found if one[0] == "recommended"), "")
            answered = (metric, grade, systems, results["answer"])
        return cls(folder, settings, table, taus, failed or ("" if table else NO_TABLE), answered)

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


def _correlation(cells: Mapping[str, str]) -> Correlation:
    """A row of correlations.tsv, as far as it has the columns."""
    read: Mapping[Any, Callable[[str], Any]] = {int: lambda c: int(c or 0), float: lambda c: float(c or nan)}
    own = [field for field in fields(Correlation) if field.name in cells]
    return Correlation(**{field.name: read.get(field.type, str)(cells[field.name]) for field in own})


def swept_keys(jobs: Sequence[SweptJob]) -> list[str]:
    """The keys that are not the same in all jobs."""
    settings = [job.settings for job in jobs]
    return [key for key in dict.fromkeys(k for s in settings for k in s) if len({s.get(key) for s in settings}) > 1]


def combine(folder: Path, jobs: Sequence[SweptJob]) -> None:
    """Write `sweep.tsv`: the rows of each job's correlations.tsv behind `job` and one column for each swept key.

    `sweep_summary.tsv` beside it has mean, median, SD and wins of each metric over the jobs (`aggregate`). A job that
    failed has no correlations.tsv: its row says so, so that no hole goes unseen. `sweep.html` and `sweep.md` show what
    failed, each condition's answer, the summary and a heat map for each measure.
    """
    keys = swept_keys(jobs)
    jobs = [replace(job, settings={key: job.settings.get(key, "") for key in keys}) for job in jobs]
    taus = {",".join(job.spelt) or str(n): job.taus for n, job in enumerate(jobs)}
    found = aggregate(taus)
    summary = Table.of(SUMMARY, "Means over conditions", Aggregate, found)
    header = next((job.table.header for job in jobs if job.table), ())
    failed = ("this job failed or wrote no table", *[""] * (len(header) - 1))
    rows = [
        (str(number), *job.settings.values(), *row)
        for number, job in enumerate(jobs)
        for row in (job.table and job.table.rows) or [failed]
    ]
    for table in (summary, Table(NAME, "Every condition", ("job", *keys, *header), rows)):
        table.write(folder)
    answers = [(job.cell, *(job.answered or ("", "", "", job.failed))) for job in jobs]
    tables = [
        Table("answers", "The answer in each condition", ANSWERS, answers, shown=len(answers)),
        *([summary] if found else []),
        *_heat_maps(jobs),
    ]
    said = (*(Alarm(f"{job.name} has no results: {job.failed}") for job in jobs if job.failed), MARKS)
    sections = (Section(f"part-{table.name}", table.title, (table.compact(),)) for table in tables)
    title = f"Conditions: {', '.join(keys)}" if keys else "Conditions"
    page = Page(title, (Section("answer", "Does the best metric depend on the condition?", said), *sections))
    (folder / TEXT).write_text(escape_unseen(markdown.page(page, bold=True)), encoding="utf-8", newline="\n")
    write_page(folder / PAGE, page)


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
