"""The one model: against statsmodels, worked examples as they are printed, exact formulas and simulation."""

import numpy as np
import pytest
from scipy.stats import t

from clirbench.labs.collections.model import (
    cluster_robust,
    joined,
    maker_of,
    makers_excess,
    pooled_mean,
    prediction,
    tau_covariance,
)
from clirbench.types import Ints

# Riley, Higgins and Deeks 2011 (BMJ 342:d549), ten trials; standard errors as in the R package pimeta 1.1.3, data sbp.
SBP = np.array([0, 0.1, -0.4, -0.8, -0.63, 0.22, -0.34, -0.51, 0.03, -0.81])
SBP_ERRORS = np.array([0.42348, 0.21939, 0.02551, 0.19898, 0.30103, 0.30103, 0.07143, 0.10204, 0.12245, 0.30103])
# The laboratories of statsmodels' notebook on meta-analysis.
LABORATORIES = np.array([61.00, 61.40, 62.21, 62.30, 62.34, 62.60, 62.70, 62.84, 65.90])
LABORATORY_VARIANCES = np.array([0.2025, 1.2100, 0.0900, 0.2025, 0.3844, 0.5625, 0.0676, 0.0225, 1.8225])
TAUS = np.array([0.62, 0.35, 0.71, 0.1, 0.55])
TAU_VARIANCES = np.array([0.02, 0.01, 0.03, 0.02, 0.015])
# The thirteen trials of BCG (Colditz et al. 1994): log relative risks and variances as metafor prints them.
BCG = np.array([-0.8893, -1.5854, -1.3481, -1.4416, -0.2175, -0.7861, -1.6209, 0.0120, -0.4694, -1.3713, -0.3394,
                0.4459, -0.0173])  # fmt: skip
BCG_VARIANCES = np.array([0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124,
                          0.5325, 0.0714])  # fmt: skip
SETS = [(SBP, SBP_ERRORS**2), (LABORATORIES, LABORATORY_VARIANCES), (BCG, BCG_VARIANCES)]


@pytest.mark.parametrize(("y", "v"), SETS, ids=["sbp", "laboratories", "bcg"])
@pytest.mark.filterwarnings("ignore")
def test_it_equals_statsmodels(y: np.ndarray, v: np.ndarray) -> None:
    meta = pytest.importorskip("statsmodels.stats.meta_analysis", reason="STATSMODELS ABSENT: it is no oracle here")
    theirs = meta.combine_effects(y, v, method_re="iterated", use_t=True, atol=1e-12, maxiter=200)
    low, high = theirs.conf_int(use_t=True)[3]  # Hartung and Knapp
    ours = pooled_mean(y, v)
    assert ours.tau2 == pytest.approx(theirs.tau2, rel=1e-6)
    assert ours.value == pytest.approx(theirs.mean_effect_re, rel=1e-6)
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-6)


def test_the_printed_prediction_interval_of_pimeta() -> None:
    # Its vignette: -.3341 [-.8807, .2240] from 25,000 draws; two seeds of it differ in the third place.
    low, high = prediction(SBP, SBP_ERRORS**2, draws=200_000)
    assert (low, high) == pytest.approx((-0.8807, 0.2240), abs=0.01)


def test_collections_that_agree_by_luck_do_not_make_a_narrow_interval() -> None:
    found = pooled_mean(np.full(4, 0.3), np.full(4, 0.04))
    assert found.tau2 == 0
    assert found.high - found.value == pytest.approx(3.182446 * 0.1)  # t with 3 degrees of freedom, sqrt(.04 / 4)


def test_what_too_few_collections_cannot_say() -> None:
    assert np.isnan(prediction(TAUS[:4], TAU_VARIANCES[:4])).all()
    alone = pooled_mean(TAUS[:1], TAU_VARIANCES[:1])
    assert alone.value == 0.62
    assert np.isnan([alone.low, alone.high, alone.p_value]).all()


VARIANCE = np.array([0.02, 0.01, 0.03, 0.02, 0.015, 0.02, 0.01, 0.04, 0.02, 0.01])
CLUSTER: Ints = np.array([0, 0, 1, 2, 2, 3, 4, 5, 6, 6])


def test_the_robust_variance_is_unbiased_under_its_working_model() -> None:
    """CR2's defining property, and what t of its degrees of freedom promises."""
    drawn = np.random.default_rng(0).normal(size=(3000, 10)) * np.sqrt(VARIANCE)
    errors, freedom = np.array([cluster_robust(y, VARIANCE, CLUSTER) for y in drawn]).T
    assert np.mean(errors**2) == pytest.approx(1 / (1 / VARIANCE).sum(), rel=0.05)
    means = np.average(drawn, axis=1, weights=1 / VARIANCE)
    assert np.mean(np.abs(means) <= t.ppf(0.975, freedom) * errors) == pytest.approx(0.95, abs=0.015)


def test_clusters_of_one_and_equal_weights_are_the_plain_mean() -> None:
    y = np.array([0.1, 0.4, 0.3, 0.6, 0.2, 0.5])
    assert cluster_robust(y, np.full(6, 0.02), np.arange(6)) == pytest.approx((y.std(ddof=1) / np.sqrt(6), 5))


def test_what_is_connected_is_one_cluster() -> None:
    assert joined([[0, 1], [1, 3]], 5).tolist() == [0, 0, 1, 0, 2]


Y = np.array([0.1, 0.3, -0.2, 0.05, 0.15, 0.0, 0.2, -0.1])
V = np.full(8, 0.02)


@pytest.mark.parametrize(
    ("system", "maker"),
    [
        ("Online-A", "online-a"), ("ONLINE-A", "online-a"), ("online_B", "online-b"), ("OnlineX1", "online-x"),
        ("CUNI-DocTransformer", "cuni"), ("cuni_2", "cuni"), ("HuaweiTSC", "huaweitsc"), ("3", "3"),
    ],
)  # fmt: skip
def test_a_maker_is_the_first_word_or_the_letter_of_an_online_system(system: str, maker: str) -> None:
    assert maker_of(system) == maker


def test_of_two_intervals_the_wider_is_taken() -> None:
    """Texts shared by collections that deviate alike: the interval of the groups; else the other one."""
    y = np.repeat([0.4, -0.2, 0.3, -0.3, 0.2, -0.1], 2)
    v = np.full(12, 0.001)
    alike, apart = np.repeat(np.arange(6), 2), np.tile(np.arange(6), 2)
    plain, found, other = pooled_mean(y, v), pooled_mean(y, v, groups=alike), pooled_mean(y, v, groups=apart)
    error, freedom = cluster_robust(y, v + plain.tau2, alike)
    assert (plain.grouped, found.grouped, found.groups) == (False, True, 6)
    assert found.high - found.value == pytest.approx(t.ppf(0.975, freedom) * error)
    assert found.high - found.low > plain.high - plain.low
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
    plain, found = pooled_mean(Y, V), pooled_mean(Y, V, makers=makers)
    assert found.high - found.low > plain.high - plain.low
    assert found.p_value > plain.p_value
    # by hand: equal weights 1/8; the sum of all pairs is (8 / 8 * .1)^2 - 8 (.1 / 8)^2 = .01 - .00125
    squared = ((plain.high - plain.value) / 2.3646243) ** 2  # Student's t of 7 degrees of freedom, .975
    assert found.makers == pytest.approx(0.00875 / (0.00875 + squared), rel=1e-6)
    assert found.freedom == pytest.approx((squared + 0.00875) ** 2 / (squared**2 / 7 + 0.00875**2 / 1), rel=1e-6)


def test_too_few_groups_of_texts_give_no_interval() -> None:
    found = pooled_mean(Y, V, groups=np.repeat([0, 1, 2, 3], 2))
    assert found.freedom == pytest.approx(3)
    assert np.isnan([found.low, found.high, found.p_value]).all()


@pytest.mark.parametrize("tau", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [4, 12, 38])
def test_one_tau_has_esschers_variance(tau: float, n: int) -> None:
    rho = np.sin(np.pi * tau / 2)
    one, two = np.arcsin(rho), np.arcsin(rho / 2)
    exact = 2 / (n * (n - 1)) * (1 - 4 * one**2 / np.pi**2 + 2 * (n - 2) * (1 / 9 - 4 * two**2 / np.pi**2))
    assert tau_covariance(np.array([tau]), np.ones((1, 1)), np.array([n])).item() == pytest.approx(exact, rel=2e-3)


def test_two_taus_on_the_same_systems_vary_together() -> None:
    taus, between, n = np.array([0.5, 0.6]), np.array([[1, 0.7], [0.7, 1]]), 10
    full = np.sin(np.pi / 2 * np.array([[1, 0.7, 0.5], [0.7, 1, 0.6], [0.5, 0.6, 1]]))
    drawn = np.random.default_rng(0).normal(size=(4000, n, 3)) @ np.linalg.cholesky(full).T
    signs = np.sign(drawn[:, :, None, :] - drawn[:, None, :, :])
    found = (signs[..., :2] * signs[..., 2:]).sum(axis=(1, 2)) / (n * (n - 1))
    assert tau_covariance(taus, between, np.array([n]))[0] == pytest.approx(np.cov(found.T), rel=0.08)


def test_metrics_that_order_alike_do_not_differ() -> None:
    found = tau_covariance(np.array([0.5, 0.5]), np.ones((2, 2)), np.array([12]))[0]
    assert found[0, 0] + found[1, 1] - 2 * found[0, 1] == pytest.approx(0, abs=1e-9)
