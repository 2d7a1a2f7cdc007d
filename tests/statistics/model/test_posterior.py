"""The posterior: known cases in closed form, independence of units of measurement, and its rates in made worlds."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from clirbench.statistics.model.best import expected_loss, p_best, true_values
from clirbench.statistics.model.noise import topic_noise
from tests.statistics.worlds import known_noise


def noise(sd: float, n: int) -> np.ndarray:
    return known_noise(sd, n).covariance


def test_two_systems_with_known_noise() -> None:
    """The difference d ~ N(0, v + s^2), r = v / (v + s^2) with density of Beta(1, .5): its posterior mean is E(r) d."""
    d, s = 3.0, np.sqrt(2.0)

    def weight(r: float) -> float:
        return float(0.5 * (1 - r) ** -0.5 * norm.pdf(d, scale=s / np.sqrt(1 - r)))

    total = quad(weight, 0, 1)[0]
    kept = quad(lambda r: r * weight(r), 0, 1)[0] / total
    better = quad(lambda r: weight(r) * norm.cdf(np.sqrt(r) * d / s), 0, 1)[0] / total
    draws = true_values(np.array([d, 0.0]), noise(1.0, 2), seed=3)
    difference = draws[:, 0] - draws[:, 1]
    assert difference.mean() == pytest.approx(kept * d, abs=0.1)
    assert (difference > 0).mean() == pytest.approx(better, abs=0.02)
    assert p_best(draws) == pytest.approx([better, 1 - better], abs=0.02)


def test_without_noise_the_best_measured_is_the_best() -> None:
    draws = true_values(np.array([0.3, 0.1, 0.2]), noise(1e-6, 3))
    assert p_best(draws).tolist() == [1, 0, 0]
    assert draws.mean(axis=0) == pytest.approx([0.1, -0.1, 0.0], abs=1e-4)
    assert expected_loss(draws) == pytest.approx([0.0, 0.2, 0.1], abs=1e-4)


def test_all_noise_is_shrunken_to_one_value() -> None:
    means = np.random.default_rng(0).normal(size=30)
    draws = true_values(means, noise(1.0, 30))
    assert draws.mean(axis=0).std() < 0.5 * means.std()
    assert draws.mean() == pytest.approx(0, abs=0.05)


def test_the_unit_of_measurement_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    values, metrics = rng.normal(size=(8, 20)), rng.normal(size=(2, 8))
    found = [
        true_values(scale * values.mean(axis=1), topic_noise(scale * values).covariance, metrics) / scale
        for scale in (1.0, 1e-3)
    ]
    assert np.allclose(found[0], found[1], atol=1e-6)


def test_good_metrics_are_learned_from_and_constant_ones_are_not() -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(size=40)
    means, error = truth + rng.normal(size=40), noise(1.0, 40)
    alone, good = (true_values(means, error, m) for m in (None, truth[None] + 0.1 * rng.normal(size=(2, 40))))
    errors = [np.std(draws.mean(axis=0) - truth) for draws in (alone, good)]
    assert errors[1] < 0.6 * errors[0]
    assert (true_values(means, error, np.ones((2, 40))) == alone).all()


@pytest.mark.parametrize("informed", [False, True])
def test_p_best_and_expected_losses_are_right(informed: bool) -> None:
    """80 worlds of 16 systems and 30 topics; half of the metrics useless: right on average up to chance, .05."""
    chance, loss = [], []
    for seed in range(80):
        rng = np.random.default_rng([seed, 16])
        rho = 0.8 * (seed % 2)
        truth = rng.normal(size=16)
        metrics = rho * truth + np.sqrt(1 - rho**2) * rng.normal(size=(3, 16))
        values = truth[:, None] + rng.normal(size=30) + np.sqrt(30 * 0.2) * rng.normal(size=(16, 30))
        error = topic_noise(values).covariance
        draws = true_values(values.mean(axis=1), error, metrics if informed else None, seed=seed)
        best, expected = p_best(draws), expected_loss(draws)
        chance.append(best.max() - (best.argmax() == truth.argmax()))
        loss.append(expected.min() - (truth.max() - truth[expected.argmin()]))
    for off in (np.array(chance), np.array(loss)):
        assert abs(off.mean()) < 0.05 + 2.6 * off.std() / 80**0.5
