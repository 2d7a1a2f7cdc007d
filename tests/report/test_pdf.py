import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from clirbench.report.drawing import Drawing, Label
from clirbench.report.pdf import pdf, width
from tests.report.test_drawing import drawing


def content(data: bytes) -> str:
    found = re.search(rb"stream\n(.*)\nendstream", data, re.DOTALL)
    assert found is not None
    return zlib.decompress(found[1]).decode("latin-1")


def test_the_cross_reference_table_points_at_every_object() -> None:
    data = pdf(drawing(), "title")
    start = int(data.split(b"startxref\n")[1].split(b"\n")[0])
    table = data[start:].split(b"\n")
    assert table[0] == b"xref"
    count = int(table[1].split()[1])
    for i in range(1, count):
        offset = int(table[2 + i].split()[0])
        assert data[offset:].startswith(f"{i} 0 obj\n".encode())


def test_text_is_written_as_text() -> None:
    assert b"tau .5".hex() in content(pdf(Drawing(9, 9, labels=[Label(1, 1, "tau .5")]), ""))


def test_other_scripts_are_outlines_and_not_question_marks() -> None:
    page = content(pdf(Drawing(90, 90, labels=[Label(1, 9, "τ и")]), "τ"))
    assert " Tj" not in page
    assert page.count(" l\n") > 5
    assert "?" not in page


def test_widths_are_those_of_helvetica() -> None:
    # Adobe's metrics of Helvetica: A 667, V 667, space 278, in thousandths of the size.
    assert width(Label(0, 0, "A V", 10)) == pytest.approx((667 + 278 + 667) / 100)


def test_a_reader_finds_the_text_where_one_is_installed(tmp_path: Path) -> None:
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("pdftotext is not installed")
    (tmp_path / "a.pdf").write_bytes(pdf(drawing("MAP against chrF"), "t"))
    done = subprocess.run([reader, str(tmp_path / "a.pdf"), "-"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "MAP against chrF" in done.stdout
