"""The answer: sentences made from findings, one template for each kind.

At most 60 words; the first sentence has at most 25. Sentences of the kinds in `OPTIONAL` are there as far as there is
room.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from clirbench.pages import wording
from clirbench.pages.finding import Finding
from clirbench.pages.wording import listed, number
from clirbench.recent import keep_recent
from clirbench.report.findings import FEWEST_RUNS, findings
from clirbench.result import Result
from clirbench.statistics.grades import CONTRADICTED, LITTLE, MODERATE, NOISY, OPEN, SHOWN, STRONG, WEAK
from clirbench.statistics.units.belonging import NONE

WORDS = 60
MOST, MOST_GIVEN = 4, 6
"""Names at most in one list: of metrics, of what is known without them."""
EVIDENCE = {
    STRONG: "strong evidence",
    MODERATE: "moderate evidence",
    WEAK: "better than chance, not enough to choose by",
}
BY = "By {measure}, {metric} orders {tau} (at least {lower})."
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
LOWERED = {
    "outliers": "{metric} mostly separates weak systems from good ones.",
    "exchanged": "With the two references exchanged, {metric} is shown less clearly.",
}
"""Why a grade is one step lower; the finding about other scorings says so itself."""
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
    made += [(one.kind, _filled(one, TEMPLATES[one.kind](one))) for one in found if one.kind in TEMPLATES]
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


def _filled(found: Finding, template: str) -> str:
    """A sentence with the values of a finding: numbers are taus, as percentages of pairs, but for `p_value`."""
    return template.format(**{name: _written(name, value) for name, value in found.values.items()})


def _written(name: str, value: Any) -> str:
    if isinstance(value, float):
        return p_said(value) if name == "p_value" else percent(value)
    return listed(value, MOST if name == "metrics" else MOST_GIVEN) if isinstance(value, list) else str(value)


def first_sentence(found: Finding) -> str:
    """The grade of the metric with the strongest evidence, and its numbers."""
    return _filled(found, _agreement(found))


def _agreement(found: Finding) -> str:
    grade = found["grade"]
    if grade in SHOWN:
        all_right = found["tau"] >= 1 - 1e-9 and not found["grouped_by"]
        what = f"all {found['groups'] * (found['groups'] - 1) // 2} pairs" if all_right else "{tau} of system pairs"
        # The words of `weak` are many: there the number of systems has a sentence of its own.
        of = f"; {_of(found)}" if _of(found) and grade != WEAK else ""
        return f"{{metric}} orders {what} as {_judge(found)} (at least {{lower}}{of}): {EVIDENCE[grade]}."
    if grade == CONTRADICTED:
        return "{metric} orders most pairs the wrong way (at most {upper} right)."
    if grade == NOISY:
        more = "about {topics_to_add}" if found["topics_to_add"] else "many more"
        return f"These {{topics}} topics cannot rank the systems; add {more}."
    if grade == LITTLE:
        return "{metric} is close to a coin flip (at most {upper} right)."
    noun = "groups" if found["grouped_by"] else "systems"
    if grade == OPEN and found["tau"] <= 0:
        return f"{{metric}}: undecided with {{groups}} {noun}."
    if grade == OPEN:
        needed = "about {groups_needed}" if found["groups_needed"] else "more than 100"
        return f"{{metric}}: undecided; {needed} {noun} are needed."
    if 0 < found["groups"] < 3:
        return f"{NUMBERS[found['groups']].capitalize()} independent {noun} cannot validate a metric; make five."
    why = "{note}" if found["note"] else "not tested"
    return f"Whether {{metric}} orders the systems as {_judge(found)} is unknown: {why}."


def _of(found: Finding) -> str:
    """How many groups, where systems share one; that they are taken for independent, where nobody declared it."""
    assumed = "" if found["declared"] else ", if made independently"
    if found["grouped_by"]:
        return f"{found['groups']} groups{assumed}"
    return f"{found['groups']} systems{assumed}" if assumed else ""


def _judge(found: Finding) -> str:
    return {"people": "people's judgments do", "imported": "{measure} does"}.get(found["judged_by"], "retrieval does")


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


def _covariate(found: Finding) -> str:
    begins = f"{'The ' if ' ' in found['covariate'] else ''}{{covariate}} predicts equally well; "
    if not found["pairs"]:
        return f"{begins}without systems of equal {{covariate}}, {{metric}} cannot be shown to add to it."
    return f"{begins}between systems of equal {{covariate}}, {{metric}} is right in {{right}} of {{pairs}} pairs."


def _range(found: Finding) -> str:
    noise = "" if isnan(found["ceiling"]) else " (noise allows about {ceiling})"
    return f"Within the better half of the systems {{metric}} orders {{tau}}{noise}."


def _judged(found: Finding) -> str:
    measure, judge = "{measure}", found["judged_by"]
    if found["first_listed"]:
        measure += ", the first measure listed" + ("," if judge == "imported" else "")
    if judge in READ:
        return READ[judge].format(measure)
    if judge != "pseudo-relevance":
        return f"The source of relevance judgments ({measure}) is unknown."
    if found["searched_reference"]:
        scored = "metrics score against reference {scoring_reference}"
        return f"Relevance ({measure}) is from reference {{searched_reference}}; {scored}."
    favoured = ", which favours metrics that match words" if found["lexical_model"] else ""
    return f"Relevance ({measure}) is from the same reference{favoured}."


def _reading(found: Finding) -> str:
    if found["units"] == NONE:
        return "If each was made independently, the evidence for {metric} is {grade} (units=none)."
    grade = "the grade is {grade}" if found["grade"] in SHOWN else "nothing is shown"
    belong = "systems of one maker belong together" if found["units"] == "maker" else "these are checkpoints of one run"
    return f"If {belong}, {grade} (units={{units}})."


def _given(found: Finding) -> str:
    if not found["tested"]:
        return "clirbench cannot tell whether a metric adds to {given}: {note}."
    if not found["metrics"]:
        return "No metric is shown to add to {given} ({p_value})."
    return f"{{metrics}} {'adds' if len(found['metrics']) == 1 else 'add'} to {{given}} ({{p_value}})."


def _training(found: Finding) -> str:
    if found["runs"] >= FEWEST_RUNS:
        return "These are checkpoints of {runs} training runs: tau along training proves nothing by itself."
    of = "one run" if found["runs"] == 1 else f"{NUMBERS[found['runs']]} runs"
    return f"Checkpoints of {of} cannot validate a metric; train {NUMBERS[FEWEST_RUNS]}."


def _same_step(found: Finding) -> str:
    if found["metrics"]:
        return "At the same step, runs with more {metrics} have more {measure} ({p_value})."
    return "At the same step, no metric is shown to order the runs as {measure} does."


TEMPLATES: dict[str, Callable[[Finding], str]] = {
    "nothing": lambda _: "This run has no {missing}, so nothing is compared.",
    "training": _training,
    "same step": _same_step,
    "lowered": lambda found: " ".join(LOWERED[reason] for reason in found["by"].split() if reason in LOWERED),
    "covariate": _covariate,
    "noise": lambda _: "Noise over topics alone limits {measure} to about {ceiling} of pairs.",
    "range": _range,
    "given": _given,
    "judged": _judged,
    "scorings": lambda _: "{metric} is shown in {shown} of {scorings} other scorings of the same topics.",
    "reading": _reading,
    "second": lambda _: BY,
    "by MAP": lambda _: BY,
}
"""The template of each kind but `agreement`, which `first_sentence` and `other_metrics` have."""
