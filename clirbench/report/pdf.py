"""A drawing as a one-page pdf: Helvetica, which every reader has; other scripts as outlines. No dates, same bytes."""

import zlib
from collections.abc import Iterator

from clirbench.report.drawing import Drawing, Label, Mark, number

# Advance widths of Helvetica for the characters 32 to 126, in 1/1000 of the size (Adobe's core font metrics);
# the bold face is about a fifteenth wider. Other Latin characters are taken as wide as a figure.
WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
)  # fmt: skip
FIGURE = 556
CIRCLE = 0.5523  # how far the control points of a quarter circle lie from its ends, in radii


def pdf(drawing: Drawing, title: str) -> bytes:
    """The drawing as a pdf file; `title` is its document title."""
    content = zlib.compress("\n".join(_content(drawing)).encode("latin-1"), 9)
    size = f"{number(drawing.width)} {number(drawing.height)}"
    fonts = [f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>" for name in FACES]
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {size}]/Contents 4 0 R"
            "/Resources<</Font<</F0 5 0 R/F1 6 0 R>>/ExtGState<</G<</ca 0.85>>>>>>>>".encode(),
            f"<</Length {len(content)}/Filter/FlateDecode>>\nstream\n".encode() + content + b"\nendstream",
            *(font.encode() for font in fonts),
            f"<</Title<{('﻿' + title).encode('utf-16-be').hex()}>/Producer(clirbench)>>".encode(),
        ]
    )


FACES = ("Helvetica", "Helvetica-Bold")


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for i, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{i} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += "".join(f"{offset:010d} 00000 n \n" for offset in offsets).encode()
    out += f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R/Info {len(objects)} 0 R>>\n".encode()
    return bytes(out + f"startxref\n{start}\n%%EOF\n".encode())


def _content(drawing: Drawing) -> Iterator[str]:
    yield f"1 0 0 -1 0 {number(drawing.height)} cm 1 g 0 0 {number(drawing.width)} {number(drawing.height)} re f"
    for line in drawing.lines:
        (x, y), *rest = line.points
        path = " ".join(f"{number(a)} {number(b)} l" for a, b in rest)
        yield f"{_rgb(line.colour)} RG {number(line.width)} w {number(x)} {number(y)} m {path} S"
    yield "q /G gs"
    for mark in drawing.marks:
        yield f"{_rgb(mark.colour)} rg {_outline(mark)} f"
    yield "Q 0 g"
    for label in drawing.labels:
        yield from _label(label)


def _outline(mark: Mark) -> str:
    if mark.shape != "circle":
        first, *rest = (f"{number(x)} {number(y)}" for x, y in mark.corners())
        return f"{first} m " + " ".join(f"{corner} l" for corner in rest)
    x, y, r = mark.x, mark.y, mark.radius
    c = CIRCLE * r
    quarters = (
        (x + r, y + c, x + c, y + r, x, y + r),
        (x - c, y + r, x - r, y + c, x - r, y),
        (x - r, y - c, x - c, y - r, x, y - r),
        (x + c, y - r, x + r, y - c, x + r, y),
    )
    return f"{number(x + r)} {number(y)} m " + " ".join(f"{' '.join(map(number, q))} c" for q in quarters)


def _rgb(colour: str) -> str:
    return " ".join(f"{int(colour[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


def _label(label: Label) -> Iterator[str]:
    """Text in a frame of its own, turned back upright (the page's y axis points down here)."""
    turn = "0 -1 -1 0" if label.upright else "1 0 0 -1"
    try:
        encoded = label.text.encode("cp1252")
    except UnicodeEncodeError:
        yield from _as_outlines(label, turn)
        return
    shift = -{"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor] * width(label)
    place = f"{turn} {number(label.x)} {number(label.y)}"
    font = f"/F{int(label.bold)} {number(label.size)} Tf"
    yield f"q {place} cm BT {font} {number(shift)} 0 Td <{encoded.hex()}> Tj ET Q"


def width(label: Label) -> float:
    """How wide the text is, in points."""
    codes = (ord(character) - 32 for character in label.text)
    units = sum(WIDTHS[code] if 0 <= code < len(WIDTHS) else FIGURE for code in codes)
    return units / 1000 * label.size * (1.066 if label.bold else 1)


def _as_outlines(label: Label, turn: str) -> Iterator[str]:
    """Characters that Helvetica's encoding lacks, as filled shapes of a font that travels with matplotlib."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans", weight="bold" if label.bold else "normal")
    path = TextPath((0, 0), label.text, size=label.size, prop=font)
    total = float(path.get_extents().x1) if len(path.vertices) else 0.0
    shift = -{"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor] * total
    yield f"q {turn} {number(label.x)} {number(label.y)} cm 1 0 0 1 {number(shift)} 0 cm"
    here = (0.0, 0.0)
    for points, code in path.iter_segments(simplify=False):
        p = [float(value) for value in points]
        if code == path.CLOSEPOLY:
            yield "h"
        elif code == path.CURVE3:  # pdf knows cubic curves alone: the quadratic one raised by a degree
            c = [(a + 2 * b) / 3 for a, b in ((here[0], p[0]), (here[1], p[1]), (p[2], p[0]), (p[3], p[1]))]
            yield " ".join(map(number, [*c, *p[2:]])) + " c"
        elif code == path.CURVE4:
            yield " ".join(map(number, p)) + " c"
        else:
            yield " ".join(map(number, p)) + (" m" if code == path.MOVETO else " l")
        here = (p[-2], p[-1])
    yield "f Q"
