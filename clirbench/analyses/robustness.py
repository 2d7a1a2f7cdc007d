"""`analysis=[robustness]`: what a tau rests on, and what is left of it along training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from clirbench.analyses.wording import number, sizes
from clirbench.result import AnalysisTable, Result
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.robustness import Robustness, robustness
from clirbench.statistics.training import Trend, has_steps, trends

TITLE = "Does tau depend on single systems or groups?"


@dataclass(frozen=True)
class RobustnessAnalysis:
    """Tables `robustness` and, where systems carry a step, `trend`.

    `groups`: metadata columns to compute tau within; null: every column that puts the systems into groups of at
    least 3 on average. `series`, `window`, `block`, `samples`: of the trend, as in `training.trends`.
    """

    groups: Sequence[str] | None = None
    series: str = ""
    window: int = 5
    block: int = 3
    samples: int = 1999
    complete: bool = False
    seed: int = 0

    def tables(self, result: Result) -> Sequence[AnalysisTable]:
        evidence = result.evidence
        groups = grouping(evidence) if self.groups is None else tuple(self.groups)
        rows = robustness(evidence, groups, complete=self.complete)
        text = [*robustness_findings(rows), sizes(evidence)]
        tables = [AnalysisTable.of("robustness", TITLE, Robustness, rows, text)]
        if has_steps(evidence.board):
            along = trends(
                evidence, series=self.series, window=self.window, block=self.block, samples=self.samples, seed=self.seed
            )
            text = [*trend_findings(along), sizes(evidence, self.samples, self.seed)]
            tables.append(AnalysisTable.of("trend", "Without the common rise along training", Trend, along, text))
        return tables


def grouping(evidence: Evidence) -> tuple[str, ...]:
    """Metadata columns with at least 2 values and at least 3 systems to a value on average; never the step itself."""
    found = []
    for name, texts in evidence.board.metadata.items():
        values = len(set(texts))
        if name != "step" and 2 <= values <= len(texts) / 3:
            found.append(name)
    return tuple(found)


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
            text += f", {number(top[0].value)} among the better half"
        yield f"{text}."


def trend_findings(rows: Sequence[Trend]) -> Iterator[str]:
    """What is left of each tau, and the caution that plain p-values mean nothing here."""
    yield (
        "The systems are checkpoints along training: two unrelated quantities that both rise agree almost perfectly, "
        "so the plain p-values are marked trend and not called significant."
    )
    for row in rows:
        yield (
            f"{row.metric} with {row.measure}: {number(row.value)} over all checkpoints, {number(row.tau_windows)} "
            f"within {row.window} neighbouring steps, {number(row.tau_changes)} between the changes from step to step "
            f"(p {number(row.p_changes)}, blocks of {row.block})."
        )
