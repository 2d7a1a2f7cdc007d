"""What a user configured, checked: values, lists of names, libraries."""

import math
from collections.abc import Callable

import pytest

from clirbench.checks import name_list, number, one_of, require, whole_number
from clirbench.errors import ConfigError, ResourceError


def test_what_is_right_passes() -> None:
    assert name_list("k", "a*") == ("a*",)
    assert name_list("k", ["a", 7]) == ("a", "7")
    assert name_list("k", None) == name_list("k", []) == ()
    one_of("relevance.unit", "line", ("line", "text"))
    whole_number("engine.workers", None, or_null=True)
    number("k", 0, least=0)
    number("k", 100, above=0, most=100)
    number("k", 0.5, above=0, below=1)
    require("engine=dask", "dask", "json")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        *(
            (lambda names=names: name_list("k", names), "a list of names was exp")
            for names in (3, {"a": 1}, [["a"]], [None])
        ),
        *(
            (lambda value=value: whole_number("k", value), "k=.* must be a whole number of at least 1$")
            for value in (0, True, 1.0, "one", None)
        ),
        (lambda: one_of("k", "lin", ("line", "text")), r"k='lin' is not one of line, text\. Did you mean 'line'\?"),
        (lambda: whole_number("k", 0, or_null=True), "k=0 must be a whole number of at least 1, or null"),
        *(
            (lambda value=value: number("k", value), f"k={value!r} must be a number$")
            for value in (math.nan, True, "one")
        ),
        (lambda: number("k", "5%", least=0), r"k='5%' must be a number of at least 0; type k=0\.05$"),
        (lambda: number("k", 0, above=0, most=100), "k=0 must be a number above 0 and at most 100$"),
        (lambda: number("k", 100.5, above=0, most=100), "k=100.5 must be a number above 0 and at most 100$"),
        (lambda: number("k", 1, above=0, below=1), "k=1 must be a number above 0 and below 1$"),
    ],
)
def test_what_is_wrong_is_told(check: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check()


def test_a_library_that_is_not_there_is_named_with_its_extra() -> None:
    told = r"engine=dask needs the library no_such: not installed; .* checkout type .*python.* pip install '\.\[dask\]'"
    with pytest.raises(ResourceError, match=told):
        require("engine=dask", "dask", "json", "no_such")
