"""Each thread keeps the last results of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from clirbench.later import keep_recent


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
