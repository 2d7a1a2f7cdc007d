"""Means over topics."""

import numpy as np

from clirbench.measures.base import arithmetic, geometric


def test_means_over_the_last_axis() -> None:
    values = np.array([[0.5, 0.125], [1, 0], [0, 0]])
    np.testing.assert_allclose(arithmetic(values), [0.3125, 0.5, 0])
    # Geometric means by hand, 0 counting as 1e-5 (trec_eval's MIN_GEO_MEAN).
    np.testing.assert_allclose(geometric(values), [0.25, 1e-5**0.5, 1e-5])


def test_undefined_values_are_left_out_and_none_at_all_is_undefined() -> None:
    np.testing.assert_allclose(arithmetic(np.array([[1, np.nan], [np.nan, np.nan]])), [1, np.nan])
    np.testing.assert_allclose(geometric(np.array([[0.5, np.nan], [np.nan, np.nan]])), [0.5, np.nan])
    assert np.isnan(arithmetic(np.empty(0)))
