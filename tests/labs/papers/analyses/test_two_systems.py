"""Which two systems are compared."""

import pytest

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.analyses.two_systems import TwoSystems, chosen_pair


def test_two_systems_need_no_choice() -> None:
    assert chosen_pair(None, ["a", "b"], "x") == TwoSystems("a", "b")
    assert tuple(chosen_pair(["b", "a"], ["a", "b"], "x")) == ("b", "a")


@pytest.mark.parametrize(
    ("pair", "systems", "message"),
    [
        (None, ["a"], r"analysis x compares two systems, and only a takes part"),
        (None, [], r"and none takes part"),
        (None, ["a", "b", "c"], r"choose pair=\[A,B\] of a, b, c"),
        (["a", "a"], ["a", "b"], r"two different systems"),
        (["a", "b", "c"], ["a", "b", "c"], r"two different systems"),
    ],
)
def test_an_open_choice_is_an_error(pair: list[str] | None, systems: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        chosen_pair(pair, systems, "x")


def test_an_unknown_system_is_named_with_the_closest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'snmt'"):
        chosen_pair(["smnt", "unmt"], ["snmt", "unmt"], "x")
