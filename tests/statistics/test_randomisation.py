"""Random signs: hand-counted cases, ties, blocks, and the error rate of the best against the rest."""

from itertools import product

import numpy as np
import pytest

from clirbench.statistics import noise as randomisation
from clirbench.statistics.noise import mean_difference_p, sign_blocks


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
