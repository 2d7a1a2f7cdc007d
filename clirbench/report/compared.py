"""What differs between two runs, found from the folders that they have written: a table, a sentence and a page.

A number that should be equal and is not stands out: its column has the same signature in both runs and was computed
from the same inputs, so that only the program can have moved it.

Several conditions side by side: one table over all of them, and a page with each one's answer and taus.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
PARTS = ("configuration", "program", "inputs", "signatures", "scores", "tau", "topics")
PROGRAM = ("clirbench", "python", "platform", "libraries", "seed", "command")
MOST = 5
"""Systems or causes that are named; the table has all."""
NO_CAUSE = ("name", "output.", "paths.", "hydra.", "engine.", "check", "analys", "pair")
"""Keys of the configuration that move no number."""
Key = tuple[str, ...]


@dataclass(frozen=True)
class RunFiles:
    """A run's folder, read: `provenance`, results.json (empty where an older run has none), and numbers; a hole is NaN.

    `values[part]` by what names them: scores by (system, column), tau by (measure, metric, coefficient), topics by
    (measure, system, topic). `significant`: what correlations.tsv says of each tau.
    """

    path: Path
    provenance: Mapping[str, Any]
    values: Mapping[str, Mapping[Key, float]]
    significant: Mapping[Key, str] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)

    def made_of(self, column: str, system: str) -> tuple[str, ...] | None:
        """Everything that decides a number; None where the run does not record it all: an imported column, an older run
        without results.json.
        """
        described, inputs = described_columns(self.results).get(column, {}), self.provenance.get("inputs", {})
        texts = inputs.get("systems", {}).get(system, {})
        if described.get("origin") != "computed":
            return None
        read = {
            "measure": (inputs.get("collection", {}).get("sha256"), texts.get("collection")),
            "metric": (inputs.get("test_sha256"), texts.get("test")),
        }
        made = (self.provenance.get("signatures", {}).get(column), *read[described["role"]])
        return None if None in made else tuple(map(str, made))

    def texts(self, part: str) -> dict[str, str]:
        """What the provenance says in one part, key by key."""
        known = (
            {name: self.provenance.get(name) for name in PROGRAM} if part == "program" else self.provenance.get(part)
        )
        return dict(leaves(known or {}, ""))


@dataclass(frozen=True)
class Change:
    """One difference: `what` of a `part` (of `PARTS`) changed from `first` to `second`.

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
    """Everything that differs between two runs; `same`: how many values of each part do not."""

    runs: tuple[RunFiles, RunFiles]
    changes: tuple[Change, ...]
    same: Mapping[str, int]

    @property
    def verdict(self) -> str:
        """One sentence: do the numbers agree, and where they do not, should they?"""
        wrong = sum(change.unequal for change in self.changes)
        changed = sum(change.part in PARTS[4:] for change in self.changes)
        if wrong:
            return (
                f"{wrong} numbers differ that should be equal (same signature, same inputs); they are first in the "
                "list and marked."
            )
        if changed:
            return f"{changed} numbers differ; none of them should be equal: configuration or inputs differ too."
        return f"All {sum(self.same[part] for part in PARTS[4:])} numbers that both runs have are equal."

    @property
    def sentences(self) -> list[str]:
        """What happens to the answer and why, where numbers differ; then the verdict."""
        if not any(change.part in PARTS[4:] for change in self.changes):
            return [self.verdict]
        return [*_evidence(*self.runs), *_order(*self.runs), *_causes(self.changes), self.verdict]

    def table(self) -> Table:
        """A row for each difference, those that should not be first."""
        tip = "should be equal: same signature, same inputs"
        rows = []
        for change in sorted(self.changes, key=lambda change: not change.unequal):
            first, *rest = change.row()
            rows.append((Cell(first, tip=tip, alarm=True) if change.unequal else first, *rest))
        title = f"{len(self.changes)} differ, {sum(self.same.values())} do not"
        return Table("differences", title, HEADER, rows, formats={"difference": "difference"})

    def page(self) -> Page:
        """The sentences and the table."""
        *first, verdict = self.sentences
        alarm = any(change.unequal for change in self.changes)
        made = [f"{run.path}, made {run.provenance.get('made', '')}" for run in self.runs]
        read = Aside(f"first: {made[0]}; second: {made[1]}. Equal means equal up to one part in 10^9.")
        names = [run.path.name or str(run.path) for run in self.runs]
        said = (*first, Alarm(verdict) if alarm else verdict, read)
        return Page(" and ".join(names), (Section("answer", "", said), Section("differences", "", (self.table(),))))


def read_run(path: Path) -> RunFiles:
    """Read a run's folder; raises `InputError` where it is none."""
    provenance = read_provenance(path)
    results = read_results(path) if (path / RESULTS).is_file() else {}
    table = read_run_table(path, "systems", ("system",))
    table.unique("system")
    columns = [name for name in table.header if name in provenance.get("signatures", {})]
    scores: dict[Key, float] = {
        (s, c): v for c in columns for s, v in zip(table.column("system"), numbers(table, c), strict=True)
    }
    values: dict[str, Mapping[Key, float]] = {"scores": scores}
    significant: Mapping[Key, str] = {}
    for part, name, keys in (
        ("tau", "correlations", ("measure", "metric", "coefficient")),
        ("topics", "per_topic", ("measure", "system", "topic_id")),
    ):
        if part == "topics" and not (path / "per_topic.tsv").is_file():
            continue
        rows = read_run_table(path, name, (*keys, "value", *(["significant"] if part == "tau" else [])))
        named: list[Key] = list(zip(*map(rows.column, keys), strict=True))
        values[part] = dict(zip(named, numbers(rows, "value"), strict=True))
        if part == "tau":
            significant = dict(zip(named, rows.column("significant"), strict=True))
    return RunFiles(path, provenance, values, significant, results)


def compare(a: RunFiles, b: RunFiles) -> Differences:
    """Everything that differs: configuration, program, inputs, signatures, scores, tau, topics."""
    changes: list[Change] = []
    same: Counter[str] = Counter()
    for part in PARTS[:4]:
        x, y = a.texts(part), b.texts(part)
        for name in dict.fromkeys((*x, *y)):
            first, second = x.get(name, ABSENT), y.get(name, ABSENT)
            same[part] += first == second
            if first != second:
                apart = _pieces(first, second) if part == "signatures" else (first, second)
                changes.append(Change(part, (name,), *apart))
    columns = [dict.fromkeys(column for _, column in run.values["scores"]) for run in (a, b)]
    lone = set(columns[0]) ^ set(columns[1])
    for column in (column for column in {**columns[0], **columns[1]} if column in lone):
        here = (ABSENT, "computed") if column in columns[1] else ("computed", ABSENT)
        changes.append(Change("scores", ("all", column), *here))
    for part in PARTS[4:]:
        found = []
        before, now = a.values.get(part, {}), b.values.get(part, {})
        for key in dict.fromkeys((*before, *now)):
            if part == "scores" and key[1] in lone:
                continue
            v, w = before.get(key, nan), now.get(key, nan)
            tested = [run.significant.get(key, ABSENT) if part == "tau" else "" for run in (a, b)]
            if equal(v, w) and tested[0] == tested[1]:
                same[part] += 1
                continue
            if part == "tau":
                texts, unequal = _tau_texts(a, b, key), _tau_unequal(a, b, key)
            else:
                system, column = key if part == "scores" else (key[1], key[0])
                texts, unequal = _told_apart(v, w), should_be_equal(a, b, column, system)
            found.append(Change(part, key, *texts, w - v, unequal))
        changes += sorted(found, key=lambda c: (not c.unequal, 0 if isnan(c.difference) else -abs(c.difference)))
    return Differences((a, b), tuple(changes), same)


def leaves(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """`a.b.c` and its value as text, for every value that is no mapping."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, f"{key}.{name}" if key else str(name))
    else:
        yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _pieces(first: str, second: str) -> tuple[str, str]:
    """Of two signatures of one column only the parts that differ."""
    ours, theirs = first.split("|"), second.split("|")
    apart = "|".join(p for p in ours if p not in theirs), "|".join(p for p in theirs if p not in ours)
    return apart if any(apart) else (first, second)


def equal(a: float, b: float) -> bool:
    """Equal up to rounding; two holes are equal."""
    if isnan(a) or isnan(b):
        return isnan(a) and isnan(b)
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-300)


def should_be_equal(a: RunFiles, b: RunFiles, column: str, system: str) -> bool:
    """Whether both runs made this number from the same inputs in the same way."""
    made = a.made_of(column, system)
    return made is not None and made == b.made_of(column, system)


def _tau_unequal(a: RunFiles, b: RunFiles, key: Key) -> bool:
    """A coefficient should be equal where both its columns should, for the same systems.

    Its significance is that of all metrics together, so it should be equal where those of both runs are the same.
    """
    values, others = [run.values["tau"].get(key, nan) for run in (a, b)], [run.values["scores"] for run in (a, b)]
    tested = [{other[1] for other in run.values["tau"] if other[::2] == key[::2]} for run in (a, b)]
    moved = not equal(*values)
    alike = [{system for system, _ in scores} for scores in others]
    if (
        alike[0] != alike[1]
        or not (key in a.significant and key in b.significant)
        or not (moved or tested[0] == tested[1])
    ):
        return False
    decide = {key[0], key[1]} if moved else {key[0], *tested[0]}
    return all(
        equal(value, others[1][pair]) or should_be_equal(a, b, pair[1], pair[0])
        for pair, value in others[0].items()
        if pair[1] in decide and pair in others[1]
    )


def _tau_texts(a: RunFiles, b: RunFiles, key: Key) -> tuple[str, str]:
    first, second = _told_apart(*(run.values["tau"].get(key, nan) for run in (a, b)))
    marks = {"true": "", "false": " x"}
    before, now = (run.significant.get(key, ABSENT) for run in (a, b))
    return (
        before if before == ABSENT else first + marks.get(before, " undefined"),
        now if now == ABSENT else second + marks.get(now, " undefined"),
    )


def _told_apart(a: float, b: float) -> tuple[str, str]:
    """Both numbers, with as many digits as make them differ."""
    for digits in (6, 9, 12):
        first, second = ("" if isnan(value) else short(value, digits) for value in (a, b))
        if first != second:
            return first, second
    return repr(a), repr(b)


def _evidence(a: RunFiles, b: RunFiles) -> Iterator[str]:
    first, second = a.results, b.results
    if not first or not second:
        return
    measure = first.get("measure")
    if measure != second.get("measure"):
        yield f"The answers are about different measures: {measure} first, {second.get('measure')} now."
        return
    before, now = (_grades(found) for found in (first, second))
    if before == now:
        yield f"The answer does not change: evidence by {measure}: {_listed(now)}."
    else:
        yield f"The answer changes: evidence by {measure}: {_listed(now)} now, {_listed(before)} before."


def _grades(results: Mapping[str, Any]) -> dict[str, list[str]]:
    """The metrics of each grade, from the findings of results.json."""
    found: dict[str, list[str]] = {}
    for one in results.get("findings", []):
        if isinstance(one, Mapping) and one.get("kind") == "agreement":
            found.setdefault(str(one.get("grade") or "not tested"), []).append(str(one.get("metric")))
    return {grade: sorted(metrics) for grade, metrics in found.items()}


def _listed(grades: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{grade} for {', '.join(metrics)}" for grade, metrics in grades.items()) or "none"


def _order(a: RunFiles, b: RunFiles) -> Iterator[str]:
    """The best system by the answer's measure, and those of both runs whose place among them is another now."""
    measure = str(a.results.get("measure") or "")
    scores = [run.values["scores"].items() for run in (a, b)]
    x, y = ({s: -v for (s, column), v in of if column == measure and not isnan(v)} for of in scores)
    first, second = sorted(x.keys() & y, key=lambda s: (x[s], s)), sorted(x.keys() & y, key=lambda s: (y[s], s))
    if not first:
        return
    best = f"{second[0]} now, {first[0]} before" if first[0] != second[0] else f"{first[0]} in both"
    yield f"The best of their {len(first)} common systems by {measure}: {best}."
    moved = [(s, first.index(s) + 1, second.index(s) + 1) for s in second if first.index(s) != second.index(s)]
    moved.sort(key=lambda move: -abs(move[1] - move[2]))
    if moved:
        named = ", ".join(f"{s} from place {before} to {now}" for s, before, now in moved[:MOST])
        more = f", and {len(moved) - MOST} more" if len(moved) > MOST else ""
        yield f"Systems that moved: {named}{more}."
    else:
        yield "No system moved."


def _causes(changes: Sequence[Change]) -> Iterator[str]:
    found = [
        f"{'.'.join(change.what)} ({change.first} before, {change.second} now)"
        for change in changes
        if change.part == "configuration" and not change.what[0].startswith(NO_CAUSE)
    ]
    found += [f"the content of {'.'.join(change.what)}" for change in changes if change.part == "inputs"]
    if found:
        more = f", and {len(found) - MOST} more" if len(found) > MOST else ""
        yield f"What differs and can move numbers: {'; '.join(found[:MOST])}{more}."


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


def combine(folder: Path, jobs: Sequence[SweptJob]) -> Path:
    """Write `sweep.tsv`: the rows of each job's correlations.tsv behind `job` and one column for each swept key.

    `sweep_summary.tsv` beside it has mean, median, SD and wins of each metric over the jobs (`aggregate`).

    A job that failed has no correlations.tsv: its row says so, so that no hole goes unseen. `sweep.html` and `sweep.md`
    show the conditions side by side.
    """
    keys = swept_keys(jobs)
    jobs = [replace(job, settings={key: job.settings.get(key, "") for key in keys}) for job in jobs]
    labels = [",".join(job.spelt) or str(n) for n, job in enumerate(jobs)]
    taus = {label: job.taus for label, job in zip(labels, jobs, strict=True)}
    summary = Table.of(SUMMARY, "Means over conditions", Aggregate, aggregate(taus))
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
