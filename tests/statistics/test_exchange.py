"""Exchanges between metrics: what one gives the other receives, and the first sample is untouched."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from clirbench.statistics.exchange import Swapped, swapped_both, swapped_inputs, swapped_systems


def test_all_exchanges_of_few_systems() -> None:
    scores = {"a": np.array([1.0, 2, 4]), "b": np.array([1.0, 3, 2])}
    ((pair, (swapped, exhaustive)),) = swapped_systems(scores, 5, np.random.default_rng(0))
    assert (pair, exhaustive, swapped.shape) == (("a", "b"), True, (8, 2, 3))
    standard = {name: (column - column.mean()) / column.std() for name, column in scores.items()}
    assert swapped[0] == pytest.approx(np.stack([standard["a"], standard["b"]]))
    assert swapped[-1] == pytest.approx(np.stack([standard["b"], standard["a"]]))
    assert len({tuple(row) for row in swapped[:, 0].round(9)}) == 8


def test_many_systems_are_sampled() -> None:
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(size=20) for name in "abc"}
    found = dict(swapped_systems(scores, 50, rng))
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    swapped, exhaustive = found["a", "c"]
    assert (exhaustive, swapped.shape) == (False, (51, 2, 20))


@pytest.mark.parametrize("swap", [swapped_inputs, swapped_both])
def test_segments_keep_their_sum(swap: Callable[..., Iterator[Swapped]]) -> None:
    rng = np.random.default_rng(1)
    values = {"a": rng.normal(size=(3, 50)), "b": rng.normal(size=(3, 50)), "c": rng.normal(size=(3, 9))}
    ((pair, (swapped, exhaustive)),) = swap(values, 40, rng)  # c has other segments: nothing to exchange it with
    assert (pair, exhaustive, swapped.shape) == (("a", "b"), False, (41, 2, 3))
    means = np.stack([values["a"].mean(axis=1), values["b"].mean(axis=1)])
    assert swapped[0] == pytest.approx(means)
    assert swapped.sum(axis=1) == pytest.approx(np.tile(means.sum(axis=0), (41, 1)))
    assert swapped[1:].std(axis=0).min() > 0.01
