"""Several conditions side by side: a heat map of conditions and metrics, and with what the best metric changes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.analyses.wording import join_names
from clirbench.errors import escape_unseen
from clirbench.report.facts import is_highest
from clirbench.report.html.page import rendered
from clirbench.report.html.page_tables import Cell, PageTable, tau_of
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.multiverse import UniverseTau

PAGE, TEXT = "sweep.html", "sweep.md"


@dataclass(frozen=True)
class Condition:
    """One condition: its settings, the coefficients by (measure, metric), where its report is, why it failed, and the
    answer of its run."""

    settings: Mapping[str, str]
    taus: Mapping[tuple[str, str], Correlation] = field(default_factory=dict)
    link: str = ""
    failed: str = ""
    answer: str = ""

    @property
    def name(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.settings.items()) or "the one condition"

    def best(self, measure: str) -> frozenset[str]:
        """The metrics with the highest coefficient above 0, ties shared."""
        rows = [row for (of, _), row in self.taus.items() if of == measure]
        return frozenset(row.metric for row in rows if is_highest(row, rows))


def of_universes(rows: Sequence[UniverseTau]) -> list[Condition]:
    """The conditions of `analysis=[multiverse]`; nothing is tested there."""
    found: dict[str, dict[tuple[str, str], Correlation]] = {}
    for row in rows:
        tau = Correlation(row.measure, row.metric, "kendall", row.value, float("nan"), 0, "undefined", row.note)
        found.setdefault(row.choices, {})[row.measure, row.metric] = tau
    return [Condition(dict(part.split("=", 1) for part in name.split()), taus) for name, taus in found.items()]


def write(folder: Path, title: str, conditions: Sequence[Condition]) -> None:
    """Write sweep.html and sweep.md."""
    text = [f"# {title}", *findings(conditions), *failures(conditions)]
    tables = [heat_map(conditions, measure, place) for place, measure in enumerate(measures(conditions))]
    if any(condition.answer for condition in conditions):
        tables = [answers(conditions), *tables]
    for table in tables:
        text.append(f"## {table.caption}")
        marks = ["---", *("---:" for _ in table.header[1:])]
        rows = [
            [f"[{row[0].text}]({row[0].href})" if row[0].href else row[0].text, *_bold(row[1:])] for row in table.rows
        ]
        text.append("\n".join("| " + " | ".join(_cell(c) for c in row) + " |" for row in (table.header, marks, *rows)))
    (folder / TEXT).write_text(escape_unseen("\n\n".join(text)) + "\n", encoding="utf-8", newline="\n")
    values = {
        "title": title,
        "findings": [*findings(conditions)],
        "failures": [*failures(conditions)],
        "tables": tables,
    }
    (folder / PAGE).write_text(rendered("sweep.html.j2", values, {}), encoding="utf-8", newline="\n")


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
        what = f" The best metric changes {join_names(moved)}." if moved else ""
        yield f"{measure}: the highest tau of {len(there)} conditions has {join_names(told)}.{what}"
    if measures(conditions):
        yield (
            "Metrics that share the highest tau count each; a change is one against the first value of a key, all else "
            "equal. Whether the highest tau of a condition is truly higher than the next is not tested here."
        )


def changes(conditions: Sequence[Condition], measure: str, key: str) -> tuple[int, int]:
    """(conditions with another best metric, conditions compared), against the first value of `key`."""
    first = next(c.settings[key] for c in conditions if key in c.settings)
    apart = {_without(c.settings, key): c.best(measure) for c in conditions if c.settings.get(key) == first}
    compared = [
        c.best(measure).isdisjoint(apart[_without(c.settings, key)])
        for c in conditions
        if c.settings.get(key, first) != first and _without(c.settings, key) in apart
    ]
    return sum(compared), len(compared)


def failures(conditions: Sequence[Condition]) -> Iterator[str]:
    """A sentence for each condition without a table."""
    for condition in conditions:
        if condition.failed:
            yield f"{condition.name} has no results: {condition.failed}"


def answers(conditions: Sequence[Condition]) -> PageTable:
    """A row for each condition: its answer, or why there is none."""
    rows = [(Cell(one.name, one.name, href=one.link), Cell(one.answer or one.failed, one.answer)) for one in conditions]
    return PageTable("answers", "The answer in each condition", ("condition", "answer"), (False, False), tuple(rows))


def heat_map(conditions: Sequence[Condition], measure: str, place: int) -> PageTable:
    """A row for each condition, a column for each metric, coloured by the coefficient."""
    metrics = list(dict.fromkeys(metric for c in conditions for of, metric in c.taus if of == measure))
    rows = []
    for condition in conditions:
        taus = [condition.taus[measure, metric] for metric in metrics if (measure, metric) in condition.taus]
        cells = {tau.metric: tau_of(tau, bold=is_highest(tau, taus)) for tau in taus}
        none = Cell("–", -2.0, condition.failed or "no value", "none")
        head = Cell(condition.name, condition.name, href=condition.link)
        rows.append((head, *(cells.get(metric, none) for metric in metrics)))
    numeric = (False, *(True for _ in metrics))
    return PageTable(
        f"heat-{place}", f"{measure}: tau in each condition", ("condition", *metrics), numeric, tuple(rows)
    )


def _without(settings: Mapping[str, str], key: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in settings.items() if name != key))


def _bold(cells: Sequence[Cell]) -> list[str]:
    return [f"**{cell.text}**" if cell.style.endswith(" best") else cell.text for cell in cells]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
