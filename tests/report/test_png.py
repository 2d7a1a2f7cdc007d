from io import BytesIO

from PIL import Image

from clirbench.report.drawing import Drawing, Label, Mark
from clirbench.report.png import png


def test_a_mark_lies_where_it_was_put() -> None:
    picture = Image.open(BytesIO(png(Drawing(72, 36, marks=[Mark(18, 18, colour="#D55E00", radius=4)])))).convert("RGB")
    assert picture.size == (144, 72)  # 144 pixels an inch
    assert picture.getpixel((36, 36)) == (0xD5, 0x5E, 0x00)
    assert picture.getpixel((100, 36)) == (255, 255, 255)


def test_upright_text_stands_where_its_centre_was_asked_for() -> None:
    made = png(Drawing(72, 72, labels=[Label(20, 36, "MMMM", 9, "middle", upright=True)]))
    dark = Image.open(BytesIO(made)).convert("L").point(lambda value: 255 if value < 128 else 0)
    box = dark.getbbox()
    assert box is not None
    left, top, right, bottom = box
    assert right - left < bottom - top
    assert abs((top + bottom) / 2 - 72) <= 3
    assert left >= 20
    assert right <= 42
