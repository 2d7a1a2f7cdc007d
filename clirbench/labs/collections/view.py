"""What pooling found: sentences first, then a forest plot for each metric and difference, as text, page and tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from types import MappingProxyType

from clirbench.errors import escape_unseen
from clirbench.labs.collections import findings, retrievers
from clirbench.labs.collections.pooling import Pooling
from clirbench.labs.collections.statistics.choosing import Chosen
from clirbench.labs.collections.statistics.pooling import Point, Pooled
from clirbench.labs.collections.statistics.retrievers import Beside
from clirbench.labs.collections.statistics.settings import Stratum
from clirbench.labs.collections.statistics.transport import Transported
from clirbench.pages.page import Block, Page, Plots, Points, Section, points
from clirbench.pages.table import Table
from clirbench.pages.wording import listed, many, number
from clirbench.report import latex, markdown
from clirbench.report.drawing import COLOURS, Drawing, Label, Line, Mark, svg
from clirbench.report.figures import GREY, Scale, file_stem
from clirbench.report.html.page import write_page

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


def _head(pooling: Pooling, title: str, more: Iterable[Block] = ()) -> Page:
    """A page with its first sections; `more` is the end of the last."""
    named = f"{many(len(pooling.collections), 'collection')}: {', '.join(pooling.collections)}."
    short = Section("short", "In short", (*filter(None, [_short(pooling)]), *more))
    return Page(title, (Section("collections", "", (named,)), short))


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


def overview_table(rows: Sequence[Pooled]) -> Table:
    """`overview` as a table."""
    found = overview(rows)
    return Table("overview", "In short", OVERVIEW, found, shown=len(found))


def summary(pooling: Pooling, title: str = TITLE) -> Page:
    """The report on one page: a row for each stratum, and what cannot be concluded."""
    rows = [row for stratum in pooling.strata for row in pooling.of(stratum)]
    head = _head(pooling, title, [overview_table(rows)])
    return Page(title, (*head.sections, *_unanswered(pooling)))


def page(pooling: Pooling, title: str = TITLE, drawn: Mapping[Pooled, str] = MappingProxyType({})) -> Page:
    """The whole report; `drawn`: the forest plot of each row."""
    shorts = [" ".join(findings.summary_lines(pooling.of(stratum))) for stratum in pooling.strata]
    strata = (
        Section(
            f"part{i}",
            findings.name_of(stratum),
            (*_said(pooling, stratum), table, *_plots(pooling.of(stratum), drawn)),
        )
        for i, (stratum, table) in enumerate(zip(pooling.strata, stratum_tables(pooling), strict=True), start=1)
    )
    return Page(
        title,
        (
            *_head(pooling, title, [Points(shorts)]).sections,
            *strata,
            *(Section(f"part-{found.name}", found.title, (*found.text, found)) for found in retrievers.tables(pooling)),
            *_unanswered(pooling),
            *points("notes", "What to know", pooling.notes),
            *points("signatures", "Signatures", *_signatures(pooling)),
        ),
    )


def stratum_tables(pooling: Pooling) -> list[Table]:
    """One table for each stratum."""
    every = [tuple(tuple(_cells(row)) for row in pooling.of(stratum)) for stratum in pooling.strata]
    names = map(findings.name_of, pooling.strata)
    return [
        Table(f"stratum{i}", name, HEADER, cells, shown=len(cells))
        for i, (name, cells) in enumerate(zip(names, every, strict=True))
    ]


def _plots(rows: Sequence[Pooled], drawn: Mapping[Pooled, str]) -> Iterator[Plots]:
    for kind, wanted in (("Each metric", False), ("Each difference", True)) if drawn else ():
        drawings = [(findings.title_of(row), drawn[row]) for row in rows if bool(row.other) == wanted]
        yield Plots(f"{kind}: forest plots", drawings, open=not wanted)


def _unanswered(pooling: Pooling) -> tuple[Section, ...]:
    return points("unanswered", "What cannot be concluded", [*findings.unanswered(pooling)])


def _short(pooling: Pooling) -> str:
    """What counts as one collection, before anything that rests on it; then everything in a few sentences."""
    return " ".join((*pooling.merged, *findings.abstract(pooling), *retrievers.abstract(pooling)))


def _said(pooling: Pooling, stratum: Stratum) -> list[str]:
    """All sentences about a stratum."""
    carried = map(findings.transport_sentence, findings.best_common_metric(pooling, stratum))
    return [*filter(None, findings.sentences(pooling, stratum)), *carried]


def _signatures(pooling: Pooling) -> tuple[list[str], list[str]]:
    """Each column with the collections that have it, and its signature."""
    every = [(f"{name} in {listed(of[s], 30)}", s) for name, of in pooling.signatures.items() for s in of]
    return [named for named, _ in every], [signature for _, signature in every]


def write(folder: Path, pooling: Pooling, title: str = TITLE) -> list[Path]:
    """The tables, pooled.md, pooled.html, a forest plot for each row, and in latex/ a table for each stratum."""
    for name in ("figures", "latex"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    kinds = (("pooled", Pooled, pooling.rows), ("pooled_collections", Point, pooling.points),
             ("transport", Transported, pooling.transport), ("choosing", Chosen, pooling.chosen),
             ("pooled_retrievers", Beside, pooling.beside))  # fmt: skip
    for name, kind, rows in kinds:
        if rows or kind is not Beside:
            Table.of(name, name, kind, rows).write(folder)
    shown_rows = [row for stratum in pooling.strata for row in pooling.of(stratum)]
    drawn = {row: svg(forest(row, pooling.points), findings.title_of(row)) for row in shown_rows}
    for row, figure in drawn.items():
        stem = file_stem("-".join(filter(None, ("pooled", *_key(row)))))
        (folder / "figures" / f"{stem}.svg").write_text(figure, encoding="utf-8", newline="\n")
    for stratum, table in zip(pooling.strata, stratum_tables(pooling), strict=True):
        stem = "-".join(filter(None, ("pooled", stratum.measure, stratum.judge, stratum.retriever)))
        latex.write_table(folder / "latex" / f"{file_stem(stem)}.tex", latex.analysis_table(table))
    made = page(pooling, title, drawn)
    (folder / "pooled.md").write_text(escape_unseen(markdown.page(made)), encoding="utf-8", newline="\n")
    write_page(folder / "pooled.html", made)
    return [folder / "pooled.html", folder / "pooled.tsv"]
