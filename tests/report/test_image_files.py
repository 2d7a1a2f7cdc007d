import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from clirbench.report.drawing import Drawing, Label, Mark, as_figure, save
from tests.report.test_drawing import drawing


def saved(made: Drawing, path: Path) -> Path:
    save(as_figure(made), path, "title")
    return path


def test_a_mark_lies_where_it_was_put(tmp_path: Path) -> None:
    made = Drawing(72, 36, marks=[Mark(18, 9, colour="#D55E00", radius=4, opacity=1)])
    picture = Image.open(saved(made, tmp_path / "a.png")).convert("RGB")
    assert picture.size == (144, 72)  # 144 pixels an inch
    assert picture.getpixel((36, 18)) == (0xD5, 0x5E, 0x00)
    assert picture.getpixel((36, 54)) == (255, 255, 255)
    assert picture.getpixel((100, 18)) == (255, 255, 255)


@pytest.mark.parametrize("shape", ["square", "diamond", "triangle"])
def test_every_shape_covers_its_centre(shape: str, tmp_path: Path) -> None:
    made = Drawing(72, 36, marks=[Mark(18, 9, shape, "#D55E00", 4, 1)])  # type: ignore[arg-type]
    assert Image.open(saved(made, tmp_path / "a.png")).convert("RGB").getpixel((36, 18)) == (0xD5, 0x5E, 0x00)


def test_upright_text_stands_where_its_centre_was_asked_for(tmp_path: Path) -> None:
    made = saved(Drawing(72, 72, labels=[Label(20, 36, "MMMM", 9, "middle", upright=True)]), tmp_path / "a.png")
    dark = Image.open(made).convert("L").point(lambda value: 255 if value < 128 else 0)
    box = dark.getbbox()
    assert box is not None
    left, top, right, bottom = box
    assert right - left < bottom - top
    assert abs((top + bottom) / 2 - 72) <= 3
    assert left >= 20
    assert right <= 42


def test_a_pdf_is_one_page_of_the_size_of_the_drawing_without_a_date(tmp_path: Path) -> None:
    data = saved(Drawing(90, 45, labels=[Label(1, 9, "tau .5")]), tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF-1.")
    assert data.rstrip().endswith(b"%%EOF")
    assert re.search(rb"/Count 1\b", data)
    assert re.search(rb"/MediaBox \[ ?0 0 90 45 ?\]", data)
    assert b"Date" not in data


def test_characters_that_the_font_lacks_and_signs_of_formulas_are_no_error(tmp_path: Path) -> None:
    made = Drawing(90, 90, labels=[Label(1, 9, "τ и 漢字"), Label(1, 20, "$x_{$ 5 \\% $")])
    for ending in ("pdf", "png", "svg"):
        assert saved(made, tmp_path / f"a.{ending}").stat().st_size > 500


def test_a_reader_finds_the_text_where_one_is_installed(tmp_path: Path) -> None:
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("pdftotext is not installed")
    made = saved(drawing("MAP against chrF, τ"), tmp_path / "a.pdf")
    done = subprocess.run([reader, str(made), "-"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "MAP against chrF, τ" in done.stdout
