"""A drawing of lines, marks and text in points (1/72 inch), origin at the top left, and its form as svg.

Figures are many and small; placing a few hundred strokes ourselves takes a hundredth of the time of a plotting
library, and gives the same bytes each time.
"""

from dataclasses import dataclass, field
from html import escape
from typing import Literal

from clirbench.errors import escape_unseen
from clirbench.pages import fixed

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
    """A filled shape around (x, y), `radius` from its centre; a `Panel` has them in the values of its axes.

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


@dataclass(frozen=True)
class Label:
    """Text whose baseline starts, centres or ends at (x, y); `upright` text reads from bottom to top."""

    x: float
    y: float
    text: str
    size: float = 8
    anchor: Literal["start", "middle", "end"] = "start"
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


def svg(drawing: Drawing, title: str) -> str:
    """The drawing as a stand-alone svg, which pages hold too; `title` is what a screen reader says."""
    w, h = svg_number(drawing.width), svg_number(drawing.height)
    walked = ' tabindex="0"' if any(mark.tip for mark in drawing.marks) else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}pt" height="{h}pt" viewBox="0 0 {w} {h}" role="img" '
        f'aria-label="{escape(title)}"{walked} font-family="Helvetica, Arial, DejaVu Sans, sans-serif">',
        f'<rect width="{w}" height="{h}" fill="#FFFFFF"/>',
    ]
    for line in drawing.lines:
        path = " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in line.points)
        stroke = f'stroke="{line.colour}" stroke-width="{svg_number(line.width)}"'
        parts.append(f'<polyline points="{path}" fill="none" {stroke}/>')
    parts += map(svg_mark, drawing.marks)
    for label in drawing.labels:
        at = f'x="{svg_number(label.x)}" y="{svg_number(label.y)}"'
        if label.upright:
            at = f'transform="translate({svg_number(label.x)} {svg_number(label.y)}) rotate(-90)"'
        bold = ' font-weight="bold"' if label.bold else ""
        anchor = f' text-anchor="{label.anchor}"' if label.anchor != "start" else ""
        parts.append(f'<text {at} font-size="{svg_number(label.size)}"{anchor}{bold}>{escape(label.text)}</text>')
    return escape_unseen("\n".join([*parts, "</svg>\n"]))


CORNERS: dict[Shape, tuple[tuple[float, float], ...]] = {
    "square": ((-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)),
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "triangle": ((0, -1.3), (1.235, 0.91), (-1.235, 0.91)),
}
"""Of the shapes of about the area of a circle with radius 1."""


def svg_mark(mark: Mark) -> str:
    """A mark: its ellipse, its shape and its name around its place, with what a page says of it."""
    (rx, ry), r = map(svg_number, mark.spread), mark.radius
    path = " ".join(f"{svg_number(r * x)},{svg_number(r * y)}" for x, y in CORNERS.get(mark.shape, ()))
    parts = (
        f'<g class="mark" transform="translate({svg_number(mark.x)} {svg_number(mark.y)})" fill="{mark.colour}"',
        f' fill-opacity="{svg_number(mark.opacity)}"',
        f' data-tip="{escape(mark.tip)}"' if mark.tip else "",
        f' data-of="{mark.of}">' if mark.of else ">",
        f'<ellipse rx="{rx}" ry="{ry}"/>' if any(mark.spread) else "",
        f'<polygon points="{path}"/>' if path else f'<circle r="{svg_number(r)}"/>',
        f'<text x="5" y="3" font-size="7">{escape(mark.name)}</text></g>' if mark.name else "</g>",
    )
    return "".join(parts)


def svg_number(value: float) -> str:
    """A length or place with at most two decimals, no zeros at the end: `12.5`, `0.13`, `1`."""
    text = fixed(value, 2).rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
