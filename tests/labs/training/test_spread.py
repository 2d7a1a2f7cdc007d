"""The SD over seeds by hand, and how often its interval holds the true one."""

import numpy as np
import pytest

from clirbench.labs.training.spread import FEWEST, seed_spread


def test_spread_by_hand() -> None:
    found = seed_spread([np.array([1.0, 3.0]), np.array([10.0, 10.0, 13.0]), np.array([7.0])])
    # Sums of squares 2 and 6, degrees of freedom 1 and 2.
    assert found.sd == pytest.approx(np.sqrt(8 / 3))
    assert (found.freedom, found.configurations) == (3, 2)
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_nothing_to_say_without_replicates() -> None:
    found = seed_spread([np.array([1.0]), np.array([2.0])])
    assert np.isnan(found.sd)
    assert found.freedom == 0


@pytest.mark.parametrize(("cells", "seeds"), [(10, 2), (4, 4), (6, 3)])
def test_the_interval_holds_the_true_sd_as_often_as_it_says(cells: int, seeds: int) -> None:
    """Cells differ much more than seeds do; of 1,000 intervals of .95 some 950 hold it, give or take 3 SE."""
    generator = np.random.default_rng(cells)
    means, sd, held = generator.normal(0, 50, cells), 0.7, 0
    for _ in range(1000):
        found = seed_spread([generator.normal(mean, sd, seeds) for mean in means])
        assert found.freedom == cells * (seeds - 1) >= FEWEST
        held += found.low <= sd <= found.high
    assert 0.929 <= held / 1000 <= 0.971
