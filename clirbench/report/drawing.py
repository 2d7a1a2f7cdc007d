"""A drawing of lines, marks and text in points (1/72 inch), origin at the top left, and its form as svg.

Figures are many and small; placing a few hundred strokes ourselves takes a hundredth of the time of a plotting
library, and gives the same bytes each time. `image_files.py` replays the same drawing for pdf and png.

Figures as files with the same bytes each time: svg, pdf and png by matplotlib, and our drawings replayed into it.
"""

import warnings
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clirbench.errors import escape_unseen
from clirbench.pages import fixed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond", "triangle"]

# Okabe and Ito: distinct with any colour vision; each colour has a shape too, so that grey prints read as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle")


@dataclass(frozen=True)
class Line:
    """A stroke through points."""

    points: tuple[tuple[float, float], ...]
    colour: str = "#000000"
    width: float = 0.7


@dataclass(frozen=True)
class Mark:
    """A filled shape around (x, y), `radius` from its centre.

    On a page: `tip` is shown on hover, `name` beside it, `of` are the numbers of its groups by each way to colour,
    `spread` the half axes of the ellipse around it.
    """

    x: float
    y: float
    shape: Shape = "circle"
    colour: str = COLOURS[0]
    radius: float = 2.4
    opacity: float = 0.85
    tip: str = ""
    of: str = ""
    name: str = ""
    spread: tuple[float, float] = (0.0, 0.0)

    def corners(self) -> tuple[tuple[float, float], ...]:
        """The corners of a shape that has some, of about a circle's area."""
        x, y, r = self.x, self.y, self.radius
        if self.shape == "square":
            a = 0.88 * r
            return (x - a, y - a), (x + a, y - a), (x + a, y + a), (x - a, y + a)
        if self.shape == "diamond":
            a = 1.25 * r
            return (x, y - a), (x + a, y), (x, y + a), (x - a, y)
        a = 1.3 * r
        return (x, y - a), (x + 0.95 * a, y + 0.7 * a), (x - 0.95 * a, y + 0.7 * a)


@dataclass(frozen=True)
class Label:
    """Text whose baseline starts, centres or ends at (x, y); `upright` text reads from bottom to top."""

    x: float
    y: float
    text: str
    size: float = 8
    anchor: Anchor = "start"
    upright: bool = False
    bold: bool = False


@dataclass
class Drawing:
    """What is drawn, in order; width and height in points."""

    width: float
    height: float
    lines: list[Line] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)


def svg(drawing: Drawing, title: str, *, inline: bool = False) -> str:
    """The drawing as a stand-alone svg, or `inline` as part of a page; `title` is what a screen reader says."""
    w, h = svg_number(drawing.width), svg_number(drawing.height)
    walked = ' tabindex="0"' if any(mark.tip.strip() for mark in drawing.marks) else ""
    named = f'aria-label="{escape(title)}"{walked}' if title else 'aria-hidden="true"'
    size = named if inline else f'width="{w}pt" height="{h}pt"'
    role = ' role="img"' if title or not inline else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {w} {h}"{role} '
        'font-family="Helvetica, Arial, DejaVu Sans, sans-serif">',
        *(() if inline else (f"<title>{escape(title)}</title>", f'<rect width="{w}" height="{h}" fill="#FFFFFF"/>')),
    ]
    for line in drawing.lines:
        path = " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in line.points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="{svg_number(line.width)}"/>'
        )
    parts += [on_page(mark) if mark.tip else svg_mark(mark) for mark in drawing.marks]
    for label in drawing.labels:
        at = f'x="{svg_number(label.x)}" y="{svg_number(label.y)}"'
        if label.upright:
            at = f'transform="translate({svg_number(label.x)} {svg_number(label.y)}) rotate(-90)"'
        bold = ' font-weight="bold"' if label.bold else ""
        anchor = f' text-anchor="{label.anchor}"' if label.anchor != "start" else ""
        parts.append(f'<text {at} font-size="{svg_number(label.size)}"{anchor}{bold}>{escape(label.text)}</text>')
    return escape_unseen("\n".join([*parts, "</svg>\n"]))


def svg_mark(mark: Mark, paint: str = "") -> str:
    """The shape of a mark; `paint`: its colour, where that is not its own."""
    paint = paint or f' fill="{mark.colour}" fill-opacity="{svg_number(mark.opacity)}"'
    if mark.shape == "circle":
        return f'<circle cx="{svg_number(mark.x)}" cy="{svg_number(mark.y)}" r="{svg_number(mark.radius)}"{paint}/>'
    path = " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in mark.corners())
    return f'<polygon points="{path}"{paint}/>'


def on_page(mark: Mark) -> str:
    """A mark that a page shows, names and colours: its ellipse, its shape around (0, 0) and its name."""
    rx, ry = map(svg_number, mark.spread)
    ellipse = f'<ellipse rx="{rx}" ry="{ry}"/>' if any(mark.spread) else ""
    name = f'<text x="5" y="3" font-size="7">{escape(mark.name)}</text>' if mark.name else ""
    at, of = f"{svg_number(mark.x)} {svg_number(mark.y)}", f' data-of="{mark.of}"' if mark.of else ""
    shape = svg_mark(replace(mark, x=0, y=0), " ")
    return (
        f'<g class="mark" transform="translate({at})" fill="{mark.colour}" data-tip="{escape(mark.tip)}"{of}>'
        f"{ellipse}{shape}{name}</g>"
    )


def svg_number(value: float) -> str:
    """A length or place with at most two decimals, no zeros at the end: `12.5`, `0.13`, `1`."""
    text = fixed(value, 2).rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


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
