"""The posterior: known cases in closed form, independence of units of measurement, and its rates in made worlds."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from clirbench.statistics.model.noise import topic_noise
from clirbench.statistics.model.parts import metrics_part, noise_structure, unit_part
from clirbench.statistics.model.posterior import posterior
from clirbench.statistics.model.shipping import best_set, p_of_best
from tests.statistics.worlds import known_noise


def test_two_systems_with_known_noise() -> None:
    """The difference d ~ N(0, v + s^2), r = v / (v + s^2) with density of Beta(1, .5): its posterior mean is E(r) d."""
    d, s = 3.0, np.sqrt(2.0)

    def weight(r: float) -> float:
        return float(0.5 * (1 - r) ** -0.5 * norm.pdf(d, scale=s / np.sqrt(1 - r)))

    total = quad(weight, 0, 1)[0]
    kept = quad(lambda r: r * weight(r), 0, 1)[0] / total
    better = quad(lambda r: weight(r) * norm.cdf(np.sqrt(r) * d / s), 0, 1)[0] / total
    found = posterior(np.array([d, 0.0]), known_noise(1.0, 2), seed=3)
    assert found.reliability == pytest.approx(kept, abs=0.02)
    difference = found.draws[:, 0] - found.draws[:, 1]
    assert difference.mean() == pytest.approx(kept * d, abs=0.1)
    assert (difference > 0).mean() == pytest.approx(better, abs=0.02)


def test_without_noise_the_best_measured_is_the_best() -> None:
    found = posterior(np.array([0.3, 0.1, 0.2]), known_noise(1e-6, 3))
    assert p_of_best(found.draws).tolist() == [1, 0, 0]
    assert found.draws.mean(axis=0) == pytest.approx([0.3, 0.1, 0.2], abs=1e-4)


def test_all_noise_is_shrunken_to_one_value() -> None:
    means = np.random.default_rng(0).normal(size=30)
    found = posterior(means, known_noise(1.0, 30))
    assert found.draws.mean(axis=0).std() < 0.5 * means.std()
    assert found.draws.mean() == pytest.approx(means.mean(), abs=0.05)


def test_the_unit_of_measurement_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    values, metrics = rng.normal(size=(8, 20)), rng.normal(size=(2, 8))
    found = [
        posterior(scale * values.mean(axis=1), topic_noise(scale * values), metrics_part(metrics)).draws / scale
        for scale in (1.0, 1e-3)
    ]
    assert np.allclose(found[0], found[1], atol=1e-6)


def test_good_metrics_and_units_are_learned_from() -> None:
    rng = np.random.default_rng(2)
    truth = np.repeat(rng.normal(size=8), 5)
    means = truth + rng.normal(size=40)
    unit = np.repeat(np.arange(8), 5)
    noise = known_noise(1.0, 40)
    alone = posterior(means, noise).draws.mean(axis=0)
    with_units = posterior(means, noise, unit_part(unit))
    with_metrics = posterior(means, noise, metrics_part(truth[None] + 0.1 * rng.normal(size=(2, 40))))
    errors = [np.std(column - truth) for column in (alone, *(p.draws.mean(axis=0) for p in (with_units, with_metrics)))]
    assert errors[1] < 0.8 * errors[0]
    assert errors[2] < 0.5 * errors[0]
    assert with_metrics.share["metrics"] > 0.7
    assert with_units.share["unit"] > 0.4


def test_same_seed_same_draws() -> None:
    means, noise = np.array([1.0, 2.0, 4.0]), known_noise(0.5, 3)
    assert (posterior(means, noise, seed=5).draws == posterior(means, noise, seed=5).draws).all()
    assert not (posterior(means, noise, seed=5).draws == posterior(means, noise, seed=6).draws).all()


def test_the_set_holds_the_best_and_expected_losses_are_right() -> None:
    """60 worlds of 16 systems in 8 pairs, 30 topics, half of them with useless metrics.

    A set at .95 holds the best in fewer than 51 of 60 with probability .001; the median set stays small, and the
    expected loss of the shipped system is within .05 SD of the truth, up to chance.
    """
    unit = np.repeat(np.arange(8), 2)
    held, size, expected, lost = [], [], [], []
    for seed in range(60):
        rng = np.random.default_rng([seed, 16])
        rho = 0.8 * (seed % 2)
        truth = np.sqrt(0.5) * rng.normal(size=8)[unit] + np.sqrt(0.5) * rng.normal(size=16)
        metrics = rho * truth + np.sqrt(1 - rho**2) * rng.normal(size=(3, 16))
        values = truth[:, None] + rng.normal(size=30) + np.sqrt(30 * 0.2) * rng.normal(size=(16, 30))
        noise = topic_noise(values, noise_structure(unit))
        draws = posterior(values.mean(axis=1), noise, [*metrics_part(metrics), *unit_part(unit)], seed=seed).draws
        within = best_set(p_of_best(draws))
        held.append(within[truth.argmax()])
        size.append(within.sum())
        losses = (draws.max(axis=1, keepdims=True) - draws).mean(axis=0)
        expected.append(losses.min())
        lost.append(truth.max() - truth[losses.argmin()])
    off = np.subtract(expected, lost)
    assert sum(held) >= 51
    assert np.median(size) <= 7
    assert abs(off.mean()) < 0.05 + 2.6 * off.std() / 60**0.5
