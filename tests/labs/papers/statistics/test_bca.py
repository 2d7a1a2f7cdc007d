"""BCa intervals against scipy's, and their coverage on data of known tau."""

import numpy as np
import pytest
import scipy.stats

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.errors import ConfigError
from clirbench.labs.papers.statistics.bca import BCa, bca
from clirbench.statistics.bootstrap import Bootstrap, intervals
from clirbench.statistics.resampling import Draws
from clirbench.statistics.vectorised import pearson_grid
from tests.statistics.test_bootstrap import coverage
from tests.statistics.worlds import scores_only, world


def test_the_key_of_the_command_line_chooses_it() -> None:
    def built(method: str) -> Bootstrap | None:
        return build(compose_configuration(["+experiment=demo", f"correlation.intervals.method={method}"])).intervals

    assert built("bca") == BCa(Draws(["systems"], 1000))
    assert type(built("percentile")) is Bootstrap
    with pytest.raises(ConfigError, match="method=basic: choose from percentile"):
        built("basic")


def test_bca_equals_scipy() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=25)
    y = x + rng.normal(size=25)
    evidence = scores_only([x.tolist()], [y.tolist()])
    items = Draws(("systems",), 2000, seed=3).items("systems", 25)
    mine = intervals(evidence, ["pearson"], BCa(Draws(("systems",), 2000, seed=3)))["y0", "x0", "pearson"]
    distribution = pearson_grid(x[items][:, None], y[items][:, None])[:, 0, 0]
    drawn = type("Drawn", (), {"bootstrap_distribution": distribution})()
    theirs = scipy.stats.bootstrap(
        (x, y),
        lambda a, b: scipy.stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=0,
        method="BCa",
        bootstrap_result=drawn,
    ).confidence_interval
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=2e-3)


def test_of_a_symmetric_sample_it_is_the_percentile_interval() -> None:
    # median-unbiased and no skewness
    assert bca(np.arange(101.0), 50.0, [np.array([1.0, 2, 3])], 0.9) == pytest.approx((5, 95), abs=1e-6)


def test_topics_and_segments_are_drawn_too() -> None:
    how = BCa(Draws(samples=200, seed=7))
    found = intervals(world(), ["kendall"], how)["y0", "m0", "kendall"]
    assert how.scheme == "bca 95 %: systems+topics+segments, n of n with replacement, 200 samples, seed 7"
    assert -1 <= found.low < found.value < found.high <= 1


def test_half_samples_are_refused() -> None:
    with pytest.raises(ConfigError, match="bca needs sampling=replacement"):
        BCa(Draws(sampling="half"))


def test_coverage_over_systems() -> None:
    assert 0.90 <= coverage(BCa(Draws(("systems",), 400)), 40, 400) <= 0.985  # as of the percentile interval
