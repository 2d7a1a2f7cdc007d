"""Power: the model gives back the taus it was made from, its test keeps its level, more is never worse."""

import numpy as np
import pytest

from clirbench.statistics.power import Model, power_table, reliabilities
from tests.statistics.worlds import scores_only, world


def test_model_gives_its_taus() -> None:
    free = Model((np.sin(np.pi / 2 * 0.7), np.sin(np.pi / 2 * 0.4)), 0.6, (1.0, 1.0, 1.0))
    # E tau-b of a normal copula is 2/pi asin(rho), here .7 and .4
    assert free.differences(30, 1.0, 2000, 0).mean() == pytest.approx(0.3, abs=0.01)


def test_noise_of_topics_shrinks_with_topics() -> None:
    noisy = Model((0.9, 0.5), 0.6, (1.0, 1.0, 0.5))
    few, many = (noisy.differences(30, more, 1500, 0).mean() for more in (1.0, 1000.0))
    assert few < many
    clean = Model((0.9, 0.5), 0.6, (1.0, 1.0, 1.0)).differences(30, 1.0, 1500, 0).mean()
    assert many == pytest.approx(clean, abs=0.02)


def test_level_is_kept_and_power_rises_with_the_difference() -> None:
    # wide apart, but both tied to quality: 16 systems, as in the Europarl study
    evidence = world(n=16, noise=(0.3, 0.5, 1.0), topics=50)
    rows = power_table(evidence, (0.0, 0.1, 0.4), simulations=400)
    assert rows[0].power == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 400) + 0.02)
    assert rows[0].power < rows[1].power < rows[2].power
    assert rows[0].systems_needed == float("inf")
    assert rows[1].systems_needed >= rows[2].systems_needed
    assert (rows[0].n_systems, rows[0].n_topics, rows[0].n_segments) == (16, 50, 60)
    assert {rows[0].metric_a, rows[0].metric_b} == {"m0", "m1"}


def test_reliability() -> None:
    evidence = world(n=30, topics=400, segments=400)
    x, y = reliabilities(evidence)
    # variance over systems: 4/12 of the ladder and the metric's own, against 1/400 of the items
    assert x[0] == pytest.approx(1 - (1 / 400) / evidence.x[0].var(), abs=0.005)
    assert y[0] == pytest.approx(1 - (1 / 400) / evidence.y[0].var(), abs=0.005)
    assert (reliabilities(scores_only([[1, 2, 3]], [[1, 2, 3]]))[0] == 1).all()


def test_too_little_to_ask() -> None:
    assert power_table(scores_only([[1, 2, 3]], [[1, 2, 3]])) == []
    assert power_table(scores_only([[1, 2], [2, 1]], [[1, 2]])) == []
    rows = power_table(
        scores_only([[1, 2, 3, 4, 5], [2, 1, 3, 4, 5]], [[1, 3, 2, 4, 5], [0] * 5]), (0.2,), simulations=50
    )
    assert [row.measure for row in rows] == ["y0"]
    assert np.isnan(rows[0].topics_needed)
    assert "free of noise" in rows[0].note


def test_same_seed_same_rows() -> None:
    evidence = world(n=10)
    assert power_table(evidence, (0.2,), simulations=50) == power_table(evidence, (0.2,), simulations=50)
