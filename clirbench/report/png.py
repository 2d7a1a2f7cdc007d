"""A drawing as a png: drawn twice as large and halved, which smooths its edges. No dates, same bytes."""

from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from clirbench.errors import ResourceError
from clirbench.report.drawing import Drawing, Label

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from PIL.ImageDraw import ImageDraw as Pen
    from PIL.ImageFont import FreeTypeFont

DPI = 144
FINER = 2
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def png(drawing: Drawing) -> bytes:
    """The drawing as a png file, 144 pixels an inch."""
    from PIL import Image, ImageDraw

    scale = DPI / 72 * FINER
    size = (round(drawing.width * scale / FINER) * FINER, round(drawing.height * scale / FINER) * FINER)
    picture = Image.new("RGB", size, "#FFFFFF")
    pen = ImageDraw.Draw(picture)
    for line in drawing.lines:
        pen.line([(x * scale, y * scale) for x, y in line.points], fill=line.colour, width=round(line.width * scale))
    for mark in drawing.marks:
        if mark.shape == "circle":
            pen.circle((mark.x * scale, mark.y * scale), mark.radius * scale, fill=mark.colour)
        else:
            pen.polygon([(x * scale, y * scale) for x, y in mark.corners()], fill=mark.colour)
    small = picture.reduce(FINER)
    pen = ImageDraw.Draw(small)
    for label in drawing.labels:
        _write(small, pen, label, scale / FINER)
    out = BytesIO()
    small.quantize(64, dither=Image.Dither.NONE).save(out, "png", dpi=(DPI, DPI))
    return out.getvalue()


def _write(picture: "Picture", pen: "Pen", label: Label, scale: float) -> None:
    font = _font(round(label.size * scale), label.bold)
    if not label.upright:
        pen.text((label.x * scale, label.y * scale), label.text, "#000000", font, ANCHORS[label.anchor])
        return
    from PIL import Image, ImageDraw

    left, top, right, bottom = font.getbbox(label.text, anchor="ls")
    turned = Image.new("L", (max(1, round(right - left)), max(1, round(bottom - top))), 255)
    ImageDraw.Draw(turned).text((-left, -top), label.text, 0, font, "ls")
    turned = turned.rotate(90, expand=True)
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor] * turned.height
    picture.paste(turned, (round(label.x * scale + top), round(label.y * scale + before - turned.height)))


@lru_cache(maxsize=16)
def _font(size: int, bold: bool) -> "FreeTypeFont":
    """DejaVu Sans, which travels with matplotlib (found without importing it, which takes a second)."""
    from PIL import ImageFont

    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise ResourceError("matplotlib, whose fonts the figures are set in, is not installed: pip install matplotlib")
    fonts = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"
    return ImageFont.truetype(str(fonts / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")), size)
