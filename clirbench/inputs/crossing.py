"""`references=cross`, both ways: each of two references is searched once while the other scores the metrics."""

from dataclasses import replace

from clirbench.checks import name_list
from clirbench.pages.table import Table
from clirbench.result import Experiment, Result
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.grades import GRADES, SHOWN

EXCHANGED = "exchanged"
ABOUT = {
    "exchanged_tau": "tau of the other way: the other reference is searched",
    "exchanged_grade": "the grade of the other way",
    "grade": "the weaker grade of both ways",
}


def exchanged(experiment: Experiment, crossed: tuple[str, str]) -> Experiment | None:
    """The experiment the other way round, without analyses; None unless `references` is `cross` and no more.

    crossed: the reference that is searched, and the one that scores.
    """
    corpus, (searched, scoring) = experiment.corpus, crossed
    if name_list("references", getattr(corpus, "references", None)) != ("cross",):
        return None
    turned = replace(corpus, references=("cross", scoring, searched))  # type: ignore[type-var]
    return replace(experiment, corpus=turned, analyses=(), paper=None)


def both_ways(result: Result, other: Result) -> Result:
    """The result with table `exchanged`; what the other way shows less clearly has the grade of the other way."""
    found = {(row.measure, row.metric): row for row in other.correlations if row.coefficient == KENDALL}
    rows = [_weaker(row, found.get((row.measure, row.metric))) for row in result.correlations]
    pairs = [
        (row, found[row.measure, row.metric]) for row in rows if _pair(row) in found and row.coefficient == KENDALL
    ]
    header = (
        "measure",
        "metric",
        "tau",
        "exchanged_tau",
        "ci_low",
        "ci_high",
        "p_adjusted",
        "exchanged_grade",
        "grade",
    )
    cells = [
        (row.measure, row.metric, row.value, way.value, way.ci_low, way.ci_high, way.p_adjusted, way.grade, row.grade)
        for row, way in pairs
    ]
    shown = sum(row.measure == pairs[0][0].measure for row, _ in pairs)
    searched, scoring = (result.inputs and result.inputs.corpus.crossed) or ("", "")
    text = (
        f"The run searches reference {searched} and scores metrics against {scoring}. The other way searches {scoring} "
        f"and scores against {searched}: interval, p and exchanged_grade are its own. grade is the weaker of the two.",
    )
    title = "Is it the same with the two references exchanged?"
    table = Table(EXCHANGED, title, header, cells, text, said=shown, about=ABOUT)
    notes = [note for note in other.notes if note not in result.notes]
    return replace(result, correlations=tuple(rows), tables=(table, *result.tables), notes=(*result.notes, *notes))


def _pair(row: Correlation) -> tuple[str, str]:
    return row.measure, row.metric


def _weaker(row: Correlation, way: Correlation | None) -> Correlation:
    """The row with the grade of the other way where that is the weaker; one that is not shown stays as it is."""
    if way is None or row.coefficient != KENDALL or row.grade not in SHOWN or not way.grade:
        return row
    if GRADES.index(way.grade) <= GRADES.index(row.grade):
        return row
    return replace(row, grade=way.grade, lowered=" ".join(filter(None, (row.lowered, EXCHANGED))))
