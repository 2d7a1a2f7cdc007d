"""Values that are loaded later: each time, or once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier

import numpy as np
import pytest
from scipy.sparse import csr_array

from clirbench.later import Shelf, bytes_of_arrays, keep_recent


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


@dataclass
class Arrays:
    """1,000 bytes, made at each load."""

    loads: list[int] = field(default_factory=list)

    def load(self) -> np.ndarray:
        self.loads.append(1)
        return np.zeros(1000, dtype=np.uint8)


def test_a_shelf_holds_no_more_bytes_than_it_has_room_for() -> None:
    values = {name: Arrays() for name in "abc"}
    shelf = Shelf(values, holds=True, room=2500)
    for _ in range(3):
        for name in shelf:
            assert len(shelf[name]) == 1000
            assert shelf.held_bytes <= 2500
    assert [len(later.loads) for later in values.values()] == [1, 1, 3]


def test_names_that_share_a_value_hold_it_once() -> None:
    """chrF1 and chrF2 are scored from the same counts: they were held twice."""
    shared = Arrays()
    shelf = Shelf(Shelf({"chrF1": shared, "chrF2": shared}), holds=True)
    assert shelf["chrF1"] is shelf["chrF2"]
    assert (len(shared.loads), shelf.held_bytes) == (1, 1000)


def test_the_bytes_of_a_sparse_matrix_are_those_of_its_arrays() -> None:
    matrix = csr_array(np.eye(3))  # three doubles, three columns and four row starts of four bytes each
    assert bytes_of_arrays(matrix) == 3 * 8 + 3 * 4 + 4 * 4
    assert bytes_of_arrays("no array") == 0


def test_the_last_results_are_kept_and_no_more() -> None:
    asked: list[int] = []

    @keep_recent(2)
    def squared(number: int) -> int:
        """The square."""
        asked.append(number)
        return number * number

    assert [squared(number) for number in (1, 2, 1, 2, 3, 1)] == [1, 4, 1, 4, 9, 1]
    assert asked == [1, 2, 3, 1]
    squared.cache_clear()  # type: ignore[attr-defined]
    assert (squared(1), asked) == (1, [1, 2, 3, 1, 1])
    assert (squared.__name__, squared.__doc__) == ("squared", "The square.")


def test_threads_do_not_push_out_what_another_keeps() -> None:
    asked: list[int] = []

    @keep_recent(1)
    def itself(number: int) -> int:
        asked.append(number)
        return number

    together = Barrier(3)

    def work(number: int) -> None:
        for _ in range(5):
            assert itself(number) == number
            together.wait(10)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    assert sorted(asked) == [0, 1, 2]
