"""The vectorised coefficients against scipy, cell by cell."""

import numpy as np
import pytest
import scipy.stats

from clirbench.errors import UnknownName
from clirbench.statistics.vectorised import grid, ranks

SCIPY = {"kendall": scipy.stats.kendalltau, "spearman": scipy.stats.spearmanr, "pearson": scipy.stats.pearsonr}


@pytest.mark.parametrize("name", list(SCIPY))
def test_agrees_with_scipy(name: str) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, size=(9, 3, 11)).astype(float), rng.normal(size=(9, 2, 11)).round(1)
    y[4, 1] = 2.0
    got = grid(name)(x, y)
    assert got.shape == (9, 3, 2)
    for sample in range(9):
        for metric in range(3):
            for measure in range(2):
                if (sample, measure) == (4, 1):
                    assert np.isnan(got[sample, metric, measure])
                else:
                    expected = SCIPY[name](x[sample, metric], y[sample, measure]).statistic
                    assert got[sample, metric, measure] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("shape", [(1,), (9,), (3, 11), (4, 2, 7)])
def test_ranks_are_scipys_also_with_ties_and_holes(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(len(shape)).integers(0, 5, size=shape).astype(float)
    assert ranks(values).tolist() == scipy.stats.rankdata(values, axis=-1).tolist()
    values[..., 0] = np.nan
    np.testing.assert_array_equal(ranks(values), scipy.stats.rankdata(values, axis=-1))


def test_unknown() -> None:
    with pytest.raises(UnknownName, match="coefficient for resampling 'tau'.*kendall, pearson, spearman"):
        grid("tau")
