"""The answer in three sentences: which metric agrees best, whether it is better than the others, what a choice costs.

Each sentence is computed and says no more than its statistics carry: agreement that is not significant is not
called agreement, a difference that no test has shown is not called one, and what was not tested is said to be so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, isnan

from clirbench.analyses.wording import listed, many, number
from clirbench.report.facts import interval
from clirbench.result import Result
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.choice import Choice, choices
from clirbench.statistics.coefficients import SYMBOLS
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.differences import Difference
from clirbench.statistics.evidence import Evidence

TREND = "they are checkpoints of training, and a common rise along it gives such agreement by itself"
TO_TEST = "add analysis=[correlation,differences]"
MOST = 4
"""So many names of metrics at most in one sentence."""


@dataclass(frozen=True)
class Answer:
    """Three sentences about one measure; `metric` is the one that agrees best, empty where none can be named."""

    measure: str
    metric: str
    sentences: tuple[str, str, str]

    def __str__(self) -> str:
        return " ".join(self.sentences)


def answered(result: Result) -> Answer:
    """The answer for the first measure of the run's first tau table, by its first coefficient."""
    experiment = result.experiment
    name = experiment.coefficients[0] if experiment.coefficients else "kendall"
    return answer(
        result.board,
        result.correlations,
        result.rows(Difference),
        result.rows(Choice),
        coefficient=name,
        alpha=experiment.alpha,
    )


def answer(
    board: Scoreboard,
    correlations: Sequence[Correlation],
    differences: Sequence[Difference] = (),
    chosen: Sequence[Choice] = (),
    *,
    measure: str = "",
    coefficient: str = "kendall",
    alpha: float = 0.05,
) -> Answer:
    """Three sentences about `measure` (default: the first one) from the rows of `coefficient`.

    Without a measure, a metric or a defined coefficient the sentences say why there is no answer. Significance is
    `p < alpha` as the correlations have it; `differences` and `chosen` are what those analyses found, where the run
    asked for them.
    """
    if not board.measures or not board.metrics:
        missing = "IR measure" if not board.measures else "MT metric"
        return Answer("", "", (f"This run has no {missing}, so nothing is compared.", *_nothing(board)))
    measure = measure or board.measures[0].name
    rows = [row for row in correlations if row.measure == measure and row.coefficient == coefficient]
    defined = sorted((row for row in rows if not isnan(row.value)), key=lambda row: -row.value)
    if not defined:
        why = "; ".join(dict.fromkeys(row.note for row in rows if row.note)) or "it was not computed"
        first = f"Whether any metric orders these systems as {measure} does cannot be said: {why}."
        return Answer(measure, "", (first, *_nothing(board)))
    best = [row for row in defined if row.value >= defined[0].value - 1e-12]
    sentences = (
        _agreement(board, best, defined, alpha),
        _comparison(best, defined, differences),
        _cost(board, measure, best, chosen),
    )
    return Answer(measure, best[0].metric, sentences)


def _nothing(board: Scoreboard) -> tuple[str, str]:
    n = len(board.systems)
    return (
        f"No metric can be called better than another on {many(n, 'system')}.",
        "What choosing a system by a metric would cost is not known either.",
    )


def _agreement(board: Scoreboard, best: Sequence[Correlation], rows: Sequence[Correlation], alpha: float) -> str:
    """Sentence one. A trend along training gives agreement by itself: then the p-value is not an argument."""
    top, symbol = best[0], SYMBOLS.get(best[0].coefficient, best[0].coefficient)
    n, value = top.n_systems, f"{symbol} {number(top.value)}{interval(top)}"
    names = _listed([row.metric for row in best])
    if fewest := _too_few(top, alpha):
        return (
            f"{many(n, 'system')} are too few for an answer: even perfect agreement would not be significant "
            f"(p < {alpha:g} needs at least {fewest}); {names} comes closest to {top.measure} with {value}."
        )
    trend = checkpoints(board) or top.significant not in ("true", "false", "undefined")
    if (top.significant != "true" and not trend) or top.value <= 0 or isnan(top.p_value):
        found = "not significant" + ("" if isnan(top.p_value) else f", {_p(top.p_value)}")
        return (
            f"No metric is shown to order these {n} systems as {top.measure} does: the highest {symbol}, "
            f"{number(top.value)}{interval(top)} of {names}, is {found if top.value > 0 else 'not above 0'}."
        )
    verb = "order" if len(best) > 1 else "orders"
    several = f"Of {len(rows)} metrics, " if len(rows) > len(best) else ""
    nearly = "most nearly as" if len(rows) > 1 else "as"
    said = f"{several}{names} {verb} these {n} systems {nearly} {top.measure} does, with {value} ({_p(top.p_value)})"
    return said + (f"; but {TREND}." if trend else ".")


def checkpoints(board: Scoreboard) -> bool:
    """Whether at least three systems carry a training step."""
    return sum(bool(text.strip()) for text in board.metadata.get("step", ())) >= 3


def _too_few(row: Correlation, alpha: float) -> int:
    """The fewest systems of which one order in n! is rarer than alpha (two-sided); 0 where there are as many."""
    if row.coefficient == "pearson" or row.significant == "true" or 2 / factorial(row.n_systems) < alpha:
        return 0
    return next(n for n in range(2, 30) if 2 / factorial(n) < alpha)


def _comparison(best: Sequence[Correlation], rows: Sequence[Correlation], differences: Sequence[Difference]) -> str:
    """Sentence two, from the first test of the differences, corrected over all pairs of metrics."""
    top = best[0]
    others = [row.metric for row in rows if row is not top]
    if not others:
        return f"No other metric can be compared with {top.metric} here."
    test, tested = _tested(top, differences)
    if not tested:
        below = [row for row in rows if row not in best]
        gap = f"the next, {below[0].metric}, has {number(below[0].value)}" if below else "all have the same"
        return f"Whether the best is better than the others was not tested ({gap}): {TO_TEST}."
    beaten = [m for m in others if tested.get(m) == "worse"]
    better = [m for m in others if tested.get(m) == "better"]
    alike = [m for m in others if tested.get(m) == "alike"]
    unknown = [m for m in others if m not in tested or tested[m] == "undefined"]
    parts = []
    if better:  # cannot be with one coefficient; with the test's own it can
        parts.append(f"{_listed(better)} is significantly better by the test's own coefficient")
    if beaten and not alike and not unknown:
        parts.append(f"it is significantly better than {'every other metric' if len(beaten) > 1 else beaten[0]}")
    elif beaten:
        parts.append(f"it is significantly better than {_listed(beaten)}")
    if alike:
        none = f"no other metric is significantly worse: {_listed(alike)}" if not beaten else _listed(alike)
        parts.append(f"{none} cannot be told from it on {top.n_systems} systems")
    if unknown:
        parts.append(f"{_listed(unknown)} could not be tested against it")
    return f"By {test}, {'; '.join(parts)}."


def _tested(top: Correlation, differences: Sequence[Difference]) -> tuple[str, dict[str, str]]:
    """The first test's name, and by other metric: worse, better, alike or undefined against the best one."""
    with_top = [row for row in differences if row.measure == top.measure and top.metric in (row.metric_a, row.metric_b)]
    by_first_test = [row for row in with_top if row.test == with_top[0].test]
    found = {}
    for row in by_first_test:
        other, ahead = row.metric_b, row.difference
        if other == top.metric:
            other, ahead = row.metric_a, -row.difference
        if row.significant == "true":
            found[other] = "worse" if ahead >= 0 else "better"
        else:
            found[other] = "alike" if row.significant == "false" else "undefined"
    return with_top[0].test if with_top else "", found


def _cost(board: Scoreboard, measure: str, best: Sequence[Correlation], chosen: Sequence[Choice]) -> str:
    """Sentence three: what the first choice of the best metric, and of the most expensive, loses on these topics."""
    made = [row for row in choices(Evidence(board), shortlists=(1,)) if row.measure == measure]
    if not made:
        return f"What choosing a system by a metric would cost in {measure} cannot be said: no metric has every system."
    mine = next((found for found in made if found.metric == best[0].metric), made[0])
    worst = max(made, key=lambda found: found.regret)
    if worst.regret <= 0:
        every = "any of the metrics" if len(made) > 1 else mine.metric
        return f"Picking a system by {every} would have cost no {measure} here: {mine.best} is first by all of them."
    said = f"Picking a system by {mine.metric} would have cost {_lost(mine)} here"
    if worst.regret > mine.regret:
        said += f", by {worst.metric} {_lost(worst)}"
    return f"{said}{_fair(chosen, worst)}."


def _lost(found: Choice) -> str:
    if found.regret <= 0:
        return f"no {found.measure}"
    return f"{_amount(found.regret)} {found.measure} ({found.pick} instead of {found.best})"


def _fair(chosen: Sequence[Choice], worst: Choice) -> str:
    """The most expensive choice, judged on topics that did not name the best system, where that was computed."""
    for row in chosen:
        same = (row.measure, row.metric, row.shortlist) == (worst.measure, worst.metric, 1)
        if same and not isnan(row.regret_split):
            low, high = row.split_low, row.split_high
            between = "" if isnan(low + high) else f" [{_amount(low)}, {_amount(high)}]"
            return f" ({_amount(row.regret_split)}{between} on topics that did not name the best system)"
    return ""


def _amount(value: float) -> str:
    """Three decimals as the field prints them; what rounds to nothing keeps one significant digit."""
    return number(value) if abs(value) >= 0.0005 or value == 0 else f"{value:.0e}"


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {number(value)}"


def _listed(names: Sequence[str]) -> str:
    return listed(names, MOST)
