"""`analysis=[sensitivity]`: what each kind of error costs every metric and measure, in words and as a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from clirbench.labs.papers.statistics.sensitivity import (
    NOTICED,
    Contrast,
    Loss,
    Sensitivity,
    contrasts,
    losses,
    sensitivity,
)
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result


@dataclass(frozen=True)
class SensitivityAnalysis:
    """What each kind of error costs every metric and measure; for systems that carry `kind` and `rate`.

    `metric` is compared with each of `measures` in words. Tables: `sensitivity_costs` (per cent lost at the common
    rate, for reading) and `sensitivity` (every curve).
    """

    metric: str = "BLEU"
    measures: Sequence[str] = ("MAP",)
    seed: int = 0

    def check(self, result: Result) -> None:
        """Raise `ConfigError` where the systems' kinds and rates are not known."""
        sensitivity(result.board)

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        means = {name: values for name, values in evidence.per_topic.items() if evidence.is_mean(name)}
        found = sensitivity(result.board, per_topic=means, seed=self.seed)
        header, costs = cost_table(found)
        text = [sentence for measure in self.measures for sentence in sensitivity_findings(found, self.metric, measure)]
        return (
            Table(
                "sensitivity_costs",
                "What each kind of error costs",
                header,
                tuple(costs),
                tuple(text),
                figure=lambda: figure(found),
            ),
            Table.of("sensitivity", "Every rate of every kind of error", Loss, losses(found)),
        )


def cost_table(found: Sensitivity) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows of the table that the report shows: per cent lost at the common rate, a row for each kind."""
    header = (f"% lost at {_percent(found.rate)} % of words", *found.columns)
    return header, [
        (kind, *(_percent(found.of(kind, column).at(found.rate)) for column in found.columns)) for kind in found.kinds
    ]


def sensitivity_findings(found: Sensitivity, metric: str = "BLEU", measure: str = "MAP") -> list[str]:
    """What the numbers say, in sentences: which errors hurt retrieval more than the metric shows, and which less.

    metric, measure: the columns compared; where there is none of that name, the first of its role.
    """
    metric, measure = found.named("metric", metric), found.named("measure", measure)
    compared = contrasts(found, metric, measure)
    said = [
        *_verdict(compared, "retrieval", f"cost {measure} clearly more than {metric}"),
        *_verdict(compared, "metric", f"cost {metric} clearly more than {measure}"),
        *_verdict(compared, "alike", f"cost {metric} and {measure} about as much"),
        *_verdict(compared, "neither", f"cost neither {metric} nor {measure}"),
    ]
    return [*said, *_exchange(compared)]


def _verdict(compared: Sequence[Contrast], verdict: str, meaning: str) -> list[str]:
    struck = [row for row in compared if row.verdict == verdict]
    if not struck:
        if verdict not in ("retrieval", "metric"):
            return []
        return [
            f"At {_percent(compared[0].rate)} % of the words with an error, no kind of error was found to {meaning}."
        ]
    listed = "; ".join(map(_costs, struck))
    return [f"At {_percent(struck[0].rate)} % of the words with an error, these kinds {meaning}: {listed}."]


def _costs(row: Contrast) -> str:
    low, high = row.interval
    between = f", {_percent(low)} to {_percent(high)} over topics" if isfinite(low + high) else ""
    return (
        f"{row.kind} ({row.measure} loses {_percent(row.measure_loss)} %{between}; "
        f"{row.metric} loses {_percent(row.metric_loss)} %)"
    )


def _exchange(compared: Sequence[Contrast]) -> list[str]:
    """How much retrieval a point of the metric stands for, from the kind that is worth most to the one worth least."""
    seen = [row for row in compared if row.metric_loss >= NOTICED and isfinite(row.measure_loss)]
    if len(seen) < 2:
        return []
    worth = sorted(((row.measure_loss / row.metric_loss, row) for row in seen), key=lambda pair: -pair[0])
    (most, first), (least, last) = worth[0], worth[-1]
    return [
        f"One per cent of {first.metric} stands for {fixed(most, 2)} % of {first.measure} when it is lost to "
        f"{first.kind}, and for {fixed(least, 2)} % when it is lost to {last.kind}."
    ]


def _percent(share: float) -> str:
    """A share as per cent with one decimal, none where it is a whole number; `-` where it is undefined."""
    if not isfinite(share):
        return "-"
    text = fixed(100 * share, 1).removesuffix(".0")
    return "0" if text == "-0" else text


def figure(found: Sensitivity) -> Drawing:
    """One plot for each kind: the rate on the horizontal axis, per cent lost on the vertical one, a line for each of
    the first two metrics and the first two measures.
    """
    names = dict.fromkeys((curve.column, curve.role) for curve in found.curves)
    shown = [name for role in ("metric", "measure") for name in [n for n, r in names if r == role][:2]]
    below, beside = "share of words with an error", "% of the perfect score lost"
    plots = []
    for kind in found.kinds:
        lines = {name: [(rate, 100 * loss) for rate, loss in found.of(kind, name).points] for name in shown}
        plots.append(Panel(below, beside, lines, title=kind))
    return panels(plots, alike=True)
