"""Sizes in words."""

from clirbench.report.sizes import sizes
from tests.statistics.worlds import scores_only, world


def test_sizes() -> None:
    assert sizes(world(n=3), 7, 1) == "3 systems, 30 topics, 60 segments; 7 samples, seed 1."
    assert sizes(scores_only([[1]], [[1]])) == "1 systems, scores only."
