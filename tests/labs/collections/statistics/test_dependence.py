"""Means over collections that share texts and makers."""

import numpy as np
import pytest

from clirbench.labs.collections.statistics.clusters import cluster_robust
from clirbench.labs.collections.statistics.dependence import dependent_mean, maker_of, makers_excess
from clirbench.labs.collections.statistics.random_effects import pooled_mean

Y = np.array([0.1, 0.3, -0.2, 0.05, 0.15, 0.0, 0.2, -0.1])
V = np.full(8, 0.02)
ALONE = np.arange(8)


@pytest.mark.parametrize(
    ("system", "maker"),
    [
        ("Online-A", "online-a"), ("ONLINE-A", "online-a"), ("online_B", "online-b"), ("OnlineX1", "online-x"),
        ("CUNI-DocTransformer", "cuni"), ("cuni_2", "cuni"), ("HuaweiTSC", "huaweitsc"), ("3", "3"),
    ],
)  # fmt: skip
def test_a_maker_is_the_first_word_or_the_letter_of_an_online_system(system: str, maker: str) -> None:
    assert maker_of(system) == maker


def test_without_anything_in_common_it_is_the_random_effects_mean() -> None:
    found, plain = dependent_mean(Y, V, ALONE, [{} for _ in Y]), pooled_mean(Y, V)
    assert (found.mean, found.low, found.high) == pytest.approx((plain.mean, plain.low, plain.high))
    assert found.p_value == pytest.approx(plain.p_value)
    assert (found.kind, found.maker_share) == ("collections", 0.0)


def test_of_two_intervals_the_wider_is_taken() -> None:
    """Texts shared by collections that deviate alike: the interval of the clusters; else the other one."""
    y = np.repeat([0.4, -0.2, 0.3, -0.3, 0.2, -0.1], 2)
    v = np.full(12, 0.001)
    alike, apart = np.repeat(np.arange(6), 2), np.tile(np.arange(6), 2)
    robust = cluster_robust(y, v + pooled_mean(y, v).tau2, alike)
    found = dependent_mean(y, v, alike, [{} for _ in y])
    assert found.kind == "shared texts"
    assert found.high == pytest.approx(robust.high)
    plain = pooled_mean(y, v)
    assert found.high - found.low > plain.high - plain.low
    assert found.clusters == 6
    other = dependent_mean(y, v, apart, [{} for _ in y])
    assert other.high - other.low >= plain.high - plain.low - 1e-12


def test_common_makers_add_what_they_do_to_pairs_of_collections() -> None:
    """By hand: weights 1/2; maker m does 2 and 4, n does 1 to the first alone: 2 * (1/2 * 2) * (1/2 * 4) = 4.

    Their sums are 3 and 1/2, the squares 9 and 1/4: (9.25)^2 / (81 + 1/16) makers.
    """
    half = np.array([0.5, 0.5])
    assert makers_excess(half, [{"m": 2.0, "n": 1.0}, {"m": 4.0}]) == pytest.approx((4.0, 9.25**2 / 81.0625))
    assert makers_excess(half, [{"m": 2.0}, {"m": -4.0}])[0] == 0.0  # errors that cancel narrow nothing


def test_common_makers_widen_and_raise_p() -> None:
    makers = [{"online-a": 0.1} for _ in Y]
    plain, found = (dependent_mean(Y, V, ALONE, m) for m in ([{} for _ in Y], makers))
    assert found.high - found.low > plain.high - plain.low
    assert found.p_value > plain.p_value
    # by hand: equal weights 1/8; the sum of all pairs is (8 / 8 * .1)^2 - 8 (.1 / 8)^2 = .01 - .00125
    squared = ((plain.high - plain.mean) / 2.3646243) ** 2  # Student's t of 7 degrees of freedom, .975
    assert found.maker_share == pytest.approx(0.00875 / (0.00875 + squared), rel=1e-6)
    assert found.freedom == pytest.approx((squared + 0.00875) ** 2 / (squared**2 / 7 + 0.00875**2 / 1), rel=1e-6)


def test_too_few_groups_of_texts_give_no_interval() -> None:
    found = dependent_mean(Y, V, np.array([0, 0, 0, 0, 1, 1, 1, 1]), [{} for _ in Y])
    assert np.isnan(found.low)
    assert found.kind == "shared texts"
