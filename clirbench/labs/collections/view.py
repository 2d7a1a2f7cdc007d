"""What pooling found: sentences first, then a forest plot for each metric and difference, as text, page and tables."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from math import isnan
from pathlib import Path

from clirbench.analyses.wording import join_names, number, plural
from clirbench.errors import escape_unseen
from clirbench.labs.collections import findings, retrievers
from clirbench.labs.collections.pooling import Pooling
from clirbench.labs.collections.statistics.choosing import Chosen
from clirbench.labs.collections.statistics.pooling import Point, Pooled
from clirbench.labs.collections.statistics.retrievers import Beside
from clirbench.labs.collections.statistics.settings import Stratum
from clirbench.labs.collections.statistics.transport import Transported
from clirbench.report import latex
from clirbench.report.drawing import COLOURS, Drawing, Label, Line, Mark, svg
from clirbench.report.figures import GREY, Scale, file_stem
from clirbench.report.html.page import rendered
from clirbench.report.html.page_tables import analysis_page_table
from clirbench.report.markdown import prose, table
from clirbench.report.tables import write_tsv
from clirbench.result import AnalysisTable

NARROW = 20
WIDTH, LEFT, RIGHT, ROW = 430.0, 150.0, 95.0, 15.0
TITLE = "Many collections: which metric may be trusted?"


def forest(row: Pooled, points: Sequence[Point]) -> Drawing:
    """One line for each collection, a diamond for the mean, a thin line for a new collection."""
    held = [p for p in points if (p.judge, p.measure, p.retriever, p.metric, p.other) == _key(row)]
    rows = len(held) + 1 + (not isnan(row.new_low))
    drawing = Drawing(WIDTH, 40 + ROW * rows)
    ends = [v for p in held for v in (p.value - 1.96 * p.error, p.value + 1.96 * p.error)]
    ends += [v for v in (row.ci_low, row.ci_high, row.new_low, row.new_high, row.value, 0.0) if not isnan(v)]
    limit = 2.0 if row.other else 1.0
    scale = Scale(max(-limit, min(ends)), min(limit, max(ends)), LEFT, WIDTH - RIGHT)
    bottom = 10 + ROW * rows
    for value in scale.ticks():
        drawing.lines.append(Line(((scale(value), 4), (scale(value), bottom)), GREY, 0.4 if abs(value) > 1e-9 else 1.2))
        drawing.labels.append(Label(scale(value), bottom + 11, scale.text(value), 7.5, "middle"))
    middle = scale(sum(ends[:2]) / 2)
    drawing.labels.append(Label(middle, bottom + 24, findings.title_of(row), 8.5, "middle", bold=True))
    for i, point in enumerate(held):
        low, high = (max(-limit, point.value - 1.96 * point.error), min(limit, point.value + 1.96 * point.error))
        text = f"{number(point.value, 2)} ({point.systems})"
        _row(drawing, scale, i, point.collection, point.value, low, high, text, "square")
    text = f"{number(row.value, 2)}" + (
        "" if isnan(row.ci_low) else f" [{number(row.ci_low, 2)}, {number(row.ci_high, 2)}]"
    )
    _row(drawing, scale, len(held), "mean", row.value, row.ci_low, row.ci_high, text, "diamond")
    if not isnan(row.new_low):
        text = f"[{number(row.new_low, 2)}, {number(row.new_high, 2)}]"
        _row(drawing, scale, len(held) + 1, "a new collection", float("nan"), row.new_low, row.new_high, text, "")
    return drawing


def _row(
    drawing: Drawing, scale: Scale, at: int, name: str, value: float, low: float, high: float, text: str, shape: str
) -> None:
    y = 14 + ROW * at
    mean = shape != "square"
    drawing.labels.append(Label(4, y + 3, name if len(name) < 32 else f"{name[:30]}..", 8, bold=mean))
    drawing.labels.append(Label(WIDTH - 4, y + 3, text, 8, "end", bold=mean))
    colour = COLOURS[1] if mean else COLOURS[0]
    if not isnan(low):
        drawing.lines.append(Line(((scale(low), y), (scale(high), y)), colour, 1.6 if mean else 0.9))
    if shape == "diamond":
        drawing.marks.append(Mark(scale(value), y, "diamond", colour, 4.2, 1.0))
    elif shape == "square":
        drawing.marks.append(Mark(scale(value), y, "square", colour, 3.0, 1.0))


def _key(row: Pooled) -> tuple[str, str, str, str, str]:
    return row.judge, row.measure, row.retriever, row.metric, row.other


HEADER = ("metric", "tau", "interval", "new collection", "collections", "settings", "sd between", "p (Holm)",
          "p by signs (smallest)", "without one", "depends on")  # fmt: skip
OVERVIEW = ("measure", "collections", "best metric", "tau", "interval", "new collection", "smallest p (Holm)")


def _cells(row: Pooled) -> list[str]:
    name = f"{row.metric} - {row.other}" if row.other else row.metric
    between = [
        "" if isnan(low) else f"[{number(low, 2)}, {number(high, 2)}]"
        for low, high in ((row.ci_low, row.ci_high), (row.new_low, row.new_high), (row.least, row.most))
    ]
    p = row.p_holm if row.other else row.p_value
    p_said, flips = "" if isnan(p) else findings.p_text(p), f"{number(row.p_flip)} ({number(row.smallest_flip)})"
    counts = str(row.collections), str(row.settings), number(row.sd_between, 2)
    return [name, number(row.value), *between[:2], *counts, p_said, flips, between[2], _depends(row)]


def _depends(row: Pooled) -> str:
    """The collections that decide, as far as a narrow cell holds their names; pooled.tsv has them all."""
    number_of = row.fragile.count(", ") + 1
    return row.fragile if len(row.fragile) <= NARROW else f"{number_of} of {row.collections}"


def markdown(pooling: Pooling, title: str = TITLE) -> str:
    """The report as Markdown."""
    return "\n".join(_markdown(pooling, title)) + "\n"


def _head(pooling: Pooling, title: str) -> Iterator[str]:
    yield f"# {title}\n"
    yield f"{plural(len(pooling.collections), 'collection')}: {prose(', '.join(pooling.collections))}.\n"
    yield "## In short\n"
    if said := _short(pooling):
        yield f"{prose(said)}\n"


def _section(heading: str, lines: Sequence[str]) -> Iterator[str]:
    yield from (f"## {heading}\n", *(f"- {prose(line)}" for line in lines), "") if lines else ()


def overview(rows: Sequence[Pooled]) -> list[list[str]]:
    """One row for each measure, source of judgments and retriever: `OVERVIEW`."""
    found = []
    for stratum in dict.fromkeys(Stratum(row.judge, row.measure, row.retriever) for row in rows):
        every = [row for row in rows if _key(row)[:3] == (stratum.judge, stratum.measure, stratum.retriever)]
        best = findings.by_tau(every)[0]
        p_values = [row.p_holm for row in findings.gaps(every) if not isnan(row.p_holm)]
        cells = _cells(best)
        p = findings.p_text(min(p_values)) if p_values else ""
        found.append([findings.name_of(stratum), cells[4], cells[0], *cells[1:4], p])
    return found


def summary(pooling: Pooling, title: str = TITLE) -> str:
    """The report on one page, as Markdown: a row for each stratum, and what cannot be concluded."""
    rows = [row for stratum in pooling.strata for row in pooling.of(stratum)]
    lines = [*_head(pooling, title), *table(OVERVIEW, overview(rows)), ""]
    return "\n".join([*lines, *_section("What cannot be concluded", [*findings.unanswered(pooling)])])


def _markdown(pooling: Pooling, title: str) -> Iterator[str]:
    yield from _head(pooling, title)
    for stratum in pooling.strata:
        yield f"- {prose(' '.join(findings.summary_lines(pooling.of(stratum))))}"
    yield ""
    for stratum in pooling.strata:
        yield f"## {prose(findings.name_of(stratum))}\n"
        yield from (f"{prose(sentence)}\n" for sentence in _said(pooling, stratum))
        yield from table(HEADER, [_cells(row) for row in pooling.of(stratum)])
        yield ""
    for found in retrievers.tables(pooling):
        yield f"## {found.title}\n"
        yield from (f"{prose(text)}\n" for text in found.text)
        yield from table(found.header, found.rows)
        yield ""
    yield from _section("What cannot be concluded", [*findings.unanswered(pooling)])
    yield from _section("What to know", pooling.notes)
    yield "## Signatures\n"
    yield from (f"- {name} in {prose(names)}: `{signature}`" for name, signature, names in _signatures(pooling))


def _short(pooling: Pooling) -> str:
    """What counts as one collection, before anything that rests on it; then everything in a few sentences."""
    return " ".join((*pooling.merged, *findings.abstract(pooling), *retrievers.abstract(pooling)))


def _said(pooling: Pooling, stratum: Stratum) -> list[str]:
    """All sentences about a stratum."""
    carried = map(findings.transport_sentence, findings.best_common_metric(pooling, stratum))
    return [*filter(None, findings.sentences(pooling, stratum)), *carried]


def _signatures(pooling: Pooling) -> list[tuple[str, str, str]]:
    """Each column with a signature, and the collections that have it."""
    return [(name, s, join_names(names, 30)) for name, of in pooling.signatures.items() for s, names in of.items()]


def write(folder: Path, pooling: Pooling, title: str = TITLE) -> list[Path]:
    """The tables, pooled.md, pooled.html, a forest plot for each row, and in latex/ a table for each stratum."""
    for name in ("figures", "latex"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    kinds = (("pooled", Pooled, pooling.rows), ("pooled_collections", Point, pooling.points),
             ("transport", Transported, pooling.transport), ("choosing", Chosen, pooling.chosen),
             ("pooled_retrievers", Beside, pooling.beside))  # fmt: skip
    for name, kind, rows in kinds:
        if rows or kind is not Beside:
            write_tsv(folder / f"{name}.tsv", [field.name for field in fields(kind)], [astuple(row) for row in rows])
    (folder / "pooled.md").write_text(escape_unseen(markdown(pooling, title)), encoding="utf-8", newline="\n")
    shown_rows = [row for stratum in pooling.strata for row in pooling.of(stratum)]
    drawn = {row: svg(forest(row, pooling.points), findings.title_of(row)) for row in shown_rows}
    for row, figure in drawn.items():
        stem = file_stem("-".join(filter(None, ("pooled", *_key(row)))))
        (folder / "figures" / f"{stem}.svg").write_text(figure, encoding="utf-8", newline="\n")
    parts = []
    for i, stratum in enumerate(pooling.strata):
        rows = pooling.of(stratum)
        name, cells = findings.name_of(stratum), tuple(tuple(_cells(row)) for row in rows)
        found = AnalysisTable(f"stratum{i}", name, HEADER, cells)
        stem = "-".join(filter(None, ("pooled", stratum.measure, stratum.judge, stratum.retriever)))
        latex.write_table(folder / "latex" / f"{file_stem(stem)}.tex", latex.analysis_table(found))
        plots = [(findings.title_of(row), bool(row.other), b64encode(drawn[row].encode()).decode()) for row in rows]
        parts.append((name, _said(pooling, stratum), analysis_page_table(found), plots))
    parts += [(found.title, list(found.text), analysis_page_table(found), []) for found in retrievers.tables(pooling)]
    values = {
        "title": title,
        "short": _short(pooling),
        "collections": pooling.collections,
        "parts": parts,
        "notes": pooling.notes,
        "signatures": _signatures(pooling),
    }
    (folder / "pooled.html").write_text(rendered("pooled.html.j2", values, {}), encoding="utf-8", newline="\n")
    return [folder / "pooled.html", folder / "pooled.tsv"]
