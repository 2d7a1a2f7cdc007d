"""The answer: what a run found about its metrics, as findings, and the sentences made from them.

A finding is a kind with values out of the run's tables; `TEMPLATES` has the sentence of each kind. An answer has at
most 90 words, the list of other metrics apart, its first sentence at most 25; sentences of the kinds in `OPTIONAL` are
there as far as there is room. The order: grade and numbers, the other metrics, what limits the grade, the source of
relevance judgments, these systems' pairs, what is assumed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb, isnan, nan
from typing import Any

import numpy as np

from clirbench.columns import MATCHES_WORDS, OTHER, at_cap, regraded
from clirbench.later import keep_recent
from clirbench.pages import NUMBERS, Finding, listed, number, percent, written
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.statistics.agreement import groups_needed
from clirbench.statistics.belonging import COPIES, NEAR_COPIES, NONE, NUMBERED, Units, covariates
from clirbench.statistics.ceiling import twice_judged, twice_searched
from clirbench.statistics.correlation import Correlation, between, reliabilities
from clirbench.statistics.given import Beyond, Permuting, explaining, real_metrics, within_strata
from clirbench.statistics.grades import CONTRADICTED, GRADES, LITTLE, NOISY, OPEN, SHOWN, STRONG, WEAK, topics_to_add
from clirbench.statistics.kinds import ANOTHER, TOPICS
from clirbench.topics.base import BY_REFERENCE, SECOND, described
from clirbench.types import by_key

FEWEST_RUNS = 5
"""Training runs of which some order is rarer than .05, two-sided."""

OF_ROW = "measure metric grade lowered tau low high p_value p_adjusted systems groups better_half reliability note"
"""What an agreement has of its row of correlations.tsv, by the names of these cells or by those of `CELLS`."""
PLACE = {grade: place for place, grade in enumerate((*GRADES, ""))}
CELLS = {"tau": "value", "low": "ci_low", "high": "ci_high", "systems": "n_systems"}


@dataclass(frozen=True)
class Answer:
    """Sentences about one measure, and the findings that they were made from."""

    measure: str
    findings: tuple[Finding, ...]
    sentences: tuple[str, ...]

    @property
    def grades(self) -> dict[str, str]:
        """The grade of each metric, best first."""
        return {found["metric"]: found["grade"] for found in self.findings if found.kind == "agreement"}

    def __str__(self) -> str:
        return " ".join(self.sentences)


@keep_recent(1)
def answered(result: Result) -> Answer:
    """The answer of a run: all about its primary measure, in reading order; nothing without a measure or a metric."""
    measure, metrics = result.board.first_measure, real_metrics(result.board)
    if measure is None or not metrics:
        found = [Finding.of("nothing", missing="IR measure" if measure is None else "MT metric")]
    elif result.units.along_training:
        found = [*_along(result, measure, metrics)]
    else:
        of = (row for metric in metrics if (row := result.taus.get((measure.name, metric.name))))
        made = [agreement(row, result) for row in _best_first(of, result)]
        found = [*made, *(_about(result, measure, made[0]) if made else ())]
    return Answer(measure.name if measure and metrics else "", tuple(found), tuple(sentences(found)))


def agreement(row: Correlation, result: Result) -> Finding:
    """One row of correlations.tsv, and what it would take to decide what is not shown."""
    units, topics, (tau, low, worse) = result.units, result.evidence.topics(row.measure), _least(row, result)
    graded = [of for of in result.taus.values() if of.measure == row.measure and of.grade]
    needed = groups_needed(tau, result.experiment.alpha / max(2, len(graded))) if row.grade == OPEN else None
    values = {name: getattr(row, CELLS.get(name, name)) for name in OF_ROW.split()}
    values |= {"confidence": row.scheme.partition(",")[0], "grouped_by": "" if units.independent else units.source}
    values |= {"declared": bool(result.experiment.units) or units.source in result.board.metadata, "topics": topics}
    values["topics_to_add"] = topics_to_add(row.reliability, topics) if row.grade == NOISY else None
    values |= {"worse": worse, "worse_tau": tau, "worse_low": low} if worse else {}
    return Finding.of("agreement", **values, groups_needed=needed, judged_by=result.board[row.measure].judged_by)


def _best_first(rows: Iterable[Correlation], result: Result) -> list[Correlation]:
    """Rows by their grade, then by the least low end that it goes by; what has no grade has no interval."""
    return sorted(rows, key=lambda row: (PLACE[row.grade], -_least(row, result)[1]))


def _least(row: Correlation, result: Result) -> tuple[float, float, str]:
    """Tau and the low end that the grade of a row goes by, the least of its own and of other topics that count, and
    the reference whose these are, where it is another."""
    kinds = result.kinds if row.measure == getattr(result.board.first_measure, "name", "") else {}
    others = {by: of.counted(TOPICS if by == SECOND else ANOTHER).get(row.metric) for by, of in kinds.items()}
    found = [(row.value, row.ci_low, ""), *((one.tau, one.low, by) for by, one in others.items() if one)]
    tau, low, by = min(found, key=lambda one: one[1])
    return tau, low, by.removeprefix(BY_REFERENCE) * (by != SECOND)


def judged(measure: Column, metrics: Sequence[Column], **more: Any) -> Finding:
    """The source of relevance judgments of a measure; `other_text`: it is known to be no text that `metrics` score
    against.

    `more`: `first_listed`, whether the measure is the first for no other reason; `others`, metrics that it may
    disfavour; what it does to the evidence for `metric`: `capped` at moderate, or `confirming` references.
    """
    known = ("lexical_model", "searched_reference", "scoring_reference")
    values = {name: measure.declared.get(name) or "" for name in known}
    against = {metric.declared.get("scored_against") for metric in metrics} - {""}
    other = against == {OTHER} or measure.declared.get("made_from") == ""
    return Finding.of("judged", **values, measure=measure.name, judged_by=measure.judged_by, other_text=other, **more)


def _about(result: Result, measure: Column, top: Finding) -> Iterator[Finding]:
    """What limits the first metric, what `given` leaves of it, whose judgments these are, and what else is of it."""
    board, units, experiment, name, held = result.board, result.units, result.experiment, top["metric"], top["grade"]
    row, shown = result.taus[measure.name, name], held in SHOWN
    # Other groups, where a cut or names decide, with which the grade would be the lowest; else what it is without them.
    grades = {by: _grades(result, measure, of)[name] for by, of in result.other_readings.items()}
    by = max([NONE, *grades] if shown else [NONE], key=lambda by: max(PLACE[held], PLACE[grades.get(by, held)]))
    if (shown or grades.get(by) in SHOWN) and grades.get(by, held) != held:
        yield _reading_of(result, name, by, grades[by])
    if shown and (found := explaining(covariates(board, units), units, board[name], measure, top["tau"], top["low"])):
        values = {"covariate": found.covariate, "tau": found.tau, "metric": name} | asdict(found.equal)
        yield Finding.of("covariate", **values, grade=WEAK if found.equal.p_value <= experiment.alpha else OPEN)
    if shown and not isnan(row.better_half):
        yield Finding.of("range", metric=name, tau=row.better_half, ceiling=row.better_half_ceiling)
    if not shown and row.ceiling < SHOWN["strong"]:
        yield Finding.of("noise", measure=measure.name, ceiling=row.ceiling, topics=top["topics"])
    yield from _foreign(result, measure.name, name * shown)
    if top["lowered"]:
        yield Finding.of("lowered", metric=name, by=top["lowered"])
    yield from _of_kinds(result, measure, name)
    if given := [*experiment.given]:
        adding = {metric: one for (by, metric), one in result.beyond_given.items() if by == measure.name}
        note = "; ".join(dict.fromkeys(one.note for one in adding.values() if one.note))
        yield Finding.of("given", measure=measure.name, given=given, **_adding(adding, experiment.alpha), note=note)
    strong = [by for by, of in result.by_reference.items() if (name, STRONG) in {(one.metric, one.grade) for one in of}]
    others = [m.name for m in board.metrics if m.origin == "imported" and not MATCHES_WORDS.fullmatch(m.name)]
    values = {"metric": name, "first_listed": board.first_is_listed, "by": next(iter(result.decisions), "")}
    values |= {"capped": "reference" in top["lowered"].split(), "confirming": strong if held == STRONG else []}
    yield judged(measure, [board[name]], **values, others=others)
    if held in (OPEN, WEAK):
        yield from separable(result, name)
    # By another retriever, or by the other kind of judgments of the same measure.
    pairs = [(a.name, b.name) for a, b in (*twice_searched(board), *twice_judged(board))]
    for other in dict.fromkeys(b if a == measure.name else a for a, b in pairs if measure.name in (a, b)):
        if (of := result.taus.get((other, name))) and not isnan(of.ci_low):
            yield Finding("second", values=agreement(of, result).values)


def _reading_of(result: Result, metric: str, by: str, grade: str) -> Finding:
    """What the grade would be with other groups, by the `units=` to type; `grouped_by`: what made those of the run."""
    units, own = result.other_readings[by], result.units
    values = {"metric": metric, "units": by, "grade": grade, "groups": units.number, "grouped_by": own.source}
    values |= {"best": own.along_training}
    return Finding.of("reading", **values, together=max(units.groups(result.board.systems), key=len, default=[])[:2])


def _of_kinds(result: Result, measure: Column, metric: str = "") -> Iterator[Finding]:
    """What every further reference does to the grades, those without a vote last; then what topics are that no person
    wrote, and of another kind of topics, also whether it orders the systems otherwise. Along training no other kind is
    compared, nor a `metric` named."""
    for label, kinds in sorted(result.kinds.items(), key=lambda item: (item[0] == SECOND, not item[1].votes)):
        held = [(result.taus[measure.name, of.metric], of) for of in kinds.metrics]
        by, (row, one) = label.removeprefix(BY_REFERENCE), next(pair for pair in held if pair[1].metric == metric)
        if label == SECOND:
            grade = one.grade if "topics" in row.lowered.split() else ""
            values = {"topics": kinds.said, "second": kinds.kind.replace("terms", " terms"), "differs": kinds.differs}
            values |= {"first": kinds.firsts[0], "first_by_second": kinds.firsts[1], "orders": kinds.orders}
            lower = {} if grade else kinds.lower_by_noise(own for own, _ in held)
            said = [f"grades drop to {WORDS_OF[to]} for {listed(m)}" for to, m in lower.items()]
            yield Finding.of("queries", **values, metric=metric, grade=grade, by_noise=listed(said))
        elif kinds.votes:
            counted = (own for own, of in held if own.grade == of.grade and "another" in own.lowered.split())
            lowered = [own.metric for own in counted if not at_cap(own, result.board)]
            first = next(iter(result.inputs.corpus.references)) if result.inputs else ""
            values = {"own": first, "by": by, "lowered": lowered, "metric": metric, "tau": one.tau}
            yield Finding.of("reference", **values, low=one.low, grade=row.grade, own_tau=row.value, own_low=row.ci_low)
        else:
            yield Finding.of("reference", by=by, noisy=True)
    source, topics = result.experiment.topics.get(""), result.evidence.topics(measure.name)
    if source and topics and hasattr(source, "said") and SECOND not in result.kinds:
        yield Finding.of("queries", topics=described(source, topics))


def _foreign(result: Result, measure: str = "", metric: str = "") -> Iterator[Finding]:
    """Systems that are easily told from all others, because they hardly translate at all, and the grade of `metric`
    without them."""
    if systems := [*dict.fromkeys(row.system for row in result.health if row.foreign)]:
        values: dict[str, Any] = {"systems": systems, "typed": ",".join(systems), "metric": metric}
        values["most"] = 2 * len(systems) > len(result.board.systems)
        if metric and not values["most"]:
            rest = replace(result, board=result.evidence.only(~np.isin(result.board.systems, systems)).board)
            values["grade"] = _grades(rest, rest.board[measure], rest.units)[metric]
        yield Finding("foreign", values=values)


def separable(result: Result, name: str) -> Iterator[Finding]:
    """Of how many pairs of these systems retrieval tells which is better, and how many the metric `name` has right."""
    own, along = result.units, result.units.along_training
    n, of = (len(own.labels), "checkpoints") if along else (own.number, "systems" if own.independent else "groups")
    values = {"systems": n, "of": of, "tested": len(result.separable), "by": next(iter(result.decisions), "")}
    rows = (row for row in result.separable if row.metric == name)
    yield from (Finding.of("separable_pairs", **asdict(row), **values) for row in rows)


def _grades(result: Result, measure: Column, units: Units) -> dict[str, str]:
    """The grade of every metric with other groups, best first."""
    known = reliabilities(result.evidence).get(measure.name, nan)
    rows = between(result.board, measure, units, result.experiment.alpha, known).values()
    every = regraded(result, [*(row for row in result.correlations if row.measure != measure.name), *rows], units)
    return {row.metric: row.grade for row in _best_first(every, result) if row.measure == measure.name}


def _adding(rows: Mapping[str, Beyond], alpha: float) -> dict[str, Any]:
    """Which metrics are shown to add (of how many), Bonferroni-corrected; their largest p, or the least of any."""
    tested = {metric: row for metric, row in rows.items() if not isnan(row.p_value)}
    corrected = {metric: min(1.0, row.p_value * len(tested)) for metric, row in tested.items()}
    more = [metric for metric, p in corrected.items() if p < alpha and tested[metric].tau > 0]
    p_value = max((corrected[metric] for metric in more), default=min(corrected.values(), default=nan))
    return {"metrics": more, "tested": len(tested), "p_value": p_value}


def _along(result: Result, measure: Column, metrics: Sequence[Column]) -> Iterator[Finding]:
    """Along training: tau describes; runs are tested against each other at the same steps where there are enough."""
    units, alpha = result.units, result.experiment.alpha
    values = {"measure": measure.name, "runs": units.number, "systems": len(units.labels), "grouped_by": units.source}
    yield Finding("training", values=values)
    yield from _foreign(result)
    yield from separable(result, max(result.separable, key=lambda row: row.right).metric if result.separable else "")
    if alone := result.other_readings.get(NONE):
        best, grade = next(iter(_grades(result, measure, alone).items()))
        if grade in SHOWN:
            yield _reading_of(result, best, NONE, grade)
    rows = np.flatnonzero(np.isfinite(measure.values + units.steps + sum(metric.values for metric in metrics)))
    if (own := units.only(rows)).number >= FEWEST_RUNS:
        x, y = np.stack([metric.oriented[rows] for metric in metrics]), measure.oriented[rows]
        found = within_strata(x, y, own.index, own.steps.tolist(), Permuting(alpha, seed=result.experiment.seed))
        values = _adding(dict(zip((metric.name for metric in metrics), found, strict=True)), alpha)
        if values["tested"]:
            yield Finding.of("same step", measure=measure.name, **values)
    yield from _of_kinds(result, measure)
    yield judged(measure, metrics, first_listed=result.board.first_is_listed)


WORDS = 90
OPTIONAL = ("noise", "basis", "range", "second")
"""Kinds whose sentences are left out where the answer would be too long, the last first; the first sentence never."""
FEWEST_PAIRS = 10
"""Of fewer pairs that differ significantly, how many a metric has right is not reported."""
BY_RANKING = "Retrieval ({measure}) is judged by the ranking of "
SOURCES = {
    "people": "Retrieval ({measure}) is judged by people",
    "known_items": "Retrieval ({measure}) is judged by known items: the documents that the topics belong to",
    "model": "Retrieval ({measure}) is judged by a model, no person",
    "made": "Retrieval ({measure}) is judged by relevance generated together with the documents, by no person",
    "imported": "{measure} is read from a score table, which does not say how relevance was judged",
    "crossed": BY_RANKING + "reference {searched_reference}; metrics score against reference {scoring_reference}",
    "other": BY_RANKING + "the documents' own reference translations; metrics score against a separate test set",
    "own": BY_RANKING + "the metrics' own reference",
}
"""The source of relevance judgments; three where it is the ranking of a reference."""
STEP = "runs with more {metrics} have more {measure} ({p_value})", "no metric is shown to order runs as {measure} does"
HALF = "Among the better half of the systems {metric} orders {tau} of pairs"
CEILING = "; noise of the topics would hold a perfect metric to about {ceiling}"
SURE = "{tau} (at least {low})"
BY = {"pseudo-relevance": " (judged by the reference)"}
LOWERED = {
    "exchanged": "With the two references exchanged, the evidence for {metric} is weaker.",
    "retriever": "The retrievers disagree on {metric}: its grade is the lower one.",
}
AT_MOST = {CONTRADICTED: "orders most pairs the wrong way", LITTLE: "is close to a coin flip"}
WORDS_OF = {name: name for name in GRADES} | {LITTLE: "close to a coin flip", OPEN: "undecided", "": "not tested"}
"""Grades of other metrics than the first."""


def sentences(found: Sequence[Finding], words: float = WORDS) -> list[str]:
    """The first metric, the others, and one sentence for each further finding, as far as there is room."""
    agreements = [one for one in found if one.kind == "agreement"]
    made = [(one.kind, sentence(one)) for one in (*agreements[:1], *found[len(agreements) :])]
    made.insert(1, ("others", other_metrics(agreements)))
    made += [("basis", _basis(one)) for one in agreements[:1] if one["grade"] == WEAK and not one["declared"]]
    kept = [at for at, (kind, _) in enumerate(made) if kind not in OPTIONAL]
    for _, at in sorted((OPTIONAL.index(kind), at) for at, (kind, _) in enumerate(made) if kind in OPTIONAL):
        if sum(len(made[i][1].split()) for i in (*kept, at) if made[i][0] != "others") <= words:
            kept.append(at)
    return [made[at][1] for at in sorted(kept) if made[at][1]]


def sentence(found: Finding) -> str:
    """The sentence of a finding: numbers are taus, as percentages of pairs in the same order, but for `p_value`."""
    return TEMPLATES[found.kind](found).format(**{name: _written(name, value) for name, value in found.values.items()})


def _written(name: str, value: Any) -> str:
    if name == "p_value":
        return "p < .001" if value < 0.001 else f"p = {number(value)}"
    return percent((1 + value) / 2) if isinstance(value, float) else written(name, value)


def _agreement(found: Finding) -> str:
    grade, noun = found["grade"], "groups" if found["grouped_by"] else "systems"
    judge = {"people": "people's judgments do", "imported": "{measure} does"}.get(found["judged_by"], "retrieval does")
    if grade in SHOWN:
        all_right = found["tau"] >= 1 - 1e-9 and not found["grouped_by"]
        pairs = "pairs between groups" if found["grouped_by"] else "system pairs"
        what, low = f"all {comb(found['groups'], 2)} pairs" if all_right else f"{{tau}} of {pairs}", "{low}"
        if found.values.get("worse"):
            what, low, judge = "{worse_tau} of pairs", "{worse_low}", "retrieval by {worse} does"
        of = "independent groups of systems" if found["declared"] else "system groups, if independent"
        of = of if found["grouped_by"] else "systems, if made independently"
        # The words of `weak` are many: there the assumption has a sentence of its own.
        of = f"; {{groups}} {of}" if grade != WEAK and (found["grouped_by"] or not found["declared"]) else ""
        sure, other = f"(at least {low}, {{confidence}} confidence{of})", " about other systems" * (grade == WEAK)
        return f"{{metric}} orders {what} as {judge} {sure}: {{grade}} evidence{other}."
    if grade in AT_MOST:
        return f"{{metric}} {AT_MOST[grade]} (at most {{high}} right, {{confidence}} confidence)."
    if grade == NOISY:
        more = "about {topics_to_add}" if found["topics_to_add"] else "many more"
        return f"These {{topics}} topics cannot rank the systems; add {more}."
    if grade == OPEN:
        needed = found["groups_needed"] and f"about {max(found['groups'] + 1, found['groups_needed'])}"
        more = "" if found["tau"] <= 0 else f"; {needed or 'over 100'} with these might show it to be above chance"
        return f"{{metric}}: undecided for {noun} beyond these {{groups}}{more}."
    if 0 < found["groups"] < 3:
        return f"{NUMBERS[found['groups']].capitalize()} independent {noun} cannot validate a metric; make five."
    why = "{note}" if found["note"] else "not tested"
    return f"Whether {{metric}} orders the systems as {judge} is unknown: {why}."


def _basis(found: Finding) -> str:
    return f"All this assumes {found['groups']} {'groups' if found['grouped_by'] else 'systems'} made independently."


def other_metrics(found: Sequence[Finding]) -> str:
    """`Also strong: chrF1. Undecided: MicroF1.`, without the first metric: every one that was tested."""
    first = next((one["grade"] for one in found), "")
    by_grade = by_key((one["grade"], one["metric"]) for one in found[1:] if not one["grade"] == first == NOISY)
    said = [f"{'also ' * (grade == first)}{WORDS_OF[grade]}: {listed(of, len(of))}" for grade, of in by_grade.items()]
    if by_grade and SHOWN.keys() & {first, *by_grade}:
        # Readers take the metric of the first sentence for the best, and one that is undecided for worse.
        said.append("grades do not say which metric is better (analysis=differences tests that)")
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in said)


def _covariate(found: Finding) -> str:
    name, same = ("The number in the systems' names", "number") if " " in found["covariate"] else ("{covariate}",) * 2
    equal = "no two systems have the same, so {metric} cannot be shown to add to it: weak at most"
    if found["pairs"]:
        keeps = "so {metric} sees more and keeps its grade (no other metric was tried)"
        then = keeps if found["grade"] == WEAK else "as by luck: weak at most"
        equal = f"between systems of equal {same} {{metric}} is right in {{right}} of {{pairs}} pairs, {then}"
    return f"{name} alone orders the systems as well as {{metric}}; {equal}."


def _queries(found: Finding) -> str:
    of = found.values.get
    same = of("first") == of("first_by_second")
    first = "though {first} is first by both" if same else "and {first_by_second} is first"
    said = {"differs": f"the order of the systems differs, {first}", "by_noise": "{by_noise}, a drop that may be noise"}
    if of("grade"):
        said = {"grade": f"the grade of {{metric}} is {WORDS_OF[found['grade']]}"}
    otherwise = "; ".join(text for name, text in said.items() if of(name))
    return f"Topics are {{topics}}, not people's queries{'; by {second} instead, ' if otherwise else ''}{otherwise}."


def _by_reference(found: Finding) -> str:
    if found.values.get("noisy"):
        return "Reference {by}, asked too, has too much noise to count."
    said = "Grades go by the worse of references {own} and {by}: by {own}, {metric} orders {own_tau} (at least "
    said += f"{{own_low}}); by {{by}}, {SURE}"
    return said + ", and {by} lowered the grades of {lowered}" * bool(found["lowered"]) + "."


def _separable(found: Finding) -> str:
    along, few = found["of"] == "checkpoints", found["separable"] < FEWEST_PAIRS
    tested = not few and (along or found["p_value"] <= 0.05)
    one_each = " (first listed of each of {systems} groups)" * (found["of"] == "groups")
    of = f"Of these {'systems' if one_each else '{systems} {of}'}' own {{pairs}} pairs"
    if tested and not along:  # beside a weak grade, which is about other systems
        of = "About these systems themselves, more is shown: of their {pairs} pairs"
    many = ", corrected for {tested} metrics" * (found["tested"] > 1)
    luck = f" ({{p_value}} that luck does as well{many})" * (not along)
    rest = ", and {others_right} of the {others} that noise may turn round" * bool(found["others"])
    then = f"; {{metric}} orders {{right}} rightly{luck}{rest}" if tested else ", too few to judge a metric by" * few
    return f"{of}{one_each}, retrieval{' by reference {by}' * bool(found['by'])} can tell {{separable}} apart{then}."


def _judged(found: Finding) -> str:
    case, read, known = found["judged_by"], found["judged_by"] == "imported", found.values.get
    if case == "pseudo-relevance":
        case = "crossed" if found["searched_reference"] else "other" if found["other_text"] else "own"
    said = SOURCES.get(case, "The source of relevance judgments ({measure}) is unknown")
    if known("first_listed"):
        said = said.replace("{measure}", f"{{measure}}, the first measure listed{',' if read else ''}")
    over, declare = " over {others}" * bool(known("others")), "(else 'scores.reference={{{measure}: none}}')"
    clauses = {
        " {by} (unless another is named)": case == "own" and known("by"),
        f", which favours metrics that match words{over}": case == "own" and found["lexical_model"],
        "; scores.reference says, unchecked, that the metrics' reference was no judge": read and found["other_text"],
        f"; perhaps by the metrics' own reference, so evidence is moderate at most {declare}": read and known("capped"),
        "; the evidence for {metric} is therefore moderate, not strong": not read and known("capped"),
        "; by reference {confirming}, {metric} is strong too": known("confirming"),
    }
    return f"{said}{''.join(clause for clause, holds in clauses.items() if holds)}."


def _reading(found: Finding) -> str:
    if found["units"] == NONE:
        made = "even near-copies were" if found["grouped_by"] in (COPIES, NEAR_COPIES) else "each system was"
        then = "be {grade} at best" if found.values.get("best") else "be {grade} for {metric}"
        return f"If {made} made independently, which clirbench does not assume, the evidence would {then}."
    maker = found["units"] == "maker"
    but = "{together} and others like them are variants of one system" if maker else "these are steps of one training"
    but += f", type units={{units}}{' (by the names)' * maker}: then {_remains(found)}"
    return f"This assumes systems made independently; if {but}."


def _remains(found: Finding) -> str:
    return "the evidence for {metric} is {grade}" if found["grade"] in SHOWN else "no evidence remains"


def _hardly(found: Finding) -> str:
    if found["most"]:
        return "Most systems share hardly any text with the reference: is it in their language, line by line?"
    typed = "systems.exclude=[{typed}]"
    then = f"; with {typed}, {_remains(found)}" if found["metric"] else f": {typed}"
    return f"{{systems}}, perhaps no translation, may flatter all figures{then}."


def _given(found: Finding) -> str:
    if not found["tested"]:
        return "clirbench cannot tell whether a metric adds to {given}: {note}."
    adds = f"{{metrics}} {'adds' if len(found['metrics']) == 1 else 'add'}"
    return f"{adds if found['metrics'] else 'No metric is shown to add'} to {{given}} ({{p_value}})."


def _training(found: Finding) -> str:
    if found["runs"] >= FEWEST_RUNS:
        return "These are checkpoints of {runs} training runs: tau along training proves nothing by itself."
    of = "one run" if found["runs"] == 1 else f"{NUMBERS[found['runs']]} runs"
    named = f"Names alike but for a number are taken for checkpoints of {of} (if not, units=none), which"
    made = named if found["grouped_by"] == NUMBERED else f"Checkpoints of {of}"
    return f"{made} cannot validate a metric for other runs."


TEMPLATES: dict[str, Callable[[Finding], str]] = {
    "agreement": _agreement,
    "nothing": lambda _: "This run has no {missing}, so nothing is compared.",
    "training": _training,
    "same step": lambda found: f"At the same step, {STEP[not found['metrics']]}.",
    "covariate": _covariate,
    "noise": lambda _: "With these {topics} topics, a perfect metric would order about {ceiling} of pairs rightly.",
    "range": lambda found: HALF + CEILING * (not isnan(found["ceiling"])) + ".",
    "given": _given,
    "judged": _judged,
    "foreign": _hardly,
    # Other findings say what references, topics and covariates do.
    "lowered": lambda found: " ".join(said for by, said in LOWERED.items() if by in found["by"].split()),
    "queries": _queries,
    "reference": _by_reference,
    "separable_pairs": _separable,
    "reading": _reading,
    "second": lambda found: f"By {{measure}}{BY.get(found['judged_by'], '')}, {{metric}} orders {SURE}.",
}
