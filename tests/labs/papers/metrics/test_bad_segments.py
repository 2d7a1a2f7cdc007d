"""BS and TOTAL-BS on cases worked by hand."""

from math import log

import pytest

from clirbench.errors import AlignmentError
from clirbench.labs.papers.metrics.bad_segments import BS, TotalBS
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score

# Stems (a word less a third of its characters, rounded down): houses -> hous, house -> hous, the -> th, red -> re,
# big -> bi, burns -> burn, burned -> burn, a -> a, now -> no, down -> dow.
HYPOTHESES = ("the red houses burned", "a a now")
TEST = TestSet((("the big house burns down now", "the a"),))
# Line 1: hypothesis has th re hous burn, reference th bi hous burn dow no; bad: re (1); bi (1); dow no (2).
# Line 2: hypothesis a a no, reference th a; bad: no (1); th (1).


def test_worked_by_hand() -> None:
    assert TotalBS().statistics(HYPOTHESES, TEST)[:, 0].tolist() == [4, 2]
    assert corpus_score(TotalBS(), HYPOTHESES, TEST) == 3
    expected = [2 * log(2) + log(3), 2 * log(2)]
    assert BS().statistics(HYPOTHESES, TEST)[:, 0].tolist() == pytest.approx(expected)


def test_empty_sides_are_one_bad_segment() -> None:
    assert TotalBS().statistics(["", "a b", ""], TestSet((("a b c", "", ""),)))[:, 0].tolist() == [3, 2, 0]
    assert BS().statistics([""], TestSet((("a b c",),)))[0, 0] == pytest.approx(log(4))


def test_direction_names_and_errors() -> None:
    assert (BS().name, TotalBS().name) == ("BS", "TOTAL-BS")
    assert not BS().higher_is_better
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        BS().statistics(["a"], TestSet((("a", "b"),)))
