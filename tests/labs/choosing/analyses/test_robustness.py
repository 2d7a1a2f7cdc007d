"""`analysis=[robustness]`: ranges without one system and within groups; the caution along training."""

from dataclasses import replace

import pytest

from clirbench.errors import UnknownName
from clirbench.labs.choosing.analyses.robustness import RobustnessAnalysis, grouping
from tests.labs.choosing.statistics.test_training import checkpoints
from tests.report.analysed import result_of, text_of
from tests.statistics.worlds import scores_only


def test_ranges_without_one_system_and_within_groups() -> None:
    evidence = scores_only([[1, 2, 3, 4, 5, 6]], [[2, 1, 3, 4, 6, 5]])
    grouped = replace(
        evidence, board=replace(evidence.board, metadata={"size": tuple("aaabbb"), "id": tuple("123456")})
    )
    assert grouping(grouped) == ("size",)
    text = text_of(RobustnessAnalysis(), grouped)
    assert "x0 with y0: .733 over all" in text
    assert ".333 to .333 within groups of size" in text


def test_a_column_that_systems_lack_is_refused() -> None:
    with pytest.raises(UnknownName, match="metadata column 'size'"):
        RobustnessAnalysis(groups=["size"]).check(result_of(scores_only([[1, 2]], [[1, 2]])))


def test_the_trend_along_training_is_not_called_significant() -> None:
    along = text_of(RobustnessAnalysis(), checkpoints(["1", "2", "3", "4", "5", "6", "7"], x=[1, 3, 2, 4, 6, 5, 7]))
    assert "none is called significant" in along
    assert "x with y: .810 over all checkpoints" in along
