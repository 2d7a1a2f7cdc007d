"""Numbers, lists and sizes in words."""

from clirbench.analyses.wording import join_names, number, plural, sizes
from tests.statistics.worlds import scores_only, world


def test_numbers() -> None:
    assert (number(-0.25), number(1.2), number(float("nan")), number(float("inf"))) == (
        "-.250",
        "1.200",
        "undefined",
        "more than was tried",
    )


def test_lists() -> None:
    assert join_names(["a"]) == "a"
    assert join_names(["a", "b", "c"]) == "a, b and c"
    assert join_names(list("abcdefgh"), 2) == "a, b and 6 more"
    assert join_names([]) == ""


def test_sizes() -> None:
    assert sizes(world(n=3), 7, 1) == "3 systems, 30 topics, 60 segments; 7 samples, seed 1."
    assert sizes(scores_only([[1]], [[1]])) == "1 systems, scores only."
    assert (plural(1, "system"), plural(2, "system")) == ("1 system", "2 systems")
