"""Means come back from summed (score, 1) rows."""

import numpy as np

from clirbench.metrics.segment_average import as_statistics, mean, ratio


def test_sums_give_the_mean_back() -> None:
    statistics = as_statistics([1.0, 2.0, 6.0])
    assert float(mean(statistics.sum(axis=0))) == 3.0
    assert mean(np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 2.0]]) @ statistics).tolist() == [3.5, 6.0]


def test_nothing_over_nothing_is_0() -> None:
    assert float(mean(np.zeros(2))) == 0.0
    assert ratio(np.array([1.0, 4.0]), np.array([0.0, 2.0])).tolist() == [0.0, 2.0]
