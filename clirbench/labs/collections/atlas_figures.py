"""The four figures of the findings, drawn from the data files of the documentation alone."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from clirbench.files.tables import read_table
from clirbench.report.drawing import COLOURS, Drawing, Label, Line, svg
from clirbench.report.figures import GREY, Powers, Scale, axes, mark, name_axes, named_marks
from clirbench.types import Doubles

Row = Mapping[str, str]
WIDTH, LEFT, RIGHT, TOP, BOTTOM, LINE = 460.0, 90.0, 20.0, 30.0, 40.0, 18.0
HEIGHT = 320.0
DATA = {
    "references": "findings/atlas.tsv",
    "range": "findings/atlas_range.tsv",
    "exchange": "memory.tsv",
    "cost": "findings/frontier.tsv",
}
"""The figure's name -> the file below docs/data that it is drawn from."""
TITLES = {
    "references": "Mean tau of each metric where it scores against the searched reference, and against another one",
    "range": "Mean tau of each metric over all systems and over the better half, each with the tau of a perfect metric",
    "exchange": "Shares of left-out pairs of systems whose better one was predicted, and seen",
    "cost": "Retrieval quality of real engines with known items, by processor seconds for a million words",
}


def figures(data: Path) -> dict[str, str]:
    """The svg of each figure, by its name; `data`: docs/data. Raises `InputError` for a file that is missing."""
    drawn: Mapping[str, Callable[[Sequence[Row]], Drawing]] = {
        "references": references, "range": whole_and_half, "exchange": exchange, "cost": cost,
    }  # fmt: skip
    return {
        name: svg(draw(list(read_table(data / DATA[name]).records())), TITLES[name]) for name, draw in drawn.items()
    }


def references(rows: Sequence[Row]) -> Drawing:
    """For each metric its mean tau with the same reference and with crossed ones, with 95 % intervals."""
    views = ("same reference", "crossed references")
    taus = {(row["view"], row["metric"]): row for row in rows if not row["other"]}
    metrics = [name for view, name in taus if view == views[0] and (views[1], name) in taus]
    ends = [float(taus[view, name][end]) for view in views for name in metrics for end in ("ci_low", "ci_high")]
    drawing, across = _list(metrics, np.array(ends), "mean tau")
    for at, name in enumerate(metrics):
        for number, view in enumerate(views):
            row, y = taus[view, name], _line(at) + (-3 if number == 0 else 3)
            ends = [across(float(row[end])) for end in ("ci_low", "ci_high")]
            drawing.lines.append(Line(((ends[0], y), (ends[1], y)), COLOURS[number], 1.2))
            drawing.marks.append(mark(across(float(row["value"])), y, number, 3))
    _legend(drawing, views)
    return drawing


def whole_and_half(rows: Sequence[Row]) -> Drawing:
    """For each metric its mean tau over all systems and over the better half; a bar beside each mark is the ceiling."""
    parts = (("tau", "ceiling"), ("better_half", "better_half_ceiling"))
    values = np.array([float(row[name]) for row in rows for names in parts for name in names])
    drawing, across = _list([row["metric"] for row in rows], values, "mean tau")
    for at, row in enumerate(rows):
        for number, (name, ceiling) in enumerate(parts):
            y = _line(at) + (-3 if number == 0 else 3)
            x, top = across(float(row[name])), across(float(row[ceiling]))
            drawing.lines.append(Line(((x, y), (top, y)), COLOURS[number], 0.5))
            drawing.lines.append(Line(((top, y - 3), (top, y + 3)), COLOURS[number], 1.5))
            drawing.marks.append(mark(x, y, number, 3))
    _legend(drawing, ("all systems", "better half"), "bar: a perfect metric")
    return drawing


def exchange(rows: Sequence[Row]) -> Drawing:
    """Seen by predicted share of each metric, language group, band and bin; on the line they are equal."""
    drawing = Drawing(WIDTH, HEIGHT)
    shares = np.array([float(row[name]) for row in rows for name in ("predicted", "seen")])
    across, along = Scale.over(shares, LEFT, WIDTH - RIGHT), Scale.over(shares, HEIGHT - BOTTOM - 14, TOP)
    axes(drawing, across, along)
    least, most = float(shares.min()), float(shares.max())
    drawing.lines.append(Line(((across(least), along(least)), (across(most), along(most)))))
    groups = list(dict.fromkeys(row["group"] for row in rows))
    for row in rows:
        x, y = across(float(row["predicted"])), along(float(row["seen"]))
        size = min(5.0, 1.2 + int(row["pairs_of_systems"]) ** 0.5 / 6)
        drawing.marks.append(mark(x, y, groups.index(row["group"]), size))
    name_axes(drawing, across, along, "predicted share of better systems", "seen share", 40)
    _legend(drawing, groups)
    return drawing


def cost(rows: Sequence[Row]) -> Drawing:
    """The measure by the engine's cost; filled by whether something as cheap is better."""
    known = [row for row in rows if row["seconds_per_million_words"]]
    costs = np.array([Powers.place(float(row["seconds_per_million_words"])) for row in known])
    values = np.array([float(row["value"]) for row in known])
    drawing = Drawing(WIDTH, HEIGHT)
    across = Powers.over(costs, LEFT, WIDTH - RIGHT - 60)
    along = Scale.over(values, HEIGHT - BOTTOM - 14, TOP)
    axes(drawing, across, along)
    names = [row["system"] if row["retriever"] == "bm25" else f"{row['system']} ({row['retriever']})" for row in known]
    places = [(across(x), along(y)) for x, y in zip(costs.tolist(), values.tolist(), strict=True)]
    named_marks(drawing, places, names, [int(row["on_frontier"] == "false") for row in known])
    measure = known[0]["measure"].partition("[")[0]
    name_axes(drawing, across, along, "processor seconds for a million words (nothing: at 0.1)", measure, 40)
    _legend(drawing, ("on the frontier", "another is better and no dearer"))
    return drawing


def _list(names: Sequence[str], values: Doubles, below: str) -> tuple[Drawing, Scale]:
    """A drawing with a line for each name, and the scale of the values."""
    drawing = Drawing(WIDTH, TOP + LINE * len(names) + BOTTOM + 14)
    bottom = TOP + LINE * len(names)
    across = Scale.over(values, LEFT, WIDTH - RIGHT)
    for value in across.ticks():
        drawing.lines.append(Line(((across(value), TOP), (across(value), bottom)), GREY, 0.5))
        drawing.labels.append(Label(across(value), bottom + 11, across.text(value), 8, "middle"))
    drawing.lines.append(Line(((LEFT, bottom), (WIDTH - RIGHT, bottom))))
    drawing.labels.append(Label((LEFT + WIDTH - RIGHT) / 2, bottom + 25, below, 9, "middle"))
    for at, name in enumerate(names):
        drawing.labels.append(Label(LEFT - 6, _line(at) + 3, name, 8, "end"))
    return drawing, across


def _line(at: int) -> float:
    return TOP + LINE * (at + 0.5)


def _legend(drawing: Drawing, names: Sequence[str], more: str = "") -> None:
    x, y = LEFT, drawing.height - 7
    for number, name in enumerate(names):
        drawing.marks.append(mark(x, y - 3, number, 3))
        drawing.labels.append(Label(x + 7, y, name, 8))
        x += 24 + 4.4 * len(name)
    if more:
        drawing.labels.append(Label(x, y, more, 8))
