"""The rise that improves retrieval with probability .8, and when it is not printed."""

from math import inf, log

import numpy as np
import pytest

from clirbench.statistics.model.rise import logistic_slope, rise_for, rising_pairs


def test_rise_is_that_of_the_slope() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    y = x + 0.7 * rng.normal(size=40)
    found = rise_for(x, y, np.arange(40))
    assert found.value == pytest.approx(log(4) / float(logistic_slope(*rising_pairs(x, y))))
    assert found.low < found.value < found.high
    assert rise_for(10 * x, y, np.arange(40)).value == pytest.approx(10 * found.value)


def test_ends_and_silence() -> None:
    x = np.arange(10.0)
    rng = np.random.default_rng(1)
    falls = rise_for(x, -x + 3 * rng.normal(size=10), np.arange(10))
    assert (falls.value, falls.high) == (inf, inf)
    useless = rise_for(x, rng.permutation(10).astype(float), np.arange(10))
    assert useless.high == inf > useless.low > 0
    assert np.isnan(rise_for(x, x, np.arange(10)).value)  # every pair agrees: no finite slope
    assert "too few" in rise_for(x[:5], x[[1, 0, 2, 4, 3]], np.arange(5)).note
