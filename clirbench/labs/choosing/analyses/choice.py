"""`analysis=[choice]`: what each metric would choose, what that loses, and what a rise of a metric is worth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isinf, isnan

from clirbench.labs.choosing.statistics.choice import Choice, Stop, choices, early_stopping
from clirbench.labs.choosing.statistics.improvement import Improvement, improvements
from clirbench.labs.choosing.statistics.training import has_steps
from clirbench.pages.table import Table
from clirbench.pages.wording import number
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.evidence import holes


@dataclass(frozen=True)
class ChoiceAnalysis:
    """Tables `choice` (pick and regret), `improvement` (P(improves | rise)) and, along training, `early_stopping`.

    `shortlists`: sizes of short lists; `points`: of the curve; `patiences`: of early stopping; `series`: the metadata
    column that identifies the training run.
    """

    shortlists: Sequence[int] = (1, 2, 3, 5)
    points: int = 5
    patiences: Sequence[int] = (1, 2, 3, 5)
    series: str = ""
    complete: bool = True
    seed: int = 0

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        chosen = choices(
            evidence,
            result.units,
            self.shortlists,
            same_lines=result.same_lines,
            seed=self.seed,
            complete=self.complete,
        )
        curves = improvements(evidence, result.units, points=self.points, complete=self.complete)
        lacking = [f"{hole}." for hole in holes(evidence)]
        told = [*choice_findings(chosen), sizes(evidence), *lacking]
        rises = [*improvement_findings(curves), sizes(evidence), *lacking]
        title = "Which system would each metric choose, and what does that lose?"
        tables = [
            Table.of("choice", title, Choice, chosen, told),
            Table.of("improvement", "Does retrieval improve when a metric rises?", Improvement, curves, rises),
        ]
        if has_steps(evidence.board):
            stops = early_stopping(evidence, self.patiences, self.series)
            tables.append(Table.of("early_stopping", "Early stopping replayed", Stop, stops, stop_findings(stops)))
        return tables


def choice_findings(rows: Sequence[Choice]) -> Iterator[str]:
    """For each measure, the best system and what every metric's own pick loses: here, and expected elsewhere."""
    for measure in dict.fromkeys(row.measure for row in rows):
        here = [row for row in rows if row.measure == measure and row.shortlist == 1]
        if not here:
            continue
        picks = ", ".join(f"{row.metric} {row.pick} ({number(row.regret)})" for row in here)
        yield (
            f"{measure}: on these topics the best system is {here[0].best} ({number(here[0].best_value)}); chosen "
            f"and lost: {picks}."
        )
        expected = ", ".join(
            f"{row.metric} [{number(row.low)}, {number(row.high)}]" for row in here if not isnan(row.low)
        )
        if expected:
            yield f"{measure}: lost in a population of topics, with 95 % confidence: {expected}."


def improvement_findings(rows: Sequence[Improvement]) -> Iterator[str]:
    """For each measure, the rise of every metric that makes an improvement 80 % likely."""
    for measure in dict.fromkeys(row.measure for row in rows):
        needed = {row.metric: row for row in rows if row.measure == measure and not isnan(row.rise_80)}
        if needed:
            told = ", ".join(
                f"{metric} {number(row.rise_80, 2)} [{number(row.rise_80_low, 2)}, "
                f"{'no bound' if isinf(row.rise_80_high) else number(row.rise_80_high, 2)}]"
                for metric, row in needed.items()
            )
            yield f"{measure} improves with probability .8 (two of these systems) if a metric rises by: {told}."
    if rows:
        yield "The curves are fitted to these systems; smaller changes within one training run are not seen here."


def stop_findings(rows: Sequence[Stop]) -> Iterator[str]:
    """For each measure and metric the mean regret over training runs at the smallest patience."""
    least = min((row.patience for row in rows), default=0)
    for measure in dict.fromkeys(row.measure for row in rows):
        here = [row for row in rows if row.measure == measure and row.patience == least]
        metrics = dict.fromkeys(row.metric for row in here)
        regrets = {m: [row.regret for row in here if row.metric == m] for m in metrics}
        told = ", ".join(f"{m} {number(sum(r) / len(r))}" for m, r in regrets.items())
        runs = len(here) // len(metrics)
        yield f"{measure} lost when training stops at patience {least}, mean of {runs} run(s): {told}."
