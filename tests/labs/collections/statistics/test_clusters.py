"""Collections that have something in common."""

import numpy as np
import pytest

from clirbench.labs.collections.statistics.clusters import cluster_robust, joined, sign_flip
from clirbench.types import Ints

VARIANCE = np.array([0.02, 0.01, 0.03, 0.02, 0.015, 0.02, 0.01, 0.04, 0.02, 0.01])
CLUSTER: Ints = np.array([0, 0, 1, 2, 2, 3, 4, 5, 6, 6])


def test_the_robust_variance_is_unbiased_under_its_working_model() -> None:
    # CR2's defining property; the interval's half width squared over t's quantile squared is the variance.
    from scipy.stats import t

    drawn = np.random.default_rng(0).normal(size=(3000, 10)) * np.sqrt(VARIANCE)
    found = [cluster_robust(y, VARIANCE, CLUSTER) for y in drawn]
    squared = [((f.high - f.mean) / t.ppf(0.975, f.freedom)) ** 2 for f in found]
    assert np.mean(squared) == pytest.approx(1 / (1 / VARIANCE).sum(), rel=0.05)
    assert np.mean([f.low <= 0 <= f.high for f in found]) == pytest.approx(0.95, abs=0.015)


def test_clusters_of_one_and_equal_weights_are_the_plain_mean() -> None:
    y = np.array([0.1, 0.4, 0.3, 0.6, 0.2, 0.5])
    found = cluster_robust(y, np.full(6, 0.02), np.arange(6))
    half = 2.570582 * y.std(ddof=1) / np.sqrt(6)  # t with 5 degrees of freedom
    assert found.freedom == pytest.approx(5)
    assert (found.low, found.high) == pytest.approx((y.mean() - half, y.mean() + half), rel=1e-6)


def test_few_clusters_have_no_interval() -> None:
    found = cluster_robust(np.arange(8.0), np.ones(8), np.arange(8) // 2)
    assert found.freedom == pytest.approx(3)
    assert np.isnan([found.low, found.high, found.p_value]).all()


def test_what_is_connected_is_one_cluster() -> None:
    assert joined([[0, 1], [1, 3]], 5).tolist() == [0, 0, 1, 0, 2]


def test_flipped_signs_by_hand() -> None:
    y = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    assert sign_flip(y, np.arange(5)) == (0.0625, 0.0625)
    assert sign_flip(-y, np.array([0, 0, 1, 1, 2])) == (0.25, 0.25)
    # Of 8 sign patterns of (3, 1, -1), |3 + 1 - 1| = 3 is reached by 6: all but +-(3, -1, 1) with |1|.
    assert sign_flip(np.array([3.0, 1.0, -1.0]), np.arange(3)) == (0.75, 0.25)
