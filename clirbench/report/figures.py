"""Figures: for each measure a grid of its metrics, one point for each system; png and svg, the same bytes each time."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clirbench.analysis.correlation import Correlation
from clirbench.experiment import Result
from clirbench.report.layout import tau_cell
from clirbench.scoreboard import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINT = "#0072B2"  # Okabe and Ito's blue: told apart with any colour vision
COLUMNS = 3


def write(folder: Path, result: Result) -> None:
    """Write `MEASURE.png` and `MEASURE.svg` for each measure."""
    folder.mkdir()
    rows = {(row.measure, row.metric): row for row in result.correlations if row.coefficient == "kendall"}
    for measure in result.board.measures:
        metrics = [m for m in result.board.metrics if np.isfinite(m.values + measure.values).any()]
        if metrics:
            _save(grid(measure, metrics, rows), folder, safe(measure.name))
    for table in result.tables:
        if table.figure is not None:
            _save(table.figure(), folder, table.name)


def grid(measure: Column, metrics: list[Column], rows: dict[tuple[str, str], Correlation]) -> "Figure":
    """One small scatter plot for each metric, the measure on the vertical axis of all."""
    from matplotlib.figure import Figure

    n_rows = -(-len(metrics) // COLUMNS)
    n_columns = min(COLUMNS, len(metrics))
    width, height = 3.2 * n_columns, 2.8 * n_rows
    figure = Figure(figsize=(width, height))
    # Fixed margins (in inches): a layout engine that measures every label doubles the time.
    margins = {"left": 0.7 / width, "right": 1 - 0.15 / width, "bottom": 0.55 / height, "top": 1 - 0.3 / height}
    axes = figure.subplots(
        n_rows, n_columns, squeeze=False, gridspec_kw={**margins, "wspace": 0.34, "hspace": 0.42}
    ).ravel()
    for axis, metric in zip(axes, metrics, strict=False):
        _scatter(axis, metric, measure, rows.get((measure.name, metric.name)))
    for axis in axes[len(metrics) :]:
        axis.set_visible(False)
    return figure


def _scatter(axis: "Axes", metric: Column, measure: Column, row: Correlation | None) -> None:
    axis.scatter(metric.values, measure.values, s=18, color=POINT, alpha=0.85, linewidths=0)
    axis.set_xlabel(metric.name + ("" if metric.higher_is_better else " (lower is better)"))
    axis.set_ylabel(measure.name)
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.locator_params(nbins=4)
    axis.tick_params(labelsize=8)
    if row is not None:
        axis.set_title(f"tau {tau_cell(row)}", fontsize=9)


def _save(figure: "Figure", folder: Path, name: str) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "clirbench", "svg.fonttype": "none"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": "clirbench"})
        figure.savefig(folder / f"{name}.png", dpi=120, metadata={"Software": "clirbench"})


def safe(name: str) -> str:
    """A measure's name as a file name: `RBO(p=0.9)` -> `RBO_p_0.9`, `MAP[news]` -> `MAP_news`."""
    kept = "".join(c if c.isalnum() or c in "@.-+" else "_" for c in name)
    return kept.strip("_")
