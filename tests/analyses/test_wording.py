import pytest

from clirbench.analyses.wording import number


@pytest.mark.parametrize(
    ("value", "text"), [(0.8666, ".867"), (-0.0211, "-.021"), (1.0, "1.000"), (0.0, ".000"), (-1.0, "-1.000")]
)
def test_numbers_are_printed_as_the_field_prints_them(value: float, text: str) -> None:
    assert number(value) == text
