from xml.etree import ElementTree

import pytest

from clirbench.report.drawing import Drawing, Label, Line, Mark, svg, svg_number

SVG = "{http://www.w3.org/2000/svg}"


def drawing(text: str = "a < b & c") -> Drawing:
    return Drawing(
        100,
        80,
        lines=[Line(((0, 0), (10, 20.5)))],
        marks=[Mark(5, 5), Mark(9, 9, "triangle", "#D55E00")],
        labels=[Label(50, 40, text, 9, "middle"), Label(4, 40, "up", upright=True)],
    )


def test_svg_is_well_formed_and_holds_what_was_drawn() -> None:
    root = ElementTree.fromstring(svg(drawing(), "<title>"))
    assert root.findtext(f"{SVG}title") == "<title>"
    assert [text.text for text in root.iter(f"{SVG}text")] == ["a < b & c", "up"]
    assert [line.get("points") for line in root.iter(f"{SVG}polyline")] == ["0,0 10,20.5"]
    assert len(list(root.iter(f"{SVG}circle"))) == 1
    assert len(list(root.iter(f"{SVG}polygon"))) == 1


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (0.126, "0.13"), (-0.001, "0"), (12.5, "12.5")])
def test_numbers_are_short(value: float, text: str) -> None:
    assert svg_number(value) == text
