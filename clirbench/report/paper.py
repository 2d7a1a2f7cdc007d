"""paper.md: a paragraph for a paper about this run, a table of its metrics, signatures and versions.

Sentences about metrics and systems are those of the answer and the decision, made by the same templates, without the
answer's limit on words. Every number is a cell of the run's tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isnan
from typing import Any

from clirbench.pages.finding import Finding
from clirbench.pages.page import Page, Section, points
from clirbench.pages.table import Table
from clirbench.pages.wording import interval, listed, many, number
from clirbench.report.answer import answered, p_said, sentences
from clirbench.report.decision import decision_sentences
from clirbench.report.facts import by_pair, warnings
from clirbench.report.html.report import run_counts
from clirbench.report.set_up import data_name
from clirbench.result import Result
from clirbench.statistics.correlation import KENDALL
from clirbench.statistics.units.given import real_metrics

HEADER = ("metric", "tau", "low", "high", "p", "grade")
ABOUT = (
    "tau: Kendall's tau-b between independent groups. low and high: its 95 % interval, each metric by itself, from a t "
    "copula. p: one-sided, of tau <= 0, for all metrics together (step-down max-T). The grade rests on the lower bound "
    "of tau for all metrics together, and is one step lower where fewer than 8 of 16 other scorings of the topics show "
    "the metric, and where it rests on low outliers."
)


def paper_page(result: Result, provenance: Mapping[str, Any]) -> Page:
    """The page of paper.md; `provenance`: that of the run, for its data, versions and seed."""
    found = answered(result).findings
    agreements = [one for one in found if one.kind == "agreement"]
    told = [_compared(result, data_name(result, provenance)), *_agreement(result, agreements), *sentences(found, inf)]
    said = [*told, *decision_sentences(result), f"Computed with {_program(provenance)}."]
    board = result.board
    signed = [c for c in (*real_metrics(board), *filter(None, [board.first_measure])) if c.signature]
    rows = [_row(one) for one in agreements]
    metrics = Table("paper", "", HEADER, rows, shown=len(rows), formats=dict.fromkeys(HEADER[1:4], "coefficient"))
    return Page(
        "For a paper",
        (
            Section("paragraph", "", (" ".join(filter(None, said)),)),
            *([Section("metrics", f"Metrics by {agreements[0]['measure']}", (metrics, ABOUT))] if rows else []),
            *points("counts", "Data", run_counts(result)),
            *points("warnings", "What a reader must know", warnings(result, brief=True)),
            *points("signatures", "Signatures", [c.name for c in signed], [c.signature for c in signed]),
            *points("versions", "Versions", [_program(provenance), *_libraries(provenance)]),
        ),
    )


def _compared(result: Result, data: str) -> str:
    """Which metrics are compared with which measure, over how many systems, groups, topics and documents."""
    measure, metrics = result.board.first_measure, [column.name for column in real_metrics(result.board)]
    if measure is None or not metrics:
        return f"The data are {data}, with {result.units.said}."
    asked = result.evidence.topics(measure.name)
    sizes = [many(asked, "topic")] if asked else []
    if asked and result.inputs is not None:
        sizes.append(many(len(result.inputs.corpus.english), "document"))
    on = f", on {listed(sizes)}" if sizes else ""
    return f"We compare {listed(metrics, len(metrics))} with {measure.name} over {result.units.said} of {data}{on}."


def _agreement(result: Result, agreements: Sequence[Finding]) -> Iterator[str]:
    """tau of the first metric with its interval and its test, and what a perfect metric would reach."""
    if not agreements or isnan(agreements[0]["tau"]):
        return
    first = agreements[0]
    groups = "groups" if first["grouped_by"] else "systems"
    tau = f"Kendall's tau between {groups} of {first['metric']} with {first['measure']} is {number(first['tau'])}"
    tested = sum(bool(one["grade"]) for one in agreements)
    if not isnan(first["p_adjusted"]):
        corrected = f", corrected for {tested} metrics by step-down max-T" if tested > 1 else ""
        tau += f" (95 % confidence {interval(first['low'], first['high'])}, t copula; "
        tau += f"{p_said(first['p_adjusted'])}, one-sided{corrected})"
    yield f"{tau}."
    row = by_pair(result.correlations, KENDALL)[first["measure"], first["metric"]]
    if not isnan(row.ceiling):
        yield f"A metric without error would reach about {number(row.ceiling)} on these topics."


def _row(found: Finding) -> tuple[Any, ...]:
    p = "" if isnan(found["p_adjusted"]) else p_said(found["p_adjusted"]).removeprefix("p ").removeprefix("= ")
    return found["metric"], found["tau"], found["low"], found["high"], p, found["grade"] or "not tested"


def _program(provenance: Mapping[str, Any]) -> str:
    known = {name: provenance.get(name, "not recorded") for name in ("clirbench", "python", "seed")}
    return f"clirbench {known['clirbench']}, Python {known['python']}, seed {known['seed']}"


def _libraries(provenance: Mapping[str, Any]) -> list[str]:
    return [f"{name} {version}" for name, version in provenance.get("libraries", {}).items() if version]
