"""Bias of pseudo-relevance: paired difference of two taus."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.statistics.model.pseudo_bias import pseudo_bias


def test_difference_of_taus() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    pseudo, judged = x + 0.3 * rng.normal(size=30), x + rng.normal(size=30)
    found = pseudo_bias(x, pseudo, judged, np.arange(30))
    assert found.value == pytest.approx(kendalltau(x, pseudo).statistic - kendalltau(x, judged).statistic)
    assert 0 < found.low < found.value < found.high
    same = pseudo_bias(x, judged, judged, np.arange(30))
    assert (same.value, same.low, same.high) == (0, 0, 0)
    assert "too few" in pseudo_bias(x[:4], pseudo[:4], judged[:4], np.arange(4)).note
