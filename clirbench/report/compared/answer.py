"""What a person asks of two runs first: does the answer change, which system is best now, which moved, and why."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from clirbench.report.compared.comparison import Part, RunFiles

MOST = 5
"""Systems or causes that are named; the tables below have all."""
NO_CAUSE = ("name", "output.", "paths.", "hydra.", "engine.", "check", "analys", "pair")
"""Keys of the configuration that move no number."""


def answer_change(a: RunFiles, b: RunFiles, parts: Sequence[Part]) -> list[str]:
    """Sentences: the grades of metrics, the best system, systems that moved, and what differs that can move numbers."""
    if not any(part.changes for part in parts if part.name in ("scores", "tau", "topics")):
        return []
    return [*_evidence(a, b), *_order(a, b), *_causes(parts)]


def _evidence(a: RunFiles, b: RunFiles) -> Iterator[str]:
    first, second = a.results, b.results
    if not first or not second:
        return
    measure = first.get("measure")
    if measure != second.get("measure"):
        yield f"The answers are about different measures: {measure} first, {second.get('measure')} now."
        return
    before, now = (_grades(found) for found in (first, second))
    if before == now:
        yield f"The answer does not change: evidence by {measure}: {_listed(now)}."
    else:
        yield f"The answer changes: evidence by {measure}: {_listed(now)} now, {_listed(before)} before."


def _grades(results: Mapping[str, Any]) -> dict[str, list[str]]:
    """The metrics of each grade, from the findings of results.json."""
    found: dict[str, list[str]] = {}
    for one in results.get("findings", []):
        if isinstance(one, Mapping) and one.get("kind") == "agreement":
            found.setdefault(str(one.get("grade") or "not tested"), []).append(str(one.get("metric")))
    return {grade: sorted(metrics) for grade, metrics in found.items()}


def _listed(grades: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{grade} for {', '.join(metrics)}" for grade, metrics in grades.items()) or "none"


def _order(a: RunFiles, b: RunFiles) -> Iterator[str]:
    """The best system by the answer's measure, and those of both runs whose place among them is another now."""
    measure = str(a.results.get("measure") or "")
    if measure not in a.scores or measure not in b.scores:
        return
    x, y = ({s: -v for s, v in run.scores[measure].items() if not isnan(v)} for run in (a, b))
    first, second = sorted(x.keys() & y, key=lambda s: (x[s], s)), sorted(x.keys() & y, key=lambda s: (y[s], s))
    if not first:
        return
    best = f"{second[0]} now, {first[0]} before" if first[0] != second[0] else f"{first[0]} in both"
    yield f"The best of their {len(first)} common systems by {measure}: {best}."
    moved = [(s, first.index(s) + 1, second.index(s) + 1) for s in second if first.index(s) != second.index(s)]
    moved.sort(key=lambda move: -abs(move[1] - move[2]))
    if moved:
        named = ", ".join(f"{s} from place {before} to {now}" for s, before, now in moved[:MOST])
        more = f", and {len(moved) - MOST} more" if len(moved) > MOST else ""
        yield f"Systems that moved: {named}{more}."
    else:
        yield "No system moved."


def _causes(parts: Sequence[Part]) -> Iterator[str]:
    by_name = {part.name: part for part in parts}
    found = [
        f"{'.'.join(change.what)} ({change.first} before, {change.second} now)"
        for change in by_name["configuration"].changes
        if not change.what[0].startswith(NO_CAUSE)
    ]
    found += [f"the content of {'.'.join(change.what)}" for change in by_name["inputs"].changes]
    if found:
        more = f", and {len(found) - MOST} more" if len(found) > MOST else ""
        yield f"What differs and can move numbers: {'; '.join(found[:MOST])}{more}."
