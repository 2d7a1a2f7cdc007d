"""The segment-level family by hand: one case with every cell filled, under each matrix."""

import numpy as np
import pytest

from clirbench.analysis.segment_level import comparisons, matrices, matrix, segment_kendall
from clirbench.errors import AlignmentError, UnknownName

# (gold, metric) counts: agree 5, gold decides and the metric ties 2, disagree 3, gold ties 4
GOLD = np.array([1.0] * 3 + [-1] * 2 + [1, -1] + [1, 1, -1] + [0] * 4)
METRIC = np.array([2.0] * 3 + [-2] * 2 + [0, 0] + [-1, -1, 1] + [1, 0, -1, 0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WMT12", (5 - 3 - 2) / 10),  # a tie of the metric is a mistake
        ("WMT13", (5 - 3) / 8),  # it is left out
        ("WMT14", (5 - 3) / 10),  # it counts in the denominator alone
        ("WMT15", (5 - 3) / 10),
    ],
)
def test_by_hand(name: str, value: float) -> None:
    assert segment_kendall(GOLD, METRIC, matrix(name)).value == pytest.approx(value)


def test_wmt14_matrix_is_the_printed_one() -> None:
    nan = np.nan
    assert np.array_equal(matrix("WMT14").coefficients, [[1, 0, -1], [nan, nan, nan], [-1, 0, 1]], equal_nan=True)
    assert set(matrices()) == {"WMT12", "WMT13", "WMT14", "WMT15"}


def test_counts_and_missing_values() -> None:
    result = segment_kendall(np.append(GOLD, np.nan), np.append(METRIC, 1.0), matrix("WMT14"))
    assert (result.concordant, result.discordant, result.neutral, result.left_out) == (5, 3, 2, 5)
    empty = segment_kendall(np.zeros(3), np.ones(3), matrix("WMT14"))
    assert np.isnan(empty.value)
    assert empty.note == "no comparison counts"


def test_comparisons_of_systems_on_items() -> None:
    gold, metric = comparisons(np.array([[1.0, 2], [0, 5], [3, 3]]), np.array([[1.0, 1], [2, 2], [3, 3]]))
    assert gold.tolist() == [1, -3, -2, -1, -3, 2]
    assert metric.tolist() == [-1, -1, -2, -2, -1, -1]


def test_errors() -> None:
    with pytest.raises(UnknownName, match="segment-level matrix 'WMT11'.*WMT12"):
        matrix("WMT11")
    with pytest.raises(AlignmentError, match="3 gold comparisons for 2"):
        segment_kendall(np.zeros(3), np.zeros(2), matrix("WMT14"))
    with pytest.raises(AlignmentError, match="the same items"):
        comparisons(np.zeros((2, 3)), np.zeros((2, 4)))
