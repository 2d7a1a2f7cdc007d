"""One self-contained file from a page: it contains style and script, and a policy that forbids everything else.

The policy names the one script by its hash, so that no other would run; all text from data is escaped.

The plots of a page: each metric against each measure, learning curves, and how far a system's scores would move.
"""

import base64
import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from clirbench.errors import escape_unseen
from clirbench.files.tables import as_number as read_number
from clirbench.pages import Cell, Page, Plots, Section, Selection, Table, TableColumn, is_hole, short, shown_cell
from clirbench.report import facts
from clirbench.report.answer import group_columns, grouped_by, one_group
from clirbench.report.decision import learning_curves, recommended
from clirbench.report.drawing import Drawing, svg
from clirbench.report.figures import Dot, Point, mark, panels, scatter_plots
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.statistics.grades import Evidence
from clirbench.statistics.resampling import Draws, measure_values, metric_scores, weighted_scores
from clirbench.store.cached import cached_result
from clirbench.types import Doubles

HERE = Path(__file__).resolve().parent
MOST_ROWS = 500
"""Rows of a table on a page."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def write_page(path: Path, made: Page) -> None:
    """Write a page, whose sections follow each other as in Markdown."""
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {"page": made, "style": Markup(style), "script": Markup(script), "policy": policy}
    text = escape_unseen(_environment().get_template("page.html.j2").render(values))
    path.write_text(text, encoding="utf-8", newline="\n")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(rows_of=rows_of, kind=lambda block: type(block).__name__, menu=menu, inline=Markup)
    return made


def menu(page: Page, section: Section) -> str:
    """What the links of a page call a section: all by their titles where none has a name of its own."""
    return section.menu or ("" if any(one.menu for one in page.sections) else section.title)


def rows_of(made: Table) -> tuple[list[list[dict[str, Any]]], list[bool], int]:
    """What the template writes of each cell, which columns are flush right, and how many rows are left out.

    The first rows are shown, significant ones before others; the .tsv has all, in their order.
    """
    at = made.header.index("significant") if "significant" in made.header else None
    ranked = made.rows if at is None else sorted(made.rows, key=lambda row: str(row[at]).casefold() != "true")
    cells = [[_cell(made, *pair) for pair in zip(made.columns, row, strict=True)] for row in ranked[:MOST_ROWS]]
    flush = [
        column.kind == "number" or all(isinstance(row[at]["sort"], float) for row in cells if row[at]["text"])
        for at, column in enumerate(made.columns)
    ]
    return cells, flush, max(0, len(made.rows) - MOST_ROWS)


def _cell(made: Table, column: TableColumn, given: Any) -> dict[str, Any]:
    cell = given if isinstance(given, Cell) else Cell(given)
    value, text = cell.value, shown_cell(column, given)
    hole = is_hole(value)
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    style = ("best" if cell.best else "") if not made.matrix else _colour(cell) if number and not hole else "none"
    return {
        "text": text or ("–" if hole else ""),
        "sort": float("-inf") if hole else float(value) if number else _sortable(text),
        "tip": cell.tip or ("no value" if hole else ""),
        "style": "unequal" if cell.alarm else style,
        "href": cell.href,
        "key": column.name,
        "pieces": cell.pieces,
    }


def _colour(cell: Cell) -> str:
    level = f"{'neg' if cell.value < 0 else 'pos'} l{min(10, round(abs(cell.value) * 10))}"
    return level + (" dull" if cell.mark else "") + (" best" if cell.best else "")


def _sortable(text: str) -> float | str:
    value = read_number(THOUSANDS.sub("", text))
    return text.casefold() if value is None or math.isnan(value) else value


def plain(value: Any) -> Any:
    """Values as JSON has them: numbers of numpy as numbers, tuples as lists, what is not finite as null."""
    # What there is most of comes first.
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return plain(value.tolist()) if hasattr(value, "tolist") else value


SAMPLES = 100
MOST_SYSTEMS = 50  # more ellipses than that hide each other
MANY = 200
"""From this number of systems on, only the answer's measure is drawn in a page."""
MARKS = 8000
"""Marks of all plots of a page, each of some 170 bytes."""
RADIUS = sqrt(-2 * np.log(0.05))
"""Of the 95 % ellipse of two independent normal values, in standard deviations."""
COMPILED_PAYS = 5e7  # from this count of numbers on, compiling the resampling of type averages saves time


def metric_plots(result: Result) -> Selection | None:
    """A plot for each metric by the answer's measure, the metric with the highest tau first, then by the others."""
    board = result.board
    first, metrics = board.first_measure, board.metrics
    if first is None or not metrics:
        return None
    taus = facts.by_pair(result.correlations, facts.first_coefficient(result))
    of_first = {metric: row for (measure, metric), row in taus.items() if measure == first.name}
    shown = next(
        (m for m in metrics if m.name in of_first and facts.is_highest(of_first[m.name], of_first.values())), metrics[0]
    )
    ways = [*(grouped_by(board, column) for column in group_columns(board)), one_group(board, "all systems")]
    spread = {}
    if result.inputs is not None and len(result.evidence.systems) <= MOST_SYSTEMS:
        (spread,) = cached_result(result.experiment.engine, Spreads(), result.evidence)

    def dot(i: int, metric: Column, measure: Column) -> Point:
        name, x, y = board.systems[i], float(metric.values[i]), float(measure.values[i])
        groups = "\n".join(way.names[way.group_of[i]] for way in ways[:-1])
        tip = f"{name}\n{metric.name} {short(x, 4)}, {measure.name} {short(y, 4)}\n{groups}".rstrip()
        across, along = (spread.get(column.name) for column in (metric, measure))
        ends = (RADIUS * across[i], RADIUS * along[i]) if across and along else (0.0, 0.0)
        return Dot(x, y, tip, name, " ".join(str(way.group_of[i]) for way in ways), *np.nan_to_num(ends).tolist())

    few = len(board.systems) <= MANY and len(board.systems) * len(metrics) * len(board.measures) <= MARKS
    rest = [measure for measure in board.measures if measure is not first] if few else []
    drawings = {}
    for measure in (first, *rest):
        for metric in (shown, *(m for m in metrics if m is not shown)):
            if np.isfinite(metric.values + measure.values).any():
                drawing = panels(scatter_plots(measure, [metric], taus, ways[0], dot), keyed=False)
                drawings[metric.name, measure.name] = svg(drawing, f"{measure.name} against {metric.name}", inline=True)
    said = "Each mark is a system; on hover, or with the arrow keys, its name and values."
    if spread:
        said += (
            " An ellipse holds 95 % of what that system alone would score with other segments and topics (100 "
            "bootstrap samples); all systems share the draws, so overlapping ellipses do not mean that two systems are "
            "equal."
        )
    if not few:
        said += " The plots of the other measures are in the folder figures/."
    marks = [svg_of_mark(group) for group in range(max(len(way.names) for way in ways))]
    colours = {way.column: list(zip(way.names, marks, strict=False)) for way in ways}
    return Selection(said, drawings, colours, bool(spread)) if drawings else None


def svg_of_mark(group: int) -> str:
    """The mark of a group alone."""
    return svg(Drawing(12, 12, marks=[replace(mark(6, 6, group), tip=" ")]), "", inline=True)


def curve_plots(result: Result, first: str = "") -> Plots | None:
    """The learning curves of all columns, that of `first` before the others."""
    plots = learning_curves(result.board, recommended(result))
    named = sorted(plots.items(), key=lambda plot: plot[0] != first)
    drawn = [(f"{name} over training steps", svg(panels([plot]), name, inline=True)) for name, plot in named]
    return Plots("", drawn) if drawn else None


@dataclass(frozen=True)
class Spreads:
    """Evidence -> its `spreads`, as lists."""

    def __call__(self, evidence: Evidence) -> dict[str, list[float]]:
        return {name: values.tolist() for name, values in spreads(evidence).items()}


def spreads(evidence: Evidence, samples: int = SAMPLES, seed: int = 0) -> dict[str, Doubles]:
    """Column -> standard deviation for each system (systems,), over resampled topics or segments.

    Topics and segments are different items drawn independently, so that an ellipse has no tilt; all systems share
    the draws. Of more than 50 systems none has one. Columns that were read from a table have none, nor have metrics
    with too many segments to resample quickly; a system without a value has NaN.
    """
    if len(evidence.systems) > MOST_SYSTEMS:
        return {}
    draws = Draws(samples, seed)
    found = {}
    for name in evidence.measure_names:
        if n := evidence.topics(name):
            found[name] = measure_values(evidence, name, draws.items("topics", n)).std(axis=0)
    weighting = np.empty((samples, 0))  # made once for all metrics of as many segments
    for name in () if evidence.bulky else evidence.metric_names:
        if n := evidence.segments(name):
            weighting = weighting if weighting.shape[1] == n else draws.weights("segments", n)
            found[name] = _metric(evidence, name, weighting).std(axis=0)
    return found


def _metric(evidence: Evidence, name: str, weighting: Doubles) -> Doubles:
    first = evidence.statistics[name, evidence.systems[0]]
    if isinstance(first, np.ndarray):
        return metric_scores(evidence, name, weighting)
    numbers = len(weighting) * first.shape[1] * len(evidence.systems)
    metric, each = evidence.metrics[name], (evidence.statistics[name, system] for system in evidence.systems)
    if numbers > COMPILED_PAYS:
        return np.stack([weighted_scores(metric, one, weighting) for one in each], axis=1)
    return np.stack([np.asarray(metric.score(weighting @ one)) for one in each], axis=1)
