"""Figures for a paper: for each measure a grid of its metrics, one mark for each system; svg, pdf and png."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clirbench.report.drawing import COLOURS, SHAPES, Drawing, Label, Line, Mark, svg
from clirbench.report.facts import interval, tau_cell
from clirbench.report.pdf import pdf
from clirbench.report.png import png
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.statistics.correlation import Correlation

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from dataclasses import dataclass

from clirbench.scoreboard import Scoreboard

COLUMNS = 3
WIDTH, HEIGHT = 230.0, 200.0  # of one plot with its labels, in points
LEFT, RIGHT, TOP, BOTTOM = 50.0, 10.0, 24.0, 40.0
GREY = "#D9D9D9"
# Metrics on sacreBLEU's scale; others (NIST, counts, ratios) have no unit.
PER_CENT = ("BLEU", "chrF", "Macro", "Micro", "SentBLEU", "METEOR", "Query", "Term", "TER", "WER", "PER", "CDER")


PREFERRED = ("family", "group", "kind", "series", "run", "type")
MOST = 7


@dataclass(frozen=True)
class Groups:
    """`of[i]` is the number of system i's group, its name in `names`; `column` is empty where all are one group."""

    column: str
    names: tuple[str, ...]
    of: tuple[int, ...]


def groups(board: Scoreboard, column: str = "") -> Groups:
    """Groups by `column`, or by the first metadata column that makes 2 to 7 groups of which one has two systems."""
    n = len(board.systems)
    candidates = [column] if column else group_columns(board)
    if not candidates:
        return Groups("", ("systems",), (0,) * n)
    texts = [text.strip() or "(none)" for text in board.metadata[candidates[0]]]
    names = tuple(dict.fromkeys(texts))
    return Groups(candidates[0], names, tuple(names.index(text) for text in texts))


def series(board: Scoreboard) -> tuple[int, ...]:
    """Which training run each system belongs to: the first group column in which every group has several steps."""
    steps = board.metadata.get("step", ("",) * len(board.systems))
    for column in group_columns(board):
        of = groups(board, column).of
        if all(len({steps[i] for i, g in enumerate(of) if g == group}) > 1 for group in set(of)):
            return of
    return (0,) * len(board.systems)


def group_columns(board: Scoreboard) -> list[str]:
    """Metadata columns that can colour the systems, those with a telling name first."""
    fit = [
        name
        for name, texts in board.metadata.items()
        if name != "step" and 2 <= len({text.strip() for text in texts}) <= min(MOST, len(board.systems) - 1)
    ]
    order = {name: i for i, name in enumerate(PREFERRED)}
    return sorted(fit, key=lambda name: order.get(name.lower(), len(order)))


def write(folder: Path, result: Result) -> None:
    """Write `MEASURE.svg`, `.pdf` and `.png` for each measure that shares a system with a metric."""
    folder.mkdir()
    rows = {(row.measure, row.metric): row for row in result.correlations if row.coefficient == "kendall"}
    grouped = groups(result.board)
    for measure in result.board.measures:
        metrics = [m for m in result.board.metrics if np.isfinite(m.values + measure.values).any()]
        if metrics:
            drawing = grid(measure, metrics, rows, grouped)
            title = f"{measure.name} against {', '.join(metric.name for metric in metrics)}"
            name = safe(measure.name)
            (folder / f"{name}.svg").write_text(svg(drawing, title), encoding="utf-8", newline="\n")
            (folder / f"{name}.pdf").write_bytes(pdf(drawing, title))
            (folder / f"{name}.png").write_bytes(png(drawing))
    for table in result.tables:
        if table.figure is not None:
            _save(table.figure(), folder, table.name)


def _save(figure: "Figure", folder: Path, name: str) -> None:
    """A figure of an analysis, as svg, pdf and png, the same bytes each time."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "clirbench", "svg.fonttype": "none"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": "clirbench"})
        figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None, "Creator": "clirbench"})
        figure.savefig(folder / f"{name}.png", dpi=120, metadata={"Software": "clirbench"})


def grid(
    measure: Column, metrics: Sequence[Column], rows: dict[tuple[str, str], Correlation], grouped: Groups
) -> Drawing:
    """One scatter plot for each metric, the measure on the vertical axis of all; below them what the marks mean."""
    n_columns = min(COLUMNS, len(metrics))
    n_rows = -(-len(metrics) // n_columns)
    legend = 18.0 if len(grouped.names) > 1 else 0.0
    drawing = Drawing(WIDTH * n_columns, HEIGHT * n_rows + legend)
    for i, metric in enumerate(metrics):
        _plot(drawing, i % n_columns * WIDTH, i // n_columns * HEIGHT, metric, measure, grouped)
        row = rows.get((measure.name, metric.name))
        if row is not None:
            x = i % n_columns * WIDTH + LEFT + (WIDTH - LEFT - RIGHT) / 2
            text = f"tau {tau_cell(row)}{interval(row)}"
            drawing.labels.append(Label(x, i // n_columns * HEIGHT + 15, text, 9, "middle", bold=True))
    if legend:
        _legend(drawing, grouped)
    return drawing


def _plot(drawing: Drawing, x0: float, y0: float, metric: Column, measure: Column, grouped: Groups) -> None:
    left, right, top, bottom = x0 + LEFT, x0 + WIDTH - RIGHT, y0 + TOP, y0 + HEIGHT - BOTTOM
    kept = np.isfinite(metric.values + measure.values)
    across = Scale.over(metric.values[kept], left, right)
    along = Scale.over(measure.values[kept], bottom, top)
    for value in across.ticks():
        x = across(value)
        drawing.lines.append(Line(((x, top), (x, bottom)), GREY, 0.5))
        drawing.labels.append(Label(x, bottom + 11, across.text(value), 8, "middle"))
    for value in along.ticks():
        y = along(value)
        drawing.lines.append(Line(((left, y), (right, y)), GREY, 0.5))
        drawing.labels.append(Label(left - 4, y + 3, along.text(value), 8, "end"))
    drawing.lines.append(Line(((left, top), (left, bottom), (right, bottom))))
    for i in np.flatnonzero(kept).tolist():
        group = grouped.of[i]
        drawing.marks.append(
            Mark(
                across(float(metric.values[i])),
                along(float(measure.values[i])),
                SHAPES[group % len(SHAPES)],
                COLOURS[group % len(COLOURS)],
            )
        )
    drawing.labels.append(Label((left + right) / 2, bottom + 25, axis(metric), 9, "middle"))
    drawing.labels.append(Label(x0 + 13, (top + bottom) / 2, axis(measure), 9, "middle", upright=True))


def axis(column: Column) -> str:
    """A column's name with its unit, where we computed it and it has one, and its direction where less is better."""
    unit = []
    if column.origin == "computed" and column.role == "measure" and np.nanmax(np.abs(column.values)) <= 1:
        unit.append("0-1")
    if column.origin == "computed" and column.role == "metric" and column.name.startswith(PER_CENT):
        unit.append("%" if not column.higher_is_better else "0-100")
    if not column.higher_is_better:
        unit.append("lower is better")
    return column.name + (f" ({', '.join(unit)})" if unit else "")


def _legend(drawing: Drawing, grouped: Groups) -> None:
    x, y = LEFT, drawing.height - 7
    for i, name in enumerate(grouped.names):
        drawing.marks.append(Mark(x, y - 3, SHAPES[i % len(SHAPES)], COLOURS[i % len(COLOURS)], 3))
        drawing.labels.append(Label(x + 7, y, name, 8))
        x += 24 + 4.6 * len(name)


class Scale:
    """From values to places along an axis, with a margin of 6 % at both ends."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        margin = 0.06 * (high - low) or abs(high) * 0.06 or 1.0
        self.low, self.high, self.start, self.end = low - margin, high + margin, start, end

    @classmethod
    def over(cls, values: "np.typing.NDArray[np.float64]", start: float, end: float) -> "Scale":
        return cls(float(values.min()), float(values.max()), start, end)

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> Iterator[float]:
        """Round values, three to six of them."""
        step = self.step()
        for k in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1):
            yield k * step

    def step(self) -> float:
        """1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)

    def text(self, value: float) -> str:
        """As many decimals as the step needs."""
        decimals = max(0, -math.floor(math.log10(self.step()) + 1e-9))
        return f"{value + 0.0:.{decimals}f}" if abs(value) < 1e7 else f"{value:.3g}"


def safe(name: str) -> str:
    """A measure's name as a file name: `RBO(p=0.9)` -> `RBO_p_0.9`, `MAP[news]` -> `MAP_news`."""
    kept = "".join(c if c.isalnum() or c in "@.-+" else "_" for c in name)
    return kept.strip("_")
