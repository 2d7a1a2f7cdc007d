"""What a user configured, checked: values, lists of names, libraries."""

import math
from typing import Any

import pytest

from clirbench.checks import name_list, number, one_of, require, whole_number
from clirbench.errors import ConfigError, ResourceError


def test_one_name_is_a_list_of_one_and_numbers_are_names() -> None:
    assert name_list("k", "a*") == ("a*",)
    assert name_list("k", ["a", 7]) == ("a", "7")
    assert name_list("k", None) == name_list("k", []) == ()


@pytest.mark.parametrize("names", [3, {"a": 1}, [["a"]], [None]])
def test_anything_else_is_refused(names: object) -> None:
    with pytest.raises(ConfigError, match=r"systems\.include=.*a list of names was expected"):
        name_list("systems.include", names)


def test_a_wrong_word_is_told_the_choices_and_the_closest() -> None:
    one_of("relevance.unit", "line", ("line", "text"))
    with pytest.raises(ConfigError, match=r"relevance\.unit='lin' is not one of line, text\. Did you mean 'line'\?"):
        one_of("relevance.unit", "lin", ("line", "text"))


@pytest.mark.parametrize("value", [0, True, 1.0, "1", None])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match=r"relevance\.k=.* must be a whole number of at least 1$"):
        whole_number("relevance.k", value)


def test_null_is_allowed_where_it_means_something() -> None:
    whole_number("engine.workers", None, or_null=True)
    with pytest.raises(ConfigError, match=r"engine\.workers=0 must be a whole number of at least 1, or null"):
        whole_number("engine.workers", 0, or_null=True)


@pytest.mark.parametrize(
    ("value", "limits", "words"),
    [
        (math.nan, {}, ""),
        (True, {}, ""),
        ("1", {}, ""),
        (-1, {"least": 0}, " of at least 0"),
        (0, {"above": 0, "most": 100}, " above 0 and at most 100"),
        (100.5, {"above": 0, "most": 100}, " above 0 and at most 100"),
        (1, {"above": 0, "below": 1}, " above 0 and below 1"),
    ],
)
def test_a_number_keeps_its_limits(value: object, limits: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=f"measure RBO: p={value!r} must be a number{words}$"):
        number("measure RBO: p", value, **limits)


def test_numbers_within_their_limits_pass() -> None:
    number("k", 0, least=0)
    number("k", 100, above=0, most=100)
    number("k", 0.5, above=0, below=1)


def test_a_library_that_is_not_there_is_named_with_its_extra() -> None:
    require("engine=dask", "dask", "json")
    told = (
        r"engine=dask needs the library no_such: not installed; in clirbench's checkout type pip install '\.\[dask\]'"
    )
    with pytest.raises(ResourceError, match=told):
        require("engine=dask", "dask", "json", "no_such")
