"""What pooling found: sentences first, then a forest plot for each metric and difference, as text, page and tables."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from math import isnan
from pathlib import Path

from clirbench.analyses.wording import listed, many, number
from clirbench.errors import shown
from clirbench.report.drawing import COLOURS, Drawing, Label, Line, Mark, svg
from clirbench.report.figures import GREY, Scale, file_stem
from clirbench.report.html.page import rendered
from clirbench.report.html.page_tables import analysis_page_table
from clirbench.report.markdown import prose, table
from clirbench.report.pooled.pooling import Pooling
from clirbench.report.tables import write_tsv
from clirbench.result import AnalysisTable
from clirbench.statistics.pooled.pooling import Point, Pooled
from clirbench.statistics.pooled.random_effects import FEWEST_TO_PREDICT
from clirbench.statistics.pooled.settings import Stratum
from clirbench.statistics.pooled.transport import Transported

ALPHA = 0.05
FEW = f" from fewer than {FEWEST_TO_PREDICT} collections that are independent"
JUDGES = {"pseudo": "pseudo-relevance", "people": "judged by people", "imported": "as imported"}
WIDTH, LEFT, RIGHT, ROW = 430.0, 150.0, 95.0, 15.0
TITLE = "Many collections: which metric may be trusted?"


def name_of(stratum: Stratum) -> str:
    """`MAP (pseudo-relevance, bm25)`."""
    retriever = f", {stratum.retriever}" if stratum.retriever != stratum.judge else ""
    return f"{stratum.measure} ({JUDGES[stratum.judge]}{retriever})"


def sentences(pooling: Pooling, stratum: Stratum) -> list[str]:
    """What may be said of one stratum, from the pooled model alone."""
    rows = pooling.of(stratum)
    taus = sorted((row for row in rows if not row.other), key=lambda row: -row.value)
    gaps = [row for row in rows if row.other]
    best = taus[0]
    said = [
        f"{name_of(stratum)}, over {many(best.collections, 'collection')} "
        f"({many(best.systems, 'system')}): the mean tau of {best.metric} is {_with_interval(best)}"
        + "".join(f", of {row.metric} {_with_interval(row)}" for row in taus[1:])
        + "."
    ]
    said += [*_apart(gaps), *_new(best, gaps), _differ(best)]
    silent: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            silent.setdefault(row.note, []).append(_title(row).partition(": ")[2])
    said += [f"{listed(names, 3)}: {note}." for note, names in silent.items()]
    return said


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else number(value)


def _short(rows: Sequence[Pooled]) -> Iterator[str]:
    """One stratum in a line or two."""
    best = max((row for row in rows if not row.other), key=lambda row: row.value)
    judged = Stratum(best.judge, best.measure, best.retriever)
    yield f"{name_of(judged)}: highest mean tau {best.metric}, {_with_interval(best)}."
    yield from _apart([row for row in rows if row.other])
    yield from _new(best, [])


def _with_interval(row: Pooled, sign: str = "") -> str:
    text = ("+" if sign and row.value > 0 else "") + number(row.value)
    return text if isnan(row.ci_low) else f"{text} [{number(row.ci_low, 2)}, {number(row.ci_high, 2)}]"


def _turned(row: Pooled) -> tuple[str, str]:
    return (row.metric, row.other) if row.value >= 0 else (row.other, row.metric)


def _apart(gaps: Sequence[Pooled]) -> Iterator[str]:
    """Which metrics differ."""
    few = bool(gaps) and max(row.collections for row in gaps) < FEWEST_TO_PREDICT
    sure = [row for row in gaps if row.p_holm < ALPHA and row.collections >= FEWEST_TO_PREDICT]
    for row in sure:
        better, worse = _turned(row)
        check = (
            ""
            if row.p_flip < ALPHA
            else f"; by flipping signs p is {number(row.p_flip)}, at least " + number(row.smallest_flip)
        )
        only = f"; not so without {row.fragile}" if row.fragile else ""
        found = f"{_with_interval(row, '+')}, p {_p(row.p_holm)} after Holm{check}{only}"
        yield f"{better} orders systems better than {worse} ({found})."
    left = [row for row in gaps if row not in sure and not isnan(row.p_holm) and not few]
    if left:
        widest = max(left, key=lambda row: abs(row.value))
        pairs = "No two metrics" if not sure else f"{many(len(left), 'other pair')} of metrics"
        verb = "can be told apart" if not sure else "cannot be told apart"
        found = f"{widest.metric} - {widest.other} {_with_interval(widest, '+')}"
        yield f"{pairs} {verb}; the largest such difference: {found}."
    silent = [row for row in gaps if few or isnan(row.p_holm)]
    if silent and not sure and not left:
        widest = max(silent, key=lambda row: abs(row.value))
        yield (
            f"Whether metrics differ cannot be said{FEW if few else ''}; the largest difference is {widest.metric} - "
            f"{widest.other} {_with_interval(widest, '+')}, and flipping signs could give no p below "
            f"{number(widest.smallest_flip)}."
        )


def _new(best: Pooled, gaps: Sequence[Pooled]) -> Iterator[str]:
    if not isnan(best.new_low):
        text = f"On a new collection the tau of {best.metric} lies between {number(best.new_low, 2)} and "
        text += f"{number(best.new_high, 2)} with 95 %"
        others = [row for row in gaps if best.metric in (row.metric, row.other) and not isnan(row.new_low)]
        if others:
            low, high = min(row.new_low for row in others), max(row.new_high for row in others)
            text += f", its difference from another metric within {number(low, 2)} and {number(high, 2)}"
        yield f"{text}."


def _differ(row: Pooled) -> str:
    """Heterogeneity in words."""
    if isnan(row.p_same):
        return ""
    if row.p_same < ALPHA:
        return (
            f"The collections differ: the true tau of {row.metric} has a standard deviation of about "
            f"{number(row.sd_between, 2)} between them."
        )
    return (
        f"Noise alone explains how the tau of {row.metric} differs between collections (p {number(row.p_same, 2)}), "
        "which with so few of them is weak evidence that they are alike."
    )


def transport_sentence(row: Transported, collections: str = "collection") -> str:
    """What a point of the metric is worth, and whether that holds elsewhere."""
    better = "better" if row.brier < row.brier_common - 0.001 else "no better"
    text = (
        f"A point of {row.metric} is worth {row.slope:.4f} of {row.measure} [{row.ci_low:.4f}, {row.ci_high:.4f}] over "
        f"{many(row.collections, 'collection')}. Predicted for the collection left out, the Brier score is "
        f"{number(row.brier)} (chance .250, one common slope {number(row.brier_common)}: slopes by collection are "
        f"{better})"
    )
    if row.pairs:
        text += f"; where {number(row.stated, 2)} was stated on average, it happened in {number(row.happened, 2)} of "
        text += f"{row.pairs} pairs"
    return f"{text}."


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
    drawing.labels.append(Label(scale(sum(ends[:2]) / 2), bottom + 24, _title(row), 8.5, "middle", bold=True))
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


def _title(row: Pooled) -> str:
    return f"tau with {row.measure}: {row.metric}{f' - {row.other}' if row.other else ''}"


HEADER = ("metric", "tau", "interval", "new collection", "collections", "settings", "sd between", "p (Holm)",
          "p by signs (smallest)", "without one", "depends on")  # fmt: skip


def _cells(row: Pooled) -> list[str]:
    name = f"{row.metric} - {row.other}" if row.other else row.metric
    between = [
        "" if isnan(low) else f"[{number(low, 2)}, {number(high, 2)}]"
        for low, high in ((row.ci_low, row.ci_high), (row.new_low, row.new_high), (row.least, row.most))
    ]
    p = row.p_holm if row.other else row.p_value
    return [
        name, number(row.value), between[0], between[1], str(row.collections), str(row.settings),
        number(row.sd_between, 2), "" if isnan(p) else _p(p), f"{number(row.p_flip)} ({number(row.smallest_flip)})",
        between[2], row.fragile,
    ]  # fmt: skip


def markdown(pooling: Pooling, title: str = TITLE) -> str:
    """The report as Markdown."""
    return "\n".join(_markdown(pooling, title)) + "\n"


def _markdown(pooling: Pooling, title: str) -> Iterator[str]:
    yield f"# {title}\n"
    yield f"{many(len(pooling.collections), 'collection')}: {prose(', '.join(pooling.collections))}.\n"
    yield "## In short\n"
    for stratum in pooling.strata:
        yield f"- {prose(' '.join(_short(pooling.of(stratum))))}"
    yield ""
    for stratum in pooling.strata:
        yield f"## {prose(name_of(stratum))}\n"
        yield from (f"{prose(sentence)}\n" for sentence in sentences(pooling, stratum) if sentence)
        yield from (f"{prose(transport_sentence(row))}\n" for row in _carried(pooling, stratum))
        yield from table(HEADER, [_cells(row) for row in pooling.of(stratum)])
        yield ""
    if pooling.notes:
        yield "## What to know\n"
        yield from (f"- {prose(note)}" for note in pooling.notes)
        yield ""
    yield "## Signatures\n"
    for name, of in pooling.signatures.items():
        yield from (f"- {name} in {prose(listed(names, 30))}: `{signature}`" for signature, names in of.items())


def _carried(pooling: Pooling, stratum: Stratum) -> list[Transported]:
    """Of the metrics that most collections have, the one that predicts best; the others stand in transport.tsv."""
    rows = [row for row in pooling.transport if Stratum(row.judge, row.measure, row.retriever) == stratum]
    return sorted(rows, key=lambda row: (-row.collections, row.brier))[:1]


def write(folder: Path, pooling: Pooling, title: str = TITLE) -> list[Path]:
    """pooled.tsv, pooled_collections.tsv, transport.tsv, pooled.md, pooled.html and a forest plot for each row."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    kinds = (("pooled", Pooled, pooling.rows), ("pooled_collections", Point, pooling.points),
             ("transport", Transported, pooling.transport))  # fmt: skip
    for name, kind, rows in kinds:
        write_tsv(folder / f"{name}.tsv", [field.name for field in fields(kind)], [astuple(row) for row in rows])
    (folder / "pooled.md").write_text(shown(markdown(pooling, title)), encoding="utf-8", newline="\n")
    drawn = {row: svg(forest(row, pooling.points), _title(row)) for row in pooling.rows}
    for row, figure in drawn.items():
        stem = file_stem("-".join(filter(None, ("pooled", *_key(row)))))
        (folder / "figures" / f"{stem}.svg").write_text(figure, encoding="utf-8", newline="\n")
    parts = []
    for i, stratum in enumerate(pooling.strata):
        rows = pooling.of(stratum)
        found = AnalysisTable(f"stratum{i}", name_of(stratum), HEADER, tuple(tuple(_cells(row)) for row in rows))
        said = [*filter(None, sentences(pooling, stratum)), *map(transport_sentence, _carried(pooling, stratum))]
        plots = [(_title(row), bool(row.other), b64encode(drawn[row].encode()).decode()) for row in rows]
        parts.append((name_of(stratum), said, analysis_page_table(found), plots))
    signatures = [(name, s, listed(names, 30)) for name, of in pooling.signatures.items() for s, names in of.items()]
    values = {"title": title, "collections": pooling.collections, "parts": parts, "notes": pooling.notes,
              "signatures": signatures}  # fmt: skip
    (folder / "pooled.html").write_text(rendered("pooled.html.j2", values, {}), encoding="utf-8", newline="\n")
    return [folder / "pooled.html", folder / "pooled.tsv"]
