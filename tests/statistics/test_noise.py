"""Noise of topics: two systems in closed form, what topics do to all alike is no noise, shrinking towards structure."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.stats import t

from clirbench.errors import AlignmentError
from clirbench.statistics import noise as randomisation
from clirbench.statistics.noise import (
    _nearest,
    contrasts,
    doubly_centred,
    mean_difference_p,
    mean_limits,
    sign_blocks,
    topic_noise,
)


def test_two_systems_have_the_standard_error_of_their_difference() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 12)) + 5 * rng.normal(size=12)
    noise = topic_noise(values)
    difference = np.array([1.0, -1.0])
    assert difference @ noise.covariance @ difference == pytest.approx(np.var(values[0] - values[1], ddof=1) / 12)
    assert noise.freedom == pytest.approx(11)


def test_hard_topics_are_no_noise() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 20))
    moved = values + 100 * rng.normal(size=20)
    assert np.allclose(topic_noise(values).covariance, topic_noise(moved).covariance)


def test_few_topics_are_shrunken_and_many_are_not() -> None:
    rng = np.random.default_rng(2)
    scales = np.linspace(0.5, 2, 10)[:, None]
    few, many = (topic_noise(scales * rng.normal(size=(10, k))) for k in (6, 5000))
    assert few.shrinkage > 0.5 > 0.1 > many.shrinkage
    truth = doubly_centred(np.diag(scales[:, 0] ** 2)) / 5000
    assert np.allclose(many.covariance, truth, atol=0.1 * np.abs(truth).max())


def test_structure_finds_near_copies() -> None:
    rng = np.random.default_rng(3)
    unit = np.repeat(np.arange(5), 4)
    values = rng.normal(size=(5, 12))[unit] + 0.1 * rng.normal(size=(20, 12))
    within = np.array([1.0, -1.0, *[0.0] * 18])
    plain = within @ topic_noise(values).covariance @ within
    known = within @ topic_noise(values, unit).covariance @ within
    assert known == pytest.approx(2 * 0.01 / 12, rel=0.5)
    assert known < plain / 2


def test_units_are_a_structure_only_if_there_are_several_and_one_has_two_systems() -> None:
    values = np.random.default_rng(5).normal(size=(3, 20))
    plain = topic_noise(values).covariance
    for unit in (np.arange(3), np.zeros(3, dtype=np.int64)):
        assert (topic_noise(values, unit).covariance == plain).all()
    assert not np.allclose(topic_noise(values, np.array([0, 0, 1])).covariance, plain)


def test_weights_of_the_target_are_those_of_scipy() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        unit = rng.integers(4, size=8)
        sample = doubly_centred(np.cov(rng.normal(size=(8, 9)) + rng.normal(size=(4, 9))[unit] * rng.random()))
        bases = [doubly_centred(matrix) for matrix in (np.eye(8), (unit[:, None] == unit).astype(float))]
        expected, _ = nnls(np.stack([base.ravel() for base in bases]).T, sample.ravel())
        assert np.allclose(_nearest(sample, unit), sum(w * base for w, base in zip(expected, bases, strict=True)))


def test_freedom_of_independent_systems() -> None:
    noise = topic_noise(np.random.default_rng(4).normal(size=(9, 2000)))
    assert noise.freedom == pytest.approx(1999 * 8, rel=0.02)


def test_contrasts_are_orthonormal_and_sum_to_nothing() -> None:
    found = contrasts(5)
    assert np.allclose(found.T @ found, np.eye(4))
    assert np.allclose(found.sum(axis=0), 0)


@pytest.mark.parametrize("shape", [(1, 10), (4, 1)])
def test_too_few(shape: tuple[int, int]) -> None:
    with pytest.raises(AlignmentError, match="at least 2 of each"):
        topic_noise(np.zeros(shape))


def test_symmetric_values_have_limits_of_student() -> None:
    values = np.array([-3.0, -1, -0.5, 0.5, 1, 3]) + 7
    low, high = t.interval(0.95, 5, loc=7, scale=values.std(ddof=1) / np.sqrt(6))
    assert mean_limits(values, 0.025) == pytest.approx((low, high))


def test_skewed_values_move_a_limit_towards_the_tail() -> None:
    values = np.array([0.0, 0, 0, 0, 0.1, 0.2, 1.0, 4.0])
    low, high = t.interval(0.95, 7, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(8))
    found = mean_limits(values, 0.025)
    assert found[1] > 1.1 * high
    assert found[0] == pytest.approx(low)


def test_equal_values_have_no_width() -> None:
    assert mean_limits(np.full(5, 0.3), 0.025) == pytest.approx((0.3, 0.3))


def test_all_patterns_by_hand() -> None:
    (keep,) = sign_blocks(2, 10, 0)
    assert keep.tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]
    # d = 1, 2, 3: |sum| 6 for two of eight patterns
    assert mean_difference_p(np.array([1.0, 2.0, 3.0])) == 0.25
    assert mean_difference_p(np.array([1.0, 2.0, 3.0]), sides=1) == 0.125
    # d = 3, 3, -1: sums 5, -1, -1, -7, 7, 1, 1, -5: |5| or more in four
    assert mean_difference_p(np.array([3.0, 3.0, -1.0])) == 0.5
    assert mean_difference_p(np.zeros(4)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_against_a_loop(seed: int) -> None:
    d = np.random.default_rng(seed).integers(-2, 3, size=8).astype(float)
    sums = [abs(float(np.dot(signs, d))) for signs in product((1, -1), repeat=8)]
    assert mean_difference_p(d) == pytest.approx(np.mean([total >= abs(d.sum()) - 1e-9 for total in sums]))


def test_blocks_of_coins_are_those_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    coins = np.concatenate(list(sign_blocks(20, 200, 3)))
    monkeypatch.setattr(randomisation, "HELD", 20 * 32)
    assert len(list(sign_blocks(20, 200, 3))) == 8
    assert np.array_equal(np.concatenate(list(sign_blocks(20, 200, 3))), coins)
