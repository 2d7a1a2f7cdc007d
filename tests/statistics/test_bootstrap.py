"""Intervals against enumerated distributions, and coverage on data of known rho."""

import itertools

import numpy as np
import pytest
import scipy.stats

from clirbench.errors import ConfigError
from clirbench.statistics.coefficients import spearman_grid
from clirbench.statistics.grades import Evidence
from clirbench.statistics.resampling import (
    Bootstrap,
    Draws,
    drawn_systems,
    intervals,
    percentile,
    resampled_x,
    resampled_y,
)
from tests.statistics.worlds import scores_only, world


def resampled_rhos(evidence: Evidence, draws: Draws) -> np.ndarray:
    """(samples,): rho of the first metric with the first measure in every resample."""
    systems = draws.items("systems", len(evidence.systems))
    x, y = (drawn_systems(columns, systems) for columns in (resampled_x(evidence, draws), resampled_y(evidence, draws)))
    return spearman_grid(x, y)[:, 0, 0]


def test_three_systems_give_the_enumerated_distribution() -> None:
    x, y = [1.0, 2, 3], [1.0, 3, 2]
    exact: dict[float, float] = {}
    for drawn in itertools.product(range(3), repeat=3):  # all 27 equally likely resamples
        if len(set(drawn)) > 1:
            rho = scipy.stats.spearmanr([x[i] for i in drawn], [y[i] for i in drawn]).statistic
            exact[round(rho, 9)] = exact.get(round(rho, 9), 0) + 1 / 27
    samples = 20_000
    rhos = resampled_rhos(scores_only([x], [y]), Draws(("systems",), samples))
    assert np.isnan(rhos).mean() == pytest.approx(3 / 27, abs=0.01)
    values, counts = np.unique(rhos[~np.isnan(rhos)].round(9), return_counts=True)
    assert values.tolist() == pytest.approx(sorted(exact))
    for value, count in zip(values, counts, strict=True):
        share = exact[float(value)]
        assert count / samples == pytest.approx(share, abs=4 * np.sqrt(share / samples))


def test_topics_give_the_enumerated_distribution() -> None:
    evidence = world(n=5, topics=3, noise=(0.5,))
    per_topic = evidence.per_topic["y0"]
    exact = [
        scipy.stats.spearmanr(evidence.x[0], per_topic[:, list(drawn)].mean(axis=1)).statistic
        for drawn in itertools.product(range(3), repeat=3)
    ]
    rhos = resampled_rhos(evidence, Draws(("topics",), 20_000))
    assert set(rhos.round(9)) == set(np.round(exact, 9))
    assert rhos.mean() == pytest.approx(np.mean(exact), abs=0.01)


def test_percentile_of_a_symmetric_sample() -> None:
    assert percentile(np.arange(101.0), 0.9) == pytest.approx((5, 95))


def test_an_interval_holds_its_value_and_the_scheme_states_everything() -> None:
    how = Bootstrap(Draws(samples=200, seed=7))
    found = intervals(world(), ["spearman"], how)["y0", "m0", "spearman"]
    assert how.scheme == ("percentile 95 %: systems+topics+segments, n of n with replacement, 200 samples, seed 7")
    assert -1 <= found.low < found.value < found.high <= 1
    assert found.note == ""


def test_imported_scores_say_what_is_fixed() -> None:
    evidence = scores_only([[1, 2, 4, 3, 5, 6]], [[1, 3, 2, 4, 5, 6]])
    (found,) = intervals(evidence, ["spearman"], Bootstrap(Draws(samples=100))).values()
    assert found.note == "topics and segments held fixed: only scores are known"
    assert found.low < found.high


def test_bad_input_is_stated() -> None:
    nan = float("nan")
    evidence = scores_only([[1, 2, 3, 4], [5, 5, 5, 5], [1, nan, 2, 3]], [[1, 2, 4, 3], [0, 0, 0, 0]])
    how = Bootstrap(Draws(samples=100))
    found = intervals(evidence, ["spearman"], how)
    assert found["y0", "x1", "spearman"].note.startswith("x1: constant over all systems")
    assert found["y1", "x0", "spearman"].note.startswith("y1: constant over all systems")
    assert found["y0", "x2", "spearman"].note == "x2 has no value for b01"
    assert np.isnan(found["y0", "x2", "spearman"].value)
    complete = intervals(evidence, ["spearman"], how, complete=True)["y0", "x2", "spearman"]
    assert complete.note.startswith("over 3 of 4 systems")
    assert complete.value == pytest.approx(1 / 2)
    (two,) = intervals(scores_only([[1, 2]], [[1, 2]]), ["spearman"], how).values()
    assert np.isnan(two.low)
    assert "2 systems: an interval needs at least 3" in two.note


def test_configuration_errors() -> None:
    with pytest.raises(ConfigError, match="level=95"):
        Bootstrap(level=95)
