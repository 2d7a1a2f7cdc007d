"""Values that are loaded later: each time, or once."""

from dataclasses import dataclass, field

import pytest

from clirbench.later import Shelf, load_value


@dataclass
class Counted:
    """A value that counts how often it is loaded."""

    value: int
    loads: list[int] = field(default_factory=list)

    def load(self) -> int:
        self.loads.append(self.value)
        return self.value


@pytest.mark.parametrize(("holds", "loads"), [(False, [7, 7]), (True, [7])])
def test_a_shelf_that_holds_loads_once(holds: bool, loads: list[int]) -> None:
    later = Counted(7)
    shelf = Shelf({"a": later, "b": 3}, holds=holds)
    assert list(shelf) == ["a", "b"]
    assert "a" in shelf
    assert later.loads == []
    assert (shelf["a"], shelf["a"], shelf["b"]) == (7, 7, 3)
    assert later.loads == loads


def test_a_value_that_is_there_is_opened_as_it_is() -> None:
    assert (load_value(3), load_value(Counted(4))) == (3, 4)
