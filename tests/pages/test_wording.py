"""Numbers as WRITING asks for them."""

import pytest

from clirbench.pages import FORMATS, fixed, interval, listed, many, number, short, signed

NAN, INF = float("nan"), float("inf")


def test_numbers_of_sentences() -> None:
    assert [number(x) for x in (-0.25, 1.2, NAN, INF)] == ["-.250", "1.200", "undefined", "more than was tried"]
    assert (fixed(0.867, 2), short(0.05), short(1234567.0, 3), signed(0.01234)) == (
        "0.87", "0.05", "1.23e+06", "+0.0123",
    )  # fmt: skip
    assert interval(0.714, 0.95, 2) == "[.71, .95]"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("number", ["0.8670", "-0.0210", "99.9900", "150.0", "", "∞", "-∞"]),
        ("score", ["0.87", "-0.02", "99.99", "150.00", "", "inf", "-inf"]),
        ("coefficient", [".867", "-.021", "99.990", "150.000", "undefined", *["more than was tried"] * 2]),
        ("difference", ["+0.867", "-0.021", "+100", "+150", "", "+inf", "-inf"]),
    ],
)
def test_formats_of_columns(name: str, texts: list[str]) -> None:
    assert [FORMATS[name](value) for value in (0.867, -0.021, 99.99, 150.0, NAN, INF, -INF)] == texts


def test_lists() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh"), 2) == "a, b and 6 more"
    assert listed(["a", "b", "c"], 2) == "a, b and c"  # a name is as short as "1 more"
    assert listed([]) == ""
    assert (many(1, "system"), many(2, "system")) == ("1 system", "2 systems")
