"""One self-contained file from a page: it contains style and script, and a policy that forbids everything else.

The policy names the one script by its hash, so that no other would run; all text from data is escaped. The plots of a
run's page are here too: each metric against each measure, learning curves, and how far a system's scores would move.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from itertools import count
from math import isnan, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from clirbench.engines.base import Engine
from clirbench.errors import escape_unseen
from clirbench.later import Shelf, keep_recent, load_value
from clirbench.pages import Cell, Page, Plots, Selection, Table, TableColumn, is_hole, short, shown_cell
from clirbench.report import facts
from clirbench.report.drawing import Drawing, Mark, svg
from clirbench.report.figures import Point, learning_curves, mark, panels, scatter_plots
from clirbench.report.groupings import group_columns, grouped_by, one_group
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.statistics.grades import Evidence
from clirbench.statistics.resampling import Draws, weighted_scores
from clirbench.store.cached import Shared, cached_results
from clirbench.systems.health import side_of
from clirbench.types import Doubles

HERE = Path(__file__).resolve().parent
MOST_ROWS = 500
"""Rows of a table on a page."""


def write_page(path: Path, made: Page) -> None:
    """Write a page, whose sections follow each other as in Markdown."""
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
    policy += "; base-uri 'none'; form-action 'none'"
    values = {"page": made, "style": Markup(style), "script": Markup(script), "policy": policy}
    text = escape_unseen(_environment().get_template("page.html.j2").render(values))
    path.write_text(text, encoding="utf-8", newline="\n")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(rows_of=rows_of, kind=lambda block: type(block).__name__, inline=Markup, most_rows=MOST_ROWS)
    return made


def rows_of(made: Table) -> list[list[dict[str, Any]]]:
    """What the template writes of each cell of the first rows; the .tsv has all."""
    return [[_cell(made, *pair) for pair in zip(made.columns, row, strict=True)] for row in made.rows[:MOST_ROWS]]


def _cell(made: Table, column: TableColumn, given: Any) -> dict[str, Any]:
    cell = given if isinstance(given, Cell) else Cell(given)
    coloured = made.matrix and column.kind == "number"
    value = float(cell.value) if coloured else nan
    sign = "none" if isnan(value) else "neg" if value < 0 else "pos"
    kinds = {"best": cell.best, sign: coloured, "dull": coloured and cell.mark}
    return {
        "text": shown_cell(column, given) or ("–" if is_hole(cell.value) else ""),
        "kinds": " ".join([column.kind, *(kind for kind, holds in kinds.items() if holds)]),
        "level": "" if isnan(value) or cell.mark else f"--level: {round(abs(value) * 100)}",
        "tip": cell.tip,
        "href": cell.href,
        "key": column.name,
    }


def plain(value: Any) -> Any:
    """Values as JSON has them: numbers of numpy as numbers, tuples as lists, what is not finite as null."""
    text = json.dumps(value, default=lambda given: dict(given) if isinstance(given, Mapping) else given.tolist())
    return json.loads(text, parse_constant=lambda _: None)


SAMPLES = 100
MOST_SYSTEMS = 50  # more ellipses than that hide each other
MARKS = 8000
"""Marks of all plots of a page, each of some 170 bytes; where there were more, only the answer's measure is drawn."""
RADIUS = sqrt(-2 * np.log(0.05))
"""Of the 95 % ellipse of two independent normal values, in standard deviations."""


def metric_plots(result: Result) -> Selection | None:
    """A plot for each metric by the answer's measure, the metric with the highest tau first, then by the others."""
    board, first = result.board, result.board.first_measure
    taus = facts.by_pair(result.correlations, facts.first_coefficient(result))
    if first is None or not taus:
        return None
    metrics = sorted(board.metrics, key=lambda metric: -np.nan_to_num(taus[first.name, metric.name].value))
    ways = [*(grouped_by(board, column) for column in group_columns(board)), one_group(board, "all systems")]
    spread = {}
    if result.inputs is not None:
        texts = {t.system: side_of(t, "test") or t.collection for t in result.inputs.translations}
        spread = spreads(result.evidence, texts, result.experiment.engine)

    def dot(i: int, metric: Column, measure: Column) -> Point:
        name, x, y = board.systems[i], float(metric.values[i]), float(measure.values[i])
        groups = "\n".join(way.names[way.group_of[i]] for way in ways[:-1])
        tip = f"{name}\n{metric.name} {short(x, 4)}, {measure.name} {short(y, 4)}\n{groups}".rstrip()
        across, along = (spread.get(column.name) for column in (metric, measure))
        ends = (RADIUS * across[i], RADIUS * along[i]) if across is not None and along is not None else (0.0, 0.0)
        right, up = np.nan_to_num(ends).tolist()
        of = " ".join(str(way.group_of[i]) for way in ways)
        return Mark(x, y, tip=tip, of=of, name=name, spread=(right, up))

    few = len(board.systems) * len(metrics) * len(board.measures) <= MARKS
    rest = [measure for measure in board.measures if measure is not first] if few else []
    drawings = {}
    for measure in (first, *rest):
        for metric in metrics:
            if np.isfinite(metric.values + measure.values).any():
                drawing = panels(scatter_plots(measure, [metric], taus, ways[0], dot), keyed=False)
                drawings[metric.name, measure.name] = svg(drawing, f"{measure.name} against {metric.name}")
    said = "Each mark is a system; on hover, or with the arrow keys, its name and values."
    if spread:
        said += " An ellipse holds 95 % of what that system alone would score with other segments and topics (100"
        said += " bootstrap samples); all systems share the draws, so overlapping ellipses do not mean that two systems"
        said += " are equal."
    if not few:
        said += " The plots of the other measures are in the folder figures/."

    def sign(group: int, name: str) -> tuple[str, str]:
        return name, svg(Drawing(12, 12, marks=[mark(6, 6, group)]), name)

    colours = {way.column: [*map(sign, count(), way.names)] for way in ways}
    return Selection(said, drawings, colours, bool(spread)) if drawings else None


def curve_plots(result: Result, first: str = "") -> Plots | None:
    """The learning curves of all columns, that of `first` before the others."""
    plots = learning_curves(result.board, *result.recommended[:1])
    named = sorted(plots.items(), key=lambda plot: plot[0] != first)
    drawn = [(f"{name} over training steps", svg(panels([plot]), name)) for name, plot in named]
    return Plots("", drawn) if drawn else None


def spreads(evidence: Evidence, texts: Mapping[str, Any], engine: Engine) -> dict[str, Doubles]:
    """Column -> standard deviation for each system, over resampled topics or segments; a step for each system.

    Topics and segments are different items drawn independently, so that an ellipse has no tilt; all systems share
    the draws. Of more than 50 systems none has one. Columns that were read from a table have none, nor have metrics
    with too many segments to resample quickly; a system without a value has NaN. `texts`: of each system, in whose
    folder of the store its are kept.
    """
    if not 0 < len(evidence.systems) <= MOST_SYSTEMS:
        return {}
    kept = Shelf(evidence.statistics).kept
    measures = [name for name in evidence.measure_names if evidence.topics(name)]
    metrics = [name for name in evidence.metric_names if not evidence.bulky and evidence.segments(name)]
    shared = {name: Shared(of[name]) for of in (evidence.measures, evidence.metrics) for name in of}
    items = []
    for i, system in enumerate(evidence.systems):
        of_topics = [(shared[name], evidence.per_topic[name][i]) for name in measures]
        items.append((texts.get(system), of_topics, [(shared[name], kept[name, system]) for name in metrics]))
    return dict(zip([*measures, *metrics], np.stack([*cached_results(engine, spread, items)], axis=1), strict=True))


def spread(item: tuple[Any, list[Any], list[Any]]) -> Doubles:
    """(text, measures with a system's values by topic, metrics with its statistics) -> the standard deviation of each
    over `SAMPLES` samples of topics or segments."""
    _, of_topics, of_segments = item
    values = []
    for measure, by_topic in of_topics:
        values.append(load_value(measure).aggregate(by_topic[_drawn("topics", len(by_topic), SAMPLES)]))
    for metric, statistics in (map(load_value, one) for one in of_segments):
        values.append(weighted_scores(metric, statistics, _drawn("segments", statistics.shape[0], SAMPLES)))
    return np.array([np.std(one) for one in values])


@keep_recent(2)
def _drawn(level: str, n: int, samples: int) -> Any:
    draws = Draws(samples)
    return draws.items(level, n) if level == "topics" else draws.weights(level, n)
