"""Lists and sizes in words."""

from clirbench.analyses.wording import listed, many, sizes
from tests.statistics.worlds import scores_only, world


def test_lists() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh"), 2) == "a, b and 6 more"
    assert listed([]) == ""


def test_sizes() -> None:
    assert sizes(world(n=3), 7, 1) == "3 systems, 30 topics, 60 segments; 7 samples, seed 1."
    assert sizes(scores_only([[1]], [[1]])) == "1 systems, scores only."
    assert (many(1, "system"), many(2, "system")) == ("1 system", "2 systems")
