"""The plots of a page: each metric against each measure, learning curves, and how far a system's scores would move."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from clirbench.pages.page import Plots, Selection
from clirbench.pages.wording import short
from clirbench.report import facts
from clirbench.report.curves import learning_curves
from clirbench.report.decision import recommended
from clirbench.report.drawing import Drawing, svg
from clirbench.report.figures import Dot, Point, mark, panels, scatter_plots
from clirbench.report.grouping import group_columns, grouped_by, one_group
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import Draws, measure_values, metric_scores, weighted_scores
from clirbench.store.cached import cached_result
from clirbench.types import Doubles

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
    draws = Draws(("topics", "segments"), samples, seed=seed)
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
