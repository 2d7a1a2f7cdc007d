"""Means over collections: against statsmodels, and against worked examples as they are printed."""

import numpy as np
import pytest

from clirbench.labs.collections.statistics.random_effects import paule_mandel, pooled_mean, prediction

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
    meta = pytest.importorskip("statsmodels.stats.meta_analysis")
    theirs = meta.combine_effects(y, v, method_re="iterated", use_t=True, atol=1e-12, maxiter=200)
    low, high = theirs.conf_int(use_t=True)[3]  # Hartung and Knapp
    ours = pooled_mean(y, v)
    assert ours.tau2 == pytest.approx(theirs.tau2, rel=1e-6)
    assert ours.mean == pytest.approx(theirs.mean_effect_re, rel=1e-6)
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-6)


def test_the_printed_results_of_kacker_and_of_metafor() -> None:
    # Kacker 2004 (Metrologia 41:132), table 1, first row, page 135: sqrt(tau2) of Paule and Mandel is 0.8399 for these
    # laboratories. The other digits: metafor's rma(y, v, method="PM", control=list(tol=1e-9)), printed in statsmodels'
    # stats/tests/results/results_meta.py (exk1_metafor). With Paule and Mandel's tau2, Hartung and Knapp's factor is 1,
    # so that metafor's error is theirs; quantile of t with 8 degrees of freedom: 2.306004.
    found = pooled_mean(LABORATORIES, LABORATORY_VARIANCES)
    assert round(found.tau2**0.5, 4) == 0.8399
    assert found.tau2 == pytest.approx(0.705395309224248, rel=1e-9)
    assert found.mean == pytest.approx(62.4076199113286, rel=1e-12)
    assert (found.high - found.mean) / 2.306004135 == pytest.approx(0.338030602684471, rel=1e-8)


def test_a_printed_result_of_hartung_and_knapp_by_metafor() -> None:
    # rma.uni(yi, vi, method="PM", test="knha") and its predict(), as a public test of a forest plot prints them: mean
    # 0.22957, tau2 0.05930, interval of Higgins et al. [-0.70650, 1.16564] = mean -+ qt(.975, 3) sqrt(error^2 + tau2).
    found = pooled_mean(np.array([0.40, -0.20, 0.55, 0.10]), np.array([0.05, 0.06, 0.04, 0.05]))
    assert (round(found.mean, 5), round(found.tau2, 5)) == (0.22957, 0.0593)
    quantile = 3.182446305
    error = (found.high - found.mean) / quantile
    half = quantile * (error**2 + found.tau2) ** 0.5
    assert (round(found.mean - half, 4), round(found.mean + half, 4)) == (-0.7065, 1.1656)


def test_the_printed_prediction_interval_of_pimeta() -> None:
    # Its vignette: -.3341 [-.8807, .2240] from 25,000 draws; two seeds of it differ in the third place.
    low, high = prediction(SBP, SBP_ERRORS**2, draws=200_000)
    assert (low, high) == pytest.approx((-0.8807, 0.2240), abs=0.01)


def test_the_equation_of_paule_and_mandel_holds() -> None:
    for y, v in SETS:
        weight = 1 / (v + paule_mandel(y, v))
        assert (weight * (y - weight @ y / weight.sum()) ** 2).sum() == pytest.approx(len(y) - 1)


def test_collections_that_agree_by_luck_do_not_make_a_narrow_interval() -> None:
    found = pooled_mean(np.full(4, 0.3), np.full(4, 0.04))
    assert found.tau2 == 0
    assert found.high - found.mean == pytest.approx(3.182446 * 0.1)  # t with 3 degrees of freedom, sqrt(.04 / 4)


def test_what_too_few_collections_cannot_say() -> None:
    assert np.isnan(prediction(TAUS[:4], TAU_VARIANCES[:4])).all()
    alone = pooled_mean(TAUS[:1], TAU_VARIANCES[:1])
    assert alone.mean == 0.62
    assert np.isnan([alone.low, alone.high, alone.p_value]).all()
