"""Several conditions side by side: a heat map of conditions and metrics, and with what the best metric changes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.errors import escape_unseen
from clirbench.pages.page import Alarm, Aside, Page, Section
from clirbench.pages.table import Cell, Table
from clirbench.pages.wording import listed
from clirbench.report import markdown
from clirbench.report.facts import is_highest, tau_cells, tau_table
from clirbench.report.html.page import write_page
from clirbench.statistics.correlation import Correlation

PAGE, TEXT = "sweep.html", "sweep.md"
QUESTION = "Does the best metric depend on the condition?"
DECIDED = ("The metric with the best evidence", "Its grade", "The recommended system")
"""Parts of an answer that may differ between conditions."""
MARKS = Aside(
    "Bold: the highest of its condition. x: not significant. ?: not tested. –: no value; the report of the condition "
    "says why."
)


@dataclass(frozen=True)
class Condition:
    """One condition: its settings, the coefficients by (measure, metric), where its report is, why it failed, the
    answer of its run, and what that comes to: part of the answer -> its value (`DECIDED`)."""

    settings: Mapping[str, str]
    taus: Mapping[tuple[str, str], Correlation] = field(default_factory=dict)
    link: str = ""
    failed: str = ""
    answer: str = ""
    decided: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.settings.items()) or "the one condition"

    def best(self, measure: str) -> frozenset[str]:
        """The metrics with the highest coefficient above 0, ties shared."""
        rows = [row for (of, _), row in self.taus.items() if of == measure]
        return frozenset(row.metric for row in rows if is_highest(row, rows))


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


def of_universes(rows: Sequence[UniverseTau]) -> list[Condition]:
    """The conditions that an analysis of this run went through; nothing is tested there."""
    found: dict[str, dict[tuple[str, str], Correlation]] = {}
    for row in rows:
        tau = Correlation(row.measure, row.metric, "kendall", row.value, float("nan"), 0, "undefined", row.note)
        found.setdefault(row.choices, {})[row.measure, row.metric] = tau
    return [Condition(dict(part.split("=", 1) for part in name.split()), taus) for name, taus in found.items()]


def write(folder: Path, title: str, conditions: Sequence[Condition]) -> None:
    """Write sweep.html and sweep.md."""
    made = page(title, conditions)
    (folder / TEXT).write_text(escape_unseen(markdown.page(made, bold=True)), encoding="utf-8", newline="\n")
    write_page(folder / PAGE, made)


def page(title: str, conditions: Sequence[Condition]) -> Page:
    """What the best metric depends on, then the answers and a heat map for each measure."""
    said = (*map(Alarm, failures(conditions)), *decided_changes(conditions), *findings(conditions), MARKS)
    tables = [heat_map(conditions, measure, place) for place, measure in enumerate(measures(conditions))]
    if any(condition.answer for condition in conditions):
        tables = [answers(conditions), *tables]
    sections = (Section(f"part-{table.name}", table.title, (table,)) for table in tables)
    return Page(title, (Section("answer", QUESTION, said), *sections))


def measures(conditions: Sequence[Condition]) -> list[str]:
    """The measures of all conditions, in their order."""
    return list(dict.fromkeys(measure for condition in conditions for measure, _ in condition.taus))


def findings(conditions: Sequence[Condition]) -> Iterator[str]:
    """For each measure: which metric is best how often, and with which settings that changes."""
    for measure in measures(conditions):
        there = [condition for condition in conditions if condition.best(measure)]
        counts: dict[str, int] = {}
        for condition in there:
            for metric in condition.best(measure):
                counts[metric] = counts.get(metric, 0) + 1
        if not there:
            continue
        told = [f"{metric} in {n}" for metric, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
        of = {key: changes(there, measure, key) for key in dict.fromkeys(key for c in there for key in c.settings)}
        moved = [f"with {key} in {changed} of {compared}" for key, (changed, compared) in of.items() if compared]
        what = f" The best metric changes {listed(moved)}." if moved else ""
        yield f"{measure}: the highest tau of {len(there)} conditions has {listed(told)}.{what}"
    if measures(conditions):
        yield (
            "Metrics that share the highest tau count each; a change is one against the first value of a key, all else "
            "equal. Whether the highest tau of a condition is truly higher than the next is not tested here."
        )


def decided_changes(conditions: Sequence[Condition]) -> Iterator[str]:
    """For each part of the answer: with which settings it changes, against the first value of a key."""
    for part in DECIDED:
        there = [condition for condition in conditions if part in condition.decided]
        moved = []
        for key in dict.fromkeys(key for condition in there for key in condition.settings):
            pairs = _against_first(there, key)
            if pairs:
                changed = sum(one.decided[part] != other.decided[part] for one, other in pairs)
                moved.append(f"with {key} in {changed} of {len(pairs)}")
        if moved:
            yield f"{part} changes {listed(moved)}."


def changes(conditions: Sequence[Condition], measure: str, key: str) -> tuple[int, int]:
    """(conditions with another best metric, conditions compared), against the first value of `key`."""
    pairs = _against_first(conditions, key)
    return sum(one.best(measure).isdisjoint(other.best(measure)) for one, other in pairs), len(pairs)


def _against_first(conditions: Sequence[Condition], key: str) -> list[tuple[Condition, Condition]]:
    """Each condition with another value of `key` than the first, and the one with the first that is equal otherwise."""
    first = next(c.settings[key] for c in conditions if key in c.settings)
    apart = {_without(c.settings, key): c for c in conditions if c.settings.get(key) == first}
    return [
        (c, apart[_without(c.settings, key)])
        for c in conditions
        if c.settings.get(key, first) != first and _without(c.settings, key) in apart
    ]


def failures(conditions: Sequence[Condition]) -> Iterator[str]:
    """A sentence for each condition without a table."""
    for condition in conditions:
        if condition.failed:
            yield f"{condition.name} has no results: {condition.failed}"


def answers(conditions: Sequence[Condition]) -> Table:
    """A row for each condition: its answer, or why there is none."""
    rows = tuple((Cell(one.name, href=one.link), one.answer or one.failed) for one in conditions)
    return Table("answers", "The answer in each condition", ("condition", "answer"), rows, shown=len(rows))


def heat_map(conditions: Sequence[Condition], measure: str, place: int) -> Table:
    """A row for each condition, a column for each metric, coloured by the coefficient."""
    metrics = list(dict.fromkeys(metric for c in conditions for of, metric in c.taus if of == measure))
    rows = []
    for condition in conditions:
        taus = [condition.taus[measure, metric] for metric in metrics if (measure, metric) in condition.taus]
        cells = dict(zip((tau.metric for tau in taus), tau_cells(taus), strict=True))
        none = Cell("–", tip=condition.failed or "no value")
        rows.append((Cell(condition.name, href=condition.link), *(cells.get(metric, none) for metric in metrics)))
    return tau_table(f"heat-{place}", f"{measure}: tau in each condition", "condition", metrics, rows)


def _without(settings: Mapping[str, str], key: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in settings.items() if name != key))
