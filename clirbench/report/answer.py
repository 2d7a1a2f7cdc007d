"""The answer: which metrics may be trusted, what is known without them, what a choice costs.

At most four sentences, and three more for each further retriever.

Each sentence says no more than its statistics carry: a set of metrics that cannot be told from the best instead of a
winner, p-values corrected for all metrics that were looked at, and where nothing can be said, what would be needed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from clirbench.analyses.wording import join_names, number, plural
from clirbench.recent import keep_recent
from clirbench.report.picking import cost, expected_cost
from clirbench.report.trust import MOST, NOUNS, agreement, fewest_units, named, p_said, tau_span, trusted_metrics
from clirbench.result import Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.model.decision import Decision
from clirbench.statistics.model.pseudo_bias import TauGap, tau_gaps, twice_searched
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.claims import Claim, Selected, beyond_known, claims, real_metrics, selected
from clirbench.statistics.units.given import Permuting, within_strata
from clirbench.statistics.units.jackknife import Interval
from clirbench.steps.claims import Claims
from clirbench.store.cached import cached_result
from clirbench.types import Ints


@dataclass(frozen=True)
class Answer:
    """Sentences about one measure; `metrics` may be trusted to order the systems by it."""

    measure: str
    metrics: tuple[str, ...]
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.sentences)


@keep_recent(1)
def answered(result: Result) -> Answer:
    """The answer of a run, for the measure that stands first: one by human judgments where there is any."""
    experiment = result.experiment
    measure = result.board.first_measure
    first = "" if measure is None else measure.name

    def stored(board: Scoreboard, units: Units, *, alpha: float, seed: int) -> list[Claim]:
        (rows,) = cached_result(experiment.engine, Claims(alpha, seed), (board, units))
        return [Claim(**row) for row in rows]

    def about(name: str) -> Answer:
        tops = [row for row in result.correlations if row.measure == name and not isnan(row.ceiling)]
        return answer(
            result.board,
            result.units,
            measure=name,
            claimed=stored,
            given=experiment.given,
            alpha=experiment.alpha,
            seed=experiment.seed,
            decision=result.decision,
            ceiling=Interval(tops[0].ceiling, tops[0].ceiling_low, tops[0].ceiling_high) if tops else None,
        )

    found = about(first)
    confidence = 1 - experiment.alpha / max(1, len(real_metrics(result.board)))
    gaps = tau_gaps(result.board, result.units, twice_searched(result.board), confidence)
    about_first = [row for row in gaps if row.first == first]
    others = [about(name) for name in dict.fromkeys(row.second for row in about_first)]
    said = [sentence for other in others for sentence in (other.sentences[0], *changed(found, other))]
    return replace(found, sentences=(*found.sentences, *said, *_gap(about_first)))


def changed(one: Answer, other: Answer) -> list[str]:
    """Which metrics only one of two answers trusts, which does not prove that they differ: `_gap` says whether."""
    only = [(set(a.metrics) - set(b.metrics), a.measure) for a, b in ((one, other), (other, one))]
    told = [
        f"{join_names([m for m in (*one.metrics, *other.metrics) if m in names])} by {by}"
        for names, by in only
        if names
    ]
    if told:
        return [f"With another retriever the answer is another: trusted are {' alone, '.join(told)} alone."]
    return [f"The answer for {other.measure} is that for {one.measure}."] if one.metrics else []


def _gap(rows: Sequence[TauGap]) -> list[str]:
    """A sentence for each second retriever, by intervals that are corrected for the number of metrics."""
    said = []
    for first, second in dict.fromkeys((row.first, row.second) for row in rows):
        known = [row for row in rows if row.second == second and not isnan(row.ci_low)]
        ahead = [row for row in known if row.ci_low > 0 or row.ci_high < 0]
        told = [
            f"{row.metric} predicts {first if row.gap > 0 else second} better (difference of tau "
            f"{number(abs(row.gap))})"
            for row in ahead[:MOST]
        ]
        looked = f", corrected for {plural(len(known), 'metric')}"
        if told:
            said.append(f"{'; '.join(told)}{looked}.")
        elif known:
            said.append(f"No metric is shown to predict {first} better than {second}, or the other way round{looked}.")
    return said


def answer(
    board: Scoreboard,
    units: Units,
    *,
    measure: str = "",
    given: Sequence[str] = (),
    alpha: float = 0.05,
    seed: int = 0,
    decision: Decision | None = None,
    ceiling: Interval | None = None,
    claimed: Callable[..., Sequence[Claim]] = claims,
) -> Answer:
    """The sentences about `measure` (default: the board's first), by Kendall's tau between units.

    Without a measure or a metric, with too few independent systems, or along training they say why there is no answer.
    `given`: what is known beforehand, which metrics must add something to. `decision`: what is known of the losses of
    metrics' picks; where it is silent, what they cost on these topics is said. `ceiling`: tau of a perfect metric.
    `claimed`: `claims`, or what finds them again.
    """
    metrics = real_metrics(board)
    column = board[measure] if measure else board.first_measure
    if column is None or not metrics:
        missing = "IR measure" if column is None else "MT metric"
        return Answer("", (), (f"This run has no {missing}, so nothing is compared.",))
    part = replace(board, columns=(*board.metrics, column))
    if units.along_training:
        said = _along(metrics, column, units, alpha, seed)
        return Answer(column.name, (), tuple(filter(None, (*said, _cost(board.systems, column, metrics, decision)))))
    rows = claimed(part, units, alpha=alpha, seed=seed)
    chosen = selected(part, column, units, seed=seed)
    trusted = () if chosen is None else trusted_metrics(rows, chosen, alpha)
    sentences = [
        agreement(rows, chosen, trusted, column, units, alpha, ceiling),
        _beyond(part, units, column, given, alpha, seed) if given else _trivial(chosen, trusted),
        _apart(rows, units),
    ]
    if chosen is not None:
        compared = trusted or tuple(n for n, known in zip(chosen.names, chosen.trivial, strict=True) if not known)
        sentences.append(_cost(board.systems, column, [board[name] for name in compared], decision, chosen.rows))
    return Answer(column.name, trusted, tuple(filter(None, sentences)))


def _cost(
    systems: Sequence[str],
    column: Column,
    metrics: Sequence[Column],
    decision: Decision | None,
    rows: Ints | None = None,
) -> str:
    """Sentence four: what choosing by these metrics loses."""
    names = [metric.name for metric in metrics]
    expected = "" if decision is None or decision.measure != column.name else expected_cost(decision, names)
    return expected or cost(systems, column, metrics, rows)


def _trivial(chosen: Selected | None, trusted: Sequence[str]) -> str:
    """Sentence two: what is known before anything is translated and orders the systems as well."""
    if chosen is None or not trusted:
        return ""
    best = chosen.best
    # Without a set, those that do at least as well as the least of the trusted metrics are named.
    least = min(float(tau) for name, tau in zip(chosen.names, best.tau, strict=True) if name in trusted)
    kept = [
        at
        for at, known in enumerate(chosen.trivial)
        if known and best.tau[at] > 0 and (best.tau[at] >= least if best.note else best.in_set[at])
    ]
    if not kept:
        return ""
    names = [chosen.names[at] for at in kept]
    told = join_names([f"{chosen.names[at]} (tau {number(float(best.tau[at]))})" for at in kept], MOST)
    alike = "" if best.note else ", which cannot be told from them"
    return (
        f"Known without any metric: {told}{alike}; whether the metrics say more than that, "
        f"'given=[{','.join(names)}]' tests."
    )


def _beyond(board: Scoreboard, units: Units, column: Column, given: Sequence[str], alpha: float, seed: int) -> str:
    """Sentence two, where it was asked what the metrics add to what is known beforehand."""
    found = beyond_known(board, units, given, Permuting(alpha, seed=seed))
    known = join_names(list(given))
    tested = {metric: row for (_, metric), row in found.items() if not isnan(row.p_value)}
    if not tested:
        why = "; ".join(dict.fromkeys(row.note for row in found.values() if row.note))
        return f"Whether a metric says more of {column.name} than {known} cannot be said: {why}."
    corrected = {metric: min(1.0, row.p_value * len(tested)) for metric, row in tested.items()}
    more = [metric for metric, p in corrected.items() if p < alpha and tested[metric].tau > 0]
    looked = f", corrected for {plural(len(tested), 'metric')}"
    if not more:
        return (
            f"No metric is shown to say more of {column.name} than {known} ({p_said(min(corrected.values()))}{looked})."
        )
    span = tau_span(tested[metric].tau for metric in more)
    verb = "says" if len(more) == 1 else "say"
    worst = p_said(max(corrected[metric] for metric in more))
    return f"{join_names(more, MOST)} {verb} more of {column.name} than {known}: tau {span} given it ({worst}{looked})."


def _apart(rows: Sequence[Claim], units: Units) -> str:
    """An alarm where tau between units and within them differ: one number would hide what happens."""
    far = [row for row in rows if row.disagree]
    if not far:
        return ""
    top = max(far, key=lambda row: abs(row.tau - row.within))
    noun = NOUNS.get(units.source, f"units ({units.source})")
    return (
        f"Between {noun} and within them the metrics agree with {top.measure} differently: tau of {top.metric} is "
        f"{number(top.tau)} between and {number(top.within)} within."
    )


def _along(metrics: Sequence[Column], column: Column, units: Units, alpha: float, seed: int) -> list[str]:
    """Along training: description only; replicate runs at the same steps are tested against each other."""
    runs = "one training run" if units.number == 1 else f"{units.number} training runs"
    said = [
        f"These {plural(len(units.labels), 'system')} are checkpoints of {runs}: whatever rises along training agrees "
        f"with {named(column)}, so their tau describes and proves nothing; proof needs at least {fewest_units(alpha)} "
        "runs with the same steps."
    ]
    rows = np.flatnonzero(
        np.isfinite(column.values + units.steps) & np.all([np.isfinite(m.values) for m in metrics], axis=0)
    )
    own = units.only(rows)
    if own.number < fewest_units(alpha):
        return said
    x, y = np.stack([metric.oriented[rows] for metric in metrics]), column.oriented[rows]
    found = within_strata(x, y, own.index, own.steps.tolist(), Permuting(alpha, seed=seed))
    tested = [(metric.name, row) for metric, row in zip(metrics, found, strict=True) if not isnan(row.p_value)]
    more = [name for name, row in tested if row.tau > 0 and row.p_value * len(tested) < alpha]
    if more:
        worst = max(row.p_value * len(tested) for name, row in tested if name in more)
        looked = f"{p_said(worst)}, corrected for {plural(len(tested), 'metric')}"
        said.append(f"At the same step, runs with more {join_names(more, MOST)} have more {column.name} ({looked}).")
    elif tested:
        said.append(f"At the same step, no metric is shown to order the runs as {column.name} does.")
    return said
