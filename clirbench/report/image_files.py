"""Figures as files with the same bytes each time: svg, pdf and png by matplotlib, and our drawings replayed into it."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from clirbench.report.drawing import Drawing, Mark

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

FORMATS = ("svg", "pdf", "png")
# The same bytes each time: no dates.
METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "clirbench"},
    "pdf": {"CreationDate": None, "Creator": "clirbench"},
    "png": {"Software": "clirbench"},
}
PIXELS_PER_INCH = 144
POINTS_PER_INCH = 72
ALIGNMENTS = {"start": "left", "middle": "center", "end": "right"}


def save(figure: "Figure", path: Path, title: str) -> None:
    """Write the figure in the format that the ending of `path` names; `title` is the title of the document."""
    import matplotlib

    ending = path.suffix.removeprefix(".")
    # Fixed names of elements; text stays text, and a pdf brings its font along.
    settings = matplotlib.rc_context({"svg.hashsalt": "clirbench", "svg.fonttype": "none", "pdf.fonttype": 42})
    with settings, warnings.catch_warnings():
        # Characters missing from the font are drawn as boxes; the svg of a drawing has them as text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        figure.savefig(path, format=ending, dpi=PIXELS_PER_INCH, metadata={"Title": title, **METADATA[ending]})


def as_figure(drawing: Drawing) -> "Figure":
    """The drawing as a figure of matplotlib: the same lines, marks and labels at the same places."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Affine2D

    width, height = drawing.width / POINTS_PER_INCH, drawing.height / POINTS_PER_INCH
    figure = Figure(figsize=(width, height))
    # A drawing counts points down from the top left, a figure inches up from the bottom left.
    places = Affine2D().scale(1 / POINTS_PER_INCH, -1 / POINTS_PER_INCH).translate(0, height) + figure.dpi_scale_trans
    for line in drawing.lines:
        xs, ys = zip(*line.points, strict=True)
        figure.add_artist(Line2D(xs, ys, color=line.colour, linewidth=line.width, transform=places))
    for mark in drawing.marks:
        patch = _patch(mark)
        patch.set(facecolor=mark.colour, linewidth=0, alpha=mark.opacity, transform=places, zorder=2.5)  # above lines
        figure.add_artist(patch)
    for label in drawing.labels:
        figure.text(
            label.x,
            label.y,
            label.text,
            fontsize=label.size,
            fontweight="bold" if label.bold else "normal",
            horizontalalignment=ALIGNMENTS[label.anchor],
            verticalalignment="baseline",
            rotation=90 if label.upright else 0,
            rotation_mode="anchor",
            transform=places,
            parse_math=False,
        )
    return figure


def _patch(mark: Mark) -> "Patch":
    from matplotlib.patches import Circle, Polygon

    return Circle((mark.x, mark.y), mark.radius) if mark.shape == "circle" else Polygon(mark.corners())
