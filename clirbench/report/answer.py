"""The answer: sentences made from findings, one template for each kind.

At most 60 words; the first sentence has at most 25. Sentences of the kinds in `OPTIONAL` are there as far as there is
room.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

from clirbench.pages import wording
from clirbench.pages.finding import Finding
from clirbench.pages.wording import listed, number
from clirbench.recent import keep_recent
from clirbench.report.findings import FEWEST_RUNS, findings
from clirbench.result import Result
from clirbench.statistics.grades import CONTRADICTED, LITTLE, MODERATE, NOISY, OPEN, SHOWN, STRONG, WEAK
from clirbench.statistics.units.belonging import NONE

WORDS = 60
MOST = 4
"""Names of metrics at most in one list."""
EVIDENCE = {
    STRONG: "strong evidence",
    MODERATE: "moderate evidence",
    WEAK: "better than chance, not enough to choose by",
}
OPTIONAL = ("basis", "noise", "lowered", "scorings", "others", "range", "second")
"""Kinds whose sentences are left out where the answer would be too long, the last first; the first sentence never."""
READ = {
    "people": "People judged relevance ({}).",
    "known_items": "Relevant ({}) are known items: the documents that the topics belong to.",
    "model": "A model judged relevance ({}), no person.",
    "made": "Relevance ({}) was made up with the documents; no person judged it.",
    "imported": "{} is read from a score table.",
}
"""The source of relevance judgments, where judgments or scores are read."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


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
    """The answer of a run, about its primary measure."""
    found = findings(result)
    measure = result.board.first_measure
    name = "" if measure is None or (found[:1] and found[0].kind == "nothing") else measure.name
    return Answer(name, tuple(found), tuple(sentences(found)))


def sentences(found: Sequence[Finding], words: float = WORDS) -> list[str]:
    """The first metric, the others, and one sentence for each further finding, as far as there is room."""
    agreements = [one for one in found if one.kind == "agreement"]
    made = [("agreement", first_sentence(agreements[0]))] if agreements else []
    made += [("basis", f"It rests on {_of(one)}.") for one in agreements[:1] if one["grade"] == WEAK and _of(one)]
    made += [("others", other_metrics(agreements))]
    made += [(one.kind, TEMPLATES[one.kind](one)) for one in found if one.kind in TEMPLATES]
    kept = [(kind, text) for kind, text in made if text]
    needed = [at for at, (kind, _) in enumerate(kept) if at == 0 or kind not in OPTIONAL]
    optional = [at for at in range(len(kept)) if at not in needed]
    for at in sorted(optional, key=lambda at: OPTIONAL.index(kept[at][0])):
        if sum(len(kept[i][1].split()) for i in (*needed, at)) <= words:
            needed.append(at)
    return [kept[at][1] for at in sorted(needed)]


def percent(tau: float) -> str:
    """The percentage of pairs in the same order, (1 + tau) / 2."""
    return wording.percent((1 + tau) / 2)


def first_sentence(found: Finding) -> str:
    """The grade of the metric with the strongest evidence, and its numbers."""
    metric, grade = found["metric"], found["grade"]
    if grade in SHOWN:
        pairs = found["groups"] * (found["groups"] - 1) // 2
        all_right = found["tau"] >= 1 - 1e-9 and not found["grouped_by"]
        what = f"all {pairs} pairs" if all_right else f"{percent(found['tau'])} of system pairs"
        of = _of(found)
        at_least = f"at least {percent(found['lower'])}"
        if grade == WEAK:  # its words are many: the number of systems has a sentence of its own
            return f"{metric} orders {what} as {_judge(found)} ({at_least}): {EVIDENCE[grade]}."
        at_least += f"; {of}" if of else ""
        return f"{metric} orders {what} as {_judge(found)} ({at_least}): {EVIDENCE[grade]}."
    if grade == CONTRADICTED:
        return f"{metric} orders most pairs the wrong way (at most {percent(found['upper'])} right)."
    if grade == NOISY:
        more = found["topics_to_add"]
        return (
            f"These {found['topics']} topics cannot rank the systems; add {f'about {more}' if more else 'many more'}."
        )
    if grade == LITTLE:
        return f"{metric} is close to a coin flip (at most {percent(found['upper'])} right)."
    noun = "groups" if found["grouped_by"] else "systems"
    if grade == OPEN:
        if found["tau"] <= 0:
            return f"{metric}: undecided with {found['groups']} {noun}."
        needed = found["groups_needed"]
        return f"{metric}: undecided; {f'about {needed}' if needed else 'more than 100'} {noun} are needed."
    if 0 < found["groups"] < 3:
        return f"{NUMBERS[found['groups']].capitalize()} independent {noun} cannot validate a metric; make five."
    return f"Whether {metric} orders the systems as {_judge(found)} is unknown: {found['note'] or 'not tested'}."


def _of(found: Finding) -> str:
    """How many groups, where systems share one; that they are taken for independent, where nobody declared it."""
    assumed = "" if found["declared"] else ", if made independently"
    if found["grouped_by"]:
        return f"{found['groups']} groups{assumed}"
    return f"{found['groups']} systems{assumed}" if assumed else ""


def _judge(found: Finding) -> str:
    return {
        "people": "people's judgments do",
        "imported": f"{found['measure']} does",
    }.get(found["judged_by"], "retrieval does")


def other_metrics(found: Sequence[Finding]) -> str:
    """`Also strong: chrF1. Open: MicroF1.`, without the first metric."""
    if not found:
        return ""
    by_grade: dict[str, list[str]] = {}
    for one in found[1:]:
        by_grade.setdefault(one["grade"] or "not tested", []).append(one["metric"])
    first = found[0]["grade"] or "not tested"
    told = [
        f"{'also ' if grade == first else ''}{grade}: {listed(metrics, MOST)}" for grade, metrics in by_grade.items()
    ]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in told)


def p_said(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {number(value)}"


def _lowered(found: Finding) -> str:
    told = {
        "outliers": f"{found['metric']} mostly separates weak systems from good ones.",
        "exchanged": f"With the two references exchanged, {found['metric']} is shown less clearly.",
    }  # the finding about other scorings says so itself
    return " ".join(told[reason] for reason in found["by"].split() if reason in told)


def _covariate(found: Finding) -> str:
    name, metric = found["covariate"], found["metric"]
    begins = f"The {name}" if " " in name else name
    if not found["pairs"]:
        return (
            f"{begins} predicts equally well; without systems of equal {name}, {metric} cannot be shown to add to it."
        )
    right = f"is right in {found['right']} of {found['pairs']} pairs"
    return f"{begins} predicts equally well; between systems of equal {name}, {metric} {right}."


def _noise(found: Finding) -> str:
    return f"Noise over topics alone limits {found['measure']} to about {percent(found['ceiling'])} of pairs."


def _range(found: Finding) -> str:
    noise = "" if isnan(found["ceiling"]) else f" (noise allows about {percent(found['ceiling'])})"
    return f"Within the better half of the systems {found['metric']} orders {percent(found['tau'])}{noise}."


def _judged(found: Finding) -> str:
    measure = found["measure"]
    if found["first_listed"]:
        measure += ", the first measure listed" + ("," if found["judged_by"] == "imported" else "")
    if found["judged_by"] in READ:
        return READ[found["judged_by"]].format(measure)
    if found["judged_by"] == "pseudo-relevance":
        if found["searched_reference"]:
            searched, scoring = found["searched_reference"], found["scoring_reference"]
            return f"Relevance ({measure}) is from reference {searched}; metrics score against reference {scoring}."
        favoured = ", which favours metrics that match words" if found["lexical_model"] else ""
        return f"Relevance ({measure}) is from the same reference{favoured}."
    return f"The source of relevance judgments ({measure}) is unknown."


def _scorings(found: Finding) -> str:
    shown = f"{found['shown']} of {found['scorings']} other scorings of the same topics"
    return f"{found['metric']} is shown in {shown}."


def _reading(found: Finding) -> str:
    grade = f"the grade is {found['grade']}" if found["grade"] in SHOWN else "nothing is shown"
    if found["units"] == NONE:
        return f"If each was made independently, the evidence for {found['metric']} is {found['grade']} (units=none)."
    if found["units"] == "maker":
        return f"If systems of one maker belong together, {grade} (units=maker)."
    return f"If these are checkpoints of one run, {grade} (units={found['units']})."


def _second(found: Finding) -> str:
    return (
        f"By {found['measure']}, {found['metric']} orders {percent(found['tau'])} (at least {percent(found['lower'])})."
    )


def _given(found: Finding) -> str:
    known = listed(found["given"])
    if not found["tested"]:
        return f"clirbench cannot tell whether a metric adds to {known}: {found['note']}."
    if found["metrics"]:
        verb = "adds" if len(found["metrics"]) == 1 else "add"
        return f"{listed(found['metrics'], MOST)} {verb} to {known} ({p_said(found['p_value'])})."
    return f"No metric is shown to add to {known} ({p_said(found['p_value'])})."


def _training(found: Finding) -> str:
    runs = found["runs"]
    if runs >= FEWEST_RUNS:
        return f"These are checkpoints of {runs} training runs: tau along training proves nothing by itself."
    of = "one run" if runs == 1 else f"{NUMBERS[runs]} runs"
    return f"Checkpoints of {of} cannot validate a metric; train {NUMBERS[FEWEST_RUNS]}."


def _same_step(found: Finding) -> str:
    if found["metrics"]:
        more = listed(found["metrics"], MOST)
        return f"At the same step, runs with more {more} have more {found['measure']} ({p_said(found['p_value'])})."
    return f"At the same step, no metric is shown to order the runs as {found['measure']} does."


def _nothing(found: Finding) -> str:
    return f"This run has no {found['missing']}, so nothing is compared."


TEMPLATES: dict[str, Callable[[Finding], str]] = {
    "nothing": _nothing,
    "training": _training,
    "same step": _same_step,
    "lowered": _lowered,
    "covariate": _covariate,
    "noise": _noise,
    "range": _range,
    "given": _given,
    "judged": _judged,
    "scorings": _scorings,
    "reading": _reading,
    "second": _second,
    "by MAP": _second,
}
"""The sentence of each kind but `agreement`, which `first_sentence` and `other_metrics` make."""
