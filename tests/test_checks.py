"""Lists of names as they come from a configuration."""

import pytest

from clirbench.checks import name_list
from clirbench.errors import ConfigError


def test_one_name_is_a_list_of_one_and_numbers_are_names() -> None:
    assert name_list("k", "a*") == ("a*",)
    assert name_list("k", ["a", 7]) == ("a", "7")
    assert name_list("k", None) == name_list("k", []) == ()


@pytest.mark.parametrize("names", [3, {"a": 1}, [["a"]], [None]])
def test_anything_else_is_refused(names: object) -> None:
    with pytest.raises(ConfigError, match=r"systems\.include=.*a list of names was expected"):
        name_list("systems.include", names)
