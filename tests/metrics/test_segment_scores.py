"""Mean, median and system scores come back from sums, resamples included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clirbench.errors import AlignmentError, ConfigError
from clirbench.metrics.segment_scores import SegmentScores
from clirbench.types import TestSet


def sums(metric: SegmentScores, weights: list[list[int]]) -> np.ndarray:
    n = len(weights[0])
    test = TestSet((("x",) * n,))
    return metric.score(np.array(weights, dtype=float) @ metric.statistics(["x"] * n, test))


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(i, 3), min_size=n, max_size=n) for i in (-3, 0)])
    )
)
@settings(max_examples=300, deadline=None)
def test_means_and_medians_of_resamples_are_numpys(case: tuple[list[int], list[int]]) -> None:
    scores, weights = case
    drawn = np.repeat(np.array(scores, dtype=float), weights)
    values = tuple(map(float, scores))
    median = sums(SegmentScores(values, "m", "median"), [weights])[0]
    mean = sums(SegmentScores(values, "m"), [weights])[0]
    if len(drawn):
        assert median == pytest.approx(np.median(drawn))
        assert mean == pytest.approx(drawn.mean())
    else:
        assert np.isnan(median)
        assert mean == 0


def test_a_system_score_cannot_be_resampled() -> None:
    metric = SegmentScores((42.5,), "m", "system")
    scores = sums(metric, [[1, 1, 1], [2, 2, 2], [0, 1, 2], [0, 0, 0]])
    assert scores[:2].tolist() == [42.5, 42.5]
    assert np.isnan(scores[2:]).all()


def test_rows_are_segment_scores() -> None:
    test = TestSet((("x",) * 3,))
    for aggregate in ("mean", "median"):
        metric = SegmentScores((3.0, 1.0, 2.0), "m", aggregate)
        assert metric.score(metric.statistics(["x"] * 3, test)).tolist() == [3, 1, 2]


def test_errors() -> None:
    with pytest.raises(ConfigError, match="aggregate='mode' is not one of mean, median, system"):
        SegmentScores((1.0,), "m", "mode")
    with pytest.raises(AlignmentError, match="m: 1 scores for 2 segments"):
        SegmentScores((1.0,), "m").statistics(["a", "b"], TestSet((("a", "b"),)))
