"""Rates that are promised, each counted in small worlds: all of them, or some hundred of one seed."""

from collections.abc import Callable, Iterator
from itertools import permutations
from math import sqrt

import numpy as np
import pytest

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import agreements
from clirbench.statistics.belonging import numbered_runs
from clirbench.statistics.decision import compare_with_baseline


def decided_without_a_difference() -> Iterator[bool]:
    """Ten candidates that are as good as the baseline: whether any is called better or worse (Bonferroni)."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        baseline, *candidates = rng.normal(size=(11, 12))
        yield any(compare_with_baseline(one, baseline, others=10).verdict != "open" for one in candidates)


def joined_by_chance(systems: int) -> Callable[[], Iterator[bool]]:
    """In all orders of independent systems: numbers in names make one run of them."""

    def orders() -> Iterator[bool]:
        names = tuple(f"v{100 + 7 * i * i}" for i in range(systems))
        for values in permutations(range(systems)):
            column = Column("MAP", "measure", np.array(values, dtype=np.float64))
            yield numbered_runs(Scoreboard(names, (column,)))[0] != ()

    return orders


def shown_by_chance(systems: int, metrics: int = 1) -> Callable[[], Iterator[bool]]:
    """In all orders of unrelated systems: p below .05 for any metric, which is where its lower bound is above 0."""

    def orders() -> Iterator[bool]:
        x = np.random.default_rng(systems).permuted(np.tile(np.arange(systems), (metrics, 1)), axis=1)
        for values in permutations(range(systems)):
            y = np.array(values, dtype=np.float64)
            found = agreements(x.astype(np.float64), y, np.arange(systems))
            assert all((one.p_value < 0.05) == (one.lower > 0) for one in found)
            yield any(one.p_value < 0.05 for one in found)

    return orders


@pytest.mark.parametrize(
    ("event", "least", "most"),
    [
        pytest.param(decided_without_a_difference, 0, 0.05, id="ten candidates"),
        pytest.param(joined_by_chance(5), 5 / 120, 5 / 120, id="five numbered names"),
        pytest.param(joined_by_chance(6), 6 / 720, 6 / 720, id="six numbered names"),
        pytest.param(shown_by_chance(3), 0, 0, id="three systems"),
        pytest.param(shown_by_chance(4), 0, 0.05, id="four systems"),
        pytest.param(shown_by_chance(5), 0, 0.05, id="five systems"),
        pytest.param(shown_by_chance(6), 0.01, 0.05, id="six systems"),
        pytest.param(shown_by_chance(5, metrics=4), 0, 0.05, id="five systems, four metrics"),
    ],
)
def test_a_rate_is_as_promised(event: Callable[[], Iterator[bool]], least: float, most: float) -> None:
    seen = list(event())
    drawn = len(seen) == 300  # rates of random worlds have an error, those of all orders have none
    slack = 2.5 * sqrt(0.05 * 0.95 / 300) if drawn else 1e-9
    assert least - slack <= np.mean(seen) <= most + slack
