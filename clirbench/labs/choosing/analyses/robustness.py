"""`analysis=[robustness]`: what a tau rests on, and what is left of it along training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from clirbench.errors import UnknownName
from clirbench.labs.choosing.statistics.robustness import Robustness, robustness
from clirbench.labs.choosing.statistics.training import Trend, has_steps, trends
from clirbench.pages.table import Table
from clirbench.pages.wording import number
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.evidence import Evidence

TITLE = "Does tau depend on single systems or groups?"


@dataclass(frozen=True)
class RobustnessAnalysis:
    """Tables `robustness` and, where systems carry a step, `trend`.

    `groups`: metadata columns to compute tau within; null: every column that puts the systems into groups of at
    least 3 on average. `series`: the metadata column that identifies the training run.
    """

    groups: Sequence[str] | None = None
    series: str = ""
    complete: bool = True

    def check(self, result: Result) -> None:
        """Raise `UnknownName` for a column of `groups` that the systems do not have."""
        for column in self.groups or ():
            if column not in result.board.metadata:
                raise UnknownName("metadata column", column, result.board.metadata)

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        groups = grouping(evidence) if self.groups is None else tuple(self.groups)
        rows = robustness(evidence, groups, self.complete)
        text = [*robustness_findings(rows), sizes(evidence)]
        tables = [Table.of("robustness", TITLE, Robustness, rows, text)]
        if has_steps(evidence.board):
            along = trends(evidence, self.series)
            text = [*trend_findings(along), sizes(evidence)]
            tables.append(Table.of("trend", "Along training: description only", Trend, along, text))
        return tables


def grouping(evidence: Evidence) -> tuple[str, ...]:
    """Metadata columns with at least 2 values and at least 3 systems to a value on average; never the step itself."""
    return tuple(
        name
        for name, texts in evidence.board.metadata.items()
        if name != "step" and 2 <= len(set(texts)) <= len(texts) / 3
    )


def robustness_findings(rows: Sequence[Robustness]) -> Iterator[str]:
    """For each measure and metric: the range without one system, and the range within groups."""
    for measure, metric in dict.fromkeys((row.measure, row.metric) for row in rows):
        here = [row for row in rows if (row.measure, row.metric) == (measure, metric) and not isnan(row.value)]
        single = [row.value for row in here if row.check.startswith("leave-one-out")]
        if not single:
            continue
        text = f"{metric} with {measure}: {number(here[0].overall)} over all, "
        text += f"{number(min(single))} to {number(max(single))} without one system"
        for check in dict.fromkeys(row.check for row in here if row.check.startswith("group ")):
            within = [row.value for row in here if row.check == check]
            text += f", {number(min(within))} to {number(max(within))} within groups of {check.removeprefix('group ')}"
        top = [row for row in here if row.check == f"top half by {measure}"]
        if top:
            row = top[0]
            text += f", {number(row.value)} among the better half"
            if not isnan(row.expected):
                text += f" ({number(row.expected)} expected, {number(row.expected_low)} to {number(row.expected_high)}"
                text += ", if the metric agrees equally well everywhere)"
        yield f"{text}."


def trend_findings(rows: Sequence[Trend]) -> Iterator[str]:
    """Each tau and that of the changes, and the caution that neither is evidence."""
    yield (
        "The systems are checkpoints along training: two unrelated quantities that both rise agree almost perfectly, "
        "and where both flatten their changes agree too. These numbers describe; none of them is evidence, and none "
        "is called significant."
    )
    for row in rows:
        yield (
            f"{row.metric} with {row.measure}: {number(row.value)} over all checkpoints, {number(row.tau_changes)} "
            "between the changes from step to step."
        )
