"""Exchanges between metrics: what one gives the other receives, and the first sample is untouched."""

import numpy as np
import pytest

from clirbench.labs.papers.statistics.exchange import swapped_segments


@pytest.mark.parametrize("together", [True, False])
def test_segments_keep_their_sum(together: bool) -> None:
    rng = np.random.default_rng(1)
    values = {"a": rng.normal(size=(3, 50)), "b": rng.normal(size=(3, 50)), "c": rng.normal(size=(3, 9))}
    ((pair, swapped),) = swapped_segments(
        values, 40, rng, together=together
    )  # c has other segments: nothing to exchange it with
    assert (pair, swapped.shape) == (("a", "b"), (41, 2, 3))
    means = np.stack([values["a"].mean(axis=1), values["b"].mean(axis=1)])
    assert swapped[0] == pytest.approx(means)
    assert swapped.sum(axis=1) == pytest.approx(np.tile(means.sum(axis=0), (41, 1)))
    assert swapped[1:].std(axis=0).min() > 0.01
